//! Chat templates: a conversation rendered as the model expects it.
