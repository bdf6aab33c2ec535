//! An export: the bundle's files, planned first, then streamed piece by piece.
