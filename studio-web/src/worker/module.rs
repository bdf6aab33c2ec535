//! Compiled modules: dropped, or made by the hub.

use super::read_at::BlobSource;
use crate::browser;
use crate::messages::Problem;
use gguf_file::ReadAt;
use vmfb_file::Vmfb;
use web_sys::File;

/// The longest module that a page reads: modules have their weights elsewhere.
const MAX_BYTES: usize = 256 << 20;

/// The module in a file, or at an address of the hub.
pub(crate) async fn read(file: Option<File>, url: Option<String>) -> Result<Vmfb, Problem> {
    let (place, bytes) = match (file, url) {
        (Some(file), _) => (file.name(), of_file(&file)?),
        (None, Some(url)) => {
            let bytes = browser::fetch(&url).await.map_err(|words| {
                Problem::new(format!("The module could not be fetched: {words}")).at(url.clone())
            })?;
            (url, bytes)
        }
        (None, None) => return Err(Problem::new("No file came with the question")),
    };
    Vmfb::read(&bytes).map_err(|error| {
        Problem::new(error.to_string()).at(place).hint("Drop a .vmfb as iree-compile 3.13 writes it")
    })
}

fn of_file(file: &File) -> Result<Vec<u8>, Problem> {
    let source = BlobSource::new(file)?;
    let size = usize::try_from(source.len()).unwrap_or(usize::MAX);
    if size > MAX_BYTES {
        let words = format!("It has {size} bytes, where at most {MAX_BYTES} are read");
        return Err(Problem::new(words).at(file.name()));
    }
    let mut bytes = vec![0; size];
    source.read_at(0, &mut bytes).map_err(|error| Problem::new(error.to_string()).at(file.name()))?;
    Ok(bytes)
}
