//! What the tokens of one operation say: operands, attributes, types, location.

use super::ast::{Argument, Operation, Region};
use super::lexer::{Kind, Token};
use super::parser::{Placed, symbol};

/// The longest value of an attribute that is kept, in characters.
const MAX_VALUE: usize = 200;

/// Words that may follow an operation's types.
const AFTER_TYPES: [&str; 6] = ["loc", "cond", "do", "reducer", "attributes", "else"];

/// What `(%a: type loc(…) {…}, …)` names: in a function's head, a block's label, an operation with regions.
pub(super) fn arguments<'s>(source: &'s str, tokens: &[Placed]) -> Vec<Argument<'s>> {
    let mut arguments = Vec::new();
    for (at, &(token, depth)) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|&(token, _)| token);
        if token.kind != Kind::Value || depth == 0 {
            continue;
        }
        let name = token.text(source);
        if next.is_some_and(|next| next.is(b':')) {
            let ends = |&&(token, inner): &&Placed| {
                inner < depth
                    || (inner == depth && (token.is(b',') || token.is(b'{') || token.text(source) == "loc"))
            };
            let from = tokens.get(at + 2).map_or(token.end, |&(token, _)| token.start);
            let end = tokens[at + 2..].iter().find(ends);
            let to = end.map_or(source.len(), |&(token, _)| token.start);
            let ty = source.get(from..to).unwrap_or_default().trim();
            let rest = tokens[at + 2..]
                .iter()
                .take_while(|&&(token, inner)| inner > depth || (inner == depth && !token.is(b',')));
            let mut rest = rest.enumerate();
            let location = rest.find(|(_, (token, inner))| *inner == depth && token.text(source) == "loc");
            let location = location.and_then(|(place, _)| inside(source, tokens, at + 3 + place));
            arguments.push(Argument { name, ty: inner_type(ty), location, first: None });
        } else if next.is_some_and(|next| next.is(b'=')) {
            let first = tokens.get(at + 2).filter(|(token, _)| token.kind == Kind::Value);
            arguments.push(Argument {
                name,
                ty: "",
                location: None,
                first: first.map(|&(token, _)| token.text(source)),
            });
        }
    }
    arguments
}

/// What stands in the brackets that open at a place.
fn inside<'s>(source: &'s str, tokens: &[Placed], at: usize) -> Option<&'s str> {
    let &(open, depth) = tokens.get(at)?;
    if !matches!(open.kind, Kind::Sign(b'(' | b'{' | b'[' | b'<')) {
        return None;
    }
    let (close, _) = tokens[at + 1..].iter().find(|&&(_, inner)| inner == depth)?;
    source.get(open.end..close.start)
}

/// `tensor<4x8xf32>` as `4x8xf32`, other types as they are.
pub(super) fn inner_type(ty: &str) -> &str {
    let ty = ty.trim();
    let inner = ty.strip_prefix("tensor<").and_then(|rest| rest.strip_suffix('>'));
    match inner {
        // An encoding behind the element type is of no interest.
        Some(inner) => inner.split_once(", ").map_or(inner, |(inner, _)| inner),
        None => ty,
    }
}

pub(super) fn operation<'s>(
    source: &'s str,
    offset: usize,
    results: Vec<(&'s str, usize)>,
    op: &'s str,
    tokens: &[Placed],
    mut regions: Vec<Region<'s>>,
) -> Operation<'s> {
    let location_at = tokens.iter().rposition(|(token, depth)| *depth == 0 && token.text(source) == "loc");
    let location = location_at.and_then(|at| inside(source, tokens, at + 1));
    let end = location_at.unwrap_or(tokens.len());
    let colon = tokens[..end].iter().position(|(token, depth)| *depth == 0 && token.is(b':'));
    let types = colon.map(|colon| types(source, &tokens[colon + 1..end])).unwrap_or_default();
    let said = &tokens[..colon.unwrap_or(end)];
    let named = arguments(source, tokens);
    let operands = operands(source, &tokens[..end], &named);
    let symbol = said.iter().find(|(token, _)| token.kind == Kind::Symbol);
    let symbol = symbol.map(|(token, _)| symbol_name(source, token));
    // Arguments that are named before the regions belong to each of them.
    if !named.is_empty() {
        for region in &mut regions {
            region.arguments.splice(0..0, arguments(source, tokens));
        }
    }
    Operation {
        offset,
        results,
        op,
        operands,
        attributes: attributes(source, op, said),
        symbol,
        types,
        regions,
        location,
    }
}

fn symbol_name<'s>(source: &'s str, token: &Token) -> &'s str {
    symbol(token.text(source))
}

