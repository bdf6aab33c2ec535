//! By how much the numbers of a tensor differ between two models.

use super::sums::PairSums;
use crate::statistics::{Pieces, StatisticsError};
use gguf_file::{Gguf, ReadAt};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "the first model",
            Side::Second => "the second model",
        })
    }
}

/// Why the numbers of a tensor can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// One of the two can't be read.
    #[error("{side}: {source}")]
    Tensor {
        /// Whose it is.
        side: Side,
        /// Why.
        source: StatisticsError,
    },
    /// They have different dimensions.
    #[error("tensor {name}: its dimensions are {first:?} in the first model and {second:?} in the second")]
    Shape {
        /// The tensor.
        name: String,
        /// ggml's dimensions in the first model.
        first: Vec<u64>,
        /// And in the second.
        second: Vec<u64>,
    },
}

/// By how much a tensor differs. Pairs of which one isn't finite are counted and left out of everything else; figures are
/// absent where no pair is finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The tensor.
    pub name: String,
    /// All pairs.
    pub elements: u64,
    /// Whether format and bytes are the same.
    pub identical: bool,
    /// Pairs that are equal.
    pub equal: u64,
    /// Pairs of which one isn't finite.
    pub not_finite: u64,
    /// The greatest magnitude of a difference.
    pub max_abs: Option<f64>,
    /// The index of the first pair with it, counted in the file's order.
    pub max_at: Option<u64>,
    /// The mean magnitude of the differences.
    pub mean_abs: Option<f64>,
    /// The root of the differences' mean square.
    pub rmse: Option<f64>,
    /// That root divided by the root mean square of the first model's numbers; absent too where these are all 0 and the
    /// others aren't.
    pub relative_rmse: Option<f64>,
    /// The cosine of the angle between the two, taken as vectors; absent too where one is 0.
    pub cosine: Option<f64>,
}

/// A tensor of two models that is being gone through.
pub struct Differ {
    name: String,
    first: Pieces,
    second: Pieces,
    identical: bool,
    sums: PairSums,
}

impl Differ {
    /// Before the first step. Fails if one of the models lacks the tensor, if its dimensions differ, or if a format can't be
    /// decoded.
    pub fn new(first: &Gguf, second: &Gguf, name: &str) -> Result<Self, CompareError> {
        let (of_first, of_second) = (pieces(Side::First, first, name)?, pieces(Side::Second, second, name)?);
        let dims = |gguf: &Gguf| gguf.tensor(name).map(|tensor| tensor.dims().to_vec()).unwrap_or_default();
        if dims(first) != dims(second) {
            return Err(CompareError::Shape {
                name: name.to_owned(),
                first: dims(first),
                second: dims(second),
            });
        }
        let identical = of_first.format() == of_second.format() && of_first.endian() == of_second.endian();
        Ok(Self {
            name: name.to_owned(),
            first: of_first,
            second: of_second,
            identical,
            sums: PairSums::default(),
        })
    }

    /// Elements gone through.
    pub fn done(&self) -> u64 {
        self.first.done()
    }

    /// All elements.
    pub fn elements(&self) -> u64 {
        self.first.elements()
    }

    /// Takes the next pairs in, and says whether more are to come. The sources are those of the models' files.
    pub fn step(&mut self, first: &[&dyn ReadAt], second: &[&dyn ReadAt]) -> Result<bool, CompareError> {
        let at = |side| move |source| CompareError::Tensor { side, source };
        let of_first = self.first.next(first).map_err(at(Side::First))?;
        let of_second = self.second.next(second).map_err(at(Side::Second))?;
        self.identical = self.identical && of_first.bytes == of_second.bytes;
        self.sums.take(of_first.first, of_first.values, of_second.values);
        Ok(self.first.done() < self.first.elements())
    }

    /// What was found so far; of the whole tensor, after the last step.
    pub fn finish(self) -> Difference {
        let sums = self.sums;
        let count = sums.finite as f64;
        let any = sums.finite > 0;
        let scale = sums.first_squares.sqrt();
        let relative = match scale > 0.0 {
            true => Some(sums.squared.sqrt() / scale),
            false => (sums.squared == 0.0).then_some(0.0),
        };
        let lengths = scale * sums.second_squares.sqrt();
        Difference {
            name: self.name,
            elements: self.first.elements(),
            identical: self.identical,
            equal: sums.equal,
            not_finite: sums.not_finite,
            max_abs: any.then_some(sums.greatest),
            max_at: any.then_some(sums.greatest_at),
            mean_abs: any.then(|| sums.absolute / count),
            rmse: any.then(|| (sums.squared / count).sqrt()),
            relative_rmse: relative.filter(|_| any),
            // Rounding must not take it out of its range.
            cosine: (lengths > 0.0).then(|| (sums.products / lengths).clamp(-1.0, 1.0)),
        }
    }
}

fn pieces(side: Side, gguf: &Gguf, name: &str) -> Result<Pieces, CompareError> {
    Pieces::new(gguf, name).map_err(|source| CompareError::Tensor { side, source })
}

/// By how much a tensor differs, all at once. The sources are those of the models' files.
pub fn difference(
    (first, first_sources): (&Gguf, &[&dyn ReadAt]),
    (second, second_sources): (&Gguf, &[&dyn ReadAt]),
    name: &str,
) -> Result<Difference, CompareError> {
    let mut differ = Differ::new(first, second, name)?;
    while differ.step(first_sources, second_sources)? {}
    Ok(differ.finish())
}
