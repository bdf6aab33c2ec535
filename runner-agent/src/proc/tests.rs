//! Real processes: shells that print, sleep, allocate and start others.

use super::*;
use std::{fs, time::Instant};
use tokio::sync::mpsc;

/// Longer than anything here may take.
const FOREVER: &str = "sleep 600";

/// A shell script in a folder of its own.
fn shell(script: &str, dir: &std::path::Path, tie: Tie) -> Process {
    Process {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        dir: dir.to_owned(),
        tie,
        time_limit: Some(Duration::from_secs(60)),
    }
}

/// A reader that gives the lines to a channel.
struct Sender(mpsc::Sender<(Stream, String)>);

impl Reader for Sender {
    async fn line(&mut self, stream: Stream, line: String) {
        self.0.send((stream, line)).await.unwrap();
    }
}

const UNLIMITED: Tie = Tie::Guarded { memory_limit_bytes: None };

async fn lines_of(process: &Process) -> (Ended, Vec<(Stream, String)>) {
    let (sender, mut receiver) = mpsc::channel(1000);
    let ended = run(process, &CancellationToken::new(), &mut Sender(sender)).await.unwrap();
    let mut lines = Vec::new();
    receiver.recv_many(&mut lines, 1000).await;
    (ended, lines)
}

fn code(ended: &Ended) -> Option<i32> {
    match ended {
        Ended::Exited(status) => status.code(),
        Ended::TimedOut | Ended::Cancelled => None,
    }
}

/// Whether a process lives. The dead may lie unburied for a moment where nobody waits for orphans.
fn lives(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn dies(pid: &str) {
    tokio::time::timeout(Duration::from_secs(20), async {
        while lives(pid) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .unwrap_or_else(|_| panic!("process {pid} lives on"));
}

#[tokio::test]
async fn a_child_prints_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (ended, lines) = lines_of(&shell("echo one; echo two >&2; exit 3", dir.path(), UNLIMITED)).await;
    assert_eq!(code(&ended), Some(3));
    assert!(lines.contains(&(Stream::Out, "one".to_owned())));
    assert!(lines.contains(&(Stream::Err, "two".to_owned())));
    assert_eq!(lines.len(), 2);
}

#[tokio::test]
async fn a_child_has_a_folder_and_three_variables() {
    let dir = tempfile::tempdir().unwrap();
    let (_, lines) = lines_of(&shell("pwd; env", dir.path(), UNLIMITED)).await;
    let lines: Vec<_> = lines.into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines[0], dir.path().to_str().unwrap());
    assert!(lines.contains(&format!("TMPDIR={}", dir.path().display())));
    let names: Vec<_> = lines[1..].iter().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    // The shell adds the last three.
    let known = ["PATH", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
}

#[tokio::test]
async fn input_reaches_the_child() {
    let dir = tempfile::tempdir().unwrap();
    let tie = Tie::Input("a line".to_owned());
    let (ended, lines) = lines_of(&shell("read -r line; echo \"got $line\"", dir.path(), tie)).await;
    assert_eq!(code(&ended), Some(0));
    assert_eq!(lines, [(Stream::Out, "got a line".to_owned())]);
}

#[tokio::test]
async fn a_child_that_ends_before_its_input_is_no_error() {
    let dir = tempfile::tempdir().unwrap();
    let tie = Tie::Input("x".repeat(4 << 20));
    let (ended, _) = lines_of(&shell("exec 0<&-; exit 7", dir.path(), tie)).await;
    assert_eq!(code(&ended), Some(7));
}

#[tokio::test]
async fn time_is_limited() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = shell(FOREVER, dir.path(), UNLIMITED);
    process.time_limit = Some(Duration::from_millis(200));
    let start = Instant::now();
    let (ended, _) = lines_of(&process).await;
    assert!(matches!(ended, Ended::TimedOut), "{ended:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn memory_is_limited() {
    let dir = tempfile::tempdir().unwrap();
    // A text of 16 bytes, doubled to 64 MiB.
    let script = "t=0123456789abcdef; i=0; while [ $i -lt 22 ]; do t=$t$t; i=$((i+1)); done; echo done";
    let (ended, lines) = lines_of(&shell(script, dir.path(), UNLIMITED)).await;
    assert_eq!((code(&ended), lines), (Some(0), vec![(Stream::Out, "done".to_owned())]));
    let tie = Tie::Guarded { memory_limit_bytes: Some(32 << 20) };
    let (ended, lines) = lines_of(&shell(script, dir.path(), tie)).await;
    assert!(matches!(ended, Ended::Exited(status) if !status.success()), "{ended:?}");
    assert!(!lines.contains(&(Stream::Out, "done".to_owned())));
}

#[tokio::test]
async fn cancelling_kills_the_grandchildren_too() {
    let dir = tempfile::tempdir().unwrap();
    let process = shell("sleep 600 & echo $!; wait", dir.path(), UNLIMITED);
    let cancel = CancellationToken::new();
    let (sender, mut lines) = mpsc::channel(1);
    let mut sender = Sender(sender);
    let cancelling = async {
        let (_, grandchild) = lines.recv().await.unwrap();
        assert!(lives(&grandchild));
        cancel.cancel();
        grandchild
    };
    let (ended, grandchild) = tokio::join!(run(&process, &cancel, &mut sender), cancelling);
    assert!(matches!(ended, Ok(Ended::Cancelled)), "{ended:?}");
    dies(&grandchild).await;
}

#[tokio::test]
async fn cancelling_works_while_nobody_takes_the_lines() {
    let dir = tempfile::tempdir().unwrap();
    let process = shell("while :; do echo more; done", dir.path(), UNLIMITED);
    let cancel = CancellationToken::new();
    let (sender, _never_read) = mpsc::channel(1);
    let mut reader = Sender(sender.clone());
    let cancelling = async {
        while sender.capacity() > 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(run(&process, &cancel, &mut reader), cancelling);
    assert!(matches!(ended, Ok(Ended::Cancelled)), "{ended:?}");
}

#[tokio::test]
async fn dropping_the_future_kills_the_group() {
    let dir = tempfile::tempdir().unwrap();
    let process = shell("sleep 600 & echo $!; wait", dir.path(), UNLIMITED);
    let (sender, mut lines) = mpsc::channel(1);
    let task =
        tokio::spawn(async move { run(&process, &CancellationToken::new(), &mut Sender(sender)).await });
    let (_, grandchild) = lines.recv().await.unwrap();
    task.abort();
    dies(&grandchild).await;
}

/// The test program runs itself as the parent and kills that: nothing of the parent's own code runs after it.
#[tokio::test]
async fn a_killed_parent_takes_its_children_along() {
    const INNER: &str = "RUNNER_AGENT_TEST_PARENT";
    let dir = tempfile::tempdir().unwrap();
    if std::env::var_os(INNER).is_some() {
        let script = "sleep 600 & echo $! > grandchild.new; mv grandchild.new \"$0\"; wait";
        let mut process = shell(script, dir.path(), UNLIMITED);
        process.args.push(std::env::var_os(INNER).unwrap());
        lines_of(&process).await;
        return;
    }
    let told = dir.path().join("grandchild");
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "proc::tests::a_killed_parent_takes_its_children_along"])
        .env(INNER, &told)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let grandchild = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            match fs::read_to_string(&told) {
                Ok(pid) => break pid.trim().to_owned(),
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    })
    .await
    .unwrap();
    assert!(lives(&grandchild));
    parent.kill().await.unwrap();
    dies(&grandchild).await;
}

