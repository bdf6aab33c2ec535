//! Compiles and runs exported models: jobs in, numbered events out.
