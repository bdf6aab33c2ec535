//! `page-bundler WASM OUT`: what a browser loads, from the page's wasm as cargo left it.
//!
//! `xtask page` calls it. Makes `OUT/studio.js` and `OUT/studio_bg.wasm`, the wasm made smaller by `wasm-opt` where
//! there is one. `page-bundler --compress OUT` lays a `.br` beside each file.

mod compress;
mod wasm_opt;

use anyhow::{Context, bail};
use std::path::Path;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [flag, out] if flag == "--compress" => compress::folder(Path::new(out)),
        [wasm, out] => {
            bindings(Path::new(wasm), Path::new(out))?;
            wasm_opt::shrink(&Path::new(out).join("studio_bg.wasm"))
        }
        _ => bail!("usage: page-bundler WASM OUT, or page-bundler --compress OUT"),
    }
}

fn bindings(wasm: &Path, out: &Path) -> anyhow::Result<()> {
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        // Without a default path the page never boots: it calls `init()` with no argument.
        .omit_default_module_path(false)
        .out_name("studio")
        .generate(out)
        .with_context(|| format!("wasm-bindgen cannot read {}", wasm.display()))
}
