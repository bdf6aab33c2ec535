//! The owned handles over `iree-sys`, and all of this crate's unsafe code. Each handle keeps alive what its C object
//! points into; each method states what it relies on. Callers in this crate are safe code: whatever they pass, memory
//! safety must follow from the checks here and from what the types hold. One file, so that it can be read in one go.
#![expect(unsafe_code, reason = "the one file of this crate that calls into C")]

use std::{
    ffi::c_char,
    fs::File,
    io,
    marker::PhantomData,
    path::Path,
    ptr::{self, NonNull},
    slice,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use iree_sys as sys;
use memmap2::Mmap;

use crate::device::DispatchTime;
use crate::error::{Failure, StatusCode};

/// Turns a status into a result, freeing it.
fn check(status: sys::Status) -> Result<(), Failure> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: the status is not null, ours, and freed once, after its last use. The buffer is as long as is said.
    unsafe {
        let code = StatusCode::from_iree(sys::shim_status_code(status));
        let length = sys::shim_status_text(status, ptr::null_mut(), 0);
        let mut text = vec![0_u8; length + 1];
        sys::shim_status_text(status, text.as_mut_ptr().cast::<c_char>(), text.len());
        sys::shim_status_free(status);
        text.truncate(length);
        Err(Failure { code, message: String::from_utf8_lossy(&text).into_owned() })
    }
}

/// The pointer that a call without error wrote.
fn written<T>(pointer: *mut T) -> Result<NonNull<T>, Failure> {
    NonNull::new(pointer).ok_or_else(|| Failure::new(StatusCode::Internal, "IREE returned nothing"))
}

fn str_of(text: &str) -> sys::Str {
    sys::Str { data: text.as_ptr().cast::<c_char>(), size: text.len() }
}

