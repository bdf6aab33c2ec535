//! Devices through everything that befalls them. They are an adbd stand-in, not Android: AOSP's adbd with an arm64 userland
//! in an emulator.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fake;
mod lab;
mod pages;

use lab::{Lab, free_port, given, said};
use serde_json::Value;
use std::{path::PathBuf, thread, time::Duration};

#[test]
fn a_device_is_shown_with_what_it_is() {
    let mut lab = Lab::start();
    let none = lab.android(&["devices"]).well();
    assert!(none.stderr.contains("adb knows no device: plug one in"), "{none:?}");
    let serial = lab.plug(&[]);
    let shown = lab.android(&["devices", "--json"]).well();
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    let device = &shown[0];
    assert_eq!(device["serial"], serial.as_str());
    assert_eq!((&device["state"], &device["model"]), (&"ready".into(), &"Stand-in".into()));
    assert_eq!((&device["abi"], &device["android"]), (&"arm64-v8a".into(), &"14".into()));
    assert_eq!(device["page_bytes"], 4096);
}

#[test]
fn a_device_works_for_the_hub_and_says_what_this_machine_says() {
    let mut lab = Lab::start();
    let serial = lab.plug(&[]);
    let first = lab.deploy(&[]).well();
    assert!(first.stderr.contains("MB) and started; the hub has it as Stand-in-127.0.0.1-"), "{first:?}");
    let [(name, state)] = &lab.runners()[..] else { panic!("{:?}", lab.runners()) };
    assert_eq!(state, "idle");

    let second = lab.deploy(&[&serial]).well();
    assert!(second.stderr.contains("runs already"), "{second:?}");
    // A third of a second on a quiet machine.
    assert!(second.time < Duration::from_secs(5), "{second:?}");

    for (options, target) in [
        (&["--form", "cpu", "--kernels", "dotprod"][..], "cpu"),
        (&["--form", "cpu", "--kernels", "portable"][..], "portable"),
    ] {
        let there = tokens(&lab, options, target, Some(name));
        let here = here(&lab);
        assert_eq!(there, here, "{options:?}");
    }

    lab.android(&["remove", &serial]).well();
    let left = lab.adb(&["-s", &serial, "shell", "ls /data/local/tmp; ps -A | grep runner-agent"]);
    assert_eq!(String::from_utf8_lossy(&left.stdout).trim(), "");
    lab.until("gone", |runners| runners.iter().all(|(_, state)| state == "gone"));
}

/// What the tokens are asked to go on from.
const PROMPT: &str = "The capital of France is";
const TOKENS: usize = 8;

