//! A hub, runners and clients as processes of their own, through whatever may befall them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod clients;
#[path = "../common/mod.rs"]
mod common;
mod crashes;
mod faults;
mod joining;
mod sweeps;
#[path = "../common/tiny.rs"]
mod tiny;
mod world;
