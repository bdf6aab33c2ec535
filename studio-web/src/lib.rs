//! The page: Leptos, client-side, and its export worker.
