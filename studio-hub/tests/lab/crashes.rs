//! Native code that crashes, and a runner that is killed while it runs: the job tells, everything else goes on.

use crate::{
    tiny,
    world::{Lab, count, events, is_alive, module_of, outcome},
};
use std::{
    fs,
    time::{Duration, Instant},
};
use studio_protocol::{ErrorCode, JobEvent, Outcome, RunnerState};

/// A module whose machine code is nothing but an instruction that no processor has.
fn broken(module: &[u8]) -> Vec<u8> {
    // x86: ud2; 64-bit ARM: udf #0.
    let trap: &[u8] = if cfg!(target_arch = "x86_64") { &[0x0f, 0x0b] } else { &[0, 0, 0, 0] };
    let mut broken = module.to_vec();
    let number = |at: usize, length: usize| {
        module[at..at + length].iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let mut segments = 0;
    let heads = (0..module.len() - 64).filter(|at| module[*at..].starts_with(b"\x7fELF\x02\x01"));
    for elf in heads {
        // The program headers: where they begin, how many there are, 56 bytes each.
        let (table, headers) = (elf + number(elf + 0x20, 8), number(elf + 0x38, 2));
        for header in (0..headers).map(|index| table + index * 56) {
            let (kind, flags) = (number(header, 4), number(header + 4, 4));
            let (offset, length) = (number(header + 8, 8), number(header + 0x20, 8));
            // Loaded, and executed.
            if kind == 1 && flags & 1 == 1 {
                segments += 1;
                for (index, byte) in broken[elf + offset..elf + offset + length].iter_mut().enumerate() {
                    *byte = trap[index % trap.len()];
                }
            }
        }
    }
    assert!(segments > 0, "no machine code was found");
    seal(&mut broken);
    broken
}

/// Gives the members of a zip file the checksums that they have. The numbers are all in the places for large ones.
fn seal(file: &mut [u8]) {
    let number = |file: &[u8], at: usize, length: usize| {
        file[at..at + length].iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let end = file.windows(4).rposition(|window| window == b"PK\x06\x06").unwrap();
    let mut line = number(file, end + 48, 8);
    for _ in 0..number(file, end + 32, 8) {
        let (name, extra) = (number(file, line + 28, 2), number(file, line + 30, 2));
        // Behind the name: the field's kind and length, then the length twice and where the head is.
        let wide = line + 46 + name;
        assert_eq!(number(file, wide, 2), 1);
        let (length, head) = (number(file, wide + 4, 8), number(file, wide + 20, 8));
        let data = head + 30 + number(file, head + 26, 2) + number(file, head + 28, 2);
        let checksum = crc32(&file[data..data + length]).to_le_bytes();
        file[line + 16..line + 20].copy_from_slice(&checksum);
        file[head + 14..head + 18].copy_from_slice(&checksum);
        line += 46 + name + extra + number(file, line + 32, 2);
    }
}

/// The checksum of zip files (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
    !bytes.iter().fold(!0, byte)
}

#[tokio::test]
async fn a_module_that_crashes_fails_its_job_and_nothing_else() {
    let Some(compiler) = tiny::compiler() else { return };
    let lab = Lab::start(&compiler).await;
    let pi = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    let job = lab.submit_to(lab.compile(), "pi").await;
    let good = module_of(outcome(&events(&lab.hub, job).await));
    let bytes = lab.hub.get(&format!("/artifacts/{good}")).body;
    let bad = lab.hub.greet().await.upload(1, "broken", &broken(&bytes)).await;

    for runner in ["pi", "local"] {
        let job = lab.submit_to(lab.run(Some(bad)), runner).await;
        let told = events(&lab.hub, job).await;
        let Outcome::Failed { error } = outcome(&told) else { panic!("{told:?}") };
        assert!(error.to_string().contains("signal"), "{error}");
        assert_ne!(error.code, ErrorCode::RunnerLost);
        assert_eq!(count(&told, |event| matches!(event, JobEvent::Started { .. })), 1);
        // The same process works on.
        let job = lab.submit_to(lab.run(Some(good)), runner).await;
        let told = events(&lab.hub, job).await;
        assert!(matches!(outcome(&told), Outcome::Ran { .. }), "{told:?}");
    }
    assert!(is_alive(&pi.id().to_string()));
}

/// The processes that a process started and that are there.
fn children(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks
        .flatten()
        .flat_map(|task| of(task).split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

#[tokio::test]
async fn a_runner_that_is_killed_while_it_runs_begins_again_and_leaves_no_engine_behind() {
    let Some(compiler) = tiny::compiler() else { return };
    let lab = Lab::start(&compiler).await;
    let pi = lab.runner("pi", &compiler);
    lab.until("pi", RunnerState::Idle).await;
    // Many rounds of little work: long enough to be killed in.
    let job = lab.submit_to(lab.bench(1, 64), "pi").await;
    lab.until_event(job, |event| matches!(event, JobEvent::Step { name } if name.starts_with("round 2 ")))
        .await;
    let engines = children(pi.id());
    assert!(!engines.is_empty(), "an engine is at work");
    pi.kill();
    lab.until("pi", RunnerState::Gone).await;
    let start = Instant::now();
    while engines.iter().any(|engine| is_alive(engine)) {
        assert!(start.elapsed() < Duration::from_secs(10), "the engine of a killed runner ends");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _again = lab.runner("pi", &compiler);
    let told = events(&lab.hub, job).await;
    assert!(matches!(outcome(&told), Outcome::Benched { .. }), "{told:?}");
    assert_eq!(count(&told, |event| matches!(event, JobEvent::Requeued { .. })), 1);
    assert_eq!(lab.record(job).await.attempt, 2);
}
