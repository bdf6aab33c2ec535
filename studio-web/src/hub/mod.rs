//! Talking to the hub, from page and worker.

#[cfg(target_arch = "wasm32")]
pub(crate) mod link;
pub mod resume;
#[cfg(target_arch = "wasm32")]
pub(crate) mod socket;
