//! A module's metadata as `iree-dump-module --output=metadata` prints it, byte for byte.

use crate::Vmfb;
use crate::module::{Attribute, Module, SegmentPlace, Signature};
use std::fmt::{Display, Formatter, Result};

/// A module's metadata, to be printed.
pub struct Metadata<'a>(pub(crate) &'a Vmfb);

/// What runtimes are capable of that have a name, a bit each.
const FEATURES: [(u32, &str); 2] = [(1, "EXT_F32"), (2, "EXT_F64")];
/// Bytes that a runtime takes for a reference.
const REF_BYTES: i64 = 16;
/// The most characters of a segment's text.
const MOST_TEXT: usize = 32;

impl Display for Metadata<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let module = &self.0.module;
        header(out, &format!("@{} : version {}", module.name, module.version as i32))?;
        writeln!(out)?;
        if let Some(requirements) = module.requirements {
            writeln!(out, "Requirements: {}\n", features(requirements))?;
        }
        section(out, "Attributes", module.attributes.as_ref(), |out, list| attributes(out, list, 2))?;
        section(out, "Required Types", module.types.as_ref(), |out, types| {
            types.iter().enumerate().try_for_each(|(index, ty)| writeln!(out, "  [{index:3}] {ty}"))
        })?;
        section(out, "Module Dependencies", module.dependencies.as_ref(), |out, dependencies| {
            dependencies.iter().try_for_each(|dependency| {
                let need = if dependency.optional { "optional" } else { "required" };
                let version = dependency.minimum_version as i32;
                writeln!(out, "  {}, version >= {version}, {need}", dependency.name)
            })
        })?;
        section(out, "Imported Functions", module.imports.as_ref(), |out, imports| {
            imports.iter().enumerate().try_for_each(|(index, import)| {
                let mark = if import.optional { "?" } else { "" };
                write!(out, "  [{index:3}] {mark}{}", import.name)?;
                signature(out, &import.signature)
            })
        })?;
        section(out, "Exported Functions", module.exports.as_ref(), |out, exports| {
            exports.iter().enumerate().try_for_each(|(index, export)| {
                write!(out, "  [{index:3}] {}", export.name)?;
                match module.signatures.get(export.function) {
                    Some(of) => signature(out, of),
                    None => writeln!(out),
                }
            })
        })?;
        sections(out, module)?;
        functions(out, module)?;
        debug(out, module)
    }
}

fn header(out: &mut Formatter<'_>, title: &str) -> Result {
    let line = "-".repeat(110);
    writeln!(out, "//==={line}===//\n// {title}\n//==={line}===//")
}

fn section<T>(
    out: &mut Formatter<'_>,
    title: &str,
    content: Option<&T>,
    print: impl FnOnce(&mut Formatter<'_>, &T) -> Result,
) -> Result {
    let Some(content) = content else { return Ok(()) };
    writeln!(out, "{title}:")?;
    print(out, content)?;
    writeln!(out)
}

fn features(bits: u32) -> String {
    let (mut left, mut words) = (bits, Vec::new());
    for (bit, name) in FEATURES {
        if left & bit != 0 {
            words.push(name.to_owned());
            left &= !bit;
        }
    }
    if left != 0 {
        words.push(format!("{left:08X}"));
    }
    words.join(" | ")
}

fn attributes(out: &mut Formatter<'_>, list: &[Attribute], indent: usize) -> Result {
    list.iter().try_for_each(|Attribute { key, value }| writeln!(out, "{:indent$}{key}: {value}", ""))
}

fn signature(out: &mut Formatter<'_>, signature: &Signature) -> Result {
    if let Some(convention) = &signature.calling_convention {
        write!(out, "{}", Convention(convention))?;
    }
    writeln!(out)?;
    signature.attributes.as_ref().map_or(Ok(()), |list| attributes(out, list, 8))
}

/// A calling convention in types: `(!vm.ref<?>, i32) -> (i64)`.
struct Convention<'a>(&'a str);

impl Display for Convention<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let body = self.0.strip_prefix('0').unwrap_or(self.0);
        let (arguments, results) = body.split_once('_').unwrap_or((body, ""));
        write!(out, "({}) -> ({})", letters(arguments), letters(results))
    }
}

