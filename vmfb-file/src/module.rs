//! What a module says of itself, field by field as its schema has them. A field that the file leaves out is `None`.

use crate::Error;
use crate::flatbuffer::{Buffer, Table};
use serde::{Deserialize, Serialize};

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// `iree.abi.declaration`
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A module that must be there for this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// `hal`
    pub name: String,
    /// The least version.
    pub minimum_version: u32,
    /// Whether it may be missing.
    pub optional: bool,
}

/// How a function is called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Letters for arguments and results, such as `0ri_r`.
    pub calling_convention: Option<String>,
    /// More about it: its declaration in the source's types.
    pub attributes: Option<Vec<Attribute>>,
}

/// A function of another module that this one calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// `hal.device.queue.execute`
    pub name: String,
    /// How it is called.
    pub signature: Signature,
    /// Whether it may be missing.
    pub optional: bool,
}

/// A function that others may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// `decode`
    pub name: String,
    /// Which of [`Module::functions`] it is.
    pub function: usize,
}

/// Read-only data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Where it is.
    pub place: SegmentPlace,
    /// Whether the file says in so many words that it isn't compressed.
    pub is_said_uncompressed: bool,
    /// What the zip file calls it.
    pub member: Option<String>,
}

/// Where read-only data is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SegmentPlace {
    /// In the FlatBuffer.
    Embedded {
        /// Its length.
        bytes: usize,
        /// Its beginning, where that reads like text: up to a NUL, if there is one.
        text: Option<String>,
    },
    /// Behind it.
    External {
        /// From the first segment.
        offset: u64,
        /// Its length.
        bytes: u64,
    },
}

/// What each instance of the module keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Bytes of numbers.
    pub global_bytes: i32,
    /// References to buffers and the like.
    pub global_refs: i32,
}

/// A function's bytecode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionBody {
    /// Where it begins among all bytecode.
    pub offset: i32,
    /// Its length.
    pub bytes: i32,
    /// What a runtime must be capable of to run it, a bit each.
    pub requirements: u32,
    /// Basic blocks.
    pub blocks: i16,
    /// Registers for numbers.
    pub i32_registers: i16,
    /// Registers for references.
    pub ref_registers: i16,
}

/// What a module says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// What a runtime must be capable of to load it, a bit each.
    pub requirements: Option<u32>,
    /// More about it.
    pub attributes: Option<Vec<Attribute>>,
    /// The types of the values it handles.
    pub types: Option<Vec<String>>,
    /// Modules that must be there.
    pub dependencies: Option<Vec<Dependency>>,
    /// Functions that it calls.
    pub imports: Option<Vec<Import>>,
    /// Functions that others may call.
    pub exports: Option<Vec<Export>>,
    /// How each of its functions is called.
    pub signatures: Vec<Signature>,
    /// Read-only data.
    pub rodata: Option<Vec<Segment>>,
    /// Bytes of memory that can be written.
    pub rwdata: Option<Vec<i32>>,
    /// What each instance keeps.
    pub state: Option<State>,
    /// Its functions' bytecode.
    pub functions: Option<Vec<FunctionBody>>,
    /// Bytes of all bytecode.
    pub bytecode_bytes: Option<usize>,
    /// Places in the source that its parts come from.
    pub location_count: Option<usize>,
    /// Bytes of the FlatBuffer.
    pub flatbuffer_bytes: usize,
}

/// A module's fields by their places in the schema.
mod field {
    pub(super) const NAME: usize = 0;
    pub(super) const VERSION: usize = 1;
    pub(super) const REQUIREMENTS: usize = 2;
    pub(super) const ATTRIBUTES: usize = 3;
    pub(super) const TYPES: usize = 4;
    pub(super) const DEPENDENCIES: usize = 5;
    pub(super) const IMPORTS: usize = 6;
    pub(super) const EXPORTS: usize = 7;
    pub(super) const SIGNATURES: usize = 8;
    pub(super) const RODATA: usize = 9;
    pub(super) const RWDATA: usize = 10;
    pub(super) const STATE: usize = 11;
    pub(super) const FUNCTIONS: usize = 12;
    pub(super) const BYTECODE: usize = 14;
    pub(super) const DEBUG: usize = 15;
}

/// The bit of flags that says "optional".
const OPTIONAL: u32 = 2;

/// What isn't plain data: what the others are found from.
pub(crate) struct Raw<'a> {
    pub(crate) module: Module,
    pub(crate) bytecode: &'a [u8],
    /// Embedded segments; empty for the others.
    pub(crate) embedded: Vec<&'a [u8]>,
}

