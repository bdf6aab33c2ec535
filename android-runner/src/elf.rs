//! Whether a file is a program that a device can start: what is wrong with it is said before it is sent.

use object::{Endianness, elf, read::elf::FileHeader, read::elf::ProgramHeader};

/// The largest page that a device's kernel may have: Android 15 allows 16 KiB. A program whose segments aren't aligned to
/// pages can't be mapped, and ends with a signal before its first instruction.
pub const LARGEST_PAGE: u64 = 16 << 10;

/// Why a file can't be started on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// No program for 64-bit Linux at all.
    #[error("it is no ELF program of 64 bits: {0}")]
    NotElf(String),
    /// A program for another processor.
    #[error("it is a program for {found}, and the device's processor is {wanted}")]
    OtherMachine {
        /// Whom it is for.
        found: String,
        /// What was asked for.
        wanted: &'static str,
    },
    /// Something else than a program.
    #[error("it is an ELF file of type {0}, not a program")]
    NotAProgram(u16),
    /// It wants a dynamic linker, which is elsewhere on Android, with another C library.
    #[error(
        "it needs the dynamic linker {0}, which devices don't have: build it static, with `./dev agent arm64`"
    )]
    Dynamic(String),
    /// It can't be mapped where pages are large.
    #[error(
        "a segment is aligned to {0} bytes, and pages of 16384 bytes need as much: link it with \
         -z max-page-size=65536, as `./dev agent arm64` does"
    )]
    Alignment(u64),
}

/// A processor that agents are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit ARM.
    Arm64,
}

impl Machine {
    /// Rust's name of the architecture.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Machine::Arm64 => "aarch64",
        }
    }

    fn number(self) -> u16 {
        match self {
            Machine::Arm64 => elf::EM_AARCH64,
        }
    }
}

/// Refuses a file that isn't a static program for a device, aligned to the largest pages.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub fn check(bytes: &[u8], machine: Machine) -> Result<(), ElfError> {
    let broken = |error: object::read::Error| ElfError::NotElf(error.to_string());
    let header = elf::FileHeader64::<Endianness>::parse(bytes).map_err(broken)?;
    let endian = header.endian().map_err(broken)?;
    let found = header.e_machine(endian);
    if found != machine.number() {
        return Err(ElfError::OtherMachine { found: machine_name(found), wanted: machine.name() });
    }
    let kind = header.e_type(endian);
    if kind != elf::ET_EXEC && kind != elf::ET_DYN {
        return Err(ElfError::NotAProgram(kind));
    }
    let segments = header.program_headers(endian, bytes).map_err(broken)?;
    let mut loads = 0;
    for segment in segments {
        match segment.p_type(endian) {
            elf::PT_INTERP => {
                let path = segment.interpreter(endian, bytes).map_err(broken)?.unwrap_or_default();
                return Err(ElfError::Dynamic(String::from_utf8_lossy(path).into_owned()));
            }
            elf::PT_LOAD => {
                loads += 1;
                let (align, address, offset) =
                    (segment.p_align(endian), segment.p_vaddr(endian), segment.p_offset(endian));
                if align < LARGEST_PAGE {
                    return Err(ElfError::Alignment(align));
                }
                if address % LARGEST_PAGE != offset % LARGEST_PAGE {
                    return Err(ElfError::NotElf(
                        "a segment's address and place in the file disagree".into(),
                    ));
                }
                let end = offset.checked_add(segment.p_filesz(endian));
                if end.is_none_or(|end| end > bytes.len() as u64) {
                    return Err(ElfError::NotElf("it is cut off".into()));
                }
            }
            _ => {}
        }
    }
    if loads == 0 {
        return Err(ElfError::NotElf("it has nothing to load".into()));
    }
    Ok(())
}

fn machine_name(number: u16) -> String {
    match number {
        elf::EM_X86_64 => "x86_64".to_owned(),
        elf::EM_386 => "x86".to_owned(),
        elf::EM_ARM => "arm (32 bits)".to_owned(),
        elf::EM_AARCH64 => "aarch64".to_owned(),
        elf::EM_RISCV => "riscv".to_owned(),
        other => format!("processor {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF header with program headers `(type, align, address)`, each with 4 bytes at `address` modulo 64 KiB, and
    /// the text of an interpreter at the end.
    fn program(machine: u16, kind: u16, segments: &[(u32, u64, u64)]) -> Vec<u8> {
        let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(kind.to_le_bytes());
        bytes.extend(machine.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        for word in [0u64, 64, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(0u32.to_le_bytes());
        for half in [64, 56, segments.len() as u16, 0, 0, 0] {
            bytes.extend(half.to_le_bytes());
        }
        for (kind, align, address) in segments {
            bytes.extend(kind.to_le_bytes());
            bytes.extend(5u32.to_le_bytes());
            for word in [address % 65536, *address, *address, 4, 4, *align] {
                bytes.extend(word.to_le_bytes());
            }
        }
        bytes.resize(65536, 0);
        bytes
    }

    fn refusal(machine: u16, kind: u16, segments: &[(u32, u64, u64)]) -> Option<String> {
        check(&program(machine, kind, segments), Machine::Arm64).err().map(|error| error.to_string())
    }

    const LOAD: u32 = elf::PT_LOAD;

    #[test]
    fn a_static_program_with_wide_alignment_is_right() {
        let segments = [(LOAD, 65536, 0x40_0000), (elf::PT_GNU_STACK, 16, 0), (LOAD, 16384, 0x41_4000)];
        assert_eq!(refusal(elf::EM_AARCH64, elf::ET_EXEC, &segments), None);
        assert_eq!(refusal(elf::EM_AARCH64, elf::ET_DYN, &segments), None);
    }

    #[test]
    fn what_a_device_cannot_start_is_refused_in_words() {
        let load = [(LOAD, 65536, 0x40_0000)];
        let words = |machine, kind, segments: &[_]| refusal(machine, kind, segments).unwrap();
        assert_eq!(
            words(elf::EM_X86_64, elf::ET_EXEC, &load),
            "it is a program for x86_64, and the device's processor is aarch64"
        );
        assert_eq!(words(elf::EM_AARCH64, elf::ET_REL, &load), "it is an ELF file of type 1, not a program");
        let narrow = [(LOAD, 65536, 0x40_0000), (LOAD, 4096, 0x41_1000)];
        assert!(words(elf::EM_AARCH64, elf::ET_EXEC, &narrow).contains("aligned to 4096 bytes"));
        let dynamic = [(elf::PT_INTERP, 1, 0x100), (LOAD, 65536, 0x40_0000)];
        assert!(words(elf::EM_AARCH64, elf::ET_DYN, &dynamic).contains("needs the dynamic linker"));
        assert!(words(elf::EM_AARCH64, elf::ET_EXEC, &[]).contains("nothing to load"));
        assert!(check(b"#!/bin/sh\n", Machine::Arm64).unwrap_err().to_string().contains("no ELF program"));
        let mut cut = program(elf::EM_AARCH64, elf::ET_EXEC, &[(LOAD, 65536, 0x40_8000)]);
        cut.truncate(4096);
        assert!(check(&cut, Machine::Arm64).unwrap_err().to_string().contains("cut off"));
    }
}
