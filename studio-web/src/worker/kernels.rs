//! The kernels' bitcode, which a module of the cpu form carries. The hub that the page came from has it: in the page it
//! would be a third of what a browser loads before it shows anything.

use crate::browser;
use crate::messages::Problem;
use std::{cell::RefCell, rc::Rc};
use studio_core::emit::cpu::Object;
use studio_core::options::Kernels;
use studio_protocol::{Hash, KernelFile};

/// Bitcode for one architecture.
struct Bitcode {
    architecture: String,
    bytes: Vec<u8>,
}

/// A set of kernels, for every architecture that the hub has them for.
pub(crate) struct KernelSet(Vec<Bitcode>);

impl KernelSet {
    /// As an export takes them.
    pub(crate) fn objects(&self) -> Vec<Object<'_>> {
        self.0.iter().filter_map(|one| Object::new(&one.architecture, &one.bytes)).collect()
    }
}

/// The sets that were fetched.
#[derive(Default)]
pub(crate) struct Shelf(RefCell<Vec<(Kernels, Rc<KernelSet>)>>);

impl Shelf {
    /// A set, from the hub where it isn't here yet. None are needed without kernels.
    pub(crate) async fn get(&self, kernels: Option<Kernels>) -> Result<Rc<KernelSet>, Problem> {
        let Some(kernels) = kernels else { return Ok(Rc::new(KernelSet(Vec::new()))) };
        let find = |sets: &[(Kernels, Rc<KernelSet>)]| {
            sets.iter().find(|(of, _)| *of == kernels).map(|(_, set)| Rc::clone(set))
        };
        if let Some(set) = find(&self.0.borrow()) {
            return Ok(set);
        }
        let set = Rc::new(fetch(kernels).await?);
        self.0.borrow_mut().push((kernels, Rc::clone(&set)));
        Ok(set)
    }
}

async fn fetch(kernels: Kernels) -> Result<KernelSet, Problem> {
    let list = get("kernels").await?;
    let list: Vec<KernelFile> =
        serde_json::from_slice(&list).map_err(|error| other_build("kernels", &error))?;
    let mut found = Vec::new();
    for KernelFile { architecture, file, .. } in
        list.into_iter().filter(|file| file.kernels == kernels.name())
    {
        let url = format!("kernels/{}", file.blake3);
        let bytes = get(&url).await?;
        if Hash::from_bytes(*blake3::hash(&bytes).as_bytes()) != file.blake3 {
            return Err(other_build(&url, &"its bytes have another hash"));
        }
        found.push(Bitcode { architecture, bytes });
    }
    Ok(KernelSet(found))
}

async fn get(url: &str) -> Result<Vec<u8>, Problem> {
    browser::fetch(url).await.map_err(|words| {
        Problem::new(format!("The kernels could not be fetched from the hub: {words}"))
            .at(url)
            .hint("Start the hub again with `./dev studio`, or choose the stablehlo form, which needs none")
    })
}

fn other_build(url: &str, words: &dyn std::fmt::Display) -> Problem {
    Problem::new(format!("The hub's kernels cannot be read: {words}"))
        .at(url)
        .hint("Reload the page: the hub may have been built anew")
}
