//! From files to a model at work.

use super::{
    contract::{Contract, Kv, Redecode, check_module},
    decoder::{Decoder, runtime},
    kv::KvDecoder,
    redecode::RedecodeDecoder,
};
use crate::{BundleFiles, Source, gpu, machine, requirements, targets};
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
    /// The graphics processor that computes, if one does.
    pub(super) gpu: Option<String>,
    /// How long it took to map the parameters and open the module, or to load the model.
    pub(super) load: Duration,
    /// The device whose dispatches are timed, if they are.
    pub(super) profiled: Option<Device>,
}

/// Opens a model in its engine.
pub(super) fn open(source: &Source, threads: Option<u32>, profile: bool) -> Result<Opened, WireError> {
    let start = Instant::now();
    let opened = match source {
        Source::Compiled { bundle, module } => open_compiled(bundle, module, threads, profile)?,
        Source::Eager { .. } if profile => {
            return Err(WireError::new(ErrorCode::BadMessage, "llama.cpp has no dispatches to time")
                .hint("Leave `profile` away, or run the compiled module"));
        }
        #[cfg(feature = "eager")]
        Source::Eager { model, settings } => {
            let threads = threads.unwrap_or_else(machine::cores);
            let decoder = crate::eager::EagerDecoder::open(model, settings, threads)?;
            let load = Duration::ZERO;
            Opened { decoder: Box::new(decoder), threads, gpu: None, load, profiled: None }
        }
        #[cfg(not(feature = "eager"))]
        Source::Eager { .. } => {
            crate::eager_info()?;
            return Err(WireError::new(ErrorCode::EngineMissing, "llama.cpp is not in this program"));
        }
    };
    Ok(Opened { load: start.elapsed(), ..opened })
}

fn open_compiled(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
    profile: bool,
) -> Result<Opened, WireError> {
    let contract = Contract::new(bundle.manifest())?;
    let (device, gpu) = device(bundle, module, threads, profile)?;
    let profiled = profile.then(|| device.clone());
    let threads = device.workers().get();
    let session = session(bundle, module, &device)?;
    let decoder: Box<dyn Decoder> = match contract {
        Contract::Kv(kv) => Box::new(KvDecoder::new(device, session, kv)?),
        Contract::Redecode(redecode) => Box::new(RedecodeDecoder::new(device, session, &redecode)?),
    };
    Ok(Opened { decoder, threads, gpu, load: Duration::ZERO, profiled })
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
    let (device, _) = device(bundle, module, threads, profile)?;
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
    let (device, _) = device(bundle, module, threads, false)?;
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
    let (device, _) = device(bundle, module, threads, false)?;
    let session = session(bundle, module, &device)?;
    RedecodeDecoder::new(device, session, &contract)
}

fn has_no(graph: &str) -> WireError {
    WireError::new(ErrorCode::NotFound, format!("the bundle has no {graph} graph"))
        .hint(format!("Export it with `--graphs {graph}` among its graphs"))
}

/// The device that a module is for, and its name where it is a graphics processor.
fn device(
    bundle: &BundleFiles,
    module: &Path,
    threads: Option<u32>,
    profile: bool,
) -> Result<(Device, Option<String>), WireError> {
    if bundle.target(module).is_some_and(targets::is_vulkan) {
        if profile {
            return Err(WireError::new(
                ErrorCode::BadMessage,
                "dispatches on a graphics processor can't be timed",
            )
            .hint("Run the module for the processor with --profile"));
        }
        return gpu::open().map(|(device, name)| (device, Some(name)));
    }
    let threads = NonZeroU32::new(threads.unwrap_or_else(machine::cores))
        .ok_or_else(|| WireError::new(ErrorCode::BadMessage, "0 threads run nothing"))?;
    let device = if profile { Device::profiled(threads) } else { Device::local(threads) }.map_err(runtime)?;
    Ok((device, None))
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