fn model() -> PathBuf {
    given("STUDIO_CACHE").join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

fn run(lab: &Lab, what: &str, runner: Option<&str>) -> Vec<u64> {
    let count = TOKENS.to_string();
    let mut words = vec!["run", what, "--prompt", PROMPT, "--raw", "-n", &count, "--json"];
    words.extend(runner.iter().flat_map(|name| ["--runner", name]));
    let ran = said(&mut lab.studio(&words)).well();
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    report["tokens"].as_array().unwrap().iter().map(|token| token.as_u64().unwrap()).collect()
}

/// Exports with these options, compiles for arm64 and has a runner generate.
fn tokens(lab: &Lab, options: &[&str], name: &str, runner: Option<&str>) -> Vec<u64> {
    let dir = lab.dir.path().join(name);
    let (dir, model) = (dir.to_str().unwrap(), model());
    let mut words = vec!["export", model.to_str().unwrap(), "--out", dir, "--context", "64", "--chunk", "16"];
    words.extend(options);
    said(&mut lab.studio(&words)).well();
    said(&mut lab.studio(&["compile", dir, "--target", "arm64", "--runner", "local"])).well();
    let tokens = run(lab, dir, runner);
    assert_eq!(tokens.len(), TOKENS);
    tokens
}

/// What this machine's own processor says.
fn here(lab: &Lab) -> Vec<u64> {
    run(lab, model().to_str().unwrap(), None)
}

/// Speed in an emulator says nothing; that both engines work there, use the same of the processor and agree does.
#[test]
fn a_device_compares_with_llama_cpp() {
    let mut lab = Lab::start();
    lab.plug(&[]);
    lab.deploy_agent("STUDIO_AGENT_EAGER", &[]).well();
    let name = lab.runners()[0].0.clone();
    let dir = lab.dir.path().join("bundle");
    let (dir, model) = (dir.to_str().unwrap().to_owned(), model());
    let model = model.to_str().unwrap();
    let export = ["export", model, "--out", &dir, "--context", "64", "--chunk", "16"];
    said(lab.studio(&export).args(["--kernels", "dotprod"])).well();
    said(&mut lab.studio(&["compile", &dir, "--target", "arm64", "--runner", "local"])).well();

    let lengths = ["--prompt-tokens", "16", "--gen-tokens", "4", "--repeat", "1", "--threads", "1"];
    let words = [&["bench", &dir, "--eager", model, "--runner", &name, "--json"], &lengths[..]].concat();
    let report: Value = serde_json::from_str(&said(&mut lab.studio(&words)).well().stdout).unwrap();
    let features = report["eager"]["features"].as_array().unwrap();
    for feature in ["neon", "dotprod", "fullfp16"] {
        assert!(features.contains(&feature.into()), "{features:?}");
    }
    let measured = report["runs"].as_array().unwrap();
    let engines: Vec<&str> = measured.iter().map(|one| one["engine"].as_str().unwrap()).collect();
    assert!(engines.contains(&"compiled") && engines.contains(&"eager"), "{report}");

    let words = ["verify", &dir, "--against", model, "--tokens", "16", "--runner", &name, "--json"];
    let verdict: Value = serde_json::from_str(&said(&mut lab.studio(&words)).well().stdout).unwrap();
    assert_eq!(verdict["passed"], true, "{verdict}");
}

#[test]
fn a_pulled_cable_and_a_killed_agent_lose_no_job() {
    let mut lab = Lab::start();
    let serial = lab.plug(&[]);
    lab.deploy(&[]).well();
    let name = lab.runners()[0].0.clone();
    let dir = lab.dir.path().join("bundle");
    let (dir, model) = (dir.to_str().unwrap().to_owned(), model());
    let export = ["export", model.to_str().unwrap(), "--out", &dir, "--context", "64", "--chunk", "16"];
    said(lab.studio(&export).args(["--kernels", "dotprod"])).well();
    said(&mut lab.studio(&["compile", &dir, "--target", "arm64", "--runner", "local"])).well();
    let words = ["run", &dir, "--prompt", PROMPT, "--raw", "-n", "30", "--json", "--runner", &name];
    let busy = |runners: &[(String, String)]| runners.iter().any(|(_, state)| state == "busy");

    // The device goes on by itself, and tells what it did when it is back.
    let mut command = lab.studio(&words);
    let job = thread::spawn(move || said(&mut command));
    lab.until("busy", busy);
    lab.unplug(&serial);
    thread::sleep(Duration::from_secs(1));
    lab.connect(&serial);
    let again = lab.deploy(&[&serial]).well();
    assert!(again.stderr.contains("runs already"), "{again:?}");
    let ran: Value = serde_json::from_str(&job.join().unwrap().well().stdout).unwrap();
    assert_eq!(ran["tokens"].as_array().unwrap().len(), 30);

    // Android ends programs that take much memory: the job is begun anew by the next agent.
    let mut command = lab.studio(&words);
    let job = thread::spawn(move || said(&mut command));
    lab.until("busy", busy);
    let killed = lab.adb(&["-s", &serial, "shell", "kill -9 $(cat /data/local/tmp/lowering-studio/pid)"]);
    assert!(killed.status.success(), "{killed:?}");
    let again = lab.deploy(&[&serial]).well();
    assert!(again.stderr.contains(": started;"), "{again:?}");
    let ran: Value = serde_json::from_str(&job.join().unwrap().well().stdout).unwrap();
    assert_eq!(ran["tokens"].as_array().unwrap().len(), 30);
}

#[test]
fn several_devices_work_side_by_side_and_a_lost_one_is_told() {
    let mut lab = Lab::start();
    let serials = [lab.plug(&[]), lab.plug(&[])];
    lab.deploy(&[]).well();
    let idle = |runners: &[(String, String)], count| {
        runners.iter().filter(|(_, state)| state == "idle").count() == count
    };
    lab.until("two", |runners| idle(runners, 2));
    let named = lab.deploy(&["--name", "one"]);
    named.failed_with(&["--name is for one device, and there are 2"]);
    lab.switch_off(0);
    lab.until("one left", |runners| idle(runners, 1));
    let gone = lab.deploy(&[&serials[0]]);
    assert_eq!(gone.status, Some(1), "{gone:?}");
    lab.deploy(&[&serials[1]]).well();
}

#[test]
fn a_device_that_comes_back_is_taken_in_again() {
    let mut lab = Lab::start();
    let agent = given("STUDIO_AGENT");
    let watch = ["android", "deploy", "--watch", "--agent", agent.to_str().unwrap()];
    let mut watching = lab::Process::start(&mut lab.studio(&watch));
    let serial = lab.plug(&[]);
    let is = |state: &'static str| {
        move |runners: &[(String, String)]| runners.iter().any(|(_, found)| found == state)
    };
    lab.until("there", is("idle"));
    lab.unplug(&serial);
    lab.until("gone", is("gone"));
    lab.connect(&serial);
    lab.until("back", is("idle"));
    // Its server ends, as when another program wants another version.
    lab.kill_adb();
    lab.until("gone", is("gone"));
    lab.restart_adb();
    lab.connect(&serial);
    lab.until("back", is("idle"));
    watching.kill();
}

