//! An export: the bundle's files, planned first, then streamed piece by piece.
//!
//! [`Export::new`] does everything that doesn't touch weights: the graph, its text, the plan of the parameters, the
//! place of each in its file. Then the sizes of all files are known, and [`Export::stream`] makes their bytes. The
//! manifest and the reference page come last, for they hold the files' hashes.

mod error;
mod facts;
mod key;
mod memory;
mod stream;
mod tokenizer_file;

pub use error::ExportError;
pub use stream::FileStream;

use crate::emit::cpu::{self, Object};
use crate::emit::stablehlo;
use crate::graph::{Graph, check};
use crate::manifest::{
    CONTRACT_VERSION, FileEntry, KernelsEntry, MANIFEST_VERSION, Manifest, MemoryEntry, file_name,
};
use crate::options::{ExportOptions, Form};
use crate::params::archive::Layout;
use crate::params::plan::Plan;
use crate::params::{Budget, irpa, safetensors};
use crate::reference;
use facts::Facts;
use gguf_file::Gguf;
#[cfg(feature = "kernels")]
use gguf_file::ReadAt;

/// The exporter's name and version, as the manifest has them.
pub const EXPORTER: &str = concat!("lowering-studio ", env!("CARGO_PKG_VERSION"));

/// An export, planned.
pub struct Export {
    facts: Facts,
    plan: Plan,
    files: Vec<PlannedFile>,
    contents: Vec<Contents>,
}

/// A file that will be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Its name in the bundle.
    pub name: &'static str,
    /// Its length.
    pub size_bytes: u64,
}

/// What a file is made from.
enum Contents {
    /// Made already.
    Bytes(Vec<u8>),
    /// The plan's parameters, placed.
    Parameters(Layout),
}

impl Contents {
    fn size_bytes(&self) -> u64 {
        match self {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Parameters(layout) => layout.size_bytes,
        }
    }
}

impl Export {
    /// Plans an export. `sources` are those that `gguf` was opened from; of the weights, at most the rope factors are
    /// read. The same GGUF and options give the same files, byte for byte, on every machine.
    #[cfg(feature = "kernels")]
    pub fn new(gguf: &Gguf, sources: &[&dyn ReadAt], options: &ExportOptions) -> Result<Self, ExportError> {
        let kernels = options.kernels().map(cpu::objects).unwrap_or_default();
        Self::of_graph(&crate::family::build(gguf, sources, options)?, gguf, options, &kernels)
    }

    /// Plans an export of the graph that [`family::build`](crate::family::build) made of `gguf` with `options`. A cpu form
    /// carries `kernels`: the bitcode of the set that the options name.
    pub fn of_graph(
        graph: &Graph,
        gguf: &Gguf,
        options: &ExportOptions,
        kernels: &[Object<'_>],
    ) -> Result<Self, ExportError> {
        let checked = check(graph)?;
        let mlir = match options.form {
            Form::Stablehlo => stablehlo::print(&checked),
            Form::Cpu(cpu_options) => cpu::print(&checked, &cpu_options, kernels)?,
        };
        let plan = Plan::new(graph.params(), gguf)?;
        let items = plan.items();
        let mut named = vec![
            (file_name::MLIR, Contents::Bytes(mlir.into_bytes())),
            (file_name::IRPA, Contents::Parameters(irpa::layout(&items)?)),
        ];
        if options.safetensors {
            named.push((file_name::SAFETENSORS, Contents::Parameters(safetensors::layout(&items)?)));
        }
        named.push((file_name::TOKENIZER, Contents::Bytes(tokenizer_file::bytes(gguf.metadata())?)));
        let planned = |(name, contents): &(&'static str, Contents)| PlannedFile {
            name,
            size_bytes: contents.size_bytes(),
        };
        let files = named.iter().map(planned).collect();
        let archive = named.iter().find(|(name, _)| *name == file_name::IRPA);
        let archive_bytes = archive.map_or(0, |(_, contents)| contents.size_bytes());
        let memory = memory::needs(&checked, options, archive_bytes)?;
        let contents = named.into_iter().map(|(_, contents)| contents).collect();
        let facts = Facts::new(gguf, graph, options, memory);
        Ok(Self { facts, plan, files, contents })
    }

    /// The files in the order in which they are best made.
    #[must_use]
    pub fn files(&self) -> &[PlannedFile] {
        &self.files
    }

    /// The parameters.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What running it takes of memory.
    #[must_use]
    pub fn memory(&self) -> MemoryEntry {
        self.facts.memory
    }

    /// Why text can't be made tokens with this model's tokenizer here, where that is so. Its bundle is as good as any
    /// for a program that knows the tokenizer.
    #[must_use]
    pub fn tokenizer_problem(&self) -> Option<&str> {
        self.facts.tokenizer_problem.as_deref()
    }

    /// What may go wrong with the bundle although it can be made, a sentence each.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.facts.warnings
    }

    /// The bytes of the file `index` of [`Export::files`].
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn stream(&self, index: usize) -> FileStream<'_> {
        self.stream_within(index, Budget::default())
    }

    /// As [`Export::stream`], with other limits on memory. The bytes are the same.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn stream_within(&self, index: usize, budget: Budget) -> FileStream<'_> {
        match &self.contents[index] {
            Contents::Bytes(bytes) => FileStream::of_bytes(bytes),
            Contents::Parameters(layout) => FileStream::of_parameters(&self.plan, layout, budget),
        }
    }

    /// Whether the file `index` of [`Export::files`] is made of the model's weights; others are there already, and their
    /// keys don't depend on the model's hash.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn is_of_weights(&self, index: usize) -> bool {
        matches!(self.contents[index], Contents::Parameters(_))
    }

    /// A key that promises content: files with one key have the same bytes, whenever and wherever they are made.
    /// 1 to 128 characters of `0-9 a-z . _ -`. `source_blake3` is the hash of the GGUF.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn key(&self, source_blake3: &str, index: usize) -> String {
        let name = self.files[index].name;
        match &self.contents[index] {
            Contents::Bytes(bytes) => key::of_bytes(name, bytes),
            Contents::Parameters(layout) => key::of_parameters(name, source_blake3, &self.plan, layout),
        }
    }

    /// The manifest, once all files are made and hashed.
    #[must_use]
    pub fn manifest(&self, source: FileEntry, files: Vec<FileEntry>) -> Manifest {
        let Facts { model, options, functions, cache, memory, tokenizer, chat_template, stop_ids, .. } =
            self.facts.clone();
        let kernels = match &options.form {
            Form::Stablehlo => None,
            Form::Cpu(cpu) => Some(KernelsEntry::new(cpu, &self.plan)),
        };
        Manifest {
            manifest_version: MANIFEST_VERSION,
            contract_version: CONTRACT_VERSION,
            exporter: EXPORTER.to_owned(),
            source,
            model,
            options,
            functions,
            cache,
            memory: Some(memory),
            kernels,
            parameter_scope: crate::graph::PARAMETER_SCOPE.to_owned(),
            tokenizer,
            chat_template,
            stop_ids,
            files,
            modules: Vec::new(),
            verifications: Vec::new(),
        }
    }

    /// `REFERENCE.md`: what the bundle holds and how to run it, for people.
    #[must_use]
    pub fn reference(&self, manifest: &Manifest) -> String {
        let archive = self.contents.iter().zip(&self.files).find_map(|(contents, file)| match contents {
            Contents::Parameters(layout) if file.name == file_name::IRPA => Some(layout),
            Contents::Parameters(_) | Contents::Bytes(_) => None,
        });
        reference::page(manifest, &self.plan, archive.unwrap_or(&Layout::default()))
    }
}
