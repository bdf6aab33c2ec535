//! Artifacts and the hash that names them.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The BLAKE3 hash of an artifact's bytes, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash whose 32 bytes these are.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a BLAKE3 hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a BLAKE3 hash: 64 lower-case hexadecimal digits are expected")]
pub struct HashError(String);

impl FromStr for Hash {
    type Err = HashError;

    fn from_str(text: &str) -> Result<Self, HashError> {
        let refuse = || HashError(text.chars().take(80).collect());
        if text.len() != 64 {
            return Err(refuse());
        }
        let digit = |c: u8| match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let (high, low) = (digit(pair[0]), digit(pair[1]));
            *byte = high.ok_or_else(refuse)? << 4 | low.ok_or_else(refuse)?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Hash {
    type Error = HashError;

    fn try_from(text: String) -> Result<Self, HashError> {
        text.parse()
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.to_string()
    }
}

/// A file of kernels' bitcode that a hub has, as `GET /kernels` lists them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFile {
    /// The set: `avx512vnni`, `avx2`, `i8mm`, `dotprod` or `portable`.
    pub kernels: String,
    /// The architecture by Rust's name: `x86_64`, `aarch64` or `arm`.
    pub architecture: String,
    /// Its bytes, at `GET /kernels/HASH`.
    #[serde(flatten)]
    pub file: Artifact,
}

/// A whole artifact that a hub or a runner holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name: the hash of its bytes.
    pub blake3: Hash,
    /// Its length.
    pub size_bytes: u64,
}
