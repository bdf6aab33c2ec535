//! The IREE 3.13 C runtime behind a narrow C shim (`shim/shim.h`): devices, parameter archives, modules,
//! sessions and buffer views, and nothing else of IREE.
//!
//! **This crate checks nothing.** Pointers must be live, lengths true and indices in range; `iree-runtime` is the crate
//! that sees to it. What holds for all functions:
//!
//! - A [`Status`] that is not null is an error owned by the caller, who must free it with [`shim_status_free`].
//! - Out-parameters are written only when the returned status is null.
//! - A [`Str`] that comes back is borrowed from the object that it was asked of, and lives as long.
//! - Instances, devices, archives and modules may be used from any thread, by several at a time; sessions from any
//!   thread but one at a time. Views are immutable themselves; their contents are plain memory, whose readers and
//!   writers (calls that got the view) the caller must keep apart.
#![expect(unsafe_code, reason = "this crate is the border to C")]

use std::ffi::{c_char, c_void};

/// The release of IREE whose runtime is linked in; vmfbs must come from the compiler of the same one.
pub const IREE_VERSION: &str = "3.13.0";

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])* #[repr(C)] pub struct $name { _opaque: [u8; 0] })+
    };
}

opaque! {
    /// What a failed call left behind.
    StatusRecord,
    /// The virtual machine's types. All modules and sessions of a process share one.
    Instance,
    /// A device with its allocator and, if it has workers, its threads.
    Device,
    /// The Vulkan driver, and the devices that it found.
    Vulkan,
    /// An index of named byte ranges in memory that the caller keeps mapped.
    Archive,
    /// A verified bytecode module over bytes that the caller keeps mapped.
    Module,
    /// A module instantiated on a device, with its state and its argument and result lists.
    Session,
    /// A reference to a buffer with a shape and an element type.
    View,
}

/// Null on success.
pub type Status = *mut StatusRecord;

/// Bytes with a length, by convention UTF-8.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub data: *const c_char,
    pub size: usize,
}

/// What a device's allocator has done, in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Statistics {
    pub peak_bytes: u64,
    pub allocated_bytes: u64,
    pub freed_bytes: u64,
}

/// What a profile says of one dispatch.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DispatchTime {
    pub name: Str,
    pub calls: u64,
    pub total_ns: u64,
    pub minimum_ns: u64,
    pub maximum_ns: u64,
}

/// A function of a session's module; valid as long as the session.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Function {
    pub module: *const c_void,
    pub linkage: u32,
    pub ordinal: u32,
}

/// What a module says about one of its exports.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FunctionInfo {
    pub name: Str,
    /// IREE's calling convention, such as `0rri_rr`; empty where the module has none.
    pub calling_convention: Str,
    /// The source-level signature (`iree.abi.declaration`); empty where the module has none.
    pub declaration: Str,
}

/// An absent value or a null reference.
pub const VALUE_NONE: u32 = 0;
/// `i32`.
pub const VALUE_I32: u32 = 1;
/// `i64`.
pub const VALUE_I64: u32 = 2;
/// `f32`.
pub const VALUE_F32: u32 = 3;
/// `f64`.
pub const VALUE_F64: u32 = 4;
/// A buffer view.
pub const VALUE_VIEW: u32 = 5;
/// Something that this interface has no name for; it has been released.
pub const VALUE_OTHER: u32 = 6;

/// A tagged value: `kind` is one of the `VALUE_*` and says which field of `data` is set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    pub kind: u32,
    pub data: ValueData,
}

/// The payload of a [`Value`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union ValueData {
    pub i32: i32,
    pub i64: i64,
    pub f32: f32,
    pub f64: f64,
    pub view: *mut View,
}

