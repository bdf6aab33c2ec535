//! Tasks that the justfile calls.

fn main() {}
