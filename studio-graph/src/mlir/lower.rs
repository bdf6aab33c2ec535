//! From operations to nodes.

use super::ParseError;
use super::ast::{Function, Operation, Region, Text};
use super::cost;
use super::locations::Locations;
use crate::module::{FunctionBuilder, Module, NodeId, NodeKind, NodeSpec, Operand, Parameter, ScopeId};
use std::collections::{HashMap, HashSet};

/// Nodes of a function, with what it calls put in place, at most.
const MAX_NODES: usize = 200_000;
/// Calls in calls that are put in place, at most.
const MAX_CALLS: usize = 24;

pub(super) fn lower<'s>(source: &'s str, text: &Text<'s>) -> Result<Module, ParseError> {
    let mut module = Module::new(if text.name.is_empty() { "module" } else { text.name });
    let by_name: HashMap<&str, &Function<'s>> =
        text.functions.iter().map(|function| (function.name, function)).collect();
    let mut called = HashSet::new();
    for function in &text.functions {
        find_calls(&function.body, &mut called);
    }
    let locations = Locations::new(source);
    // What is private and called is seen where it is called.
    let shown: Vec<&Function<'s>> = text
        .functions
        .iter()
        .filter(|function| !(function.private && called.contains(function.name)))
        .collect();
    let shown = if shown.is_empty() { text.functions.iter().collect() } else { shown };
    for function in shown {
        let builder = FunctionBuilder::new(&mut module, function.name);
        let mut lowering = Lowering {
            source,
            text,
            functions: &by_name,
            locations: &locations,
            module: &mut module,
            builder,
            names: HashMap::new(),
        };
        lowering.function(function)?;
        let Lowering { mut builder, .. } = lowering;
        builder.settle_constants();
        module.add_function(builder);
    }
    Ok(module)
}

fn is_call(op: &str) -> bool {
    matches!(op, "call" | "func.call" | "util.call")
}

fn is_return(op: &str) -> bool {
    op == "return" || op.ends_with(".return") || op.ends_with(".yield")
}

fn find_calls<'s>(region: &Region<'s>, called: &mut HashSet<&'s str>) {
    for operation in &region.operations {
        if is_call(operation.op) {
            called.extend(operation.symbol);
        }
        for region in &operation.regions {
            find_calls(region, called);
        }
    }
}

struct Lowering<'a, 's> {
    source: &'s str,
    text: &'a Text<'s>,
    functions: &'a HashMap<&'s str, &'a Function<'s>>,
    locations: &'a Locations<'s>,
    module: &'a mut Module,
    builder: FunctionBuilder,
    /// How often a scope of a name was made in a scope.
    names: HashMap<(ScopeId, String), usize>,
}

/// What names stand for.
type Values<'s> = HashMap<&'s str, Vec<Operand>>;

/// Where operations stand.
#[derive(Clone, Copy)]
struct Place {
    scope: ScopeId,
    calls: usize,
    /// Whether names of locations are scopes here: not in the body of another operation.
    named: bool,
}

