//! Conversions give the bytes that numpy and the Python package `gguf` give, whatever the memory budget.
//! `params/make_fixture.py` makes the files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use gguf_file::{BlockFormat, Gguf, GgufBuilder, ReadAt, ReadError};
use serde::Deserialize;
use std::cell::Cell;
use studio_core::graph::{ElementType, ParamSource, ParamSpec, RowOrder, Storage};
use studio_core::params::plan::{Plan, PlanError};
use studio_core::params::stream::{ArchiveStream, PIECE_BYTES};
use studio_core::params::{Budget, irpa};

const SOURCE: &[u8] = include_bytes!("params/source.gguf");
const CASES: &str = include_str!("params/cases.json");
const EXPECTED: &[u8] = include_bytes!("params/expected.bin");

#[derive(Deserialize)]
struct Case {
    tensor: String,
    dtype: String,
    rope: Option<[u64; 2]>,
    transpose: bool,
    shape: Vec<u64>,
    at: [usize; 2],
}

impl Case {
    fn spec(&self, index: usize) -> ParamSpec {
        let element_type = match self.dtype.as_str() {
            "bf16" => ElementType::Bf16,
            "f16" => ElementType::F16,
            "f32" => ElementType::F32,
            other => panic!("unknown dtype {other}"),
        };
        let row_order = match self.rope {
            Some([head_count, head_dim]) => RowOrder::RopeHalves { head_count, head_dim },
            None => RowOrder::AsStored,
        };
        let source = ParamSource::Tensor {
            name: self.tensor.clone(),
            rows: None,
            row_order,
            transpose: self.transpose,
        };
        ParamSpec {
            name: format!("{index}.{}", self.tensor),
            shape: self.shape.clone(),
            element_type,
            source,
            storage: Storage::Dense,
        }
    }
}

/// The archive's bytes and those of each entry.
fn export(specs: &[ParamSpec], gguf: &Gguf, source: &dyn ReadAt, budget: Budget) -> (Vec<u8>, Vec<Vec<u8>>) {
    let plan = Plan::new(specs, gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    let mut stream = ArchiveStream::new(&plan, &layout, budget);
    let mut bytes = Vec::new();
    while let Some(piece) = stream.next(&[source]).unwrap() {
        assert!(!piece.is_empty() && piece.len() <= PIECE_BYTES);
        bytes.extend_from_slice(piece);
    }
    assert_eq!(bytes.len() as u64, layout.size_bytes);
    let entry = |place: &studio_core::params::archive::Place| {
        bytes[place.offset as usize..][..place.size_bytes as usize].to_vec()
    };
    let entries = layout.places.iter().map(entry).collect();
    (bytes, entries)
}

/// Budgets from one that holds everything to ones that hold next to nothing.
fn budgets() -> Vec<Budget> {
    let budget =
        |raw_bytes, panel_bytes, panel_limit_bytes| Budget { raw_bytes, panel_bytes, panel_limit_bytes };
    vec![
        Budget::default(),
        budget(1 << 20, 4096, 8192),
        budget(1 << 20, 300, 300),
        budget(2000, 2000, 20_000),
        budget(500, 64, 128),
        budget(0, 1, 1),
    ]
}

#[test]
fn every_conversion_gives_the_bytes_that_numpy_gives() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 20);
    let gguf = Gguf::open(&SOURCE).unwrap();
    let specs: Vec<ParamSpec> = cases.iter().enumerate().map(|(index, case)| case.spec(index)).collect();
    for budget in budgets() {
        let (_, entries) = export(&specs, &gguf, &SOURCE, budget);
        for (case, found) in cases.iter().zip(&entries) {
            let [offset, length] = case.at;
            let expected = &EXPECTED[offset..offset + length];
            let first_difference = found.iter().zip(expected).position(|(found, expected)| found != expected);
            let what = (&case.tensor, &case.dtype, case.rope, case.transpose);
            assert_eq!((found.len(), first_difference), (length, None), "{what:?} {budget:?}");
        }
    }
}

/// A source that remembers the longest read.
struct Watched<'a>(&'a [u8], Cell<usize>);

impl ReadAt for Watched<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        self.1.set(self.1.get().max(buf.len()));
        self.0.read_at(offset, buf)
    }
}

#[test]
fn a_tensor_beyond_the_budget_is_converted_in_passes_to_the_same_bytes() {
    let (columns, rows) = (512u64, 6000u64);
    let data: Vec<u8> = (0..rows * columns / 32)
        .flat_map(|block| {
            let block = block as u32;
            let scale = half::f16::from_f32(0.001 + (block % 97) as f32 * 1e-4).to_le_bytes();
            let values =
                (0..32u32).map(move |i| ((block.wrapping_mul(2_654_435_761) ^ (i * 40_503)) >> 7) as u8);
            scale.into_iter().chain(values)
        })
        .collect();
    let mut builder = GgufBuilder::new();
    builder.tensor("t", &[columns, rows], BlockFormat::Q8_0, data).unwrap();
    let file = builder.write_to(Vec::new()).unwrap();
    let gguf = Gguf::open(&file).unwrap();
    let halves = RowOrder::RopeHalves { head_count: 100, head_dim: 60 };
    let spec = |row_order, transpose| ParamSpec {
        name: "t".to_owned(),
        shape: if transpose { vec![columns, rows] } else { vec![rows, columns] },
        element_type: ElementType::Bf16,
        source: ParamSource::Tensor { name: "t".to_owned(), rows: None, row_order, transpose },
        storage: Storage::Dense,
    };
    for spec in [spec(halves, true), spec(RowOrder::AsStored, true), spec(halves, false)] {
        let specs = [spec];
        let (whole, _) = export(&specs, &gguf, &file, Budget::default());
        let small = Budget { raw_bytes: 100_000, panel_bytes: 50_000, panel_limit_bytes: 100_000 };
        let watched = Watched(&file, Cell::new(0));
        let (passes, _) = export(&specs, &gguf, &watched, small);
        assert!(whole == passes);
        assert!(watched.1.get() <= 100_000, "read {} bytes at once", watched.1.get());
    }
}

