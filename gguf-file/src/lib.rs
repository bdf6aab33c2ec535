//! Reads and writes GGUF, llama.cpp's model file, and decodes every ggml block format it knows.
