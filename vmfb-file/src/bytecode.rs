//! Walks a function's bytecode. Of most instructions only their length matters; calls, and what names the callee of a
//! dispatch, are told.

/// What an instruction does, as far as anybody here asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// A register is given a segment of read-only data.
    Rodata { segment: u32, register: u16 },
    /// A function is called with registers and leaves others.
    Call { callee: u32, operands: Vec<u16>, results: Vec<u16> },
    /// Something else.
    Other,
}

/// Calls of imports have this bit in the callee's number.
pub(crate) const IMPORT: u32 = 1 << 31;
/// The bits of a register that is a reference which say what becomes of it.
const REF_BITS: u16 = 0xC000;

/// The instructions of a function. Ends at the first byte that is none.
pub(crate) fn walk(code: &[u8]) -> impl Iterator<Item = Instruction> {
    let mut cursor = Cursor { code, at: 0 };
    std::iter::from_fn(move || cursor.instruction())
}

/// What follows an opcode.
#[derive(Clone, Copy)]
enum Part {
    /// A register.
    Register,
    /// Four bytes: a number, a global, a type, a place to branch to.
    Word,
    /// Eight bytes.
    Long,
    /// A text with its length.
    Text,
    /// Registers with their count.
    List,
    /// A place to branch to, with pairs of registers.
    Branch,
    /// Several of these.
    Branches,
}

use Part::{Branch, Branches, List, Long, Register as R, Text, Word};

/// What follows an opcode of the core set.
fn core(opcode: u8) -> Option<&'static [Part]> {
    Some(match opcode {
        0x79 => &[],
        0x0c | 0x0e | 0x10 => &[R],
        0x02..=0x03 | 0x06..=0x07 | 0x13..=0x15 | 0x32 | 0x36 | 0x40..=0x48 | 0x4d | 0x52 | 0x55 => &[R, R],
        0x6e | 0x75..=0x78 | 0x86 => &[R, R],
        0x16..=0x19 | 0x1b | 0x22..=0x28 | 0x2a..=0x30 | 0x33..=0x35 | 0x37..=0x3f => &[R, R, R],
        0x49..=0x4c | 0x4e..=0x51 | 0x53..=0x54 | 0x62..=0x6c | 0x7a..=0x81 => &[R, R, R],
        0x1c..=0x1d | 0x29 | 0x31 | 0x71..=0x74 | 0x84 => &[R, R, R, R],
        0x6d | 0x6f => &[R, R, R, R, R],
        0x70 => &[R, R, R, R, R, R],
        0x00..=0x01 | 0x04..=0x05 | 0x0d | 0x11 | 0x5c => &[Word, R],
        0x08..=0x09 => &[Word, Word, R],
        0x0a..=0x0b | 0x82 => &[R, Word, R],
        0x0f => &[Long, R],
        0x12 => &[Word, R, R],
        0x1a => &[R, R, Word, R],
        0x1e => &[R, Word, R, R, R],
        0x1f..=0x20 => &[R, R, List, R],
        0x21 => &[R, Word, R, List, R],
        0x56 | 0x5d | 0x61 => &[Branch],
        0x57 => &[R, Branch, Branch],
        0x60 => &[R, Branch],
        0x83 => &[R, Branch, Branches],
        0x58 => &[Word, List, List],
        0x59 => &[Word, List, List, List],
        0x87 => &[Word, List, Word, List],
        0x88 => &[Word, List, List, Word, List],
        0x5a | 0x85 => &[List],
        0x5b => &[R, Text],
        0x5e..=0x5f => &[Text, List],
        _ => return None,
    })
}

/// What follows an opcode of the sets for `f32` and `f64`, which differ in the length of their constants and in their
/// later opcodes.
fn float(opcode: u8, wide: bool) -> Option<&'static [Part]> {
    Some(match (opcode, wide) {
        (0x00..=0x01, _) | (0x05, false) => &[Word, R],
        (0x05, true) => &[Long, R],
        (0x04, _) => &[R],
        (0x09, _) => &[R, R, List, R],
        (0x08 | 0x0f, _) | (0x35, false) | (0x3b, true) => &[R, R, R, R],
        (0x06..=0x07 | 0x0a..=0x0e, _) => &[R, R, R],
        (0x1b | 0x25 | 0x2a..=0x31 | 0x33..=0x34 | 0x37..=0x38 | 0x3e, false) => &[R, R, R],
        (0x21 | 0x2b | 0x30..=0x37 | 0x39..=0x3a | 0x3d..=0x3e | 0x40, true) => &[R, R, R],
        (0x02..=0x03, _) | (0x10..=0x3d, false) | (0x10..=0x3f, true) => &[R, R],
        _ => return None,
    })
}

/// Opcodes that another opcode follows.
const PREFIX_F32: u8 = 0xe0;
const PREFIX_F64: u8 = 0xe1;
const CONST_REF_RODATA: u8 = 0x11;
const CALLS: [u8; 4] = [0x58, 0x59, 0x87, 0x88];

struct Cursor<'a> {
    code: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn instruction(&mut self) -> Option<Instruction> {
        let opcode = self.byte()?;
        let parts = match opcode {
            PREFIX_F32 => float(self.byte()?, false)?,
            PREFIX_F64 => float(self.byte()?, true)?,
            core_opcode => core(core_opcode)?,
        };
        let (mut words, mut registers, mut lists) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Register => registers.push(self.short()?),
                Part::Word => words.push(self.word()?),
                Part::Long => self.skip(8)?,
                Part::Text => {
                    let length = self.short()?;
                    self.skip(usize::from(length))?;
                }
                Part::List => lists.push(self.list()?),
                Part::Branch => self.branch()?,
                Part::Branches => {
                    for _ in 0..self.short()? {
                        self.branch()?;
                    }
                }
            }
        }
        Some(match (opcode, words.first(), registers.first()) {
            (CONST_REF_RODATA, Some(&segment), Some(&register)) => {
                Instruction::Rodata { segment, register: plain(register) }
            }
            (opcode, Some(&callee), _) if CALLS.contains(&opcode) => {
                // Where a call is variadic, the lengths of its parts come first.
                let results = lists.pop().unwrap_or_default();
                Instruction::Call { callee, operands: lists.pop().unwrap_or_default(), results }
            }
            _ => Instruction::Other,
        })
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.code.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn short(&mut self) -> Option<u16> {
        let bytes = self.code.get(self.at..self.at + 2)?;
        self.at += 2;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn word(&mut self) -> Option<u32> {
        let bytes = self.code.get(self.at..self.at + 4)?;
        self.at += 4;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.at = self.at.checked_add(bytes).filter(|&at| at <= self.code.len())?;
        Some(())
    }

    /// Lists begin at even bytes.
    fn list(&mut self) -> Option<Vec<u16>> {
        self.at = self.at.next_multiple_of(2);
        let count = self.short()?;
        (0..count).map(|_| self.short().map(plain)).collect()
    }

    fn branch(&mut self) -> Option<()> {
        self.word()?;
        self.at = self.at.next_multiple_of(2);
        let pairs = self.short()?;
        self.skip(usize::from(pairs) * 4)
    }
}

/// A register's number.
fn plain(register: u16) -> u16 {
    // A register for numbers has none of these bits; one for references has the upper.
    if register & 0x8000 == 0 { register } else { register & !REF_BITS | 0x8000 }
}
