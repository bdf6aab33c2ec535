//! A graph as text and as JSON.

use serde_json::{Value, json};
use studio_graph::{Analysis, Function, Item, Module, Node, NodeKind, ScopeId, bytes, count, path_of};

/// The scopes of a function as an indented list, equal ones once.
pub(super) fn text(module: &Module, function: &Function, analysis: &Analysis) -> String {
    let mut text = format!("{} {}\n", module.name, function.name());
    let mut outline = Outline { module, function, analysis, text: &mut text };
    outline.ends(NodeKind::Argument, "takes");
    outline.scope(ScopeId::ROOT, 1);
    outline.ends(NodeKind::Result, "gives");
    text
}

struct Outline<'a> {
    module: &'a Module,
    function: &'a Function,
    analysis: &'a Analysis,
    text: &'a mut String,
}

impl Outline<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.push_str(&format!("{line}\n"));
    }

    fn ends(&mut self, kind: NodeKind, word: &str) {
        for node in self.function.nodes().iter().filter(|node| node.kind == kind) {
            let name = node.name.map_or("", |name| self.module.text(name));
            let types: Vec<&str> = node.types.iter().map(|&ty| self.module.text(ty)).collect();
            self.line(format_args!("  {word} {name}: {}", types.join(", ")));
        }
    }

    fn scope(&mut self, scope: ScopeId, depth: usize) {
        for &child in self.analysis.tree.children(scope) {
            let times = match self.analysis.group_of(child) {
                Some((_, member)) if member > 0 => continue,
                Some((group, _)) => format!("  × {}", self.analysis.group(group).members.len()),
                None => String::new(),
            };
            let name = self.module.text(self.function.scopes()[child.index()].name);
            let sums = self.analysis.tree.sums(child);
            let mut facts = format!("{} ops", sums.operations);
            for (number, words) in [
                (sums.bytes, format!(", {}", bytes(sums.bytes))),
                (sums.flops, format!(", {} FLOPs", count(sums.flops))),
            ] {
                if number > 0 {
                    facts.push_str(&words);
                }
            }
            self.line(format_args!("{}{name}{times}  ({facts})", "  ".repeat(depth)));
            self.scope(child, depth + 1);
        }
    }
}

/// All functions with all nodes.
pub(super) fn json(module: &Module) -> Value {
    let parameters: Vec<Value> = module
        .parameters
        .iter()
        .map(|parameter| {
            json!({"name": parameter.name, "source": parameter.source, "format": parameter.format,
                   "bytes": parameter.bytes})
        })
        .collect();
    let functions: Vec<Value> =
        module.functions().iter().map(|function| function_json(module, function)).collect();
    json!({"name": module.name, "parameters": parameters, "functions": functions})
}

fn function_json(module: &Module, function: &Function) -> Value {
    let analysis = Analysis::new(module, function);
    let nodes: Vec<Value> = function
        .ids()
        .map(|(id, node)| {
            let mut document = node_json(module, node);
            document["path"] = path_of(module, function, &analysis, Item::Node(id)).into();
            document
        })
        .collect();
    let groups: Vec<Value> = analysis
        .groups
        .iter()
        .map(|group| {
            let paths =
                group.members.iter().map(|&scope| path_of(module, function, &analysis, Item::Scope(scope)));
            Value::from(paths.collect::<Vec<_>>())
        })
        .collect();
    json!({"name": function.name(), "nodes": nodes, "equal_scopes": groups})
}

fn node_json(module: &Module, node: &Node) -> Value {
    let types: Vec<&str> = node.types.iter().map(|&ty| module.text(ty)).collect();
    let attributes: serde_json::Map<String, Value> = node
        .attributes
        .iter()
        .map(|(name, value)| (module.text(*name).to_owned(), module.text(*value).into()))
        .collect();
    let operands: Vec<[u32; 2]> =
        node.operands.iter().map(|operand| [operand.node.0, operand.result]).collect();
    json!({
        "op": module.text(node.op), "name": node.name.map(|name| module.text(name)), "types": types,
        "operands": operands, "attributes": attributes, "flops": node.flops,
        "parameter": module.parameter_of(node).map(|parameter| &parameter.name),
    })
}
