//! Graphics processors, by Vulkan.

use crate::{Device, Error, raw};

/// Vulkan's loader and driver, and the devices that they have.
pub struct Vulkan(raw::Vulkan);

/// A device, as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VulkanDevice {
    /// What its maker calls it.
    pub name: String,
    /// What names it for good on this machine.
    pub path: String,
    /// All that IREE tells of it, for people: limits, features, the driver's version.
    pub text: String,
}

impl Vulkan {
    /// Loads Vulkan and asks what devices there are. A driver is other people's native code that is loaded into this
    /// process; `IREE_HAL_VULKAN_LIBVULKAN_PATH` names another loader than the system's.
    ///
    /// # Errors
    /// Where there is no loader or no driver, or where this program is linked statically.
    pub fn load() -> Result<Self, Error> {
        raw::Vulkan::new().map(Self).map_err(|failure| failure.doing("load Vulkan"))
    }

    /// What there is, in the driver's order.
    #[must_use]
    pub fn devices(&self) -> Vec<VulkanDevice> {
        let described = (0..self.0.count()).filter_map(|index| self.0.describe(index));
        described.map(|[name, path, text]| VulkanDevice { name, path, text }).collect()
    }

    /// Opens a device, by its place among [`devices`](Self::devices).
    ///
    /// # Errors
    /// What IREE finds wrong; that there is no such device.
    pub fn open(&self, index: usize) -> Result<Device, Error> {
        let raw =
            self.0.open(index).map_err(|failure| failure.doing(format!("open Vulkan device {index}")))?;
        Ok(Device::vulkan(raw))
    }
}

impl std::fmt::Debug for Vulkan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vulkan").field("devices", &self.0.count()).finish_non_exhaustive()
    }
}
