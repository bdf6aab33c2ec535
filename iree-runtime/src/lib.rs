//! Safe devices, parameters, modules and sessions over the IREE runtime. Everything is checked here.
