//! Statistics of a real model's tensors, against numpy over what the package `gguf` decodes.

use gguf_file::{FileSource, Gguf, ReadAt};
use serde_json::Value;
use std::{env, path::PathBuf, process::Command};
use studio_core::statistics::statistics;

/// Prints min, max, mean, std, zeros, counts in the histogram's own bins, and magnitudes under pixels.
const SCRIPT: &str = r"
import json, sys
import numpy as np
from gguf import GGUFReader, dequantize
path, name, low, high, bins, rows, columns = sys.argv[1:]
tensor = next(t for t in GGUFReader(path).tensors if t.name == name)
values = dequantize(tensor.data, tensor.tensor_type).astype(np.float64)
matrix = np.abs(values.reshape(-1, values.shape[-1]))
edges = np.linspace(float(low), float(high), int(bins) + 1)
line = (np.arange(matrix.shape[0]) * int(rows)) // matrix.shape[0]
pixel = (np.arange(matrix.shape[1]) * int(columns)) // matrix.shape[1]
sums, counts = np.zeros((int(rows), int(columns))), np.zeros((int(rows), int(columns)))
np.add.at(sums, (line[:, None], pixel[None, :]), matrix)
np.add.at(counts, (line[:, None], pixel[None, :]), 1)
print(json.dumps({
    'min': values.min(), 'max': values.max(), 'mean': values.mean(), 'std': values.std(),
    'zeros': int((values == 0).sum()), 'counts': np.histogram(values, edges)[0].tolist(),
    'heat': (sums / counts).ravel().tolist(),
}))
";

#[test]
fn numbers_are_numpys() {
    let (Some(cache), Some(python)) = (env::var_os("STUDIO_CACHE"), env::var_os("STUDIO_TEST_PYTHON")) else {
        assert!(env::var_os("CI").is_none(), "`./dev test` says where the model and Python are");
        eprintln!("skipped: `./dev test` says where the model and Python are");
        return;
    };
    let model = PathBuf::from(cache).join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
    let source = FileSource::open(&model).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    for name in ["blk.3.ffn_down.weight", "blk.0.attn_k.weight"] {
        let found = statistics(&gguf, &[&source as &dyn ReadAt], name).unwrap();
        let (histogram, heat) = (&found.histogram, found.heat.as_ref().unwrap());
        let mut script = Command::new(&python);
        script.args(["-c", SCRIPT]).arg(&model).arg(name);
        script.args([histogram.low, histogram.high].map(|edge| format!("{edge:e}")));
        script.args([histogram.counts.len(), heat.rows, heat.columns].map(|count| count.to_string()));
        let output = script.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let want: Value = serde_json::from_slice(&output.stdout).unwrap();
        for (figure, got) in
            [("min", found.min), ("max", found.max), ("mean", found.mean), ("std", found.std)]
        {
            let (want, got) = (want[figure].as_f64().unwrap(), got.unwrap());
            assert!(
                (want - got).abs() <= 1e-9 * want.abs().max(1e-3),
                "{name} {figure}: {got}, numpy {want}"
            );
        }
        assert_eq!(want["zeros"], found.zeros, "{name}");
        assert_eq!(want["counts"], serde_json::json!(histogram.counts), "{name}");
        let want: Vec<f32> = serde_json::from_value(want["heat"].clone()).unwrap();
        for (want, got) in want.iter().zip(&heat.mean_magnitude) {
            assert!((want - got).abs() <= 1e-6 * want, "{name}: {got}, numpy {want}");
        }
        assert_eq!((found.elements, found.nan, found.infinite), (histogram.counts.iter().sum(), 0, 0));
        let scales = found.scales.as_ref().unwrap();
        assert_eq!(scales.blocks, found.elements / 32);
        assert_eq!(
            scales.octaves.iter().map(|(_, blocks)| blocks).sum::<u64>() + scales.zeros,
            scales.blocks
        );
    }
}
