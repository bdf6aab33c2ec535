//! Printers: a checked graph as text.
