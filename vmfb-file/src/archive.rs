//! The wrapping of a module: a FlatBuffer with its length before it, and segments of data behind it. The compiler makes
//! the whole look like a zip file, whose table of contents names the segments.

use crate::Error;

/// What is found in a file before anything is understood.
pub(crate) struct Archive<'a> {
    pub(crate) flatbuffer: &'a [u8],
    /// Where the FlatBuffer begins in the file.
    pub(crate) flatbuffer_at: usize,
    /// Where the segments are counted from, in the file.
    pub(crate) segments_at: usize,
    pub(crate) members: Vec<Member>,
}

/// A member of the zip file.
pub(crate) struct Member {
    pub(crate) name: String,
    /// Where its data begins in the file.
    pub(crate) at: usize,
    pub(crate) len: usize,
    crc32: u32,
}

/// What begins each member of a zip file, and its fixed part's length.
const LOCAL: ([u8; 4], usize) = (*b"PK\x03\x04", 30);
/// What begins each line of its table of contents.
const CENTRAL: ([u8; 4], usize) = (*b"PK\x01\x02", 46);
/// What ends it.
const END: ([u8; 4], usize) = (*b"PK\x05\x06", 22);
/// The longest comment at a zip file's end.
const MAX_COMMENT: usize = 65_535;
/// How segments are aligned.
const ALIGNMENT: usize = 64;
/// What a module's FlatBuffer has in its bytes 4 to 8.
const IDENTIFIER: &[u8] = b"IREE";

impl<'a> Archive<'a> {
    pub(crate) fn open(file: &'a [u8]) -> Result<Self, Error> {
        let zipped = file.starts_with(&LOCAL.0);
        let prefix_at = if zipped { data_of(file, 0)? } else { 0 };
        let length = u32_at(file, prefix_at).ok_or(Error::NotAModule("it is too short"))? as usize;
        let flatbuffer_at = prefix_at + 4;
        let flatbuffer = flatbuffer_at.checked_add(length).and_then(|end| file.get(flatbuffer_at..end));
        // The identifier first: of another file the length is no length.
        if file.get(flatbuffer_at + 4..flatbuffer_at + 8) != Some(IDENTIFIER) {
            return Err(Error::NotAModule("it has not the mark of one; is it a .vmfb?"));
        }
        let flatbuffer = flatbuffer.ok_or_else(|| {
            Error::damaged(prefix_at, format!("{length} bytes are announced, and the file ends before that"))
        })?;
        let segments_at = (flatbuffer_at + length).next_multiple_of(ALIGNMENT);
        let members = if zipped { members(file)? } else { Vec::new() };
        Ok(Self { flatbuffer, flatbuffer_at, segments_at, members })
    }

    /// The bytes of a segment.
    pub(crate) fn segment(&self, file: &'a [u8], offset: u64, length: u64) -> Option<(usize, &'a [u8])> {
        let at = self.segments_at.checked_add(usize::try_from(offset).ok()?)?;
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        Some((at, file.get(at..end)?))
    }

    /// Compares every member with its checksum.
    pub(crate) fn check(&self, file: &[u8]) -> Result<(), Error> {
        for member in &self.members {
            let bytes = member.at.checked_add(member.len).and_then(|end| file.get(member.at..end));
            let bytes = bytes
                .ok_or_else(|| Error::damaged(member.at, format!("{} lies past the end", member.name)))?;
            if crc32fast::hash(bytes) != member.crc32 {
                return Err(Error::damaged(member.at, format!("{} has another checksum", member.name)));
            }
        }
        Ok(())
    }
}

/// Where the data of the member begins whose head is at `at`.
fn data_of(file: &[u8], at: usize) -> Result<usize, Error> {
    let short = || Error::damaged(at, "the zip file ends within the head of a member");
    let head = at.checked_add(LOCAL.1).and_then(|end| file.get(at..end)).ok_or_else(short)?;
    if !head.starts_with(&LOCAL.0) {
        return Err(Error::damaged(at, "there is no head of a member of the zip file"));
    }
    let length = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
    Ok(at + LOCAL.1 + length(26) + length(28))
}