unsafe extern "C" {
    /// IREE's code (1 CANCELLED … 16 UNAUTHENTICATED, 17 DEFERRED, 18 INCOMPATIBLE) of an error. Any thread.
    pub fn shim_status_code(status: Status) -> u32;
    /// Writes up to `capacity` bytes of the error's text, NUL included, and returns the length of the whole text
    /// without it. Any thread.
    pub fn shim_status_text(status: Status, buffer: *mut c_char, capacity: usize) -> usize;
    /// Takes the error. Any thread.
    pub fn shim_status_free(status: Status);

    /// The caller owns the instance; there is no way to free it, since a process needs one for as long as it runs.
    pub fn shim_instance_create(out_instance: *mut *mut Instance) -> Status;

    /// A device whose work runs on the thread that calls. The caller owns it.
    pub fn shim_device_create_sync(out_device: *mut *mut Device) -> Status;
    /// A device whose work runs on `worker_count` threads of its own (at least 1). The caller owns it.
    pub fn shim_device_create_task(worker_count: usize, out_device: *mut *mut Device) -> Status;

    /// Loads Vulkan and asks what devices there are. An error where there is no loader or no driver, or where the program
    /// is linked statically. The caller owns it.
    pub fn shim_vulkan_create(out_vulkan: *mut *mut Vulkan) -> Status;
    /// Takes it; devices made with it keep what they need. Any thread.
    pub fn shim_vulkan_free(vulkan: *mut Vulkan);
    /// Any thread.
    pub fn shim_vulkan_device_count(vulkan: *const Vulkan) -> usize;
    /// The name of a device, by its index below the count; borrowed. Any thread.
    pub fn shim_vulkan_device_name(vulkan: *const Vulkan, index: usize) -> Str;
    /// What names a device for good; borrowed. Any thread.
    pub fn shim_vulkan_device_path(vulkan: *const Vulkan, index: usize) -> Str;
    /// Writes up to `capacity` bytes of what is known of a device, its driver's version among it, and returns the length of
    /// the whole text. Any thread.
    pub fn shim_vulkan_device_text(
        vulkan: *const Vulkan,
        index: usize,
        buffer: *mut c_char,
        capacity: usize,
    ) -> usize;
    /// Opens a device, by its index below the count. The caller owns it.
    pub fn shim_device_create_vulkan(
        vulkan: *const Vulkan,
        index: usize,
        out_device: *mut *mut Device,
    ) -> Status;

    /// Takes the device; sessions that hold it keep it alive, views do not. Any thread.
    pub fn shim_device_free(device: *mut Device);
    /// Any thread.
    pub fn shim_device_statistics(device: *const Device) -> Statistics;

    /// Has the device time its dispatches from now on: once, before anything else uses it.
    pub fn shim_device_profile(device: *mut Device) -> Status;
    /// Takes in what was timed since, of which a device keeps only so much. Any thread, but one at a time, and not while
    /// another reads what was taken in.
    pub fn shim_device_profile_flush(device: *mut Device) -> Status;
    /// How many timed dispatches were lost because they were more than the device keeps.
    pub fn shim_device_profile_dropped(device: *const Device) -> u64;
    /// How many functions of executables were dispatched, so far as was taken in; 0 where nothing is timed.
    pub fn shim_device_dispatch_count(device: *const Device) -> usize;
    /// One of them, by its index below the count; the name is valid until the next flush and as long as the device.
    pub fn shim_device_dispatch(device: *const Device, index: usize) -> DispatchTime;

    /// An empty index over `bytes`, which must stay readable and unchanged until the archive, the sessions made with it
    /// and their views are gone. The caller owns it.
    pub fn shim_archive_create(bytes: *const u8, size: usize, out_archive: *mut *mut Archive) -> Status;
    /// Names a range of the bytes; it must lie within them. The name is copied.
    pub fn shim_archive_add_range(archive: *mut Archive, name: Str, offset: u64, length: u64) -> Status;
    /// Names a value that repeats a pattern of 1, 2, 4, 8 or 16 bytes. Name and pattern are copied.
    pub fn shim_archive_add_splat(
        archive: *mut Archive,
        name: Str,
        pattern: *const u8,
        pattern_length: usize,
        length: u64,
    ) -> Status;
    /// Takes the archive; sessions made with it keep what they need. Any thread.
    pub fn shim_archive_free(archive: *mut Archive);

    /// Verifies the bytes as a bytecode module. They must stay readable and unchanged until the module, the sessions
    /// made with it and their views are gone. The caller owns the module. Any thread.
    pub fn shim_module_create(
        instance: *mut Instance,
        bytes: *const u8,
        size: usize,
        out_module: *mut *mut Module,
    ) -> Status;
    /// Takes the module; sessions made with it keep what they need. Any thread.
    pub fn shim_module_free(module: *mut Module);
    /// Borrowed from the module. Any thread.
    pub fn shim_module_name(module: *const Module) -> Str;
    /// Any thread.
    pub fn shim_module_export_count(module: *const Module) -> usize;
    /// What is written is borrowed from the module. Any thread.
    pub fn shim_module_export(module: *mut Module, ordinal: usize, out_info: *mut FunctionInfo) -> Status;

    /// Instantiates the module and runs its initialisers, which load parameters. `archives` and `scopes` have
    /// `archive_count` elements each and are read only during the call. The caller owns the session.
    pub fn shim_session_create(
        instance: *mut Instance,
        device: *mut Device,
        module: *mut Module,
        archives: *const *mut Archive,
        scopes: *const Str,
        archive_count: usize,
        out_session: *mut *mut Session,
    ) -> Status;
    /// Takes the session. Views that came from it may still point into the module's and the archives' bytes.
    pub fn shim_session_free(session: *mut Session);
    /// Finds `module.function`. The calling convention is borrowed from the session's module.
    pub fn shim_session_function(
        session: *const Session,
        name: Str,
        out_function: *mut Function,
        out_calling_convention: *mut Str,
    ) -> Status;
    /// Appends a scalar to the arguments of the next call. The value is copied.
    pub fn shim_session_push_value(session: *mut Session, value: *const Value) -> Status;
    /// Appends a view to the arguments of the next call; the caller keeps its reference.
    pub fn shim_session_push_view(session: *mut Session, view: *mut View) -> Status;
    /// Appends a view to the arguments of the next call and takes the caller's reference, even when it fails.
    pub fn shim_session_move_view(session: *mut Session, view: *mut View) -> Status;
    /// Calls the function with the arguments pushed, waits for it and empties the argument list. The results replace
    /// those of the last call.
    pub fn shim_session_invoke(session: *mut Session, function: Function) -> Status;
    /// How many results the last call left.
    pub fn shim_session_output_count(session: *const Session) -> usize;
    /// Moves a result out. The caller owns a view that it gets.
    pub fn shim_session_take_output(session: *mut Session, index: usize, out_value: *mut Value) -> Status;
    /// Drops arguments pushed and results left.
    pub fn shim_session_clear(session: *mut Session);

    /// A new buffer with a copy of the bytes, which must be as many as shape and type say. The caller owns the view.
    pub fn shim_view_create(
        device: *mut Device,
        shape: *const usize,
        rank: usize,
        element_type: u32,
        bytes: *const u8,
        size: usize,
        out_view: *mut *mut View,
    ) -> Status;
    /// A new buffer of zeros whose pages are taken only when written. The caller owns the view.
    pub fn shim_view_create_zeroed(
        device: *mut Device,
        shape: *const usize,
        rank: usize,
        element_type: u32,
        out_view: *mut *mut View,
    ) -> Status;
    /// Takes the caller's reference. Any thread, but before the device is freed.
    pub fn shim_view_free(view: *mut View);
    /// Any thread.
    pub fn shim_view_rank(view: *const View) -> usize;
    /// As many numbers as the rank, borrowed from the view; null only where that is 0. Any thread.
    pub fn shim_view_shape(view: *const View) -> *const usize;
    /// IREE's number of the element type. Any thread.
    pub fn shim_view_element_type(view: *const View) -> u32;
    /// 1 if the elements lie dense and row-major. Any thread.
    pub fn shim_view_is_dense(view: *const View) -> u32;
    /// Any thread.
    pub fn shim_view_byte_length(view: *const View) -> usize;
    /// Copies a range of the buffer, which lies on this device, out.
    pub fn shim_view_read(
        device: *mut Device,
        view: *const View,
        offset: usize,
        target: *mut u8,
        size: usize,
    ) -> Status;
    /// Where the buffer lies in this process's memory.
    pub fn shim_view_address(view: *const View, out_address: *mut usize) -> Status;
}