/// The values that are read: all that are named and not defined.
fn operands<'s>(source: &'s str, tokens: &[Placed], named: &[Argument<'s>]) -> Vec<(&'s str, usize)> {
    let mut operands = Vec::new();
    for (at, &(token, depth)) in tokens.iter().enumerate() {
        if token.kind != Kind::Value {
            continue;
        }
        let next = tokens.get(at + 1).map(|&(token, _)| token);
        let defines = depth > 0 && next.is_some_and(|next| next.is(b':') || next.is(b'='));
        let name = token.text(source);
        let named = next.is_some_and(|next| next.is(b'=')) && named.iter().any(|own| own.name == name);
        if !defines && !named {
            operands.push((name, token.start));
        }
    }
    operands
}

/// The types of what is given: behind the arrow, or all.
fn types<'s>(source: &'s str, tokens: &[Placed]) -> Vec<&'s str> {
    let end = tokens.iter().position(|(token, depth)| {
        *depth == 0 && token.kind == Kind::Word && AFTER_TYPES.contains(&token.text(source))
    });
    let tokens = &tokens[..end.unwrap_or(tokens.len())];
    let arrow = tokens.iter().position(|(token, depth)| *depth == 0 && token.kind == Kind::Arrow);
    let tokens = &tokens[arrow.map_or(0, |arrow| arrow + 1)..];
    // A list in parentheses is a list all the same.
    let (tokens, level) = match tokens {
        [(open, _), inner @ .., (close, 0)] if open.is(b'(') && close.is(b')') => (inner, 1),
        tokens => (tokens, 0),
    };
    let mut types = Vec::new();
    for part in tokens.split(|(token, depth)| *depth == level && token.is(b',')) {
        if let (Some((first, _)), Some((last, _))) = (part.first(), part.last()) {
            types.push(inner_type(source.get(first.start..last.end).unwrap_or_default()));
        }
    }
    types
}

/// Named values, in lists or by themselves; what stands alone by what it is.
fn attributes<'s>(source: &'s str, op: &str, tokens: &[Placed]) -> Vec<(&'s str, String)> {
    let mut attributes: Vec<(&'s str, String)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (token, depth) = tokens[at];
        let word = token.text(source);
        let next = tokens.get(at + 1).map(|&(token, _)| token);
        // In parentheses stand operands. `{…}` and `<{…}>` are lists of attributes.
        let in_list = depth > 0 && list_depth(tokens, at) == Some(depth);
        if token.kind == Kind::Word && next.is_some_and(|next| next.is(b'=')) && (depth == 0 || in_list) {
            let rest = &tokens[at + 2..];
            let end = rest
                .iter()
                .enumerate()
                .position(|(place, &(other, inner))| {
                    inner < depth || (inner == depth && other.is(b',') && names_follow(rest, place, in_list))
                })
                .unwrap_or(rest.len());
            if let (Some((first, _)), Some((last, _))) = (rest.first(), rest[..end].last()) {
                attributes.push((word, value(source.get(first.start..last.end).unwrap_or_default())));
            }
            at += 2 + end;
            continue;
        }
        if token.kind == Kind::Word && depth == 0 {
            if word == "dense" {
                let inner = inside(source, tokens, at + 1).unwrap_or_default();
                attributes.push(("value", value(inner)));
            } else if word == "applies" {
                if let Some(next) = next {
                    attributes.push(("applies", next.text(source).to_owned()));
                    at += 1;
                }
            } else if at == 0 && op.ends_with("compare") {
                attributes.push(("direction", word.to_owned()));
            } else if at == 0 && op.ends_with("constant") {
                attributes.push(("value", word.to_owned()));
            }
        }
        if token.kind == Kind::Symbol && depth == 0 {
            attributes.push(("symbol", symbol(word).to_owned()));
        }
        at += 1;
    }
    attributes
}

/// The depth of the innermost `{` that a token stands in directly.
fn list_depth(tokens: &[Placed], at: usize) -> Option<usize> {
    let depth = tokens[at].1;
    let (open, _) = tokens[..at].iter().rev().find(|(_, inner)| *inner < depth)?;
    open.is(b'{').then_some(depth)
}

/// Whether a comma parts two attributes rather than two values.
fn names_follow(tokens: &[Placed], comma: usize, in_list: bool) -> bool {
    in_list
        || matches!(
            (tokens.get(comma + 1), tokens.get(comma + 2)),
            (Some((name, _)), Some((equals, _))) if name.kind == Kind::Word && equals.is(b'=')
        )
        || matches!(tokens.get(comma + 1), Some((name, _)) if matches!(name.kind, Kind::Value | Kind::Word))
}

/// A value on one line, shortened. What StableHLO's dialect wraps around a value says nothing.
fn value(text: &str) -> String {
    let text = text.trim();
    let text =
        text.strip_prefix("dense<").and_then(|rest| rest.split_once('>')).map_or(text, |(inner, _)| inner);
    let mut value = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == MAX_VALUE {
            value.push('…');
            break;
        }
        let blank = c.is_whitespace();
        if !(blank && value.ends_with(' ')) {
            value.push(if blank { ' ' } else { c });
        }
    }
    value
}