#[tokio::test]
async fn a_talk_is_line_by_line_until_the_other_side_ends() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "read first; echo \"heard $first\"; echo aside >&2; read second; echo \"heard $second\"; exit 3";
    let process = shell(script, dir.path(), Tie::Input("one".to_owned()));
    let (sender, mut asides) = mpsc::channel(10);
    let mut reader = Sender(sender);
    let mut talk = Talk::start(&process).await.unwrap();
    assert!(matches!(talk.hear(&mut reader).await.unwrap(), Said::Line(line) if line == "heard one"));
    talk.say("two").await.unwrap();
    assert!(matches!(talk.hear(&mut reader).await.unwrap(), Said::Line(line) if line == "heard two"));
    let ended = talk.hear(&mut reader).await.unwrap();
    assert!(matches!(ended, Said::Ended(status) if status.code() == Some(3)), "{ended:?}");
    assert_eq!(asides.recv().await, Some((Stream::Err, "aside".to_owned())));
    talk.say("nobody hears this").await.unwrap();
}

#[tokio::test]
async fn dropping_a_talk_ends_the_other_side() {
    let dir = tempfile::tempdir().unwrap();
    let process = shell(&format!("{FOREVER} & echo $!; wait"), dir.path(), Tie::Input(String::new()));
    let (sender, _asides) = mpsc::channel(10);
    let mut talk = Talk::start(&process).await.unwrap();
    let Said::Line(pid) = talk.hear(&mut Sender(sender)).await.unwrap() else { panic!("no line") };
    assert!(lives(&pid));
    drop(talk);
    dies(&pid).await;
}