fn letters(letters: &str) -> String {
    let (mut text, mut left) = (String::new(), letters);
    while let Some(letter) = left.chars().next() {
        if left.len() < letters.len() {
            text.push_str(", ");
        }
        left = &left[letter.len_utf8()..];
        match letter {
            'v' => {}
            'i' => text.push_str("i32"),
            'f' => text.push_str("f32"),
            'I' => text.push_str("i64"),
            'F' => text.push_str("f64"),
            'r' => text.push_str("!vm.ref<?>"),
            'C' => {
                let (inner, after) = left.split_once('D').unwrap_or((left, ""));
                // Nothing is in a tuple again: conventions have no such letter twice.
                let plain: String = inner.chars().filter(|&letter| letter != 'C').collect();
                let types: Vec<String> =
                    plain.chars().map(|letter| self::letters(&letter.to_string())).collect();
                text.push_str(&format!("tuple<{}>...", types.join(", ")));
                left = after;
            }
            other => text.push(other),
        }
    }
    text
}

fn sections(out: &mut Formatter<'_>, module: &Module) -> Result {
    header(out, "Sections")?;
    writeln!(out)?;
    if let Some(state) = module.state {
        let (bytes, refs) = (state.global_bytes, state.global_refs);
        let total = i64::from(bytes) + REF_BYTES * i64::from(refs);
        writeln!(out, "Module State:\n  {bytes} bytes, {refs} refs, ~{total} bytes total\n")?;
    }
    writeln!(out, "FlatBuffer: {} bytes", module.flatbuffer_bytes)?;
    if let Some(bytes) = module.bytecode_bytes {
        writeln!(out, "  Bytecode: {bytes} bytes")?;
    }
    let mut external = 0_u64;
    for (index, segment) in module.rodata.iter().flatten().enumerate() {
        let how = if segment.is_said_uncompressed { "uncompressed " } else { "" };
        write!(out, "  .rodata[{index:3}] {how}")?;
        match &segment.place {
            SegmentPlace::Embedded { bytes, text } => {
                write!(out, "embedded {bytes:8} bytes")?;
                if let Some(text) = text {
                    // It reads like text: a byte is a character.
                    write!(out, " `{}`", &text[..text.len().min(MOST_TEXT)])?;
                    write!(out, "{}", if text.len() >= MOST_TEXT { "..." } else { "" })?;
                }
                writeln!(out)?;
            }
            SegmentPlace::External { offset, bytes } => {
                external = external.saturating_add(*bytes);
                let end = offset.wrapping_add(*bytes);
                writeln!(out, "external {bytes:8} bytes (offset {offset} / {offset:X}h to {end:X}h)")?;
            }
        }
    }
    for (index, bytes) in module.rwdata.iter().flatten().enumerate() {
        writeln!(out, "  .rwdata[{index:3}] {bytes} bytes")?;
    }
    writeln!(out)?;
    if external > 0 {
        writeln!(out, "External .rodata: ~{external} bytes\n")?;
    }
    Ok(())
}

fn functions(out: &mut Formatter<'_>, module: &Module) -> Result {
    header(out, &format!("Bytecode : version {}", module.version as i32))?;
    writeln!(out)?;
    if let Some(functions) = &module.functions {
        writeln!(out, "  # | Offset   |   Length | Blocks | i32 # | ref # | Requirements | Aliases")?;
        writeln!(
            out,
            "----+----------+----------+--------+-------+-------+--------------+-{}",
            "-".repeat(52)
        )?;
        for (index, body) in functions.iter().enumerate() {
            let exports = module.exports.iter().flatten();
            let names = exports.filter(|export| export.function == index).map(|export| export.name.as_str());
            writeln!(
                out,
                "{index:3} | {:08X} | {:8} | {:6} | {:5} | {:5} | {:12} | {}",
                body.offset,
                body.bytes,
                body.blocks,
                body.i32_registers,
                body.ref_registers,
                features(body.requirements),
                names.collect::<Vec<_>>().join(", ")
            )?;
        }
    }
    writeln!(out)
}

fn debug(out: &mut Formatter<'_>, module: &Module) -> Result {
    let Some(count) = module.location_count else { return Ok(()) };
    header(out, "Debug Information")?;
    writeln!(out, "// NOTE: debug databases are large and should be stripped in deployed artifacts.\n")?;
    writeln!(out, "Locations: {count}\n")
}
