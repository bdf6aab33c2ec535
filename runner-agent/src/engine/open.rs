//! From files to a model at work.

use super::{
    contract::{Contract, Kv, Redecode, check_module},
    decoder::{Decoder, runtime},
    kv::KvDecoder,
    redecode::RedecodeDecoder,
};
use crate::{BundleFiles, machine};
use gguf_file::{FileSource, Gguf};
use iree_runtime::{Device, Module, Parameters, Session};
use std::{
    num::NonZeroU32,
    path::Path,
    time::{Duration, Instant},
};
use studio_core::{
    manifest::{Manifest, file_name},
    tokenizer::Tokenizer,
};
use studio_protocol::{ErrorCode, WireError};

/// A model ready to work.
pub(super) struct Opened {
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) tokenizer: Tokenizer,
    /// Token ids that end a generation, sorted.
    pub(super) stop_ids: Vec<u32>,
    pub(super) threads: u32,
    /// How long it took to map the parameters and open the module.
    pub(super) load: Duration,
}

/// Opens a bundle and its module.
pub(super) fn open(bundle: &BundleFiles, module: &Path, threads: Option<u32>) -> Result<Opened, WireError> {
    let manifest = bundle.manifest();
    let contract = Contract::new(manifest)?;
    let tokenizer = tokenizer(bundle)?;
    let mut stop_ids = [&manifest.stop_ids, tokenizer.end_ids()].concat();
    stop_ids.sort_unstable();
    let start = Instant::now();
    let device = device(threads)?;
    let threads = device.workers().get();
    let session = session(bundle, module, &device)?;
    let decoder: Box<dyn Decoder> = match contract {
        Contract::Kv(kv) => Box::new(KvDecoder::new(device, session, kv)?),
        Contract::Redecode(redecode) => Box::new(RedecodeDecoder::new(device, session, &redecode)?),
    };
    Ok(Opened { decoder, tokenizer, stop_ids, threads, load: start.elapsed() })
}

/// Opens a bundle's kv functions.
pub(super) fn open_kv(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
) -> Result<KvDecoder, WireError> {
    let contract: Kv = Contract::kv(bundle.manifest())?.ok_or_else(|| has_no("kv"))?;
    let device = device(threads)?;
    let session = session(bundle, module, &device)?;
    KvDecoder::new(device, session, contract)
}

/// Opens a bundle's redecode function.
pub(super) fn open_redecode(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
) -> Result<RedecodeDecoder, WireError> {
    let contract: Redecode = Contract::redecode(bundle.manifest())?.ok_or_else(|| has_no("redecode"))?;
    let device = device(threads)?;
    let session = session(bundle, module, &device)?;
    RedecodeDecoder::new(device, session, &contract)
}

fn has_no(graph: &str) -> WireError {
    WireError::new(ErrorCode::NotFound, format!("the bundle has no {graph} graph"))
        .hint(format!("Export it with `--graphs {graph}` among its graphs"))
}

fn device(threads: Option<u32>) -> Result<Device, WireError> {
    let threads = NonZeroU32::new(threads.unwrap_or_else(machine::cores))
        .ok_or_else(|| WireError::new(ErrorCode::BadMessage, "0 threads run nothing"))?;
    Device::local(threads).map_err(runtime)
}

fn session(bundle: &BundleFiles, module: &Path, device: &Device) -> Result<Session, WireError> {
    let manifest: &Manifest = bundle.manifest();
    let opened = Module::open(module).map_err(runtime)?;
    check_module(manifest, &opened).map_err(|error| error.at(module.display().to_string()))?;
    let irpa = bundle.path(file_name::IRPA)?;
    let parameters = Parameters::open(irpa, &manifest.parameter_scope).map_err(runtime)?;
    Session::new(device, &opened, &[&parameters]).map_err(runtime)
}

fn tokenizer(bundle: &BundleFiles) -> Result<Tokenizer, WireError> {
    let path = bundle.path(&bundle.manifest().tokenizer.file)?;
    let at = || path.display().to_string();
    let source =
        FileSource::open(path).map_err(|error| WireError::new(ErrorCode::Io, error.to_string()).at(at()))?;
    let corrupt = |message: String| WireError::new(ErrorCode::Corrupt, message).at(at());
    let gguf = Gguf::open(&source).map_err(|error| corrupt(error.to_string()))?;
    Tokenizer::from_metadata(gguf.metadata()).map_err(|error| corrupt(error.to_string()))
}
