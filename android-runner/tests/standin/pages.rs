//! The agent under a kernel with pages of 16 KiB, in an emulated computer that has nothing but it, a shell and a model.

use crate::lab::{Lab, Process, given, said};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// What is asked of the agent: to generate.
const PROMPT: &str = "The capital of France is";
const TOKENS: u32 = 8;

#[test]
fn the_agent_runs_a_model_under_pages_of_16_kib() {
    let lab = Lab::start();
    let bundle = lab.dir.path().join("bundle");
    let (dir, model) = (bundle.to_str().unwrap(), super::model());
    let export = ["export", model.to_str().unwrap(), "--out", dir, "--context", "64", "--chunk", "16"];
    said(lab.studio(&export).args(["--kernels", "dotprod"])).well();
    said(&mut lab.studio(&["compile", dir, "--target", "arm64"])).well();
    let here = super::here(&lab);

    let disk = lab.dir.path().join("initramfs");
    fill(&disk, &bundle);
    let mut command = Command::new(given("QEMU_SYSTEM"));
    // The newest processor that it knows, and the cheap kind of pointer authentication.
    command.args(["-M", "virt", "-cpu", "max,pauth-impdef=on", "-smp", "2", "-m", "1024", "-nic", "none"]);
    command.args(["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"]);
    command.arg("-kernel").arg(given("KERNEL_16K")).arg("-initrd").arg(&disk);
    command.args(["-append", "console=ttyAMA0 quiet panic=-1"]);
    let mut machine = Process::start(command.stdin(Stdio::null()).stdout(Stdio::piped()));
    let (mut page, mut report, mut console) = (None, None, String::new());
    for line in machine.stdout().lines() {
        let line = line.unwrap();
        let line = line.trim();
        console.push_str(line);
        console.push('\n');
        if let Some(words) = line.strip_prefix("KernelPageSize:") {
            page = Some(words.trim().to_owned());
        }
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        if event["event"] == "finished" {
            report = Some(event["outcome"].clone());
            break;
        }
    }
    assert_eq!(page.as_deref(), Some("16 kB"), "{console}");
    let report = report.unwrap_or_else(|| panic!("it never ended:\n{console}"));
    let tokens = report["report"]["tokens"].as_array().unwrap_or_else(|| panic!("{report}\n{console}"));
    let tokens: Vec<u64> = tokens.iter().map(|token| token.as_u64().unwrap()).collect();
    assert_eq!(tokens, here);
}

/// What runs first: says how large pages are, then has the agent's child generate. It ends when its input does, so that
/// stays open.
const INIT: &str = "#!/system/bin/sh
export PATH=/system/bin HOME=/
mount -t proc proc /proc
grep -m 1 KernelPageSize /proc/self/smaps
{ cat /work.json; sleep 600; } | /agent engine
";

/// Writes a file system for the kernel to unpack.
fn fill(disk: &Path, bundle: &Path) {
    let mut cpio = Cpio(std::io::BufWriter::new(fs::File::create(disk).unwrap()));
    for folder in ["proc", "dev", "bundle"] {
        cpio.folder(folder);
    }
    // The kernel opens it for the first program.
    cpio.entry("dev/console", 0o020_600, &[], (5, 1));
    cpio.tree(&given("STANDIN_PARTS").join("root"), "");
    cpio.file("init", 0o755, INIT.as_bytes());
    cpio.file("agent", 0o755, &fs::read(given("STUDIO_AGENT")).unwrap());
    let mut files = serde_json::Map::new();
    for entry in fs::read_dir(bundle).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        cpio.file(&format!("bundle/{name}"), 0o644, &fs::read(&path).unwrap());
        files.insert(name.clone(), json!(format!("/bundle/{name}")));
    }
    let manifest: Value = serde_json::from_slice(&fs::read(bundle.join("manifest.json")).unwrap()).unwrap();
    let bundle = json!({"manifest": manifest, "files": files});
    let work = json!({
        "work": "generate",
        "source": {"engine": "compiled", "bundle": bundle, "module": "/bundle/arm64.vmfb"},
        "prompt": {"as": "text", "text": PROMPT}, "max_tokens": TOKENS, "threads": 2, "sampling": {}, "profile": false,
    });
    cpio.file("work.json", 0o644, format!("{work}\n").as_bytes());
    cpio.entry("TRAILER!!!", 0, &[], (0, 0));
    cpio.0.flush().unwrap();
}

/// An archive in the format `newc`, as the kernel's Documentation/driver-api/early-userspace/buffer-format.rst has it.
struct Cpio<W>(W);

impl<W: Write> Cpio<W> {
    fn folder(&mut self, name: &str) {
        self.entry(name, 0o040_755, &[], (0, 0));
    }

    fn file(&mut self, name: &str, mode: u32, bytes: &[u8]) {
        self.entry(name, 0o100_000 | mode, bytes, (0, 0));
    }

    /// All that is in a folder.
    fn tree(&mut self, folder: &Path, below: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                self.entry(&name, 0o120_777, target.to_str().unwrap().as_bytes(), (0, 0));
            } else if kind.is_dir() {
                self.folder(&name);
                self.tree(&path, &format!("{name}/"));
            } else {
                self.file(&name, kind.permissions().mode() & 0o777, &fs::read(&path).unwrap());
            }
        }
    }

    fn entry(&mut self, name: &str, mode: u32, bytes: &[u8], (major, minor): (u32, u32)) {
        let fields = [0, mode, 0, 0, 1, 0, bytes.len() as u32, 0, 0, major, minor, name.len() as u32 + 1, 0];
        let mut header = "070701".to_owned();
        for field in fields {
            header.push_str(&format!("{field:08x}"));
        }
        let named = [header.as_bytes(), name.as_bytes(), &[0]].concat();
        for part in [&named[..], bytes] {
            self.0.write_all(part).unwrap();
            self.0.write_all(&[0; 3][..part.len().next_multiple_of(4) - part.len()]).unwrap();
        }
    }
}
