//! What we write, read by IREE's own tools.

use e2e::{iree_tool, scratch, smollm2, studio};
use std::{collections::BTreeMap, fs, ops::Range, path::Path, process::Command};

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
    studio::export_and_compile(
        &smollm2(),
        &folder,
        &["--form", "stablehlo", "--graphs", "redecode", "--seq", &seq],
    );
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
    studio::ok(&[
        "export",
        studio::arg(&smollm2()),
        "--out",
        studio::arg(&folder),
        "--form",
        "stablehlo",
        "--safetensors",
    ]);
    for file in [folder.join("model.irpa"), folder.join("model.safetensors"), smollm2()] {
        let want = stock("iree-dump-parameters", &[&format!("--parameters={}", file.display())]);
        assert_eq!(studio::ok(&["params", studio::arg(&file)]), want, "{}", file.display());
    }
    same_values(&folder);
}

/// Both archives hold the same bytes where the stock tool finds their entries, and it rewrites ours as it is.
fn same_values(folder: &Path) {
    let [irpa, safetensors] = ["model.irpa", "model.safetensors"].map(|name| {
        let path = folder.join(name);
        let listed = stock("iree-dump-parameters", &[&format!("--parameters={}", path.display())]);
        (ranges(&listed), fs::read(path).expect("the export wrote it"))
    });
    assert!(irpa.0.contains_key("blk.29.ffn_down.weight"), "the listing is read: {:?}", irpa.0);
    assert!(irpa.0.keys().eq(safetensors.0.keys()), "both have the same entries");
    for (key, range) in &irpa.0 {
        assert!(
            irpa.1[range.clone()] == safetensors.1[safetensors.0[key].clone()],
            "{key} is the same in both"
        );
    }
    let rewritten = folder.join("rewritten.irpa");
    stock(
        "iree-convert-parameters",
        &[
            &format!("--parameters={}", folder.join("model.irpa").display()),
            &format!("--output={}", rewritten.display()),
        ],
    );
    assert!(
        fs::read(rewritten).expect("the tool wrote it") == irpa.1,
        "IREE's own tool lays it out the same way"
    );
}

/// Where the entries are, from lines such as "64 | 128 | 64 | `key`".
fn ranges(listed: &str) -> BTreeMap<String, Range<usize>> {
    let entry = |line: &str| {
        let mut columns = line.split('|').map(str::trim);
        let (start, end) = (columns.next()?.parse().ok()?, columns.next()?.parse().ok()?);
        Some((columns.nth(1)?.trim_matches('`').to_owned(), start..end))
    };
    listed.lines().filter_map(entry).collect()
}
