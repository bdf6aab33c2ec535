//! From files to a model at work.

use super::{
    contract::{Contract, Kv, Redecode, check_module},
    decoder::{Decoder, runtime},
    kv::KvDecoder,
    redecode::RedecodeDecoder,
};
use crate::{BundleFiles, Source, machine, requirements};
use iree_runtime::{Device, Module, Parameters, Session};
use std::{
    num::NonZeroU32,
    path::Path,
    time::{Duration, Instant},
};
use studio_core::manifest::{Manifest, file_name};
use studio_protocol::{ErrorCode, WireError};

/// A model ready to work.
pub(super) struct Opened {
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) threads: u32,
    /// How long it took to map the parameters and open the module, or to load the model.
    pub(super) load: Duration,
    /// The device whose dispatches are timed, if they are.
    pub(super) profiled: Option<Device>,
}

/// Opens a model in its engine.
pub(super) fn open(source: &Source, threads: Option<u32>, profile: bool) -> Result<Opened, WireError> {
    let start = Instant::now();
    let (decoder, threads, profiled): (Box<dyn Decoder>, u32, Option<Device>) = match source {
        Source::Compiled { bundle, module } => {
            let contract = Contract::new(bundle.manifest())?;
            let device = device(threads, profile)?;
            let profiled = profile.then(|| device.clone());
            let threads = device.workers().get();
            let session = session(bundle, module, &device)?;
            match contract {
                Contract::Kv(kv) => (Box::new(KvDecoder::new(device, session, kv)?), threads, profiled),
                Contract::Redecode(redecode) => {
                    (Box::new(RedecodeDecoder::new(device, session, &redecode)?), threads, profiled)
                }
            }
        }
        Source::Eager { .. } if profile => {
            return Err(WireError::new(ErrorCode::BadMessage, "llama.cpp has no dispatches to time")
                .hint("Leave `profile` away, or run the compiled module"));
        }
        #[cfg(feature = "eager")]
        Source::Eager { model, settings } => {
            let threads = threads.unwrap_or_else(machine::cores);
            (Box::new(crate::eager::EagerDecoder::open(model, settings, threads)?), threads, None)
        }
        #[cfg(not(feature = "eager"))]
        Source::Eager { .. } => {
            crate::eager_info()?;
            return Err(WireError::new(ErrorCode::EngineMissing, "llama.cpp is not in this program"));
        }
    };
    Ok(Opened { decoder, threads, load: start.elapsed(), profiled })
}

/// A module that gives texts' vectors, ready to work.
pub(super) struct Encoder {
    pub(super) device: Device,
    pub(super) session: Session,
    pub(super) threads: u32,
}

/// Opens a bundle that has the embed contract.
pub(super) fn open_encoder(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
    profile: bool,
) -> Result<Encoder, WireError> {
    let device = device(threads, profile)?;
    let session = session(bundle, module, &device)?;
    Ok(Encoder { threads: device.workers().get(), device, session })
}

/// Opens a bundle's kv functions.
pub(super) fn open_kv(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
) -> Result<KvDecoder, WireError> {
    let contract: Kv = Contract::kv(bundle.manifest())?.ok_or_else(|| has_no("kv"))?;
    let device = device(threads, false)?;
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
    let device = device(threads, false)?;
    let session = session(bundle, module, &device)?;
    RedecodeDecoder::new(device, session, &contract)
}

fn has_no(graph: &str) -> WireError {
    WireError::new(ErrorCode::NotFound, format!("the bundle has no {graph} graph"))
        .hint(format!("Export it with `--graphs {graph}` among its graphs"))
}

fn device(threads: Option<u32>, profile: bool) -> Result<Device, WireError> {
    let threads = NonZeroU32::new(threads.unwrap_or_else(machine::cores))
        .ok_or_else(|| WireError::new(ErrorCode::BadMessage, "0 threads run nothing"))?;
    if profile { Device::profiled(threads) } else { Device::local(threads) }.map_err(runtime)
}

fn session(bundle: &BundleFiles, module: &Path, device: &Device) -> Result<Session, WireError> {
    let manifest: &Manifest = bundle.manifest();
    requirements::check(bundle, module)?;
    let opened = Module::open(module).map_err(runtime)?;
    check_module(manifest, &opened).map_err(|error| error.at(module.display().to_string()))?;
    let irpa = bundle.path(file_name::IRPA)?;
    let parameters = Parameters::open(irpa, &manifest.parameter_scope).map_err(runtime)?;
    Session::new(device, &opened, &[&parameters]).map_err(runtime)
}
