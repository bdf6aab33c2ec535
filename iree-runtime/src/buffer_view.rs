//! Tensors on a device.

use std::fmt;

use crate::{Device, Element, ElementType, Error, StatusCode, raw};

/// A tensor on a device: a buffer with a shape, row-major and dense, and an element type. Contents are copied from and to
/// the host only by the methods that say so.
///
/// A view that a call returned may lie in the session's own memory (its constants, its parameters), and keeps that
/// session alive.
pub struct BufferView {
    pub(crate) raw: raw::View,
}

impl BufferView {
    /// Copies values to a device. There must be as many as the shape has elements.
    pub fn from_slice<T: Element>(device: &Device, shape: &[usize], values: &[T]) -> Result<Self, Error> {
        Self::from_bytes(device, shape, T::TYPE, bytemuck::cast_slice(values))
    }

    /// Copies values that lie in memory as IREE has them (little-endian) to a device. There must be as many bytes as
    /// shape and type need.
    pub fn from_bytes(
        device: &Device,
        shape: &[usize],
        element_type: ElementType,
        bytes: &[u8],
    ) -> Result<Self, Error> {
        let doing = || format!("make a buffer of {}", Signature(shape, element_type));
        let wanted =
            byte_len(shape, element_type).map_err(|(code, message)| Error::new(doing(), code, message))?;
        if bytes.len() != wanted {
            let message = format!("needs {wanted} bytes, got {}", bytes.len());
            return Err(Error::new(doing(), StatusCode::InvalidArgument, message));
        }
        raw::View::new(&device.raw, shape, element_type.to_iree(), bytes)
            .map(|raw| Self { raw })
            .map_err(|failure| failure.doing(doing()))
    }

    /// Zeros on a device. Memory is taken from the system page by page as it is written, so that a cache with room for
    /// many tokens costs what is used of it.
    pub fn zeroed(device: &Device, shape: &[usize], element_type: ElementType) -> Result<Self, Error> {
        let doing = || format!("make a buffer of {}", Signature(shape, element_type));
        byte_len(shape, element_type).map_err(|(code, message)| Error::new(doing(), code, message))?;
        raw::View::zeroed(&device.raw, shape, element_type.to_iree())
            .map(|raw| Self { raw })
            .map_err(|failure| failure.doing(doing()))
    }

    /// Dimensions, outermost first; none for a scalar.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.raw.shape()
    }

    #[must_use]
    pub fn element_type(&self) -> ElementType {
        ElementType::from_iree(self.raw.element_type())
    }

    /// The size of the contents in bytes.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.raw.byte_len()
    }

    /// The number of elements.
    #[must_use]
    pub fn element_count(&self) -> usize {
        self.shape().iter().product()
    }

    /// Copies all elements to the host. `out` must have one place for each, of a type that fits.
    pub fn read<T: Element>(&self, out: &mut [T]) -> Result<(), Error> {
        if out.len() != self.element_count() {
            let message = format!("it has {} elements, not {}", self.element_count(), out.len());
            return Err(Error::new(self.reading(), StatusCode::InvalidArgument, message));
        }
        self.read_range(0, out)
    }

    /// Copies as many elements as `out` has places, from element `start` on (row-major), to the host.
    pub fn read_range<T: Element>(&self, start: usize, out: &mut [T]) -> Result<(), Error> {
        if !T::reads(self.element_type()) || !self.raw.is_dense() {
            let message = format!("its elements cannot be read as {}", T::TYPE);
            return Err(Error::new(self.reading(), StatusCode::InvalidArgument, message));
        }
        let offset = start.checked_mul(size_of::<T>()).ok_or_else(|| {
            Error::new(self.reading(), StatusCode::OutOfRange, format!("no element has the number {start}"))
        })?;
        self.read_bytes(offset, bytemuck::cast_slice_mut(out))
    }

    /// Copies all elements to the host.
    pub fn read_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        // The view's memory exists, so a copy of it is no allocation of unchecked size.
        let mut out = vec![T::zeroed(); self.byte_len() / size_of::<T>()];
        self.read(&mut out)?;
        Ok(out)
    }

    /// Copies bytes, from byte `offset` on, to the host, whatever the element type.
    pub fn read_bytes(&self, offset: usize, out: &mut [u8]) -> Result<(), Error> {
        self.raw.read(offset, out).map_err(|failure| failure.doing(self.reading()))
    }

    /// Where the contents lie in this process's memory: two views with the same address share their storage.
    pub fn address(&self) -> Result<usize, Error> {
        self.raw.address().map_err(|failure| failure.doing(self.reading()))
    }

    fn reading(&self) -> String {
        format!("read a buffer of {}", Signature(self.shape(), self.element_type()))
    }
}

impl fmt::Debug for BufferView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferView({})", Signature(self.shape(), self.element_type()))
    }
}

/// The bytes of a dense tensor.
fn byte_len(shape: &[usize], element_type: ElementType) -> Result<usize, (StatusCode, String)> {
    let size = element_type
        .size()
        .ok_or_else(|| (StatusCode::Unimplemented, "elements that are not whole bytes".to_owned()))?;
    shape
        .iter()
        .try_fold(size, |bytes, dimension| bytes.checked_mul(*dimension))
        .filter(|bytes| isize::try_from(*bytes).is_ok())
        .ok_or_else(|| (StatusCode::OutOfRange, "larger than the address space".to_owned()))
}

/// Shape and type as IREE writes them: `2x3xf32`.
struct Signature<'a>(&'a [usize], ElementType);

impl fmt::Display for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|dimension| write!(f, "{dimension}x"))?;
        write!(f, "{}", self.1)
    }
}
