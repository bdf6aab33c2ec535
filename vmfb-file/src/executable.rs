//! Executables: machine code for a target, with the functions that dispatches call.
//!
//! A library for the processor keeps its table of functions in data: IREE's `executable_library.h` has its layout. It is
//! found by its head, which begins with the version of the layout and a name, and read without running anything.

use crate::elf::{Elf, architecture, is_elf};
use serde::{Deserialize, Serialize};

/// An executable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// Which of the module's segments it is.
    pub segment: usize,
    /// Its name: of the zip file's member, or its own.
    pub name: String,
    /// `embedded-elf-x86_64`, `vulkan-spirv-fb`: what the module asks a device whether it takes.
    pub format: String,
    /// The processor's kind, if it is for one.
    pub architecture: Option<String>,
    /// Bytes.
    pub bytes: u64,
    /// Its functions, if it says which it has.
    pub functions: Vec<Dispatch>,
}

/// A function of an executable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    /// Its name.
    pub name: String,
    /// Bytes from its code's beginning to the next function's.
    pub code_bytes: Option<u64>,
    /// Buffers that it is given.
    pub bindings: u8,
    /// Numbers that it is given, of 32 bits each.
    pub constants: u8,
    /// Bytes of memory that each of its workgroups is given.
    pub local_memory_bytes: u64,
    /// The text and the line of it that it comes from, if the compiler kept them.
    pub source: Option<(String, u32)>,
}

/// The layout that IREE 3.13 writes.
const VERSION: u64 = 6;
/// The most functions of an executable.
const MOST_FUNCTIONS: u64 = 65_536;
/// The longest name.
const MOST_TEXT: usize = 4096;
/// Bytes of a page of local memory.
const PAGE: u64 = 4096;
/// Bytes of a function's attributes.
const ATTRIBUTES: u64 = 64;

/// The words of a library's table, each as long as a pointer.
mod word {
    pub(super) const HEADER: u64 = 0;
    pub(super) const COUNT: u64 = 3;
    pub(super) const CODE: u64 = 4;
    pub(super) const ATTRIBUTES: u64 = 5;
    pub(super) const NAMES: u64 = 8;
    pub(super) const SOURCES: u64 = 11;
}

/// What an executable in these bytes is, as far as it says.
pub(crate) fn describe(
    segment: usize,
    format: Option<String>,
    member: Option<&str>,
    bytes: &[u8],
) -> Executable {
    let elf = Elf::open(bytes);
    let architecture = elf.as_ref().map(|elf| architecture(elf.machine, elf.word));
    let library = elf.as_ref().and_then(library);
    let (own_name, functions) = library.unwrap_or_default();
    Executable {
        segment,
        name: member.map_or(own_name, str::to_owned),
        format: format.unwrap_or_else(|| guess(bytes)),
        architecture,
        bytes: bytes.len() as u64,
        functions,
    }
}

/// What an executable's format probably is, where no instruction of the module names it.
fn guess(bytes: &[u8]) -> String {
    let kind = if is_elf(bytes) { "elf" } else { "unknown" };
    kind.to_owned()
}

/// Whether bytes look like an executable.
pub(crate) fn is_executable(bytes: &[u8]) -> bool {
    is_elf(bytes)
}

/// A library's name and functions.
fn library(elf: &Elf<'_>) -> Option<(String, Vec<Dispatch>)> {
    elf.pointers().find_map(|(table, header)| {
        let word = elf.word as u64;
        if elf.number(header, 4)? != VERSION {
            return None;
        }
        let name = elf.text(elf.pointer(header.checked_add(word)?)?, MOST_TEXT)?;
        Some((name, functions(elf, table)?))
    })
}

fn functions(elf: &Elf<'_>, table: u64) -> Option<Vec<Dispatch>> {
    let word = elf.word as u64;
    let place = |index: u64| table.checked_add(index * word);
    let pointer = |index| elf.pointer(place(index)?);
    pointer(word::HEADER)?;
    let count = elf.number(place(word::COUNT)?, 4).filter(|count| (1..=MOST_FUNCTIONS).contains(count))?;
    let (code, names) = (pointer(word::CODE)?, pointer(word::NAMES)?);
    let (attributes, sources) = (pointer(word::ATTRIBUTES), pointer(word::SOURCES));
    let in_list = |list: u64, index: u64| elf.pointer(list.checked_add(index * word)?);
    let starts: Option<Vec<u64>> = (0..count).map(|index| in_list(code, index)).collect();
    let starts = starts?;
    let mut sorted = starts.clone();
    sorted.sort_unstable();
    let code_bytes = |start: u64| {
        let next = sorted.get(sorted.partition_point(|&other| other <= start)).copied();
        next.or_else(|| elf.code_end(start)).and_then(|end| end.checked_sub(start))
    };
    (0..count)
        .zip(&starts)
        .map(|(index, &start)| {
            let name = elf.text(in_list(names, index)?, MOST_TEXT)?;
            let attribute = |offset: u64, len: usize| {
                elf.number(attributes?.checked_add(index * ATTRIBUTES + offset)?, len)
            };
            Some(Dispatch {
                name,
                code_bytes: code_bytes(start),
                bindings: attribute(11, 1).and_then(|count| count.try_into().ok()).unwrap_or(0),
                constants: attribute(10, 1).and_then(|count| count.try_into().ok()).unwrap_or(0),
                local_memory_bytes: attribute(8, 2).unwrap_or(0) * PAGE,
                source: sources.and_then(|sources| source(elf, sources, index)),
            })
        })
        .collect()
}

/// A line of the table of sources: a number, a length, a pointer to a path.
fn source(elf: &Elf<'_>, table: u64, index: u64) -> Option<(String, u32)> {
    let at = table.checked_add(index * (8 + elf.word as u64))?;
    let line = elf.number(at, 4)?.try_into().ok()?;
    let path = elf.text(elf.pointer(at.checked_add(8)?)?, MOST_TEXT)?;
    (!path.is_empty()).then_some((path, line))
}
