//! Roles stand for all of a function, and the check notices when they don't.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use gguf_file::{FileSource, Gguf, ReadAt};
use std::path::PathBuf;
use studio_core::family;
use studio_core::graph::{CoverError, Graph, Role, check_roles};
use studio_core::options::{ExportOptions, GraphKind};

fn tiny(name: &str) -> Graph {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/lowering").join(name);
    let source = FileSource::open(path).unwrap();
    let gguf = Gguf::open(&source).unwrap();
    let sources: [&dyn ReadAt; 1] = [&source];
    let graphs = vec![GraphKind::Redecode, GraphKind::Kv];
    let options = ExportOptions { graphs, seq: 12, context: 16, chunk: 4, ..ExportOptions::default() };
    family::build(&gguf, &sources, &options).unwrap()
}

fn check(graph: &Graph) -> Result<(), CoverError> {
    graph.functions().iter().try_for_each(|function| check_roles(graph, function))
}

#[test]
fn roles_stand_for_all_that_the_functions_of_a_model_compute() {
    for name in ["tied.gguf", "untied.gguf"] {
        assert_eq!(check(&tiny(name)), Ok(()), "{name}");
    }
}

#[test]
fn a_layer_is_two_norms_seven_products_two_turns_an_attention_a_gate_and_two_sums() {
    let graph = tiny("tied.gguf");
    let decode = graph.functions().iter().find(|function| function.name == "decode").unwrap();
    let layer = decode.roles.iter().filter(|span| graph.scopes.path(span.scope).starts_with("layer 1"));
    let names: Vec<&str> = layer.map(|span| span.role.name()).collect();
    let attention = ["linear", "rope", "linear", "rope", "linear", "attention", "linear"];
    let mlp = ["linear", "linear", "gated_activation", "linear"];
    let expected = [&["rms_norm"], &attention[..], &["residual", "rms_norm"], &mlp[..], &["residual"]];
    assert_eq!(names, expected.concat());
}

#[test]
fn what_no_role_stands_for_is_named_with_its_scope() {
    let mut graph = tiny("tied.gguf");
    let decode = graph.functions.iter_mut().find(|function| function.name == "decode").unwrap();
    let norm = decode.roles.iter().position(|span| matches!(span.role, Role::RmsNorm { .. })).unwrap();
    decode.roles.remove(norm);
    let error = check(&graph).unwrap_err();
    assert_eq!(
        error.to_string(),
        "function decode, scope \"layer 0 / attention_norm\": multiply belongs to no role that a kernel is known for"
    );
}

#[test]
fn a_role_must_name_what_it_reads_and_what_others_read_of_it() {
    let mut graph = tiny("untied.gguf");
    for span in graph.functions.iter_mut().flat_map(|function| &mut function.roles) {
        if let Role::Attention(attention) = &mut span.role {
            attention.memory = None;
        }
    }
    assert!(matches!(check(&graph), Err(CoverError::HiddenInput { role: "attention", .. })));

    let mut graph = tiny("untied.gguf");
    for span in graph.functions.iter_mut().flat_map(|function| &mut function.roles) {
        if let Role::Linear { output, weight, .. } = &mut span.role {
            *output = *weight;
        }
    }
    assert!(matches!(check(&graph), Err(CoverError::HiddenOutput { role: "linear", .. })));
}

#[test]
fn runs_that_overlap_are_refused() {
    let mut graph = tiny("tied.gguf");
    graph.functions[0].roles[3].values.start -= 1;
    graph.functions[0].roles[2].values.end += 1;
    assert!(matches!(check(&graph), Err(CoverError::Order { .. })));
}
