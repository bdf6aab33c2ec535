//! Split models that are incomplete or contradict themselves.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking too")]

use gguf_file::split::SplitName;
use gguf_file::{BlockFormat, Endian, Gguf, GgufBuilder, ReadAt};

/// Part `number` of `count` of a model of `tensors` tensors, holding one called `name`.
fn part(number: u16, count: u16, tensors: i32, name: &str) -> Vec<u8> {
    part_in(Endian::Little, number, count, tensors, name)
}

fn part_in(endian: Endian, number: u16, count: u16, tensors: i32, name: &str) -> Vec<u8> {
    let mut builder = GgufBuilder::new().endian(endian);
    builder.set("split.no", number).unwrap();
    builder.set("split.count", count).unwrap();
    builder.set("split.tensors.count", tensors).unwrap();
    builder.tensor(name, &[2], BlockFormat::F32, [0; 8]).unwrap();
    builder.write_to(Vec::new()).unwrap()
}

fn refusal(parts: &[Vec<u8>]) -> String {
    let sources: Vec<&dyn ReadAt> = parts.iter().map(|part| part as &dyn ReadAt).collect();
    Gguf::open_split(&sources).expect_err("this must not be believed").to_string()
}

#[test]
fn good_parts_are_one_model() {
    let parts = [part(1, 2, 2, "b"), part(0, 2, 2, "a")];
    let gguf = Gguf::open_split(&[&parts[0], &parts[1]]).unwrap();
    let found: Vec<(&str, usize)> = gguf.tensors().iter().map(|t| (t.name(), t.shard())).collect();
    assert_eq!(found, [("a", 1), ("b", 0)]);
    assert_eq!(gguf.metadata().u32("split.no").unwrap(), 0);
}

#[test]
fn a_model_in_one_file_is_not_split() {
    let only = part(0, 1, 1, "a");
    assert_eq!(Gguf::open(&only).unwrap().tensors().len(), 1);
    assert_eq!(Gguf::open_split(&[&only]).unwrap().tensors().len(), 1);
}

#[test]
fn no_file_at_all() {
    assert_eq!(refusal(&[]), "split model: no file was given");
}

#[test]
fn a_part_alone() {
    let message = Gguf::open(&part(1, 3, 3, "b")).expect_err("parts are missing").to_string();
    let expected = "metadata \"split.count\" at byte 46: \
                    this is part 2 of a model in 3 files: open all of them together";
    assert_eq!(message, expected);
    assert_eq!(refusal(&[part(1, 3, 3, "b")]), expected);
    assert_eq!(
        Gguf::open_part(&part(1, 3, 3, "b")).unwrap().tensors().len(),
        1,
        "to look at it, it is enough"
    );
}

#[test]
fn too_few_and_too_many_files() {
    let says = |count| refusal(&[part(0, count, 2, "a"), part(1, count, 2, "b")]);
    let expected = "file 1, metadata \"split.count\" at byte 46: the model is in 3 files and 2 were given";
    assert_eq!(says(3), expected);
    let expected = "file 1, metadata \"split.count\" at byte 46: the model is in 1 files and 2 were given";
    assert_eq!(says(1), expected);
}

#[test]
fn files_that_are_no_parts() {
    let whole = GgufBuilder::new().write_to(Vec::new()).unwrap();
    assert_eq!(refusal(&[whole.clone(), whole]), "file 1, metadata \"split.count\": missing");
}

#[test]
fn the_same_part_twice_and_one_that_is_none() {
    let expected = "file 2, metadata \"split.no\" at byte 24: there is no part 1 of 2, or it was given twice";
    assert_eq!(refusal(&[part(0, 2, 2, "a"), part(0, 2, 2, "b")]), expected);
    let expected = "file 2, metadata \"split.no\" at byte 24: there is no part 8 of 2, or it was given twice";
    assert_eq!(refusal(&[part(0, 2, 2, "a"), part(7, 2, 2, "b")]), expected);
}

#[test]
fn a_tensor_in_two_parts() {
    let message = refusal(&[part(0, 2, 2, "a"), part(1, 2, 2, "a")]);
    assert_eq!(message, "file 2, tensor \"a\": there twice");
}

#[test]
fn tensors_that_are_missing() {
    let expected = "file 1, metadata \"split.tensors.count\" at byte 71: \
                    the model has 5 tensors and the files hold 2";
    assert_eq!(refusal(&[part(0, 2, 5, "a"), part(1, 2, 5, "b")]), expected);
}

#[test]
fn parts_in_two_byte_orders() {
    let parts = [part(0, 2, 2, "a"), part_in(Endian::Big, 1, 2, 2, "b")];
    assert_eq!(refusal(&parts), "file 2, version at byte 4: not that of the other files");
}

#[test]
fn names_of_parts() {
    let name = SplitName::parse("models/big-00002-of-00003.gguf").unwrap();
    assert_eq!(name, SplitName { prefix: "models/big".to_owned(), number: 1, count: 3 });
    let all: Vec<String> = name.all().collect();
    let expected = [
        "models/big-00001-of-00003.gguf",
        "models/big-00002-of-00003.gguf",
        "models/big-00003-of-00003.gguf",
    ];
    assert_eq!(all, expected);
    let none = [
        "m.gguf",
        "m-00000-of-00003.gguf",
        "m-00004-of-00003.gguf",
        "m-1-of-3.gguf",
        "m-00001-of-00003",
        "m-+0001-of-00003.gguf",
        "m-99999-of-99999.gguf",
    ];
    for name in none {
        assert_eq!(SplitName::parse(name), None, "{name}");
    }
}
