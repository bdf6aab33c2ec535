//! The page's own machinery: its signals, what a person can do, its worker and its link to the hub.

mod app;
mod compare;
mod graph;
mod hub;
mod lab;
mod measure;
mod module;
mod store;
mod survey;
mod sweep;
mod tokens;
mod work;
mod worker_port;

pub(crate) use app::App;
pub(crate) use hub::JobSlot;
pub(crate) use store::Theme;

use leptos::prelude::*;

/// Mounts the page.
pub(crate) fn start() {
    crate::panic::show_in_page();
    if let Some(boot) = document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(crate::view::Page);
}
