//! A GGUF model as a typed graph, printed as StableHLO with an external parameter archive.
