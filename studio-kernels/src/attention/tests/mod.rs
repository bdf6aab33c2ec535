//! Attention against a plain evaluation in double precision, for every instruction set of this machine.

mod chunk;
mod decode;
mod reference;
mod sets;
mod world;
