//! Large answers as the bytes that worker and page hand each other: graphs and compiled modules.

use crate::messages::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An answer as bytes.
///
/// # Errors
/// A fault of the program.
pub fn encode(answer: &impl Serialize) -> Result<Vec<u8>, Problem> {
    postcard::to_allocvec(answer)
        .map_err(|error| Problem::new(format!("An answer could not be sent: {error}")))
}

/// The answer in such bytes.
///
/// # Errors
/// What is wrong with them: page and worker are one build, so this is a fault of the program.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    postcard::from_bytes(bytes).map_err(|error| {
        Problem::new(format!("An answer could not be read: {error}"))
            .hint("Reload the page; if that does not help, report the message")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_graph::Module;

    #[test]
    fn a_graph_arrives_as_it_was_sent() {
        let text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.negate %x : tensor<2xf32>\n  \
                    return %y : tensor<2xf32>\n}\n";
        let module = studio_graph::mlir::parse(text).unwrap();
        let sent = encode(&module).unwrap();
        let arrived: Module = decode(&sent).unwrap();
        assert_eq!(arrived.functions(), module.functions());
        assert_eq!(arrived.name, module.name);
        assert!(decode::<Module>(&sent[..sent.len() - 1]).is_err());
    }
}
