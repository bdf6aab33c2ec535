//! Phones and boards over adb: which there are, and `runner-agent` put there and joined to a hub.
//!
//! A device reaches the hub through adb: its own loopback port leads to the hub's on this machine, so that nothing but the
//! cable is needed and the hub stays on loopback.

pub mod elf;

#[cfg(feature = "adb")]
pub mod adb;
#[cfg(feature = "adb")]
pub mod deploy;
#[cfg(feature = "adb")]
pub mod devices;
