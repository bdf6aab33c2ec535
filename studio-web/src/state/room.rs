//! Whether an export and its run fit on the hub's machine.

use crate::messages::Problem;
use crate::state::format;
use studio_core::manifest::MemoryEntry;

/// What a run takes of memory, in its parts.
pub fn parts(memory: &MemoryEntry) -> String {
    let packed = match memory.packed_bytes {
        0 => String::new(),
        bytes => format!("copies of them, packed when the module is loaded, {}, ", format::bytes(bytes)),
    };
    format!(
        "Weights {}, {packed}cache {}, intermediate values {}",
        format::bytes(memory.weights_bytes),
        format::bytes(memory.cache_bytes),
        format::bytes(memory.working_bytes)
    )
}

/// That a machine with so much memory can't run it; `None` if it can, or if nobody knows.
pub fn memory_problem(memory: &MemoryEntry, has: u64) -> Option<Problem> {
    let [problem, hint] = memory.shortage(has)?;
    Some(Problem::new(format!("The hub can’t run it: {problem}")).hint(hint))
}

/// That the hub's disk has too little room for the files; `None` if it has enough, or if nobody knows.
///
/// What is on the hub already, as after an earlier export, takes no room again: so this is no reason to refuse.
pub fn disk_problem(total: u64, free: u64) -> Option<Problem> {
    if free == 0 || total <= free {
        return None;
    }
    let words = format!(
        "The files take {} and the hub’s disk has {} free",
        format::bytes(total),
        format::bytes(free)
    );
    Some(Problem::new(words).hint("Free some space there, unless most of them are on the hub already"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_with_the_numbers() {
        assert_eq!(disk_problem(5_000_000_000, 5_000_000_000), None);
        assert_eq!(disk_problem(5_000_000_000, 0), None);
        let problem = disk_problem(5_000_000_000, 3_000_000_000).unwrap();
        assert_eq!(problem.message, "The files take 5.0 GB and the hub’s disk has 3.0 GB free");
        let memory =
            MemoryEntry { weights_bytes: 2_000_000_000, packed_bytes: 0, cache_bytes: 0, working_bytes: 0 };
        assert_eq!(memory_problem(&memory, 2_000_000_000), None);
        let problem = memory_problem(&memory, 1_000_000_000).unwrap();
        assert!(problem.message.contains("2000 MB") && problem.message.contains("1000 MB"), "{problem:?}");
    }
}
