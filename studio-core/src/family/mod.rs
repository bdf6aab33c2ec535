//! Model families: a GGUF's metadata as a graph.
