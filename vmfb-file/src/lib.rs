//! Compiled modules of IREE (`.vmfb`), read without running anything in them.
//!
//! A module is a FlatBuffer of functions, imports, exports and bytecode, with segments of data behind it, executables
//! among them; the compiler wraps it such that it is a zip file, too. [`Vmfb::read`] takes all of that apart and believes
//! nothing before it was compared with what is there, so that hostile files are refused and do no harm. What it finds is
//! plain data; [`Vmfb::metadata`] prints it as `iree-dump-module` does.

mod archive;
mod bytecode;
mod elf;
mod error;
mod executable;
mod flatbuffer;
mod module;
mod sites;
mod text;

pub use error::Error;
pub use executable::{Dispatch, Executable};
pub use module::{
    Attribute, Dependency, Export, FunctionBody, Import, Module, Segment, SegmentPlace, Signature, State,
};
pub use sites::Site;
pub use text::Metadata;

use archive::Archive;
use flatbuffer::Buffer;
use serde::{Deserialize, Serialize};

/// A compiled module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vmfb {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// What it says of itself.
    pub module: Module,
    /// Its executables.
    pub executables: Vec<Executable>,
    /// Where it makes dispatches, function by function, in order.
    pub sites: Vec<Site>,
}

/// The longest file that programs should read: modules have their weights elsewhere.
pub const MAX_BYTES: u64 = 512 << 20;

impl Vmfb {
    /// Reads a whole file.
    ///
    /// # Errors
    /// What is wrong, and at which byte. A member of the zip file whose checksum differs is wrong.
    pub fn read(file: &[u8]) -> Result<Self, Error> {
        let archive = Archive::open(file)?;
        archive.check(file)?;
        let buffer = Buffer::new(archive.flatbuffer, archive.flatbuffer_at);
        let mut raw = module::read(&buffer, archive.flatbuffer.len())?;
        let (sites, made) = sites::find(&raw);
        let mut executables = Vec::new();
        for (index, segment) in raw.module.rodata.iter_mut().flatten().enumerate() {
            let bytes = match segment.place {
                SegmentPlace::Embedded { .. } => raw.embedded[index],
                SegmentPlace::External { offset, bytes } => {
                    let (at, data) = archive.segment(file, offset, bytes).ok_or_else(|| {
                        Error::damaged(
                            archive.segments_at,
                            format!("segment {index} lies past the file's end"),
                        )
                    })?;
                    let member = archive.members.iter().find(|member| member.at == at);
                    segment.member = member.map(|member| member.name.clone());
                    data
                }
            };
            let made = made.iter().find(|made| made.segment == index);
            if made.is_some() || executable::is_executable(bytes) {
                let format = made.map(|made| made.format.clone());
                executables.push(executable::describe(index, format, segment.member.as_deref(), bytes));
            }
        }
        Ok(Self { file_bytes: file.len() as u64, module: raw.module, executables, sites })
    }

    /// The metadata as `iree-dump-module --output=metadata` prints it.
    #[must_use]
    pub fn metadata(&self) -> Metadata<'_> {
        Metadata(self)
    }
}