/// Copies borrowed text.
///
/// # Safety
/// `text` must be null or point to as many readable bytes as it says.
unsafe fn string_of(text: sys::Str) -> String {
    if text.data.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for the range.
    let bytes = unsafe { slice::from_raw_parts(text.data.cast::<u8>(), text.size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file mapped into memory: read as pages are touched, shared with the page cache.
pub(crate) struct MappedFile(Mmap);

impl MappedFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        // SAFETY: that nobody cuts the file short while it is mapped cannot be enforced; as
        // everywhere where files are mapped, touching a page that has gone raises SIGBUS and corrupts nothing.
        unsafe { Mmap::map(&file) }.map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The types that all modules share. Made at the first use and kept as long as the process.
#[derive(Clone, Copy)]
struct Instance(NonNull<sys::Instance>);

// SAFETY: an instance may be used from any thread, by several at a time.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

fn instance() -> Result<Instance, Failure> {
    static INSTANCE: OnceLock<Result<Instance, Failure>> = OnceLock::new();
    INSTANCE
        .get_or_init(|| {
            let mut out = ptr::null_mut();
            // SAFETY: `out` takes a pointer.
            check(unsafe { sys::shim_instance_create(&raw mut out) })?;
            written(out).map(Instance)
        })
        .clone()
}

/// The Vulkan driver and its devices.
pub(crate) struct Vulkan(NonNull<sys::Vulkan>);

// SAFETY: it may be used from any thread, and nothing of it changes.
unsafe impl Send for Vulkan {}
// SAFETY: as above.
unsafe impl Sync for Vulkan {}

impl Vulkan {
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` takes a pointer.
        check(unsafe { sys::shim_vulkan_create(&raw mut out) })?;
        written(out).map(Self)
    }

    pub(crate) fn count(&self) -> usize {
        // SAFETY: the driver is alive.
        unsafe { sys::shim_vulkan_device_count(self.0.as_ptr()) }
    }

    /// The name, the path and all that is known of the device with an index; nothing past the last.
    pub(crate) fn describe(&self, index: usize) -> Option<[String; 3]> {
        const CAPACITY: usize = 64 << 10;
        if index >= self.count() {
            return None;
        }
        let driver = self.0.as_ptr();
        let mut text = vec![0_u8; CAPACITY];
        // SAFETY: the driver is alive and the index below the count; the texts are copied at once, and the buffer is as
        // long as is said.
        let (name, path, length) = unsafe {
            (
                string_of(sys::shim_vulkan_device_name(driver, index)),
                string_of(sys::shim_vulkan_device_path(driver, index)),
                sys::shim_vulkan_device_text(driver, index, text.as_mut_ptr().cast::<c_char>(), CAPACITY),
            )
        };
        text.truncate(length);
        Some([name, path, String::from_utf8_lossy(&text).into_owned()])
    }

    /// Opens the device with an index.
    pub(crate) fn open(&self, index: usize) -> Result<Device, Failure> {
        if index >= self.count() {
            return Err(Failure::new(StatusCode::NotFound, format!("there is no Vulkan device {index}")));
        }
        let mut out = ptr::null_mut();
        // SAFETY: the driver is alive, the index below the count; `out` takes a pointer.
        check(unsafe { sys::shim_device_create_vulkan(self.0.as_ptr(), index, &raw mut out) })?;
        written(out).map(Device::new)
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: ours, freed once; devices keep what they need of it.
        unsafe { sys::shim_vulkan_free(self.0.as_ptr()) }
    }
}

/// A device.
pub(crate) struct Device {
    handle: NonNull<sys::Device>,
    /// Held while what was timed is taken in or read.
    reading: Mutex<()>,
}

// SAFETY: a device may be used from any thread, by several at a time.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    fn new(handle: NonNull<sys::Device>) -> Self {
        Self { handle, reading: Mutex::new(()) }
    }

    /// A device that works on the calling thread.
    pub(crate) fn sync() -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` takes a pointer.
        check(unsafe { sys::shim_device_create_sync(&raw mut out) })?;
        written(out).map(Self::new)
    }

    /// A device with as many threads of its own; at least one.
    pub(crate) fn task(workers: usize) -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` takes a pointer; any number of workers from 1 is allowed.
        check(unsafe { sys::shim_device_create_task(workers.max(1), &raw mut out) })?;
        written(out).map(Self::new)
    }

    /// The same device, timing its dispatches from its first on.
    pub(crate) fn profiled(self) -> Result<Self, Failure> {
        // SAFETY: the device is alive, and nobody else has it yet.
        check(unsafe { sys::shim_device_profile(self.handle.as_ptr()) })?;
        Ok(self)
    }

    /// What was timed so far: the dispatches, each once, and how many events were lost.
    pub(crate) fn dispatches(&self) -> Result<(Vec<DispatchTime>, u64), Failure> {
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let device = self.handle.as_ptr();
        // SAFETY: the device is alive; no other thread takes in or reads.
        check(unsafe { sys::shim_device_profile_flush(device) })?;
        // SAFETY: as above.
        let (count, dropped) =
            unsafe { (sys::shim_device_dispatch_count(device), sys::shim_device_profile_dropped(device)) };
        let dispatch = |index| {
            // SAFETY: as above; the index is below the count, and the name is copied before the lock is given up.
            unsafe {
                let raw = sys::shim_device_dispatch(device, index);
                DispatchTime {
                    name: string_of(raw.name),
                    calls: raw.calls,
                    total: Duration::from_nanos(raw.total_ns),
                    shortest: Duration::from_nanos(raw.minimum_ns),
                    longest: Duration::from_nanos(raw.maximum_ns),
                }
            }
        };
        Ok(((0..count).map(dispatch).collect(), dropped))
    }

    pub(crate) fn statistics(&self) -> sys::Statistics {
        // SAFETY: the device is alive.
        unsafe { sys::shim_device_statistics(self.handle.as_ptr()) }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: ours, freed once; views and sessions hold an `Arc` of it.
        unsafe { sys::shim_device_free(self.handle.as_ptr()) }
    }
}

/// What a parameter's bytes are.
pub(crate) enum Storage<'a> {
    Range { offset: u64 },
    Splat { pattern: &'a [u8] },
}

/// A mapped file with named ranges.
pub(crate) struct Archive {
    handle: NonNull<sys::Archive>,
    file: MappedFile,
}

// SAFETY: an archive may be used from any thread, by several at a time.
unsafe impl Send for Archive {}
// SAFETY: as above; it is only added to through `&mut`.
unsafe impl Sync for Archive {}

impl Archive {
    pub(crate) fn new(file: MappedFile) -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        let bytes = file.bytes();
        // SAFETY: the bytes stay mapped as long as the archive, which holds them, and sessions hold the archive.
        check(unsafe { sys::shim_archive_create(bytes.as_ptr(), bytes.len(), &raw mut out) })?;
        Ok(Self { handle: written(out)?, file })
    }

    /// Names bytes of the file, or a repeated pattern. Refuses a range outside the file and a pattern that IREE has no
    /// operation for.
    pub(crate) fn add(&mut self, name: &str, storage: &Storage<'_>, length: u64) -> Result<(), Failure> {
        let archive = self.handle.as_ptr();
        match *storage {
            Storage::Range { offset } => {
                let size = self.file.bytes().len() as u64;
                if offset.checked_add(length).is_none_or(|end| end > size) {
                    return Err(Failure::new(
                        StatusCode::OutOfRange,
                        format!("{length} bytes at offset {offset} reach past the end of the file ({size})"),
                    ));
                }
                // SAFETY: the range lies in the file; the name is live.
                check(unsafe { sys::shim_archive_add_range(archive, str_of(name), offset, length) })
            }
            Storage::Splat { pattern } => {
                if !matches!(pattern.len(), 1 | 2 | 4 | 8 | 16) {
                    return Err(Failure::new(
                        StatusCode::InvalidArgument,
                        format!("a splat pattern of {} bytes", pattern.len()),
                    ));
                }
                // SAFETY: pattern and name are live, the length is one of those allowed.
                check(unsafe {
                    sys::shim_archive_add_splat(
                        archive,
                        str_of(name),
                        pattern.as_ptr(),
                        pattern.len(),
                        length,
                    )
                })
            }
        }
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, before the bytes that it points into.
        unsafe { sys::shim_archive_free(self.handle.as_ptr()) }
    }
}

/// What a module says about an export.
pub(crate) struct ExportInfo {
    pub(crate) name: String,
    pub(crate) calling_convention: String,
    pub(crate) declaration: String,
}

/// A verified bytecode module and the mapped file that it lies in.
pub(crate) struct Module {
    handle: NonNull<sys::Module>,
    _file: MappedFile,
}

// SAFETY: a module may be used from any thread, by several at a time.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    pub(crate) fn new(file: MappedFile) -> Result<Self, Failure> {
        let instance = instance()?;
        let bytes = file.bytes();
        let mut out = ptr::null_mut();
        // SAFETY: the bytes stay mapped as long as the module, which holds them, and sessions hold the module.
        check(unsafe {
            sys::shim_module_create(instance.0.as_ptr(), bytes.as_ptr(), bytes.len(), &raw mut out)
        })?;
        Ok(Self { handle: written(out)?, _file: file })
    }

    pub(crate) fn name(&self) -> String {
        // SAFETY: the module is alive, and the text as long.
        unsafe { string_of(sys::shim_module_name(self.handle.as_ptr())) }
    }

    pub(crate) fn exports(&self) -> Result<Vec<ExportInfo>, Failure> {
        // SAFETY: the module is alive.
        let count = unsafe { sys::shim_module_export_count(self.handle.as_ptr()) };
        let empty = sys::Str { data: ptr::null(), size: 0 };
        (0..count)
            .map(|ordinal| {
                let mut info =
                    sys::FunctionInfo { name: empty, calling_convention: empty, declaration: empty };
                // SAFETY: the ordinal is in range; what is written lives as long as the module.
                unsafe {
                    check(sys::shim_module_export(self.handle.as_ptr(), ordinal, &raw mut info))?;
                    Ok(ExportInfo {
                        name: string_of(info.name),
                        calling_convention: string_of(info.calling_convention),
                        declaration: string_of(info.declaration),
                    })
                }
            })
            .collect()
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, before the bytes that it points into.
        unsafe { sys::shim_module_free(self.handle.as_ptr()) }
    }
}

/// A module instantiated on a device, with everything that its memory may point into.
///
/// Shared by the [`Session`] that calls it and the views that came out of it: a view may lie in the module's constants,
/// the archives' pages or the state of the session itself.
pub(crate) struct Context {
    handle: NonNull<sys::Session>,
    device: Arc<Device>,
    _module: Arc<Module>,
    _archives: Vec<Arc<Archive>>,
    /// Sessions whose views were passed in here: results may be those same buffers.
    guests: Mutex<Vec<Arc<Context>>>,
}

// SAFETY: a session may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: all that uses the handle goes through the one `Session` of this context, by `&mut` or by reading what never
// changes; everybody else only keeps it alive.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: ours, freed once, before the device, module and archives that it points into.
        unsafe { sys::shim_session_free(self.handle.as_ptr()) }
    }
}

/// The only caller of a context.
pub(crate) struct Session {
    context: Arc<Context>,
    /// Calls need `&mut`; nothing is to be done through a shared reference from another thread.
    _not_sync: PhantomData<std::cell::Cell<()>>,
}

/// A function of one session's module.
#[derive(Clone)]
pub(crate) struct Function {
    context: Arc<Context>,
    function: sys::Function,
    pub(crate) calling_convention: Arc<str>,
}

// SAFETY: the function is two numbers and a pointer that is only handed back to its context.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// A scalar argument.
pub(crate) enum Scalar {
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
}

/// A result.
pub(crate) enum Output {
    None,
    Other,
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    View(View),
}

impl Session {
    /// `archives` come with the scope that each stands for.
    pub(crate) fn new(
        device: &Arc<Device>,
        module: &Arc<Module>,
        archives: &[(Arc<Archive>, &str)],
    ) -> Result<Self, Failure> {
        let instance = instance()?;
        let handles: Vec<_> = archives.iter().map(|(archive, _)| archive.handle.as_ptr()).collect();
        let scopes: Vec<_> = archives.iter().map(|(_, scope)| str_of(scope)).collect();
        let mut out = ptr::null_mut();
        // SAFETY: all handles are alive and kept so by the context; both arrays have as many elements as is said.
        check(unsafe {
            sys::shim_session_create(
                instance.0.as_ptr(),
                device.handle.as_ptr(),
                module.handle.as_ptr(),
                handles.as_ptr(),
                scopes.as_ptr(),
                archives.len(),
                &raw mut out,
            )
        })?;
        let context = Context {
            handle: written(out)?,
            device: Arc::clone(device),
            _module: Arc::clone(module),
            _archives: archives.iter().map(|(archive, _)| Arc::clone(archive)).collect(),
            guests: Mutex::new(Vec::new()),
        };
        Ok(Self { context: Arc::new(context), _not_sync: PhantomData })
    }

    fn handle(&self) -> *mut sys::Session {
        self.context.handle.as_ptr()
    }

    /// Finds a function by its full name, `module.function`.
    pub(crate) fn function(&self, name: &str) -> Result<Function, Failure> {
        let mut function = sys::Function { module: ptr::null(), linkage: 0, ordinal: 0 };
        let mut convention = sys::Str { data: ptr::null(), size: 0 };
        // SAFETY: the session is alive and not in a call; the text lives as long as its module.
        let calling_convention = unsafe {
            check(sys::shim_session_function(
                self.handle(),
                str_of(name),
                &raw mut function,
                &raw mut convention,
            ))?;
            string_of(convention)
        };
        Ok(Function {
            context: Arc::clone(&self.context),
            function,
            calling_convention: calling_convention.into(),
        })
    }

    pub(crate) fn push_scalar(&mut self, scalar: &Scalar) -> Result<(), Failure> {
        let (kind, data) = match *scalar {
            Scalar::I32(value) => (sys::VALUE_I32, sys::ValueData { i32: value }),
            Scalar::I64(value) => (sys::VALUE_I64, sys::ValueData { i64: value }),
            Scalar::F32(value) => (sys::VALUE_F32, sys::ValueData { f32: value }),
            Scalar::F64(value) => (sys::VALUE_F64, sys::ValueData { f64: value }),
        };
        let value = sys::Value { kind, data };
        // SAFETY: the session is alive and ours alone; kind and data agree.
        check(unsafe { sys::shim_session_push_value(self.handle(), &raw const value) })
    }

    /// Refuses a view of another device.
    pub(crate) fn push_view(&mut self, view: &View) -> Result<(), Failure> {
        self.admit(view)?;
        // SAFETY: session and view are alive; what the view's memory belongs to is kept by the context.
        check(unsafe { sys::shim_session_push_view(self.handle(), view.handle.0.as_ptr()) })
    }

    /// Refuses a view of another device.
    pub(crate) fn move_view(&mut self, view: View) -> Result<(), Failure> {
        self.admit(&view)?;
        // SAFETY: session and view are alive, and the reference is given away once. What the view's memory belongs to is
        // kept by the context.
        check(unsafe { sys::shim_session_move_view(self.handle(), view.handle.into_raw()) })
    }

    /// Sees to it that a view's memory lives as long as this session, which may store the view or return it: its device
    /// must be ours, and a session that it came from is kept alive.
    fn admit(&self, view: &View) -> Result<(), Failure> {
        let (device, origin) = match &view.keep {
            Keep::Device(device) => (device, None),
            Keep::Context(origin) => (&origin.device, Some(origin)),
        };
        if !Arc::ptr_eq(device, &self.context.device) {
            return Err(Failure::new(
                StatusCode::InvalidArgument,
                "the buffer is on another device than the session",
            ));
        }
        if let Some(origin) = origin.filter(|origin| !Arc::ptr_eq(origin, &self.context)) {
            let mut guests = self.context.guests.lock().unwrap_or_else(PoisonError::into_inner);
            if !guests.iter().any(|guest| Arc::ptr_eq(guest, origin)) {
                guests.push(Arc::clone(origin));
            }
        }
        Ok(())
    }

    /// Calls a function with the arguments pushed; refuses one that was found in another session. The results stay in
    /// the session.
    pub(crate) fn invoke(&mut self, function: &Function) -> Result<usize, Failure> {
        if !Arc::ptr_eq(&self.context, &function.context) {
            return Err(Failure::new(
                StatusCode::InvalidArgument,
                "the function was found in another session",
            ));
        }
        // SAFETY: the function is of this session, which is alive, ours alone and not in a call.
        unsafe {
            check(sys::shim_session_invoke(self.handle(), function.function))?;
            Ok(sys::shim_session_output_count(self.handle()))
        }
    }

    /// Moves a result out.
    pub(crate) fn take_output(&mut self, index: usize) -> Result<Output, Failure> {
        let mut value = sys::Value { kind: sys::VALUE_NONE, data: sys::ValueData { i64: 0 } };
        // SAFETY: the session is alive and ours alone; an index out of range is an error. The field of `data` that is
        // read is the one that `kind` names, and a view that comes out is ours.
        unsafe {
            check(sys::shim_session_take_output(self.handle(), index, &raw mut value))?;
            Ok(match value.kind {
                sys::VALUE_NONE => Output::None,
                sys::VALUE_I32 => Output::I32(value.data.i32),
                sys::VALUE_I64 => Output::I64(value.data.i64),
                sys::VALUE_F32 => Output::F32(value.data.f32),
                sys::VALUE_F64 => Output::F64(value.data.f64),
                sys::VALUE_VIEW => Output::View(View {
                    handle: ViewReference(written(value.data.view)?),
                    keep: Keep::Context(Arc::clone(&self.context)),
                }),
                _ => Output::Other,
            })
        }
    }

    /// Forgets arguments pushed and results left.
    pub(crate) fn clear(&mut self) {
        // SAFETY: the session is alive and ours alone.
        unsafe { sys::shim_session_clear(self.handle()) }
    }
}

/// What a view's memory belongs to.
enum Keep {
    Device(Arc<Device>),
    Context(Arc<Context>),
}

/// One reference to a view's C object.
struct ViewReference(NonNull<sys::View>);

impl ViewReference {
    /// Gives the reference to the caller.
    fn into_raw(self) -> *mut sys::View {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for ViewReference {
    fn drop(&mut self) {
        // SAFETY: ours, given up once; what its memory belongs to is dropped after it.
        unsafe { sys::shim_view_free(self.0.as_ptr()) }
    }
}

/// A buffer with a shape and a type.
pub(crate) struct View {
    // The order matters: the reference goes before what its memory belongs to.
    handle: ViewReference,
    keep: Keep,
}

// SAFETY: a reference may be given up on any thread. Not `Sync`, so that a view is not read on one thread while a call
// on another has it as an argument and updates it in place.
unsafe impl Send for View {}

impl View {
    /// A new buffer with a copy of the bytes. Their number must be that of shape and type.
    pub(crate) fn new(
        device: &Arc<Device>,
        shape: &[usize],
        element_type: u32,
        bytes: &[u8],
    ) -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        // SAFETY: the device is alive; shape and bytes are as long as is said. IREE compares the latter with the size
        // that follows from shape and type.
        check(unsafe {
            sys::shim_view_create(
                device.handle.as_ptr(),
                shape.as_ptr(),
                shape.len(),
                element_type,
                bytes.as_ptr(),
                bytes.len(),
                &raw mut out,
            )
        })?;
        Ok(Self { handle: ViewReference(written(out)?), keep: Keep::Device(Arc::clone(device)) })
    }

    /// A new buffer of zeros.
    pub(crate) fn zeroed(device: &Arc<Device>, shape: &[usize], element_type: u32) -> Result<Self, Failure> {
        let mut out = ptr::null_mut();
        // SAFETY: the device is alive; the shape is as long as is said. IREE refuses a size that does not fit.
        check(unsafe {
            sys::shim_view_create_zeroed(
                device.handle.as_ptr(),
                shape.as_ptr(),
                shape.len(),
                element_type,
                &raw mut out,
            )
        })?;
        Ok(Self { handle: ViewReference(written(out)?), keep: Keep::Device(Arc::clone(device)) })
    }

    /// Where it lies.
    fn device(&self) -> &Device {
        match &self.keep {
            Keep::Device(device) => device,
            Keep::Context(context) => &context.device,
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        // SAFETY: the view is alive; its shape lives as long and does not change.
        unsafe {
            let rank = sys::shim_view_rank(self.handle.0.as_ptr());
            if rank == 0 {
                return &[];
            }
            slice::from_raw_parts(sys::shim_view_shape(self.handle.0.as_ptr()), rank)
        }
    }

    pub(crate) fn element_type(&self) -> u32 {
        // SAFETY: the view is alive.
        unsafe { sys::shim_view_element_type(self.handle.0.as_ptr()) }
    }

    pub(crate) fn is_dense(&self) -> bool {
        // SAFETY: the view is alive.
        unsafe { sys::shim_view_is_dense(self.handle.0.as_ptr()) != 0 }
    }

    pub(crate) fn byte_len(&self) -> usize {
        // SAFETY: the view is alive.
        unsafe { sys::shim_view_byte_length(self.handle.0.as_ptr()) }
    }

    /// Copies bytes from `offset` on into `target`; a range outside the view is refused.
    pub(crate) fn read(&self, offset: usize, target: &mut [u8]) -> Result<(), Failure> {
        if offset.checked_add(target.len()).is_none_or(|end| end > self.byte_len()) {
            return Err(Failure::new(
                StatusCode::OutOfRange,
                format!("{} bytes at {offset} of a view of {} bytes", target.len(), self.byte_len()),
            ));
        }
        let device = self.device().handle.as_ptr();
        // SAFETY: the view is alive and on that device; the target is as long as is said, and the range lies in the buffer.
        check(unsafe {
            sys::shim_view_read(device, self.handle.0.as_ptr(), offset, target.as_mut_ptr(), target.len())
        })
    }

    /// Where the contents lie in memory.
    pub(crate) fn address(&self) -> Result<usize, Failure> {
        let mut address = 0;
        // SAFETY: the view is alive; `address` takes a number.
        check(unsafe { sys::shim_view_address(self.handle.0.as_ptr(), &raw mut address) })?;
        Ok(address)
    }
}
