//! Attention against a plain evaluation in double precision, for every instruction set of this machine.
#![expect(unsafe_code, reason = "entry points take raw pointers")]

mod argmax;
mod chunk;
#[path = "../common/mod.rs"]
mod common;
mod decode;
mod reference;
mod sets;
mod world;
