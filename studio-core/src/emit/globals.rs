//! The parameters: a global each, which the runtime fills from the archive.

use super::mlir::{Quoted, Symbol, Writer};
use crate::graph::{PARAMETER_SCOPE, ParamSpec};

pub(super) fn print(out: &mut Writer, params: &[ParamSpec]) {
    for param in params {
        let (symbol, key) = (Symbol(&param.name), Quoted(&param.name));
        let (scope, ty) = (Quoted(PARAMETER_SCOPE), param.archive_type());
        out.line(format_args!(
            "util.global private {symbol} = #stream.parameter.named<{scope}::{key}> : {ty}"
        ));
    }
}
