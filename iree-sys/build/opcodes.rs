//! Makes the table of the virtual machine's opcodes (`op_table.h`) from IREE's `isa.json`, as IREE's own Python script
//! does: for each opcode set an enum of all 256 values and an X-macro over them.

use std::{fmt::Write, fs, path::Path};

use serde_json::Value;

pub(crate) fn generate(isa: &Path, header: &Path) {
    let text = fs::read_to_string(isa).unwrap_or_else(|error| panic!("read {}: {error}", isa.display()));
    let isa: Value = serde_json::from_str(&text).expect("isa.json is JSON");
    let mut out = String::new();
    for set in array(&isa, "opcode_sets") {
        write_set(&mut out, set, array(&isa, "instructions")).expect("a String takes all that is written");
    }
    fs::write(header, out).unwrap_or_else(|error| panic!("write {}: {error}", header.display()));
}

fn write_set(out: &mut String, set: &Value, instructions: &[Value]) -> std::fmt::Result {
    let (id, tag) = (string(set, "id"), string(set, "c_tag"));
    let mut symbols = [None; 256];
    for instruction in instructions.iter().filter(|instruction| string(instruction, "opcode_set") == id) {
        let opcode = instruction["opcode"].as_u64().and_then(|opcode| usize::try_from(opcode).ok());
        let opcode = opcode.filter(|opcode| *opcode < 256).expect("isa.json: an opcode is a byte");
        symbols[opcode] = Some(string(instruction, "symbol"));
    }

    writeln!(out, "typedef enum {{")?;
    for (opcode, symbol) in symbols.iter().enumerate() {
        match symbol {
            Some(symbol) => writeln!(out, "  IREE_VM_OP_{tag}_{symbol} = 0x{opcode:02X},")?,
            None => writeln!(out, "  IREE_VM_OP_{tag}_RSV_0x{opcode:02X},")?,
        }
    }
    writeln!(out, "}} {};\n\n#define IREE_VM_OP_{tag}_TABLE(OPC, RSV) \\", string(set, "enum_name"))?;
    for (opcode, symbol) in symbols.iter().enumerate() {
        let end = if opcode == 255 { "\n" } else { " \\" };
        match symbol {
            Some(symbol) => writeln!(out, "    OPC(0x{opcode:02X}, {symbol}){end}")?,
            None => writeln!(out, "    RSV(0x{opcode:02X}){end}")?,
        }
    }
    Ok(())
}

fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("isa.json: {key} is an array"))
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("isa.json: {key} is a string"))
}
