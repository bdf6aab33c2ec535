//! The kernels' bitcode, as it travels in the text.

use crate::emit::mlir::{List, Quoted};
#[cfg(feature = "kernels")]
use crate::options::Kernels;
#[cfg(feature = "kernels")]
use studio_kernels::{ARCHITECTURES, KernelSet, bitcode};

/// Bitcode for one kind of processor.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    /// IREE's name of the executable format that it is linked into.
    pub format: &'a str,
    /// LLVM bitcode.
    pub bitcode: &'a [u8],
}

impl<'a> Object<'a> {
    /// Bitcode for an architecture, by the name that Rust has for it: `x86_64`, `aarch64` or `arm`. `None` for another,
    /// which IREE's compiler doesn't link bitcode for.
    #[must_use]
    pub fn new(architecture: &str, bitcode: &'a [u8]) -> Option<Self> {
        let format = match architecture {
            "x86_64" => "embedded-elf-x86_64",
            "aarch64" => "embedded-elf-arm_64",
            "arm" => "embedded-elf-arm_32",
            _ => return None,
        };
        Some(Self { format, bitcode })
    }
}

/// The objects of a set of kernels: for every processor that this program has them for.
#[cfg(feature = "kernels")]
#[must_use]
pub fn objects(kernels: Kernels) -> Vec<Object<'static>> {
    let set = KernelSet::from(kernels);
    let object = |architecture| Object::new(architecture, bitcode(set, architecture)?);
    ARCHITECTURES.into_iter().filter_map(object).collect()
}

/// The attribute that holds them.
pub(super) fn attribute(objects: &[Object<'_>]) -> String {
    let entry = |object: &Object<'_>| {
        let format = Quoted(object.format);
        // IREE takes the bytes of a vector in groups of four.
        let length = object.bitcode.len().next_multiple_of(4);
        let hexadecimal = hexadecimal(object.bitcode, length);
        format!(
            "#hal.executable.target<\"llvm-cpu\", {format}> = [#hal.executable.object<{{path = \"kernels.bc\", \
             data = dense<\"0x{hexadecimal}\"> : vector<{length}xi8>}}>]"
        )
    };
    format!("#hal.executable.objects<{{{}}}>", List(objects.iter().map(entry).collect::<Vec<_>>()))
}

/// The bytes, filled up to a length with zeros.
fn hexadecimal(bytes: &[u8], length: usize) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut text = String::with_capacity(2 * length);
    // By hand: a formatter's call for each of a million bytes was a tenth of an export.
    for byte in bytes.iter().chain(std::iter::repeat(&0)).take(length) {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
    text
}