pub(crate) fn read<'a>(buffer: &Buffer<'a>, flatbuffer_bytes: usize) -> Result<Raw<'a>, Error> {
    let root = buffer.root("the module")?;
    let mut embedded = Vec::new();
    let rodata = root.list(field::RODATA, "the read-only data", Ok)?;
    let rodata = rodata
        .map(|tables| {
            let read = |table: &Table<'_, 'a>| {
                let bytes = table.bytes(2, "read-only data")?;
                embedded.push(bytes.unwrap_or_default());
                segment(table, bytes)
            };
            tables.iter().map(read).collect::<Result<Vec<_>, Error>>()
        })
        .transpose()?;
    let bytecode = root.bytes(field::BYTECODE, "the bytecode")?;
    let debug = root.table(field::DEBUG, "the debug information")?;
    let location_count = debug
        .map(|debug| Ok(debug.vector(1, 4, "the locations")?.map_or(0, |vector| vector.len)))
        .transpose()?;
    let module = Module {
        name: root.text(field::NAME, "the module's name")?.unwrap_or_default(),
        version: root.u32(field::VERSION, "the module's version")?.unwrap_or(0),
        requirements: root.u32(field::REQUIREMENTS, "the requirements")?,
        attributes: attributes(&root, field::ATTRIBUTES)?,
        types: root.list(field::TYPES, "the types", |table| {
            Ok(table.text(0, "a type's name")?.unwrap_or_default())
        })?,
        dependencies: root.list(field::DEPENDENCIES, "the dependencies", |table| {
            Ok(Dependency {
                name: table.text(0, "a dependency's name")?.unwrap_or_default(),
                minimum_version: table.u32(1, "a dependency's version")?.unwrap_or(0),
                optional: table.u32(2, "a dependency's flags")?.is_some_and(|flags| flags & OPTIONAL != 0),
            })
        })?,
        imports: root.list(field::IMPORTS, "the imports", |table| {
            let of = table.table(1, "an import's signature")?;
            Ok(Import {
                name: table.text(0, "an import's name")?.unwrap_or_default(),
                signature: of.map(signature).transpose()?.unwrap_or_default(),
                optional: table.u32(2, "an import's flags")?.is_some_and(|flags| flags & OPTIONAL != 0),
            })
        })?,
        exports: root.list(field::EXPORTS, "the exports", |table| {
            let function = table.i32(1, "an export's function")?.unwrap_or(0);
            Ok(Export {
                name: table.text(0, "an export's name")?.unwrap_or_default(),
                function: usize::try_from(function).unwrap_or(usize::MAX),
            })
        })?,
        signatures: root.list(field::SIGNATURES, "the signatures", signature)?.unwrap_or_default(),
        rodata,
        rwdata: root
            .list(field::RWDATA, "the memory", |table| Ok(table.i32(0, "a memory's size")?.unwrap_or(0)))?,
        state: root
            .table(field::STATE, "the state")?
            .map(|table| {
                Ok(State {
                    global_bytes: table.i32(0, "the state's size")?.unwrap_or(0),
                    global_refs: table.i32(1, "the state's references")?.unwrap_or(0),
                })
            })
            .transpose()?,
        functions: functions(&root)?,
        bytecode_bytes: bytecode.map(<[u8]>::len),
        location_count,
        flatbuffer_bytes,
    };
    Ok(Raw { module, bytecode: bytecode.unwrap_or_default(), embedded })
}

fn attributes(table: &Table<'_, '_>, field: usize) -> Result<Option<Vec<Attribute>>, Error> {
    table.list(field, "the attributes", |table| {
        Ok(Attribute {
            key: table.text(0, "an attribute's key")?.unwrap_or_default(),
            value: table.text(1, "an attribute's value")?.unwrap_or_default(),
        })
    })
}

fn signature(table: Table<'_, '_>) -> Result<Signature, Error> {
    let calling_convention = table.text(0, "a calling convention")?;
    Ok(Signature { calling_convention, attributes: attributes(&table, 1)? })
}

fn segment(table: &Table<'_, '_>, embedded: Option<&[u8]>) -> Result<Segment, Error> {
    let place = match embedded {
        Some(bytes) => SegmentPlace::Embedded { bytes: bytes.len(), text: text_of(bytes) },
        None => SegmentPlace::External {
            offset: table.u64(3, "a segment's offset")?.unwrap_or(0),
            bytes: table.u64(4, "a segment's length")?.unwrap_or(0),
        },
    };
    // The schema has one kind of compression: none.
    let is_said_uncompressed = table.u8(0, "a segment's compression")? == Some(1);
    Ok(Segment { place, is_said_uncompressed, member: None })
}

/// The first text of some data, if it reads like one.
fn text_of(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = &bytes[..end];
    text.iter().all(|byte| (b' '..=b'~').contains(byte)).then(|| String::from_utf8_lossy(text).into_owned())
}

/// Bytes of a function's descriptor.
const DESCRIPTOR: usize = 20;

fn functions(root: &Table<'_, '_>) -> Result<Option<Vec<FunctionBody>>, Error> {
    let Some(vector) = root.vector(field::FUNCTIONS, DESCRIPTOR, "the functions")? else { return Ok(None) };
    let read = |index| {
        let bytes = vector.element(index, DESCRIPTOR, "a function")?;
        let long = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let short = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Ok(FunctionBody {
            offset: i32::from_le_bytes(long(0)),
            bytes: i32::from_le_bytes(long(4)),
            requirements: u32::from_le_bytes(long(8)),
            blocks: short(14),
            i32_registers: short(16),
            ref_registers: short(18),
        })
    };
    (0..vector.len).map(read).collect::<Result<_, _>>().map(Some)
}