impl<'s> Lowering<'_, 's> {
    fn function(&mut self, function: &Function<'s>) -> Result<(), ParseError> {
        let mut values = Values::new();
        for argument in &function.body.arguments {
            let name = argument.location.and_then(|location| self.locations.name(location));
            let name = name.unwrap_or_else(|| argument.name.trim_start_matches('%'));
            let types = [argument.ty.to_owned()];
            let node =
                self.add(NodeKind::Argument, "argument", Some(name), &types, &[], &[], ScopeId::ROOT, 0);
            values.insert(argument.name, vec![Operand::first(node)]);
        }
        let place = Place { scope: ScopeId::ROOT, calls: 0, named: true };
        let results = self.region(&function.body, &mut values, place)?;
        for (index, operand) in results.into_iter().enumerate() {
            let ty = self.type_of(operand);
            let name = format!("result {index}");
            self.add(NodeKind::Result, "result", Some(&name), &[ty], &[operand], &[], ScopeId::ROOT, 0);
        }
        Ok(())
    }

    fn type_of(&self, operand: Operand) -> String {
        let ty =
            self.builder.node(operand.node).and_then(|node| node.types.get(operand.result as usize).copied());
        ty.map(|ty| self.module.text(ty).to_owned()).unwrap_or_default()
    }

    #[expect(clippy::too_many_arguments, reason = "a node has as many parts")]
    fn add(
        &mut self,
        kind: NodeKind,
        op: &str,
        name: Option<&str>,
        types: &[String],
        operands: &[Operand],
        attributes: &[(&str, String)],
        scope: ScopeId,
        flops: u64,
    ) -> NodeId {
        let spec = NodeSpec { kind, op, name, types, operands, attributes, scope, flops, parameter: None };
        self.builder.add(self.module, &spec)
    }

    /// The nodes of a region's operations; gives what the region returns.
    fn region(
        &mut self,
        region: &Region<'s>,
        values: &mut Values<'s>,
        place: Place,
    ) -> Result<Vec<Operand>, ParseError> {
        let mut returned = Vec::new();
        for operation in &region.operations {
            if operation.op.is_empty() {
                continue;
            }
            if self.builder.len() >= MAX_NODES {
                let words =
                    format!("there are more than {MAX_NODES} operations, with what is called put in place");
                return Err(ParseError::at(self.source, operation.offset, words));
            }
            let operands = self.operands(operation, values)?;
            if is_return(operation.op) {
                returned = operands;
                continue;
            }
            let callee = operation.symbol.filter(|_| is_call(operation.op));
            let callee = callee.and_then(|name| self.functions.get(name).copied());
            let results = match callee.filter(|_| place.calls < MAX_CALLS) {
                Some(callee) => self.call(callee, &operands, operation, place)?,
                None => self.operation(operation, operands, values, place)?,
            };
            bind(operation, &results, values);
        }
        Ok(returned)
    }

    fn operands(&self, operation: &Operation<'s>, values: &Values<'s>) -> Result<Vec<Operand>, ParseError> {
        let mut operands = Vec::with_capacity(operation.operands.len());
        for &(name, offset) in &operation.operands {
            let (base, index) = match name.split_once('#') {
                Some((base, index)) => (base, index.parse::<usize>().ok()),
                None => (name, None),
            };
            let found = values.get(base).and_then(|all| match index {
                Some(index) => all.get(index).map(std::slice::from_ref),
                None => Some(all.as_slice()),
            });
            match found {
                Some(found) => operands.extend_from_slice(found),
                None => {
                    return Err(ParseError::at(
                        self.source,
                        offset,
                        format!("{name} is not defined before it is used"),
                    ));
                }
            }
        }
        Ok(operands)
    }

    /// The body of a function where it is called, in a scope of its name.
    fn call(
        &mut self,
        callee: &Function<'s>,
        operands: &[Operand],
        operation: &Operation<'s>,
        place: Place,
    ) -> Result<Vec<Operand>, ParseError> {
        let around = self.scope_of(operation, place);
        let scope = self.numbered(around, callee.name);
        let mut values = Values::new();
        for (argument, &operand) in callee.body.arguments.iter().zip(operands) {
            values.insert(argument.name, vec![operand]);
        }
        self.region(&callee.body, &mut values, Place { scope, calls: place.calls + 1, named: true })
    }

    /// A scope of a name that is not there yet: numbered from the second on.
    fn numbered(&mut self, parent: ScopeId, name: &str) -> ScopeId {
        let count = self.names.entry((parent, name.to_owned())).or_insert(0);
        *count += 1;
        let name = if *count == 1 { name.to_owned() } else { format!("{name} {count}") };
        self.builder.scope(self.module, parent, &name)
    }

    fn scope_of(&mut self, operation: &Operation<'s>, place: Place) -> ScopeId {
        let mut scope = place.scope;
        if let Some(location) = operation.location.filter(|_| place.named) {
            for name in self.locations.scopes(location) {
                scope = self.builder.scope(self.module, scope, name);
            }
        }
        scope
    }

    fn operation(
        &mut self,
        operation: &Operation<'s>,
        mut operands: Vec<Operand>,
        values: &mut Values<'s>,
        place: Place,
    ) -> Result<Vec<Operand>, ParseError> {
        let scope = self.scope_of(operation, place);
        let count: usize = operation.results.iter().map(|(_, count)| *count).sum();
        let count = count.min(operation.types.len().max(operation.results.len()).max(1) * 64);
        let types = result_types(operation, count);
        let small = operation.regions.iter().all(|region| region.operations.len() <= 3);
        // What a reduction does with two elements is a word, not a graph.
        let reduces = small && operation.op.ends_with("reduce");
        let mut attributes = operation.attributes.clone();
        for region in &operation.regions {
            if reduces {
                let does: Vec<&str> =
                    region.operations.iter().map(|inner| inner.op).filter(|op| !is_return(op)).collect();
                attributes.push(("applies", does.join(", ")));
                continue;
            }
            let word = operation.op.rsplit('.').next().unwrap_or(operation.op);
            let inner = self.numbered(scope, word);
            let mut seen = values.clone();
            self.bind_arguments(region, &operands, &mut seen, inner);
            let returned = self.region(region, &mut seen, Place { scope: inner, named: false, ..place })?;
            operands.extend(returned);
        }
        let operand_types: Vec<String> = operands.iter().map(|&operand| self.type_of(operand)).collect();
        let operand_types: Vec<&str> = operand_types.iter().map(String::as_str).collect();
        let flops = cost::flops(operation, &operand_types);
        let name = operation.results.first().map(|(name, _)| name.trim_start_matches('%'));
        // Numbers that the printer gave say nothing.
        let name = name.filter(|name| is_word(name, operation.op));
        let node = match (operation.op, operation.symbol) {
            ("util.global.load", Some(symbol)) => self.global(symbol, &types, scope),
            (op, _) => {
                let kind = if is_constant(op) { NodeKind::Constant } else { NodeKind::Operation };
                self.add(kind, op, name, &types, &operands, &attributes, scope, flops)
            }
        };
        Ok((0..count as u32).map(|result| Operand { node, result }).collect())
    }

    /// A parameter that is loaded.
    fn global(&mut self, symbol: &str, types: &[String], scope: ScopeId) -> NodeId {
        let ty = types.first().map_or_else(String::new, Clone::clone);
        let ty =
            if ty.is_empty() { self.text.globals.get(symbol).map_or(ty, |&ty| ty.to_owned()) } else { ty };
        let element = ty.rsplit('x').next().unwrap_or_default().to_owned();
        let parameter = self.module.add_parameter(Parameter {
            name: symbol.to_owned(),
            source: symbol.to_owned(),
            format: element,
            bytes: cost::bytes(&ty),
        });
        let spec = NodeSpec {
            kind: NodeKind::Parameter,
            op: "parameter",
            name: Some(symbol),
            types: &[ty],
            operands: &[],
            attributes: &[],
            scope,
            flops: 0,
            parameter: Some(parameter),
        };
        self.builder.add(self.module, &spec)
    }

    /// What a region's arguments stand for: nodes that read what the operation is given in their place.
    fn bind_arguments(
        &mut self,
        region: &Region<'s>,
        operands: &[Operand],
        values: &mut Values<'s>,
        scope: ScopeId,
    ) {
        for (index, argument) in region.arguments.iter().enumerate() {
            let first = argument
                .first
                .and_then(|name| values.get(name.split('#').next().unwrap_or(name))?.first().copied());
            let given = first.or_else(|| operands.get(index).copied());
            let ty = match given {
                Some(given) if argument.ty.is_empty() => self.type_of(given),
                _ => argument.ty.to_owned(),
            };
            let name = argument.name.trim_start_matches('%');
            let operands: Vec<Operand> = given.into_iter().collect();
            let node =
                self.add(NodeKind::Operation, "region_argument", Some(name), &[ty], &operands, &[], scope, 0);
            values.insert(argument.name, vec![Operand::first(node)]);
        }
    }
}

/// Binds the names of an operation's results.
fn bind<'s>(operation: &Operation<'s>, results: &[Operand], values: &mut Values<'s>) {
    let mut left = results;
    for &(name, count) in &operation.results {
        let (own, rest) = left.split_at(count.min(left.len()));
        values.insert(name, own.to_vec());
        left = rest;
    }
}

fn result_types(operation: &Operation<'_>, count: usize) -> Vec<String> {
    let types = &operation.types;
    if types.len() == count {
        return types.iter().map(|&ty| ty.to_owned()).collect();
    }
    // Where all have one type it is written once; where operands are listed the result's comes last.
    (0..count).filter_map(|_| types.last().map(|&ty| ty.to_owned())).collect()
}

fn is_constant(op: &str) -> bool {
    op.ends_with(".constant") || op == "constant"
}

/// Whether a name was given by a person: not a number, not `cst_3`, not the operation's own.
fn is_word(name: &str, op: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '.');
    let own = op.rsplit('.').next().unwrap_or(op);
    !stem.is_empty() && stem != "c" && stem != "cst" && stem != own
}
