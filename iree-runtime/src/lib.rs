//! Safe devices, parameters, modules, sessions and tensors over the IREE runtime.
//!
//! **Everything is checked here**: files before they are believed, shapes against the data that comes with them, what a
//! call gets against what the function wants, ranges, element types, and that nothing outlives the memory that it lies
//! in. What IREE itself finds wrong comes back as an [`Error`] with IREE's own text. One thing no check can give: a vmfb
//! is native code, and running one is trusting whoever made it.
//!
//! Data flows one way: a [`Device`] and a [`Module`] with its [`Parameters`] make a [`Session`]; a [`Function`] found
//! there is called with [`BufferView`]s on the device and leaves its results there. Host copies are made only by the
//! constructors and `read` methods of [`BufferView`].
//!
//! ```no_run
//! # use std::{num::NonZeroU32, path::Path};
//! # use iree_runtime::{Arg, BufferView, Device, Module, Parameters, Session};
//! # fn main() -> Result<(), iree_runtime::Error> {
//! let device = Device::local(NonZeroU32::MIN)?;
//! let module = Module::open(Path::new("model.vmfb"))?;
//! let weights = Parameters::open(Path::new("model.irpa"), "model")?;
//! let mut session = Session::new(&device, &module, &[&weights])?;
//! let next = session.function("next")?;
//! let tokens = BufferView::from_slice(&device, &[1, 4], &[1_i32, 2, 3, 4])?;
//! let results = session.call(&next, [Arg::View(&tokens)])?;
//! # Ok(())
//! # }
//! ```

mod archive;
mod buffer_view;
mod device;
mod element;
mod error;
mod module;
mod parameters;
mod raw;
mod session;
mod vmfb;
mod vulkan;

pub use buffer_view::BufferView;
pub use device::{CPU_DRIVERS, Device, DeviceStatistics, DispatchTime, MAX_WORKERS, Profile};
pub use element::{Element, ElementType};
pub use error::{Error, StatusCode};
pub use module::{FunctionInfo, Module};
pub use parameters::{ParameterInfo, Parameters};
pub use session::{Arg, Function, Session, Value};
pub use vulkan::{Vulkan, VulkanDevice};

/// The release of IREE that is linked in. Modules must come from the compiler of the same release.
#[must_use]
pub fn runtime_version() -> &'static str {
    iree_sys::IREE_VERSION
}
