//! `studio graph`: the model's graph as an outline, as SVG or as JSON, without its weights being read.

mod outline;

use super::kind;
use super::options::ExportArgs;
use super::outcome::{WrongUsage, note, print, print_text};
use crate::model::{Model, read_origins};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use studio_core::manifest::file_name;
use studio_graph::{
    Analysis, Drawing, Function, Item, Measure, Module, Overlay, Palette, View, find, mlir, svg,
};
use studio_protocol::RunReport;

/// Draws a model's graph. Without --svg or --json it prints an outline of its scopes.
#[derive(Debug, Args)]
pub(super) struct GraphCommand {
    /// A GGUF, of which only the header is read; an .mlir file of StableHLO; a bundle's folder.
    source: PathBuf,
    /// Write a picture to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON document with all nodes.
    #[arg(long)]
    json: bool,
    /// The function to show [default: the last one].
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Open this scope and those around it: `layer 3/attention`. May be given several times.
    #[arg(long, value_name = "PATH")]
    expand: Vec<String>,
    /// Open every scope; of equal ones the first.
    #[arg(long)]
    expand_all: bool,
    /// Draw equal scopes each for itself.
    #[arg(long)]
    unfold: bool,
    /// Colour operations by a number.
    #[arg(long, value_enum)]
    overlay: Option<Number>,
    /// What `studio run DIR --profile --json` printed, for --overlay time.
    #[arg(long, value_name = "RUN.json", requires = "module")]
    times: Option<PathBuf>,
    /// The module that was run: DIR/host.vmfb, beside which `studio compile` wrote where its dispatches come from.
    #[arg(long, value_name = "FILE.vmfb", requires = "times")]
    module: Option<PathBuf>,
    /// Light words on dark paper.
    #[arg(long)]
    dark: bool,
    #[command(flatten)]
    export: ExportArgs,
}

/// What operations can be coloured by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Number {
    /// Bytes of the parameters that they load.
    Bytes,
    /// Floating-point operations of one call.
    Flops,
    /// The time of one call by --times and --module, that of a dispatch shared out by floating-point operations.
    Time,
}

impl GraphCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        if self.svg.is_none() && (self.overlay.is_some() || self.times.is_some()) {
            return Err(WrongUsage("--overlay is for a picture: add --svg FILE".to_owned()).into());
        }
        let place = || self.source.display().to_string();
        let module = self.module().with_context(place)?;
        let function = self.function(&module)?;
        if self.json {
            let document = outline::json(&module);
            print(format_args!("{}\n", serde_json::to_string_pretty(&document)?))?;
        }
        let analysis = Analysis::new(&module, function);
        if let Some(path) = &self.svg {
            let text = self.picture(&module, function, &analysis)?;
            std::fs::write(path, text).with_context(|| path.display().to_string())?;
            note(format_args!("{}", path.display()));
        } else if !self.json {
            print_text(outline::text(&module, function, &analysis))?;
        }
        Ok(())
    }

    fn module(&self) -> anyhow::Result<Module> {
        match kind::ending(&self.source).as_str() {
            "gguf" => {
                let model = Model::open(&self.source)?;
                let options = self.export.options(Some(&model.gguf))?;
                let graph = studio_core::family::build(&model.gguf, &model.files.sources(), &options)?;
                Ok(studio_core::view::module(&graph, &model.gguf))
            }
            "mlir" => text_module(&self.source),
            _ if self.source.is_dir() => text_module(&self.source.join(file_name::MLIR)),
            _ => Err(WrongUsage(
                "a file's name must end in .gguf or .mlir; or name a bundle's folder".to_owned(),
            )
            .into()),
        }
    }

    fn function<'m>(&self, module: &'m Module) -> anyhow::Result<&'m Function> {
        let functions = module.functions();
        let Some(wanted) = &self.function else {
            return functions.last().context("there is no function to show");
        };
        if let Some((_, function)) = module.function(wanted) {
            return Ok(function);
        }
        let names: Vec<&str> = functions.iter().map(Function::name).collect();
        bail!(WrongUsage(format!("there is no function {wanted:?}; there are {}", names.join(", "))))
    }

    fn picture(&self, module: &Module, function: &Function, analysis: &Analysis) -> anyhow::Result<String> {
        let mut view = View::default();
        if self.unfold {
            for (index, _) in analysis.groups.iter().enumerate() {
                view.set_unfolded(studio_graph::GroupId(index as u32), true);
            }
        }
        if self.expand_all {
            view.open_all(analysis, function);
        }
        for path in &self.expand {
            match find(module, function, analysis, path) {
                Some(Item::Scope(scope)) => view.reveal_whole(analysis, scope),
                Some(Item::Node(node)) => view.reveal(analysis, function, node),
                Some(Item::Group(_)) | None => {
                    let name = function.name();
                    bail!(WrongUsage(format!(
                        "--expand {path:?}: {name} has no such scope; see `studio graph` without --svg"
                    )))
                }
            }
        }
        let drawing = Drawing::new(module, function, analysis, &view);
        let overlay = match self.overlay {
            None => None,
            Some(Number::Bytes) => Some(Overlay::bytes(module, function, analysis, &view, &drawing)),
            Some(Number::Flops) => Some(Overlay::flops(function, analysis, &view, &drawing)),
            Some(Number::Time) => {
                let times = self.node_times(module, function)?;
                Some(Overlay::new(Measure::Time, function, analysis, &view, &drawing, times))
            }
        };
        let palette = if self.dark { Palette::DARK } else { Palette::LIGHT };
        let title = format!("{} · {}", module.name, function.name());
        Ok(svg::print(&drawing, &title, palette, overlay.as_ref()))
    }
}

