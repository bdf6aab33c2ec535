//! The energy that processors say they took: the running counters of Intel and AMD (RAPL), which Linux shows as powercap.
//! They count everything that the machine does meanwhile, and many kernels let only root read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Where Linux shows them.
const POWERCAP: &str = "/sys/class/powercap";

/// The counters of the machine's processors.
#[derive(Debug, Default)]
pub(super) struct Meter {
    packages: Vec<Package>,
}

/// One processor's counter.
#[derive(Debug)]
struct Package {
    /// The file with the microjoules so far.
    energy: PathBuf,
    /// What it counts to before it begins anew.
    range_uj: u64,
}

impl Meter {
    /// Those that can be read; none on most machines.
    pub(super) fn open() -> Self {
        Self::of(Path::new(POWERCAP))
    }

    fn of(folder: &Path) -> Self {
        let Ok(entries) = fs::read_dir(folder) else { return Self::default() };
        let package = |zone: PathBuf| {
            // Zones within a package, and the memory's, are counted in it or not the processor's.
            let name = fs::read_to_string(zone.join("name")).ok()?;
            name.starts_with("package-").then_some(())?;
            let range_uj = number(&zone.join("max_energy_range_uj"))?;
            let energy = zone.join("energy_uj");
            number(&energy)?;
            Some(Package { energy, range_uj })
        };
        Self { packages: entries.flatten().filter_map(|entry| package(entry.path())).collect() }
    }

    /// The counters now; `None` where there are none, or one can't be read.
    pub(super) fn read(&self) -> Option<Vec<u64>> {
        let all = self.packages.iter().map(|package| number(&package.energy)).collect::<Option<Vec<_>>>()?;
        (!all.is_empty()).then_some(all)
    }

    /// Joules since an earlier reading. A counter that began anew did so once: that takes minutes at least.
    pub(super) fn joules_since(&self, before: &[u64]) -> Option<f64> {
        let now = self.read()?;
        let taken = |((package, before), now): ((&Package, &u64), &u64)| match now.checked_sub(*before) {
            Some(taken) => taken,
            None => (package.range_uj - before.min(&package.range_uj)) + now,
        };
        let microjoules: u64 = self.packages.iter().zip(before).zip(&now).map(taken).sum();
        Some(microjoules as f64 / 1e6)
    }
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(folder: &Path, zone: &str, name: &str, energy_uj: u64) {
        let path = folder.join(zone);
        fs::create_dir_all(&path).unwrap();
        for (file, text) in
            [("name", name), ("max_energy_range_uj", "1000000"), ("energy_uj", &energy_uj.to_string())]
        {
            fs::write(path.join(file), format!("{text}\n")).unwrap();
        }
    }

    #[test]
    fn packages_are_summed_and_a_counter_may_begin_anew() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        zone(at, "intel-rapl:0", "package-0", 100_000);
        zone(at, "intel-rapl:1", "package-1", 900_000);
        zone(at, "intel-rapl:0:0", "core", 5);
        let meter = Meter::of(at);
        let before = meter.read().unwrap();
        assert_eq!(before.iter().sum::<u64>(), 1_000_000);
        zone(at, "intel-rapl:0", "package-0", 350_000);
        zone(at, "intel-rapl:1", "package-1", 150_000);
        assert_eq!(meter.joules_since(&before), Some(0.5));
    }

    #[test]
    fn a_machine_that_says_nothing_has_no_energy() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Meter::of(folder.path()).read(), None);
        assert_eq!(Meter::of(&folder.path().join("absent")).read(), None);
        zone(folder.path(), "intel-rapl:0", "package-0", 1);
        fs::remove_file(folder.path().join("intel-rapl:0/energy_uj")).unwrap();
        assert_eq!(Meter::of(folder.path()).read(), None);
    }
}
