//! What we write, read by IREE's own tools.

use e2e::{iree_tool, scratch, smollm2, studio};
use std::{fs, path::Path, process::Command};

const SEQ: usize = 64;

fn stock(name: &str, args: &[&str]) -> String {
    let output = Command::new(iree_tool(name)).args(args).output().expect("starting IREE's tool");
    assert!(output.status.success(), "{name} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("IREE's tools print UTF-8")
}

/// The redecode contract as the stock runner drives it: tokens in, one next id per position out.
#[test]
fn the_stock_runner_drives_the_redecode_bundle() {
    let folder = scratch("redecode");
    let seq = SEQ.to_string();
    studio::export_and_compile(&smollm2(), &folder, &["--graphs", "redecode", "--seq", &seq]);
    let prompt = [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198];
    let mut tokens = [0_u32; SEQ];
    tokens[..prompt.len()].copy_from_slice(&prompt);
    let words: Vec<String> = tokens.iter().map(u32::to_string).collect();
    let printed = stock(
        "iree-run-module",
        &[
            &format!("--module={}", folder.join("host.vmfb").display()),
            &format!("--parameters=model={}", folder.join("model.irpa").display()),
            "--device=local-task",
            "--function=main",
            &format!("--input=1x{SEQ}xi32={}", words.join(" ")),
            "--print_statistics=false",
        ],
    );
    let line =
        printed.lines().find_map(|line| line.strip_prefix(&format!("{SEQ}xi32="))).expect("one result");
    let ids: Vec<u32> = line.split_whitespace().map(|word| word.parse().expect("an id")).collect();
    let generated = studio::json(&[
        "run",
        studio::arg(&folder),
        "--tokens",
        &prompt.map(|id| id.to_string()).join(","),
        "-n",
        "1",
    ]);
    assert_eq!(generated["tokens"][0], ids[prompt.len() - 1], "the token after the prompt");
}

#[test]
fn params_prints_what_iree_dump_parameters_prints() {
    let folder = scratch("params");
    studio::ok(&["export", studio::arg(&smollm2()), "--out", studio::arg(&folder), "--safetensors"]);
    for file in [folder.join("model.irpa"), folder.join("model.safetensors"), smollm2()] {
        let want = stock("iree-dump-parameters", &[&format!("--parameters={}", file.display())]);
        assert_eq!(studio::ok(&["params", studio::arg(&file)]), want, "{}", file.display());
    }
    same_values(&folder);
}

/// Both archives hold the same bytes, as the stock tool extracts them.
fn same_values(folder: &Path) {
    let key = "blk.0.attn_norm.weight";
    let extract = |archive: &str| {
        let out = folder.join(format!("{archive}.bin"));
        stock(
            "iree-dump-parameters",
            &[
                "--parameter_mode=mmap",
                &format!("--parameters={}", folder.join(archive).display()),
                &format!("--extract={key}={}", out.display()),
            ],
        );
        fs::read(out).expect("the tool wrote the entry")
    };
    let (irpa, safetensors) = (extract("model.irpa"), extract("model.safetensors"));
    assert!(!irpa.is_empty(), "{key} has bytes");
    assert!(irpa == safetensors, "{key} is the same in both archives");
}
