//! A hub as its clients reach it: the websocket, downloads, uploads. Runners and the command line use the same.

mod address;
mod download;
mod link;
mod upload;

pub use address::{AddressError, HubAddress};
pub use download::download;
pub use link::{Link, LinkError, Welcome};
pub use upload::{Upload, upload};
