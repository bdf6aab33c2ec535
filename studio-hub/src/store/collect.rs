//! What the data folder gives back to the disk.
//!
//! An artifact is kept while a job names it that is not over or ended lately, by itself or by its bundle; and for as
//! long after it was last uploaded, or asked to be. What is left of an upload that nobody finishes is kept a week.

use super::Store;
use std::{
    collections::BTreeSet,
    fs, io,
    time::{Duration, SystemTime},
};
use studio_protocol::{Hash, JobRecord, Outcome};

/// How long an unfinished upload waits.
const UNFINISHED: Duration = Duration::from_secs(7 * 24 * 3600);

impl Store {
    /// Deletes what nothing refers to and was unused for `unused`; gives the number of bytes. `recent` are the jobs
    /// whose artifacts are kept.
    pub(crate) fn collect(&self, recent: &[JobRecord], unused: Duration) -> io::Result<u64> {
        let mut wanted = BTreeSet::new();
        for job in recent {
            self.add_wanted(job, &mut wanted);
        }
        let is_old = |entry: &fs::DirEntry, age: Duration| -> io::Result<bool> {
            let modified = entry.metadata()?.modified()?;
            Ok(SystemTime::now().duration_since(modified).is_ok_and(|elapsed| elapsed > age))
        };
        // A manifest that is young keeps its files, however old they are: they were there when it came.
        for entry in fs::read_dir(self.root().join("artifacts"))? {
            let entry = entry?;
            let hash = entry.file_name().to_string_lossy().parse::<Hash>();
            if let Ok(hash) = hash
                && !is_old(&entry, unused)?
            {
                self.add_bundle(&hash, &mut wanted);
            }
        }
        let mut freed = 0;
        let mut delete = |entry: &fs::DirEntry| -> io::Result<()> {
            freed += entry.metadata()?.len();
            fs::remove_file(entry.path())
        };
        for entry in fs::read_dir(self.root().join("artifacts"))? {
            let entry = entry?;
            let hash = entry.file_name().to_string_lossy().parse::<Hash>();
            if hash.is_ok_and(|hash| !wanted.contains(&hash)) && is_old(&entry, unused)? {
                delete(&entry)?;
            }
        }
        for entry in fs::read_dir(self.root().join("uploads"))? {
            let entry = entry?;
            // Records of what uploads became are small, and say nothing about artifacts that are gone.
            let age =
                if entry.file_name().to_string_lossy().ends_with(".part") { UNFINISHED } else { unused };
            if is_old(&entry, age)? {
                delete(&entry)?;
            }
        }
        Ok(freed)
    }

    fn add_wanted(&self, job: &JobRecord, wanted: &mut BTreeSet<Hash>) {
        wanted.extend(job.spec.module());
        wanted.extend(job.spec.model());
        if let Some(Outcome::Compiled { module, .. }) = &job.outcome {
            wanted.insert(module.blake3);
        }
        if let Some(bundle) = job.spec.bundle() {
            self.add_bundle(bundle, wanted);
        }
    }

    /// Adds an artifact and, if it is a bundle's manifest, the bundle's files and modules.
    fn add_bundle(&self, hash: &Hash, wanted: &mut BTreeSet<Hash>) {
        /// Longer artifacts are no manifests; reading each would take long.
        const MAX_MANIFEST_BYTES: u64 = 16 << 20;
        let is_new = wanted.insert(*hash);
        if !is_new || self.artifact(hash).ok().flatten().is_none_or(|it| it.size_bytes > MAX_MANIFEST_BYTES) {
            return;
        }
        let Ok(bundle) = self.bundle(hash) else { return };
        wanted.extend(bundle.manifest.files.iter().filter_map(|file| file.blake3.parse::<Hash>().ok()));
        let modules = self.known_modules(hash).unwrap_or_default();
        wanted.extend(modules.iter().filter_map(|known| known.entry.file.blake3.parse::<Hash>().ok()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, path::Path};

    fn age(path: &Path, days: u64) {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn what_is_old_and_named_by_nobody_goes() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let artifact = |byte: u8, days| {
            let hash = Hash::from_bytes([byte; 32]);
            fs::write(store.artifact_path(&hash), "bytes").unwrap();
            age(&store.artifact_path(&hash), days);
            hash
        };
        let (old, young, named) = (artifact(1, 40), artifact(2, 20), artifact(3, 40));
        let uploads = dir.path().join("uploads");
        for (name, days) in [("stale.part", 8), ("fresh.part", 6)] {
            fs::write(uploads.join(name), "part").unwrap();
            age(&uploads.join(name), days);
        }
        let record = serde_json::json!({
            "job": 1, "spec": {"kind": "verify", "bundle": young, "against": named}, "state": "waiting", "model": "m",
            "hub": "h", "attempt": 0, "events": 0, "created_ms": 0
        });
        let recent = [serde_json::from_value(record).unwrap()];
        let month = Duration::from_secs(30 * 24 * 3600);
        assert_eq!(store.collect(&recent, month).unwrap(), 9);
        let is_there = |hash: &Hash| store.artifact(hash).unwrap().is_some();
        assert_eq!([is_there(&old), is_there(&young), is_there(&named)], [false, true, true]);
        assert!(!uploads.join("stale.part").exists() && uploads.join("fresh.part").exists());
        assert_eq!(store.collect(&recent, month).unwrap(), 0);
    }
}