/// The members that the table of contents lists.
fn members(file: &[u8]) -> Result<Vec<Member>, Error> {
    let search_from = file.len().saturating_sub(END.1 + MAX_COMMENT);
    let end =
        (search_from..=file.len().saturating_sub(END.1)).rev().find(|&at| file[at..].starts_with(&END.0));
    let end = end.ok_or_else(|| Error::damaged(file.len(), "the zip file has no table of contents"))?;
    let short = || Error::damaged(end, "the zip file's table of contents is cut off");
    let count = u16_at(file, end + 10).ok_or_else(short)?;
    let mut at = table_of_contents(file, end).ok_or_else(short)?;
    let mut members = Vec::new();
    for _ in 0..count {
        let head = at.checked_add(CENTRAL.1).and_then(|end| file.get(at..end)).ok_or_else(short)?;
        if !head.starts_with(&CENTRAL.0) {
            return Err(Error::damaged(at, "there is no line of the zip file's table of contents"));
        }
        let short_of = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let long_of = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name, extra, comment) = (short_of(28), short_of(30), short_of(32));
        if short_of(10) != 0 {
            return Err(Error::damaged(at, "a member of the zip file is compressed, which no compiler does"));
        }
        let name_at = at + CENTRAL.1;
        let extra_at = name_at + name;
        let name_bytes = file.get(name_at..extra_at).ok_or_else(short)?;
        // What doesn't fit stands behind the name, in this order.
        let mut wide = wide_numbers(file.get(extra_at..extra_at + extra).ok_or_else(short)?).into_iter();
        let mut number = |narrow: u32| match narrow {
            ELSEWHERE => wide.next().and_then(|number| usize::try_from(number).ok()),
            narrow => Some(narrow as usize),
        };
        let len = number(long_of(24)).ok_or_else(short)?;
        number(long_of(20)).ok_or_else(short)?;
        let head_at = number(long_of(42)).ok_or_else(short)?;
        members.push(Member {
            name: String::from_utf8_lossy(name_bytes).into_owned(),
            at: data_of(file, head_at)?,
            len,
            crc32: long_of(16),
        });
        at = extra_at + extra + comment;
    }
    Ok(members)
}

/// What stands where a number has no room.
const ELSEWHERE: u32 = u32::MAX;
/// The kind of the extra field that has such numbers.
const WIDE: u16 = 1;

/// Where the table of contents begins, whose end is at `end`.
fn table_of_contents(file: &[u8], end: usize) -> Option<usize> {
    let narrow = u32_at(file, end + 16)?;
    if narrow != ELSEWHERE {
        return Some(narrow as usize);
    }
    // A pointer to the larger end lies before this one.
    let pointer = end.checked_sub(20).filter(|&at| file[at..].starts_with(b"PK\x06\x07"))?;
    let wide_end = usize::try_from(u64_at(file, pointer + 8)?).ok()?;
    let at = file.get(wide_end..)?.starts_with(b"PK\x06\x06").then_some(wide_end)?;
    usize::try_from(u64_at(file, at.checked_add(48)?)?).ok()
}

/// The numbers of 64 bits in a member's extra fields.
fn wide_numbers(extra: &[u8]) -> Vec<u64> {
    let mut left = extra;
    while let (Some(kind), Some(len)) = (u16_at(left, 0), u16_at(left, 2)) {
        let Some(body) = left.get(4..4 + usize::from(len)) else { break };
        if kind == WIDE {
            return (0..body.len() / 8).filter_map(|index| u64_at(body, 8 * index)).collect();
        }
        left = &left[4 + usize::from(len)..];
    }
    Vec::new()
}

fn u16_at(file: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(file.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(file.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(file: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(file.get(at..at.checked_add(8)?)?.try_into().ok()?))
}
