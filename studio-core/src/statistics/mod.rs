//! What the numbers of a tensor are like: extremes, mean, a histogram, the scales of its blocks, a picture of it.
//!
//! One pass over the tensor in steps of about a megabyte, so that a page can show progress and stop; memory doesn't
//! grow with the tensor.

mod heat;
mod histogram;
mod moments;
mod pieces;
mod scales;

pub use heat::Heat;
pub use histogram::Histogram;
pub(crate) use pieces::Pieces;
pub use scales::Scales;

use gguf_file::{DecodeError, Gguf, ReadAt, ReadError};
use heat::HeatSum;
use histogram::Counts;
use moments::Moments;
use scales::ScaleCounts;
use serde::{Deserialize, Serialize};

/// Why a tensor has no statistics.
#[derive(Debug, thiserror::Error)]
pub enum StatisticsError {
    /// There is no such tensor.
    #[error("tensor {name}: the file has none of this name")]
    NoTensor {
        /// The name.
        name: String,
    },
    /// Its blocks can't be decoded.
    #[error("tensor {name}: {source}")]
    Decode {
        /// Its name.
        name: String,
        /// Why.
        source: DecodeError,
    },
    /// Its bytes can't be read.
    #[error("tensor {name}: its bytes at {offset:#x} can't be read: {source}")]
    Read {
        /// Its name.
        name: String,
        /// Where in its file.
        offset: u64,
        /// Why.
        source: ReadError,
    },
}

/// The statistics of a tensor. What isn't finite is counted and left out of everything else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TensorStatistics {
    /// The tensor.
    pub name: String,
    /// Its block format, by ggml's name.
    #[serde(rename = "type")]
    pub format: String,
    /// Dimensions in ggml's order: the first is contiguous.
    pub dims: Vec<u64>,
    /// All elements.
    pub elements: u64,
    /// Elements that are no numbers.
    pub nan: u64,
    /// Elements that are infinite.
    pub infinite: u64,
    /// Elements that are 0.
    pub zeros: u64,
    /// The least; absent where no element is finite, as are the next three.
    pub min: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation, of the whole and not of a sample.
    pub std: Option<f64>,
    /// How often which values come.
    pub histogram: Histogram,
    /// The scales of the blocks, where the format has one a block.
    pub scales: Option<Scales>,
    /// Where the large values are, of a tensor with at least two dimensions.
    pub heat: Option<Heat>,
}

/// A tensor that is being gone through.
pub struct Survey {
    name: String,
    dims: Vec<u64>,
    pieces: Pieces,
    moments: Moments,
    counts: Counts,
    scales: ScaleCounts,
    heat: Option<HeatSum>,
}

impl Survey {
    /// Before the first step.
    pub fn new(gguf: &Gguf, name: &str) -> Result<Self, StatisticsError> {
        let pieces = Pieces::new(gguf, name)?;
        let dims = gguf.tensor(name).map(|tensor| tensor.dims().to_vec()).unwrap_or_default();
        let columns = dims.first().copied().unwrap_or(1).max(1);
        let rows = pieces.elements() / columns;
        Ok(Self {
            name: name.to_owned(),
            dims,
            pieces,
            moments: Moments::default(),
            counts: Counts::default(),
            scales: ScaleCounts::default(),
            heat: (rows > 1 && columns > 1).then(|| HeatSum::new(rows, columns)),
        })
    }

    /// The share that is done, 0 to 1.
    pub fn progress(&self) -> f64 {
        self.pieces.done() as f64 / self.pieces.elements().max(1) as f64
    }

    /// Takes the next elements in, and says whether more are to come. `sources` are those of the file.
    pub fn step(&mut self, sources: &[&dyn ReadAt]) -> Result<bool, StatisticsError> {
        let (format, endian) = (self.pieces.format(), self.pieces.endian());
        let piece = self.pieces.next(sources)?;
        let greatest = self.moments.take(piece.values);
        self.counts.take(piece.values, greatest);
        if let Some(heat) = &mut self.heat {
            heat.take(piece.first, piece.values);
        }
        for block in piece.bytes.chunks_exact(format.block_bytes() as usize) {
            match format.block_scale(endian, block) {
                Some(scale) => self.scales.take(scale),
                None => break,
            }
        }
        Ok(self.pieces.done() < self.pieces.elements())
    }

    /// What was found so far; of the whole tensor, after the last step.
    pub fn finish(self) -> TensorStatistics {
        let Moments { nan, infinite, zeros, .. } = self.moments;
        let [min, max, mean, std] = self.moments.summary();
        TensorStatistics {
            name: self.name,
            format: self.pieces.format().name().to_owned(),
            dims: self.dims,
            elements: self.pieces.elements(),
            nan,
            infinite,
            zeros,
            min,
            max,
            mean,
            std,
            histogram: self.counts.finish(),
            scales: self.scales.finish(),
            heat: self.heat.map(HeatSum::finish),
        }
    }
}

/// The statistics of a tensor, all at once.
pub fn statistics(
    gguf: &Gguf,
    sources: &[&dyn ReadAt],
    name: &str,
) -> Result<TensorStatistics, StatisticsError> {
    let mut survey = Survey::new(gguf, name)?;
    while survey.step(sources)? {}
    Ok(survey.finish())
}
