//! The IREE 3.13 C runtime, built from the sources in eerie-sys, behind a narrow C shim. Checks nothing.
