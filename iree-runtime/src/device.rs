//! Devices, and those of the CPU.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use crate::{Error, raw};

/// The most workers that IREE's executor takes.
pub const MAX_WORKERS: u32 = 256;

/// The names of the CPU's drivers: one works on the calling thread, one on threads of its own.
pub const CPU_DRIVERS: [&str; 2] = ["local-sync", "local-task"];

/// A device: where buffers lie and calls run. A clone is the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) raw: Arc<raw::Device>,
    workers: NonZeroU32,
    is_profiled: bool,
}

/// How long one function of an executable took, over all dispatches of it: what IREE's statistics sink sums up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchTime {
    /// The function's name, as the module has it; empty where it doesn't.
    pub name: String,
    /// How often it was dispatched.
    pub calls: u64,
    /// From a dispatch's first workgroup to the end of its last, summed up.
    pub total: Duration,
    /// The shortest of these.
    pub shortest: Duration,
    /// The longest of them.
    pub longest: Duration,
}

/// What a device's dispatches took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// Every function that was dispatched.
    pub dispatches: Vec<DispatchTime>,
    /// Dispatches that were not timed, because there were more of them than a device keeps between two readings.
    pub lost: u64,
}

/// What a device's allocator has done since the device was made, in bytes. Mapped parameters and the memory of
/// [`BufferView::zeroed`](crate::BufferView::zeroed) on the CPU are not its own and not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceStatistics {
    pub peak_bytes: u64,
    pub allocated_bytes: u64,
    pub freed_bytes: u64,
}

impl Device {
    /// A device that runs dispatches on `workers` threads. With one worker the calling thread does the work itself, which
    /// saves handing it over; with more, that many threads do it while the caller waits. At most 256.
    pub fn local(workers: NonZeroU32) -> Result<Self, Error> {
        Self::create(workers, false)
    }

    /// The same, timing each of its dispatches, which makes them slower: [`profile`](Self::profile) tells.
    pub fn profiled(workers: NonZeroU32) -> Result<Self, Error> {
        Self::create(workers, true)
    }

    fn create(workers: NonZeroU32, is_profiled: bool) -> Result<Self, Error> {
        let doing = || format!("create a CPU device with {workers} workers");
        let raw = match workers.get() {
            1 => raw::Device::sync(),
            2..=MAX_WORKERS => raw::Device::task(workers.get() as usize),
            _ => {
                let message = format!("more than {MAX_WORKERS} workers");
                return Err(Error::new(doing(), crate::StatusCode::OutOfRange, message));
            }
        };
        let raw = if is_profiled { raw.and_then(raw::Device::profiled) } else { raw };
        Ok(Self { raw: Arc::new(raw.map_err(|failure| failure.doing(doing()))?), workers, is_profiled })
    }

    /// A device that has its own way of running dispatches, while the calling thread waits.
    pub(crate) fn vulkan(raw: raw::Device) -> Self {
        Self { raw: Arc::new(raw), workers: NonZeroU32::MIN, is_profiled: false }
    }

    /// How many threads run dispatches; 1 where it has processors of its own.
    #[must_use]
    pub fn workers(&self) -> NonZeroU32 {
        self.workers
    }

    /// What was timed since the device was made. It keeps some thousands of dispatches between two readings, so that it is
    /// read now and then. Nothing where it was made by [`local`](Self::local).
    ///
    /// # Errors
    /// What IREE finds wrong.
    pub fn profile(&self) -> Result<Profile, Error> {
        if !self.is_profiled {
            return Ok(Profile::default());
        }
        let (dispatches, lost) =
            self.raw.dispatches().map_err(|failure| failure.doing("read what dispatches took"))?;
        Ok(Profile { dispatches, lost })
    }

    /// What the device's allocator has done so far.
    #[must_use]
    pub fn statistics(&self) -> DeviceStatistics {
        let raw = self.raw.statistics();
        DeviceStatistics {
            peak_bytes: raw.peak_bytes,
            allocated_bytes: raw.allocated_bytes,
            freed_bytes: raw.freed_bytes,
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("workers", &self.workers).finish_non_exhaustive()
    }
}
