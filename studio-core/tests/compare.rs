//! Two real models side by side, against numpy over what the package `gguf` reads and decodes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use gguf_file::{FileSource, Gguf, ReadAt};
use serde_json::Value;
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};
use studio_core::compare::{CompareError, PairKind, difference, headers};

const Q4_1: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const F16: &str = "SmolLM2-135M-Instruct.F16.gguf";

const SCRIPT: &str = r"
import json, sys
import numpy as np
from gguf import GGUFReader, dequantize
first, second = (GGUFReader(path) for path in sys.argv[1:3])
def fields(reader):
    return {name: (str(field.types), b''.join(field.parts[at].tobytes() + b'|' for at in field.data)) for name, field in reader.fields.items() if not name.startswith('GGUF.')}
a, b = fields(first), fields(second)
tensors = [{tensor.name: (tensor.tensor_type.name, tensor.shape.tolist()) for tensor in reader.tensors} for reader in (first, second)]
found = {
    'equal': sum(1 for key in a if key in b and a[key] == b[key]),
    'differ': sorted(key for key in {*a, *b} if a.get(key) != b.get(key)),
    'types': sorted(name for name in tensors[0] if name in tensors[1] and tensors[0][name] != tensors[1][name]),
    'numbers': {},
}
for name in sys.argv[3:]:
    x, y = (next(dequantize(t.data, t.tensor_type).astype(np.float64).ravel() for t in reader.tensors if t.name == name) for reader in (first, second))
    delta = np.abs(x - y)
    found['numbers'][name] = {
        'equal': int((delta == 0).sum()), 'max_abs': delta.max(), 'max_at': int(delta.argmax()), 'mean_abs': delta.mean(),
        'rmse': np.sqrt((delta ** 2).mean()), 'relative_rmse': np.sqrt((delta ** 2).mean() / (x ** 2).mean()),
        'cosine': x @ y / np.sqrt((x @ x) * (y @ y)),
    }
print(json.dumps(found))
";

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn models() -> Option<(PathBuf, OsString)> {
    match (env::var_os("STUDIO_CACHE"), env::var_os("STUDIO_TEST_PYTHON")) {
        (Some(cache), Some(python)) => Some((PathBuf::from(cache).join("models"), python)),
        _ => {
            assert!(env::var_os("CI").is_none(), "`./dev test` says where the models and Python are");
            eprintln!("skipped: `./dev test` says where the models and Python are");
            None
        }
    }
}

fn open(path: &Path) -> (Gguf, FileSource) {
    let source = FileSource::open(path).unwrap();
    (Gguf::open(&source).unwrap(), source)
}

#[test]
fn headers_and_numbers_differ_as_gguf_py_and_numpy_say() {
    let Some((models, python)) = models() else { return };
    let paths = [models.join(Q4_1), models.join(F16)];
    let names = ["blk.3.ffn_down.weight", "blk.0.attn_k.weight", "output_norm.weight"];
    let output = Command::new(python).args(["-c", SCRIPT]).args(&paths).args(names).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let want: Value = serde_json::from_slice(&output.stdout).unwrap();

    let [(first, first_source), (second, second_source)] = paths.map(|path| open(&path));
    let found = headers(&first, &second);
    assert_eq!(want["equal"], found.equal_entries);
    let mut keys: Vec<&str> = found.metadata.iter().map(|entry| entry.key.as_str()).collect();
    keys.sort_unstable();
    assert_eq!(want["differ"], serde_json::json!(keys));
    let of_other_type = found.tensors.iter().filter(|pair| pair.kind() == PairKind::Type);
    let mut types: Vec<&str> = of_other_type.map(|pair| pair.name.as_str()).collect();
    types.sort_unstable();
    assert_eq!(want["types"], serde_json::json!(types));
    assert!(found.tensors.iter().all(|pair| pair.is_comparable()), "it is the same model");

    let (first_sources, second_sources): ([&dyn ReadAt; 1], [&dyn ReadAt; 1]) =
        ([&first_source], [&second_source]);
    for name in names {
        let found = difference((&first, &first_sources), (&second, &second_sources), name).unwrap();
        let want = &want["numbers"][name];
        assert_eq!(
            (&want["equal"], &want["max_at"]),
            (&found.equal.into(), &found.max_at.unwrap().into()),
            "{name}"
        );
        for (figure, got) in [
            ("max_abs", found.max_abs),
            ("mean_abs", found.mean_abs),
            ("rmse", found.rmse),
            ("relative_rmse", found.relative_rmse),
            ("cosine", found.cosine),
        ] {
            let (want, got) = (want[figure].as_f64().unwrap(), got.unwrap());
            assert!((want - got).abs() <= 1e-9 * want.abs(), "{name} {figure}: {got}, numpy {want}");
        }
        assert_eq!((found.identical, found.not_finite), (name == "output_norm.weight", 0), "{name}");
    }
}

#[test]
fn what_cannot_be_compared_says_whose_fault_it_is() {
    let Some((models, _)) = models() else { return };
    let (gguf, source) = open(&models.join(Q4_1));
    let (other, other_source) = open(&models.join("gemma-3-270m-q4_k_m.gguf"));
    let (sources, other_sources): ([&dyn ReadAt; 1], [&dyn ReadAt; 1]) = ([&source], [&other_source]);
    let compared = |name: &str| difference((&gguf, &sources), (&other, &other_sources), name);
    let error = compared("token_embd.weight").unwrap_err();
    assert!(matches!(&error, CompareError::Shape { first, .. } if *first == [576, 49152]), "{error}");
    let error = compared("blk.29.attn_q.weight").unwrap_err();
    assert!(error.to_string().starts_with("the second model: tensor blk.29.attn_q.weight"), "{error}");
    let pairs = headers(&gguf, &other).tensors;
    let kind = |name: &str| pairs.iter().find(|pair| pair.name == name).unwrap().kind();
    assert_eq!(kind("token_embd.weight"), PairKind::Shape);
    assert_eq!(kind("blk.29.attn_q.weight"), PairKind::OnlyFirst);
    assert_eq!(kind("blk.0.attn_q_norm.weight"), PairKind::OnlySecond);
}
