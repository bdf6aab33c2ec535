//! Modules at work: a module on a device with its parameters, and calls into it.

use std::{fmt, sync::Arc};

use crate::{BufferView, Device, Error, Module, Parameters, StatusCode, raw};

/// A module instantiated on a device: its own state and its parameters. It can go from thread to thread, but is used by
/// one at a time.
pub struct Session {
    raw: raw::Session,
    module_name: Arc<str>,
}

/// A function found in a session. It can only be called there.
#[derive(Clone)]
pub struct Function {
    raw: raw::Function,
    name: Arc<str>,
}

/// An argument of a call.
#[derive(Debug)]
pub enum Arg<'a> {
    /// A tensor that the caller keeps. A function may update it in place only if its signature says so.
    View(&'a BufferView),
    /// A tensor given away: for arguments marked `{iree.abi.consume}`, whose memory the function may use for its results.
    /// It is gone even if the call fails.
    Consume(BufferView),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
}

/// A result of a call.
#[derive(Debug)]
pub enum Value {
    View(BufferView),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
}

impl Value {
    /// The tensor, if it is one.
    #[must_use]
    pub fn into_view(self) -> Option<BufferView> {
        match self {
            Self::View(view) => Some(view),
            Self::I32(_) | Self::I64(_) | Self::F32(_) | Self::F64(_) => None,
        }
    }
}

impl Session {
    /// Instantiates a module and runs its initialisers, which import the parameters that it names.
    ///
    /// Fails if the module needs another kind of device or CPU, and if a parameter is missing or shorter than the module
    /// expects.
    pub fn new(device: &Device, module: &Module, parameters: &[&Parameters]) -> Result<Self, Error> {
        let archives: Vec<_> = parameters.iter().map(|one| (Arc::clone(&one.raw), one.scope())).collect();
        let raw = raw::Session::new(&device.raw, &module.raw, &archives)
            .map_err(|failure| failure.doing(format!("instantiate module {}", module.name())))?;
        Ok(Self { raw, module_name: module.name().into() })
    }

    /// Finds a function by its name in the module, for any number of calls.
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let full_name: Arc<str> = format!("{}.{name}", self.module_name).into();
        let doing = || format!("find function {full_name}");
        let raw = self.raw.function(&full_name).map_err(|failure| failure.doing(doing()))?;
        if arguments(&raw.calling_convention).is_none() {
            let message =
                format!("calling convention {:?} is not one of tensors and scalars", raw.calling_convention);
            return Err(Error::new(doing(), StatusCode::Unimplemented, message));
        }
        Ok(Function { raw, name: full_name })
    }

    /// Calls a function and waits for its results. Nothing is copied to or from the host.
    pub fn call<'a>(
        &mut self,
        function: &Function,
        args: impl IntoIterator<Item = Arg<'a>>,
    ) -> Result<Vec<Value>, Error> {
        let results = self.push(function, args).and_then(|()| self.invoke(function));
        if results.is_err() {
            self.raw.clear();
        }
        results
    }

    fn push<'a>(
        &mut self,
        function: &Function,
        args: impl IntoIterator<Item = Arg<'a>>,
    ) -> Result<(), Error> {
        let convention = arguments(&function.raw.calling_convention).unwrap_or_default();
        for (index, arg) in args.into_iter().enumerate() {
            let doing = || format!("pass argument {index} of {}", function.name);
            // One argument too many is left to IREE, which counts them.
            let wanted = convention.get(index).copied();
            if let Some(wanted) = wanted.filter(|wanted| *wanted != arg.letter()) {
                let message = format!("expected {}, got {}", kind(wanted), kind(arg.letter()));
                return Err(Error::new(doing(), StatusCode::InvalidArgument, message));
            }
            let pushed = match arg {
                Arg::View(view) => self.raw.push_view(&view.raw),
                Arg::Consume(view) => self.raw.move_view(view.raw),
                Arg::I32(value) => self.raw.push_scalar(&raw::Scalar::I32(value)),
                Arg::I64(value) => self.raw.push_scalar(&raw::Scalar::I64(value)),
                Arg::F32(value) => self.raw.push_scalar(&raw::Scalar::F32(value)),
                Arg::F64(value) => self.raw.push_scalar(&raw::Scalar::F64(value)),
            };
            pushed.map_err(|failure| failure.doing(doing()))?;
        }
        Ok(())
    }

    fn invoke(&mut self, function: &Function) -> Result<Vec<Value>, Error> {
        let count = self
            .raw
            .invoke(&function.raw)
            .map_err(|failure| failure.doing(format!("call {}", function.name)))?;
        (0..count)
            .map(|index| {
                let doing = || format!("take result {index} of {}", function.name);
                match self.raw.take_output(index).map_err(|failure| failure.doing(doing()))? {
                    raw::Output::View(raw) => Ok(Value::View(BufferView { raw })),
                    raw::Output::I32(value) => Ok(Value::I32(value)),
                    raw::Output::I64(value) => Ok(Value::I64(value)),
                    raw::Output::F32(value) => Ok(Value::F32(value)),
                    raw::Output::F64(value) => Ok(Value::F64(value)),
                    raw::Output::None | raw::Output::Other => {
                        Err(Error::new(doing(), StatusCode::Unimplemented, "neither a tensor nor a scalar"))
                    }
                }
            })
            .collect()
    }
}

impl Arg<'_> {
    /// The letter that the calling convention has for it.
    fn letter(&self) -> u8 {
        match self {
            Self::View(_) | Self::Consume(_) => b'r',
            Self::I32(_) => b'i',
            Self::I64(_) => b'I',
            Self::F32(_) => b'f',
            Self::F64(_) => b'F',
        }
    }
}

/// The letters of the arguments, if there is one for each and we know all of them.
fn arguments(calling_convention: &str) -> Option<&[u8]> {
    if calling_convention.is_empty() {
        return Some(&[]);
    }
    let body = calling_convention.strip_prefix('0')?;
    let (arguments, results) = body.split_once('_').unwrap_or((body, ""));
    let known = |letters: &str| letters == "v" || letters.bytes().all(|letter| b"riIfF".contains(&letter));
    if !known(arguments) || !known(results) {
        return None;
    }
    Some(if arguments == "v" { &[] } else { arguments.as_bytes() })
}

fn kind(letter: u8) -> &'static str {
    match letter {
        b'i' => "an i32",
        b'I' => "an i64",
        b'f' => "an f32",
        b'F' => "an f64",
        _ => "a tensor",
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("module", &self.module_name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("calling_convention", &self.raw.calling_convention)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn calling_conventions_of_tensors_and_scalars_are_understood() {
        assert_eq!(arguments("0riI_rr"), Some(&b"riI"[..]));
        assert_eq!(arguments("0v_v"), Some(&b""[..]));
        assert_eq!(arguments("0_r"), Some(&b""[..]));
        assert_eq!(arguments("0r"), Some(&b"r"[..]));
        assert_eq!(arguments(""), Some(&b""[..]));
    }

    #[test]
    fn variadic_and_unknown_conventions_are_refused() {
        for convention in ["1r_r", "r_r", "0CrD_r", "0r_CiD", "0x_r"] {
            assert_eq!(arguments(convention), None, "{convention}");
        }
    }
}