impl GraphCommand {
    /// Nanoseconds of one call, by node.
    fn node_times(&self, module: &Module, function: &Function) -> anyhow::Result<Vec<u64>> {
        let (Some(times), Some(compiled)) = (&self.times, &self.module) else {
            bail!(WrongUsage("--overlay time needs --times RUN.json and --module FILE.vmfb".to_owned()));
        };
        let read = |path: &Path| read_file(path).with_context(|| path.display().to_string());
        let report: RunReport = serde_json::from_slice(&read(times)?)
            .with_context(|| format!("{}: not a run's report", times.display()))?;
        if report.dispatches.is_empty() {
            bail!("{}: the run did not time its dispatches. Run it with --profile --json", times.display());
        }
        let hash = blake3::hash(&read(compiled)?).to_string();
        let origins = read_origins(compiled, &hash).with_context(|| {
            let path = compiled.display();
            format!(
                "{path}: where its dispatches come from isn't known. Compile it again with `studio compile`"
            )
        })?;
        if function.nodes().iter().any(|node| module.text(node.op) == "flow.dispatch") {
            bail!("the text of the cpu form has dispatches instead of operations: name the GGUF instead");
        }
        let call = origins.call(function.name(), &report.dispatches);
        anyhow::ensure!(!call.is_empty(), "the run never called {}", function.name());
        let all: u64 = call.iter().map(|(_, nanos)| nanos).fold(0, |sum, nanos| sum.saturating_add(*nanos));
        let (times, lost) = studio_graph::spread(module, function, call);
        anyhow::ensure!(lost < all, "no part of this graph has a time: is it another model's run?");
        if lost > 0 {
            let share = 100.0 * lost as f64 / all as f64;
            note(format_args!("{share:.1} % of the time was spent on parts that this graph does not have"));
        }
        Ok(times)
    }
}

/// The bytes of a file of a size that a report or a module may have.
fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let there = std::fs::metadata(path)?;
    anyhow::ensure!(there.is_file(), "it is no file");
    let (size, most) = (there.len(), vmfb_file::MAX_BYTES);
    anyhow::ensure!(size <= most, "{size} bytes, where at most {most} are read");
    Ok(std::fs::read(path)?)
}

/// The graph in a text.
fn text_module(path: &Path) -> anyhow::Result<Module> {
    let size = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
    anyhow::ensure!(
        size <= mlir::MAX_BYTES as u64,
        "{size} bytes, where at most {} are read",
        mlir::MAX_BYTES
    );
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let text = String::from_utf8(bytes).with_context(|| path.display().to_string())?;
    mlir::parse(&text).with_context(|| path.display().to_string())
}
