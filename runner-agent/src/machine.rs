//! What this machine is.

mod features;

use crate::Tools;
use std::{fs, thread};
use studio_protocol::{GpuInfo, RunnerInfo};

pub use features::cpu_features;

/// This machine as a runner of this name announces it.
/// `agent` is the program's name and version, `gpus` what [`discover`](crate::gpu::discover) found.
pub fn describe(name: &str, tools: &Tools, gpus: Vec<GpuInfo>, agent: &str) -> RunnerInfo {
    let vulkan = (!gpus.is_empty()).then_some("vulkan");
    RunnerInfo {
        name: name.to_owned(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        cpu: cpu_name(),
        features: cpu_features().into_iter().map(str::to_owned).collect(),
        cores: cores(),
        memory_bytes: memory_bytes(),
        compiler: tools.compiler_info(),
        runtime: iree_runtime::runtime_version().to_owned(),
        drivers: iree_runtime::CPU_DRIVERS.into_iter().chain(vulkan).map(str::to_owned).collect(),
        gpus,
        eager: crate::eager_info().ok(),
        agent: agent.to_owned(),
    }
}

/// The processor, as far as code that is compiled for it depends on it.
pub(crate) fn identity() -> String {
    format!("{} {} {}", std::env::consts::ARCH, cpu_name(), cpu_features().join(","))
}

/// Logical cores that this process may use.
pub(crate) fn cores() -> u32 {
    thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}

/// The processor's own name; its architecture where it has none.
pub(crate) fn cpu_name() -> String {
    fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| parse_cpu_name(&text))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The name in `/proc/cpuinfo`: x86 and some ARM kernels say it; other ARM kernels give numbers.
fn parse_cpu_name(text: &str) -> Option<String> {
    let field = |name: &str| {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, value)| key.trim() == name && !value.trim().is_empty())
            .map(|(_, value)| value.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    ["model name", "Hardware", "Processor"].iter().find_map(|name| field(name)).or_else(|| {
        Some(format!("ARM implementer {} part {}", field("CPU implementer")?, field("CPU part")?))
    })
}

/// Bytes of memory that this process may use: the machine's, or fewer where its control group (a container) has a limit;
/// 0 where the system does not say.
pub fn memory_bytes() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemTotal"));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|path| fs::read_to_string(path).ok());
    let limits = limits.filter_map(|text| text.trim().parse().ok());
    machine.into_iter().chain(limits).min().unwrap_or(0)
}

/// The files that may hold a limit on memory, of the groups in `/proc/self/cgroup`. In a container the group's own folder
/// is the root of what is mounted.
fn limit_files(groups: &str) -> Vec<String> {
    let unified = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    vec![
        format!("/sys/fs/cgroup{}/memory.max", unified.trim_end_matches('/')),
        "/sys/fs/cgroup/memory.max".to_owned(),
        "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned(),
    ]
}

/// The most memory that this process has had resident, in bytes; 0 where the system does not say.
pub(crate) fn peak_rss_bytes() -> u64 {
    fs::read_to_string("/proc/self/status").ok().and_then(|text| kibibytes(&text, "VmHWM")).unwrap_or(0)
}

/// The value of a line `NAME: N kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_the_kernel_says() {
        let x86 = "processor\t: 0\nmodel name\t: AMD EPYC  9B45\nflags\t\t: fpu\n";
        assert_eq!(parse_cpu_name(x86).unwrap(), "AMD EPYC 9B45");
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        assert_eq!(parse_cpu_name(arm).unwrap(), "ARM implementer 0x41 part 0xd0c");
        assert_eq!(parse_cpu_name("processor : 0\n"), None);
    }

    #[test]
    fn sizes_are_read_in_kibibytes() {
        let text = "VmPeak:\t  10 kB\nVmHWM:\t    2048 kB\n";
        assert_eq!(kibibytes(text, "VmHWM"), Some(2048 * 1024));
        assert_eq!(kibibytes(text, "VmSwap"), None);
        assert_eq!(kibibytes("VmHWM: lots\n", "VmHWM"), None);
    }

    #[test]
    fn limits_are_looked_for_in_the_own_group() {
        assert_eq!(limit_files("0::/user.slice/a\n")[0], "/sys/fs/cgroup/user.slice/a/memory.max");
        assert_eq!(limit_files("0::/\n")[0], "/sys/fs/cgroup/memory.max");
    }
}
