//! CPU devices.

use std::{num::NonZeroU32, sync::Arc};

use crate::{Error, raw};

/// The most workers that IREE's executor takes.
pub const MAX_WORKERS: u32 = 256;

/// The names of the runtime's drivers: one works on the calling thread, one on threads of its own.
pub const DRIVERS: [&str; 2] = ["local-sync", "local-task"];

/// A CPU device: where buffers lie and calls run. A clone is the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) raw: Arc<raw::Device>,
    workers: NonZeroU32,
}

/// What a device's allocator has done since the device was made, in bytes. Mapped parameters and the memory of
/// [`BufferView::zeroed`](crate::BufferView::zeroed) are not its own and not counted.
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
        let doing = || format!("create a CPU device with {workers} workers");
        let raw = match workers.get() {
            1 => raw::Device::sync(),
            2..=MAX_WORKERS => raw::Device::task(workers.get() as usize),
            _ => {
                let message = format!("more than {MAX_WORKERS} workers");
                return Err(Error::new(doing(), crate::StatusCode::OutOfRange, message));
            }
        };
        Ok(Self { raw: Arc::new(raw.map_err(|failure| failure.doing(doing()))?), workers })
    }

    /// How many threads run dispatches.
    #[must_use]
    pub fn workers(&self) -> NonZeroU32 {
        self.workers
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
