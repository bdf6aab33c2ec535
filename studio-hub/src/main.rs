//! The binary `studio`.

fn main() {}
