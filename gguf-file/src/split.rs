//! Models in several files, as llama.cpp's `gguf-split` writes them: `NAME-00001-of-00003.gguf` and so on.
//! The first part holds the metadata, every part its own tensors and three keys that say which part it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::error::{Error, ErrorKind};
use crate::file::{Gguf, read_header};
use crate::limits::MAX_SPLIT_FILES;
use crate::metadata::Metadata;
use crate::place::{Field, Place, TensorPart};
use crate::source::ReadAt;
use crate::tensor::TensorInfo;

/// Which part a file is, from 0.
pub const NUMBER_KEY: &str = "split.no";
/// How many parts there are.
pub const COUNT_KEY: &str = "split.count";
/// How many tensors there are in all parts together.
pub const TENSOR_COUNT_KEY: &str = "split.tensors.count";

/// The name of a file of a split model, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitName {
    /// What stands before `-00001-of-00003.gguf`, with its directories.
    pub prefix: String,
    /// Which part, from 0 (the name counts from 1).
    pub number: u16,
    /// How many parts there are.
    pub count: u16,
}

impl SplitName {
    /// Takes a name apart; `None` if it isn't the name of a part.
    pub fn parse(name: &str) -> Option<SplitName> {
        let rest = name.strip_suffix(".gguf")?;
        let (rest, count) = rest.rsplit_once("-of-")?;
        let (prefix, number) = rest.rsplit_once('-')?;
        let five_digits = |text: &str| {
            let digits = text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<u16>().ok()).flatten()
        };
        let (number, count) = (five_digits(number)?, five_digits(count)?);
        let number = number.checked_sub(1).filter(|number| *number < count)?;
        Some(SplitName { prefix: prefix.to_owned(), number, count })
    }

    /// The names of all parts, in order.
    pub fn all(&self) -> impl Iterator<Item = String> {
        (1..=u32::from(self.count)).map(|n| format!("{}-{n:05}-of-{:05}.gguf", self.prefix, self.count))
    }
}

/// A lone part is no model.
pub(crate) fn refuse_part(gguf: &Gguf) -> Result<(), Error> {
    let metadata = gguf.metadata();
    match metadata.opt_u32(COUNT_KEY)? {
        None | Some(0 | 1) => Ok(()),
        Some(count) => {
            let count = u64::from(count);
            let number = metadata.opt_u64(NUMBER_KEY)?.unwrap_or_default();
            Err(metadata.error(COUNT_KEY, ErrorKind::LonePart { number, count }))
        }
    }
}

pub(crate) fn open(sources: &[&dyn ReadAt]) -> Result<Gguf, Error> {
    match sources {
        [] => return Err(split_error(ErrorKind::NoParts)),
        [only] => return Gguf::open(*only),
        _ if sources.len() > MAX_SPLIT_FILES => {
            return Err(split_error(ErrorKind::OverLimit {
                value: sources.len() as u64,
                limit: MAX_SPLIT_FILES as u64,
            }));
        }
        _ => {}
    }
    let mut parts: Vec<Option<Gguf>> = Vec::new();
    parts.resize_with(sources.len(), || None);
    for (shard, source) in sources.iter().enumerate() {
        let part = read_header(*source, Some(shard))?;
        let metadata = part.metadata();
        let count = metadata.u64(COUNT_KEY)?;
        if usize::try_from(count) != Ok(sources.len()) {
            return Err(metadata.error(COUNT_KEY, ErrorKind::PartCount { count, given: sources.len() }));
        }
        let number = metadata.u64(NUMBER_KEY)?;
        let slot = usize::try_from(number).ok().and_then(|number| parts.get_mut(number));
        match slot {
            Some(slot @ None) => *slot = Some(part),
            Some(Some(_)) | None => {
                return Err(metadata.error(NUMBER_KEY, ErrorKind::BadPart { number, count }));
            }
        }
    }
    // As many parts as slots, and no slot taken twice: every slot is taken.
    join(parts.into_iter().flatten())
}

/// Joins parts that stand in order.
fn join(mut parts: impl Iterator<Item = Gguf>) -> Result<Gguf, Error> {
    let Some(mut whole) = parts.next() else { return Err(split_error(ErrorKind::NoParts)) };
    for part in parts {
        if (part.version, part.endian) != (whole.version, whole.endian) {
            let shard = part.metadata.shard();
            let place = Place { shard, field: Field::Version, offset: Some(4) };
            return Err(Error::new(place, ErrorKind::PartsDiffer));
        }
        for tensor in part.tensors {
            append(&mut whole.tensors, &mut whole.index, tensor)?;
        }
    }
    check_tensor_count(&whole.metadata, whole.tensors.len() as u64)?;
    Ok(whole)
}

fn append(
    tensors: &mut Vec<TensorInfo>,
    index: &mut HashMap<String, usize>,
    tensor: TensorInfo,
) -> Result<(), Error> {
    match index.entry(tensor.name.clone()) {
        Entry::Vacant(entry) => {
            entry.insert(tensors.len());
            tensors.push(tensor);
            Ok(())
        }
        Entry::Occupied(_) => {
            let field = Field::Tensor { name: tensor.name, part: TensorPart::Name };
            let place = Place { shard: Some(tensor.shard), field, offset: None };
            Err(Error::new(place, ErrorKind::DuplicateEntry))
        }
    }
}

fn check_tensor_count(metadata: &Metadata, found: u64) -> Result<(), Error> {
    let expected = metadata.u64(TENSOR_COUNT_KEY)?;
    if expected == found {
        Ok(())
    } else {
        Err(metadata.error(TENSOR_COUNT_KEY, ErrorKind::SplitTensorCount { expected, found }))
    }
}

fn split_error(kind: ErrorKind) -> Error {
    Error::new(Place::of(Field::Split), kind)
}
