//! Reads the memory that an ELF library would have once it is loaded: its segments, and the pointers that relocations
//! put into them. Nothing is executed.

use std::collections::BTreeMap;

/// A library's memory.
pub(crate) struct Elf<'a> {
    file: &'a [u8],
    /// `e_machine`
    pub(crate) machine: u16,
    /// Bytes of a pointer.
    pub(crate) word: usize,
    loads: Vec<Load>,
    /// By address: the address that a relocation puts there.
    pointers: BTreeMap<u64, u64>,
}

/// A part of the file that is loaded.
struct Load {
    address: u64,
    at: u64,
    bytes: u64,
    executable: bool,
}

const MAGIC: &[u8] = b"\x7fELF";
const LITTLE: u8 = 1;
const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const EXECUTABLE: u64 = 1;
const DT_RELA: u64 = 7;
const DT_RELA_SIZE: u64 = 8;
const DT_REL: u64 = 17;
const DT_REL_SIZE: u64 = 18;
/// The most headers and entries of tables that are looked at.
const MOST: u64 = 1 << 20;

pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// What processors are called, by `e_machine` and the length of a pointer.
pub(crate) fn architecture(machine: u16, word: usize) -> String {
    match (machine, word) {
        (3, _) => "x86_32".to_owned(),
        (62, _) => "x86_64".to_owned(),
        (40, _) => "arm_32".to_owned(),
        (183, _) => "arm_64".to_owned(),
        (243, 4) => "riscv_32".to_owned(),
        (243, _) => "riscv_64".to_owned(),
        _ => format!("ELF machine {machine}"),
    }
}

/// The relocation that puts an address of the library itself somewhere, by `e_machine`.
fn relative(machine: u16) -> Option<u64> {
    match machine {
        3 | 62 => Some(8),
        40 => Some(23),
        183 => Some(1027),
        243 => Some(3),
        _ => None,
    }
}

impl<'a> Elf<'a> {
    /// `None` for what isn't a whole little-endian ELF file.
    pub(crate) fn open(file: &'a [u8]) -> Option<Self> {
        if !is_elf(file) || *file.get(5)? != LITTLE {
            return None;
        }
        let wide = match file.get(4)? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let machine = u16::try_from(number(file, 18, 2)?).ok()?;
        let mut elf = Self {
            file,
            machine,
            word: if wide { 8 } else { 4 },
            loads: Vec::new(),
            pointers: BTreeMap::new(),
        };
        let (table, size, count) = match wide {
            true => (number(file, 32, 8)?, number(file, 54, 2)?, number(file, 56, 2)?),
            false => (number(file, 28, 4)?, number(file, 42, 2)?, number(file, 44, 2)?),
        };
        let mut dynamic = None;
        for index in 0..count {
            let at = table.checked_add(index.checked_mul(size)?)?;
            let field = |offset: u64| number(file, at.checked_add(offset)?, elf.word);
            let kind = number(file, at, 4)?;
            // The two classes have the flags at different places.
            let (flags, from, address, bytes) = match wide {
                true => (number(file, at + 4, 4)?, field(8)?, field(16)?, field(32)?),
                false => (number(file, at + 24, 4)?, field(4)?, field(8)?, field(16)?),
            };
            match kind {
                PT_LOAD => {
                    elf.loads.push(Load { address, at: from, bytes, executable: flags & EXECUTABLE != 0 });
                }
                PT_DYNAMIC => dynamic = Some((from, bytes)),
                _ => {}
            }
        }
        if let Some((from, bytes)) = dynamic {
            elf.relocate(from, bytes)?;
        }
        Some(elf)
    }

    fn relocate(&mut self, dynamic: u64, bytes: u64) -> Option<()> {
        let word = self.word as u64;
        let mut tags = BTreeMap::new();
        for index in 0..(bytes / (2 * word)).min(MOST) {
            let at = dynamic.checked_add(index * 2 * word)?;
            let (tag, value) =
                (number(self.file, at, self.word)?, number(self.file, at.checked_add(word)?, self.word)?);
            tags.entry(tag).or_insert(value);
        }
        let Some(relative) = relative(self.machine) else { return Some(()) };
        for (table, size, addends) in [(DT_RELA, DT_RELA_SIZE, true), (DT_REL, DT_REL_SIZE, false)] {
            let (Some(&table), Some(&size)) = (tags.get(&table), tags.get(&size)) else { continue };
            let entry = if addends { 3 * word } else { 2 * word };
            for index in 0..(size / entry).min(MOST) {
                let at = table.checked_add(index * entry)?;
                let Some(place) = self.word_at(at) else { break };
                let Some(info) = self.word_at(at.checked_add(word)?) else { break };
                let kind = if word == 8 { info & 0xffff_ffff } else { info & 0xff };
                let target =
                    if addends { self.word_at(at.checked_add(2 * word)?) } else { self.word_at(place) };
                if kind == relative
                    && let Some(target) = target
                {
                    self.pointers.insert(place, target);
                }
            }
        }
        Some(())
    }

    /// The bytes at an address.
    pub(crate) fn bytes(&self, address: u64, len: usize) -> Option<&'a [u8]> {
        let load = self
            .loads
            .iter()
            .find(|load| address.checked_sub(load.address).is_some_and(|by| by < load.bytes))?;
        let by = address - load.address;
        if u64::try_from(len).ok()? > load.bytes - by {
            return None;
        }
        let at = usize::try_from(load.at.checked_add(by)?).ok()?;
        self.file.get(at..at.checked_add(len)?)
    }

    pub(crate) fn number(&self, address: u64, len: usize) -> Option<u64> {
        self.bytes(address, len).map(little)
    }

    fn word_at(&self, address: u64) -> Option<u64> {
        self.number(address, self.word)
    }

    /// Where the pointer at an address leads to, if a relocation puts one there.
    pub(crate) fn pointer(&self, address: u64) -> Option<u64> {
        self.pointers.get(&address).copied()
    }

    /// Addresses of pointers, and where these lead to.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = (u64, u64)> {
        self.pointers.iter().map(|(&at, &to)| (at, to))
    }

    /// The text at an address, up to its NUL.
    pub(crate) fn text(&self, address: u64, most: usize) -> Option<String> {
        let load = self
            .loads
            .iter()
            .find(|load| address.checked_sub(load.address).is_some_and(|by| by < load.bytes))?;
        let room = usize::try_from(load.bytes - (address - load.address)).unwrap_or(usize::MAX).min(most);
        let bytes = self.bytes(address, room)?;
        let end = bytes.iter().position(|&byte| byte == 0)?;
        let text = std::str::from_utf8(&bytes[..end]).ok()?;
        (!text.chars().any(char::is_control)).then(|| text.to_owned())
    }

    /// Where the executable part ends that an address lies in.
    pub(crate) fn code_end(&self, address: u64) -> Option<u64> {
        let inside = |load: &&Load| {
            load.executable && address.checked_sub(load.address).is_some_and(|by| by < load.bytes)
        };
        self.loads.iter().find(inside).and_then(|load| load.address.checked_add(load.bytes))
    }
}

fn number(file: &[u8], at: u64, len: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    file.get(at..at.checked_add(len)?).map(little)
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