#[test]
fn values_are_stored_row_major_in_the_element_type() {
    let gguf = Gguf::open(&SOURCE).unwrap();
    let values: std::sync::Arc<[f32]> = (0..5000).map(|value| value as f32 / 3.0).collect();
    let spec = |name: &str, element_type| ParamSpec {
        name: name.to_owned(),
        shape: vec![50, 100],
        element_type,
        source: ParamSource::Values(values.clone()),
        storage: Storage::Dense,
    };
    let specs = [spec("f32", ElementType::F32), spec("bf16", ElementType::Bf16)];
    for budget in budgets() {
        let (_, entries) = export(&specs, &gguf, &SOURCE, budget);
        let f32s: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let bf16s: Vec<u8> =
            values.iter().flat_map(|value| half::bf16::from_f32(*value).to_le_bytes()).collect();
        assert!(entries == [f32s, bf16s], "{budget:?}");
    }
}

#[test]
fn what_a_seek_leads_to_is_what_the_whole_has_there() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    let gguf = Gguf::open(&SOURCE).unwrap();
    let specs: Vec<ParamSpec> = cases.iter().enumerate().map(|(index, case)| case.spec(index)).collect();
    let plan = Plan::new(&specs, &gguf).unwrap();
    let layout = irpa::layout(&plan.items()).unwrap();
    for panel_bytes in [1000, 100_000] {
        for panel_limit_bytes in [3_000, 24 << 20] {
            let budget = Budget { panel_bytes, panel_limit_bytes, ..Budget::default() };
            let (whole, _) = export(&specs, &gguf, &SOURCE, budget);
            let starts = (0..whole.len()).step_by(997);
            let starts = starts.chain([1, 64, layout.head.len(), whole.len(), whole.len() + 1]);
            // One stream for all: nothing of where it was may be seen where it goes.
            let mut stream = ArchiveStream::new(&plan, &layout, budget);
            for start in starts {
                for length in [0, 1, 3_001, 40_000] {
                    stream.seek(start as u64..(start + length) as u64);
                    let mut found = Vec::new();
                    while let Some(piece) = stream.next(&[&SOURCE]).unwrap() {
                        found.extend_from_slice(piece);
                    }
                    let expected = whole.get(start..).unwrap_or_default();
                    let expected = &expected[..length.min(expected.len())];
                    assert!(found == expected, "{length} bytes at {start}, {budget:?}");
                }
            }
        }
    }
}

fn plan_error(edit: impl Fn(&mut ParamSpec)) -> String {
    let gguf = Gguf::open(&SOURCE).unwrap();
    let mut spec = ParamSpec {
        name: "p".to_owned(),
        shape: vec![64, 40],
        element_type: ElementType::Bf16,
        source: ParamSource::Tensor {
            name: "Q4_1".to_owned(),
            rows: None,
            row_order: RowOrder::AsStored,
            transpose: true,
        },
        storage: Storage::Dense,
    };
    edit(&mut spec);
    let error: PlanError = Plan::new(&[spec], &gguf).unwrap_err();
    error.to_string()
}

#[test]
fn a_plan_names_what_does_not_fit() {
    let tensor = |name: &str, row_order| ParamSource::Tensor {
        name: name.to_owned(),
        rows: None,
        row_order,
        transpose: true,
    };
    expect_test::expect!["tensor Q4_1: its dimensions are [64, 40] (contiguous first), which gives [64, 40] row-major when transposed, but the graph needs [40, 64]"]
        .assert_eq(&plan_error(|spec| spec.shape = vec![40, 64]));
    expect_test::expect!["parameter p: the GGUF has no tensor none"]
        .assert_eq(&plan_error(|spec| spec.source = tensor("none", RowOrder::AsStored)));
    expect_test::expect!["tensor Q4_1: 4 heads of 20 rows in pairs do not make up its 40 rows; check the model's attention.head_count, head_count_kv and key_length"]
        .assert_eq(&plan_error(|spec| {
            spec.source = tensor("Q4_1", RowOrder::RopeHalves { head_count: 4, head_dim: 20 });
        }));
    expect_test::expect!["parameter p: values cannot be stored as i32"]
        .assert_eq(&plan_error(|spec| spec.element_type = ElementType::I32));
    expect_test::expect!["parameter p: 3 values do not fill the shape [64, 40]"]
        .assert_eq(&plan_error(|spec| spec.source = ParamSource::Values(vec![0.0; 3].into())));
}
