//! The graphics processors of this machine.

use crate::{
    EngineCommand,
    engine::{Answer, Work, runtime},
    log::Log,
    proc::{Said, Talk},
};
use iree_runtime::{Device, StatusCode, Vulkan, VulkanDevice};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use studio_protocol::{ErrorCode, GpuInfo, WireError};
use tokio::sync::mpsc;

/// How long drivers may take to say what there is.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// What to do where a module for a graphics processor can't be run.
pub(super) const NEEDS: &str = "A module for a graphics processor needs Vulkan's loader and a driver: install the system's (Debian's \
     libvulkan1 and mesa-vulkan-drivers), or run the module that was compiled for the processor";

/// A graphics processor and its driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gpu {
    pub(crate) name: String,
    /// All that IREE tells of the device and its driver, the latter's version among it.
    pub(crate) text: String,
}

impl Gpu {
    fn new(device: VulkanDevice) -> Self {
        Self { name: device.name, text: device.text }
    }

    /// A line of the description.
    fn line(&self, key: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    }

    /// Whether a processor computes for it.
    fn is_software(&self) -> bool {
        self.line("type") == Some("cpu")
    }

    /// The target to compile for it, by the maker's number in PCI's register and the processor's family where its name
    /// tells; the plain one where IREE has none for it.
    fn target(&self) -> &'static str {
        let name = self.name.to_lowercase();
        let named = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        match self.line("vendor_id") {
            Some("0x1002") if named(&["rx 7", "navi3", "gfx11"]) => "vulkan:rdna3",
            Some("0x10de") if named(&["rtx", "a100", "a10", "a40", "h100", "l4"]) => "vulkan:ampere",
            Some("0x13b5") if named(&["g715", "g720", "g725", "immortalis"]) => "vulkan:valhall4",
            Some("0x5143") => "vulkan:adreno",
            _ => "vulkan",
        }
    }
}

/// Loads Vulkan and says what there is, what computes by itself before what the processor computes for. For child
/// processes.
pub(crate) fn devices() -> Result<(Vulkan, Vec<Gpu>), WireError> {
    let vulkan = Vulkan::load().map_err(|error| match error.code {
        StatusCode::NotFound => {
            WireError::new(ErrorCode::NotFound, "there is no Vulkan loader (libvulkan.so.1) on this machine")
        }
        _ => runtime(error),
    })?;
    let mut gpus: Vec<Gpu> = vulkan.devices().into_iter().map(Gpu::new).collect();
    gpus.sort_by_key(Gpu::is_software);
    Ok((vulkan, gpus))
}

/// Opens the one that jobs go to, and says what it is called. For child processes.
pub(crate) fn open() -> Result<(Device, String), WireError> {
    let (vulkan, gpus) = devices().map_err(|error| error.hint(NEEDS))?;
    let first = gpus.into_iter().next().ok_or_else(none)?;
    // The same device: the order among the driver's own is another.
    let place = vulkan.devices().into_iter().position(|device| Gpu::new(device) == first).unwrap_or(0);
    Ok((vulkan.open(place).map_err(runtime)?, first.name))
}

fn none() -> WireError {
    WireError::new(ErrorCode::NotFound, "Vulkan's drivers know no graphics processor here")
        .hint("Run the module that was compiled for the processor")
}

/// Asks a child process for them.
pub(crate) async fn ask(engine: &EngineCommand) -> Result<Vec<Gpu>, WireError> {
    let process = engine.process(Work::Gpus.to_line()?);
    let asking = async {
        // What drivers print to standard error is nobody's to read: most of them print something.
        let (events, _) = mpsc::channel(1);
        let mut log = Log::new(&events);
        let mut talk = Talk::start(&process).await.map_err(|error| engine.failed(&error))?;
        loop {
            match talk.hear(&mut log).await.map_err(|error| engine.failed(&error))? {
                Said::Ended(status) => return Err(crate::run::crash(status, &log)),
                Said::Line(line) => match serde_json::from_str(&line) {
                    Ok(Answer::Gpus { gpus }) if gpus.is_empty() => return Err(none()),
                    Ok(Answer::Gpus { gpus }) => return Ok(gpus),
                    Ok(Answer::Failed { error }) => return Err(error),
                    Ok(_) | Err(_) => {}
                },
            }
        }
    };
    tokio::time::timeout(TIME_LIMIT, asking).await.unwrap_or_else(|_elapsed| {
        Err(WireError::new(
            ErrorCode::TimedOut,
            "Vulkan's drivers did not say which graphics processors there are",
        ))
    })
}

/// The graphics processors of this machine, the one that jobs go to first.
///
/// # Errors
///
/// Why there are none: no loader, no driver, a driver that crashed or hung.
pub async fn discover(engine: &EngineCommand) -> Result<Vec<GpuInfo>, WireError> {
    let info = |gpu: Gpu| GpuInfo { target: gpu.target().to_owned(), name: gpu.name };
    Ok(ask(engine).await?.into_iter().map(info).collect())
}

/// The same, and none where there are none, which is the usual thing.
pub async fn gpus(engine: &EngineCommand) -> Vec<GpuInfo> {
    discover(engine).await.unwrap_or_else(|error| {
        tracing::debug!("no graphics processors: {error}");
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(name: &str, vendor: &str) -> Gpu {
        let text = format!("name: {name}\ntype: discrete_gpu\nvendor_id: {vendor}\ndriver: d\n");
        Gpu { name: name.to_owned(), text }
    }

    #[test]
    fn a_known_processor_has_a_target_of_its_own_and_others_the_plain_one() {
        // Names as Mesa and the makers' drivers give them.
        for (name, vendor, target) in [
            ("AMD Radeon RX 7900 XTX (RADV NAVI31)", "0x1002", "vulkan:rdna3"),
            ("AMD Radeon RX 580 Series (RADV POLARIS10)", "0x1002", "vulkan"),
            ("NVIDIA GeForce RTX 3080", "0x10de", "vulkan:ampere"),
            ("NVIDIA GeForce GTX 1060", "0x10de", "vulkan"),
            ("Mali-G715", "0x13b5", "vulkan:valhall4"),
            ("Mali-G52", "0x13b5", "vulkan"),
            ("Adreno (TM) 740", "0x5143", "vulkan:adreno"),
            ("Intel(R) Arc(tm) A770 Graphics (DG2)", "0x8086", "vulkan"),
            ("llvmpipe (LLVM 15.0.6, 256 bits)", "0x10005", "vulkan"),
        ] {
            assert_eq!(gpu(name, vendor).target(), target, "{name}");
        }
    }

    #[test]
    fn software_is_told_by_its_type() {
        let software = Gpu { name: "llvmpipe".to_owned(), text: "name: llvmpipe\ntype: cpu\n".to_owned() };
        assert!(software.is_software() && !gpu("A", "0x1").is_software());
    }
}