#[test]
fn what_cannot_be_used_is_told_with_what_to_do() {
    let mut lab = Lab::start();
    lab.deploy(&[]).failed_with(&["adb knows no device: plug one in"]);
    let other = lab.plug(&["--abi", "x86_64"]);
    lab.deploy(&[&other]).failed_with(&["is for x86_64, and there is an agent for arm64-v8a only"]);
    let full = lab.plug(&["--data-bytes", "2000000"]);
    lab.deploy(&[&full]).failed_with(&["is full", "Remove something on the device"]);
    let left = lab.adb(&["-s", &full, "shell", "find /data/local/tmp -type f"]);
    assert_eq!(String::from_utf8_lossy(&left.stdout).trim(), "");
    lab.deploy(&["nobody"]).failed_with(&["adb knows no device nobody"]);
    let wrong = lab.android(&["deploy", "--agent", "/bin/sh", &other]);
    wrong.failed_with(&["/bin/sh can't be used on a device: it is a program for x86_64"]);
    lab.android(&["deploy", "--agent", "/nowhere"]).failed_with(&["`./dev agent arm64` builds it"]);
}

fn with_server(lab: &Lab, port: u16, words: &[&str]) -> lab::Said {
    said(lab.studio(words).env("ANDROID_ADB_SERVER_PORT", port.to_string()))
}

#[test]
fn adb_servers_that_cannot_be_used_are_told() {
    let lab = Lab::start();
    let devices = ["android", "devices"];
    let mut missing = lab.studio(&devices);
    missing.env("ANDROID_ADB_SERVER_PORT", free_port().to_string());
    missing.env_remove("ADB").env("PATH", "/nowhere");
    missing.env_remove("ANDROID_HOME").env_remove("ANDROID_SDK_ROOT");
    said(&mut missing).failed_with(&["no adb server answers", "install Android's platform tools"]);

    let old = fake::server(&[("host:version", "OKAY00040020")]);
    with_server(&lab, old, &devices).failed_with(&["version 32", "`adb kill-server`"]);

    let hangs = fake::server(&[("host:version", "OKAY00040029")]);
    with_server(&lab, hangs, &devices).failed_with(&["listing devices: no answer in 5 s"]);

    let states = fake::server(&[
        ("host:version", "OKAY00040029"),
        ("host:devices-l", "OKAY0030A1 unauthorized usb:1\nB2 offline usb:2\nC3 bootl\n"),
    ]);
    let shown = with_server(&lab, states, &devices).well();
    assert!(shown.stdout.contains("unauthorized") && shown.stdout.contains("offline"), "{shown:?}");
    assert!(shown.stderr.contains("A1: Unlock the device and answer its question"), "{shown:?}");
    assert!(shown.stderr.contains("B2: The device is there and doesn't answer"), "{shown:?}");
    let agent = given("STUDIO_AGENT");
    let deploy = ["android", "deploy", "--agent", agent.to_str().unwrap(), "A1"];
    with_server(&lab, states, &deploy).failed_with(&["A1 is unauthorized. Unlock the device"]);
}
