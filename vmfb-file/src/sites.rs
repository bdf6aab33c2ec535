//! Where a module makes its dispatches. What scopes of the source these come from it doesn't say: the compiler keeps
//! locations of its initialiser alone.

use crate::bytecode::{IMPORT, Instruction, walk};
use crate::module::Raw;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A place in a function's bytecode that makes a dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Which of the module's functions.
    pub function: usize,
    /// The executable's function, by name.
    pub dispatch: String,
}

/// An executable as the module makes it: the segment that it is made from, and the name of its format.
pub(crate) struct Made {
    pub(crate) segment: usize,
    pub(crate) format: String,
}

const DISPATCH: [&str; 2] = ["hal.command_buffer.dispatch", "hal.command_buffer.dispatch.indirect"];
const LOOKUP: &str = "hal.executable.lookup.function";
const CREATE: &str = "hal.executable.create";

/// All dispatches, function by function, in the order of the bytecode; and all executables.
pub(crate) fn find(raw: &Raw<'_>) -> (Vec<Site>, Vec<Made>) {
    let (mut sites, mut made) = (Vec::new(), Vec::new());
    for (index, body) in raw.module.functions.iter().flatten().enumerate() {
        let range = usize::try_from(body.offset).ok().zip(usize::try_from(body.bytes).ok());
        let code = range.and_then(|(at, len)| raw.bytecode.get(at..at.checked_add(len)?));
        if let Some(code) = code {
            Function { raw, index, names: HashMap::new(), segments: HashMap::new() }
                .walk(code, &mut sites, &mut made);
        }
    }
    (sites, made)
}

struct Function<'r, 'a> {
    raw: &'r Raw<'a>,
    index: usize,
    /// By register: the name that was looked up last.
    names: HashMap<u16, String>,
    /// By register: the segment that it was given last.
    segments: HashMap<u16, usize>,
}

impl Function<'_, '_> {
    fn walk(mut self, code: &[u8], sites: &mut Vec<Site>, made: &mut Vec<Made>) {
        for instruction in walk(code) {
            match instruction {
                Instruction::Rodata { segment, register } => {
                    self.segments.insert(register, segment as usize);
                }
                Instruction::Call { callee, operands, results } if callee & IMPORT != 0 => {
                    let imports = self.raw.module.imports.as_deref().unwrap_or_default();
                    let Some(import) = imports.get((callee & !IMPORT) as usize) else { continue };
                    match import.name.as_str() {
                        LOOKUP => {
                            let name = operands.get(1).and_then(|register| self.text(*register));
                            if let (Some(name), Some(&result)) = (name, results.first()) {
                                self.names.insert(result, name);
                            }
                        }
                        CREATE => made.extend(self.made(&operands)),
                        name if DISPATCH.contains(&name) => sites.extend(self.site(&operands)),
                        _ => {}
                    }
                }
                Instruction::Call { .. } | Instruction::Other => {}
            }
        }
    }

    /// The text that a register holds.
    fn text(&self, register: u16) -> Option<String> {
        let bytes = self.raw.embedded.get(*self.segments.get(&register)?)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Its operands: a device, an affinity, the format, the data, constants.
    fn made(&self, operands: &[u16]) -> Option<Made> {
        let format = self.text(*operands.get(2)?)?;
        Some(Made { segment: *self.segments.get(operands.get(3)?)?, format })
    }

    /// Its operands begin with a command buffer, an executable and the number that was looked up.
    fn site(&self, operands: &[u16]) -> Option<Site> {
        let dispatch = self.names.get(operands.get(2)?)?.clone();
        Some(Site { function: self.index, dispatch })
    }
}
