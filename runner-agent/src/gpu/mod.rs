//! Graphics processors: which there are, and whether what they compute can be believed.
//!
//! A driver is other people's native code, so only child processes load it ([`devices`]); the parent asks one
//! ([`discover`]). A module's first run on a device is held against the processor ([`check`]).

mod check;
mod device;

pub use check::{Check, check, folder_beside};
pub(crate) use device::{Gpu, devices, open};
pub use device::{discover, gpus};
