//! From tokens to operations.

use super::ParseError;
use super::ast::{Function, Operation, Region, Text};
use super::attributes;
use super::lexer::{Kind, Lexer, Token};

/// Regions in regions, at most.
const MAX_DEPTH: usize = 64;
/// Tokens of one operation, its regions aside, at most.
const MAX_TOKENS: usize = 1 << 20;

type Result<T> = std::result::Result<T, ParseError>;

/// A token of an operation, with how many brackets it stands in.
pub(super) type Placed = (Token, usize);

pub(super) fn parse(source: &str) -> Result<Text<'_>> {
    let mut parser = Parser::new(source)?;
    let mut text = Text::default();
    parser.top(&mut text, 0)?;
    if parser.token.kind != Kind::End {
        return Err(parser.error("this closes nothing"));
    }
    if text.functions.is_empty() {
        return Err(parser.error("there is no function with a body in this text"));
    }
    Ok(text)
}

struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    token: Token,
    next: Token,
}

/// The head of an operation: everything but its regions.
struct Head<'s> {
    tokens: Vec<Placed>,
    regions: Vec<Region<'s>>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Result<Self> {
        let mut lexer = Lexer::new(source);
        let (token, next) = (lexer.next()?, lexer.next()?);
        Ok(Self { source, lexer, token, next })
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError::at(self.source, self.token.start, message)
    }

    fn advance(&mut self) -> Result<Token> {
        let token = self.token;
        self.token = self.next;
        self.next = self.lexer.next()?;
        Ok(token)
    }

    fn text(&self, token: Token) -> &'s str {
        token.text(self.source)
    }

    fn expect(&mut self, sign: u8, what: &str) -> Result<()> {
        if !self.token.is(sign) {
            let found = self.found();
            return Err(self.error(format!("{what} is missing before {found}")));
        }
        self.advance()?;
        Ok(())
    }

    fn found(&self) -> String {
        match self.token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text(self.token).chars().take(40).collect::<String>()),
        }
    }

    /// What stands in a module.
    fn top(&mut self, text: &mut Text<'s>, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.error("modules are nested too deep"));
        }
        while self.token.kind != Kind::End && !self.token.is(b'}') {
            let word = self.text(self.token);
            match word.trim_matches('"') {
                "module" | "builtin.module" if self.token.kind == Kind::Word => self.module(text, depth)?,
                "builtin.module" => {
                    // `"builtin.module"() <{…}> ({ … }) : () -> ()`
                    self.advance()?;
                    self.skip_to_region()?;
                    self.advance()?;
                    self.top(text, depth + 1)?;
                    self.expect(b'}', "the end of the module")?;
                    self.rest()?;
                }
                "func.func" | "util.func" if self.token.kind == Kind::Word => self.function(text)?,
                _ => {
                    let operation = self.statement(depth)?;
                    self.keep(text, operation);
                }
            }
        }
        Ok(())
    }

    fn module(&mut self, text: &mut Text<'s>, depth: usize) -> Result<()> {
        self.advance()?;
        if self.token.kind == Kind::Symbol {
            let name = self.advance()?;
            text.name = symbol(self.text(name));
        }
        self.skip_to_region()?;
        self.expect(b'{', "the module's `{`")?;
        self.top(text, depth + 1)?;
        self.expect(b'}', "the end of the module")?;
        self.rest()
    }

    /// Goes on to the `{` that opens a region.
    fn skip_to_region(&mut self) -> Result<()> {
        let mut depth = 0_usize;
        loop {
            if self.token.kind == Kind::End {
                return Err(self.error("a region is missing before the end of the text"));
            }
            if self.token.is(b'{') && self.opens_region() {
                return Ok(());
            }
            match self.token.kind {
                Kind::Sign(b'{' | b'(' | b'[' | b'<') => depth += 1,
                Kind::Sign(b'}' | b')' | b']' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance()?;
        }
    }

    /// Whether the `{` at hand opens a region rather than a list of attributes.
    fn opens_region(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let Ok(second) = ahead.next() else { return true };
        let word = self.text(self.next);
        match self.next.kind {
            Kind::Value | Kind::Block | Kind::Hash => true,
            Kind::Sign(b'}') => false,
            Kind::Text => second.is(b'('),
            Kind::Word if word == "return" || word.ends_with(".return") => true,
            Kind::Word => !(second.is(b'=') || second.is(b',') || second.is(b'}')),
            _ => false,
        }
    }

    /// What stands behind a region on its line.
    fn rest(&mut self) -> Result<()> {
        let mut depth = 0_usize;
        while self.token.kind != Kind::End && !self.token.first && !(depth == 0 && self.token.is(b'}')) {
            match self.token.kind {
                Kind::Sign(b'{') => depth += 1,
                Kind::Sign(b'}') => depth -= 1,
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }

    fn function(&mut self, text: &mut Text<'s>) -> Result<()> {
        let start = self.token;
        self.advance()?;
        let mut private = false;
        while self.token.kind == Kind::Word {
            private |= self.text(self.token) == "private";
            self.advance()?;
        }
        if self.token.kind != Kind::Symbol {
            let found = self.found();
            return Err(self.error(format!("the function's name is missing before {found}")));
        }
        let name = self.advance()?;
        let name = symbol(self.text(name));
        let head = self.head(start, 0, true)?;
        let arguments = attributes::arguments(self.source, &head.tokens);
        if let Some(mut body) = head.regions.into_iter().next() {
            body.arguments.splice(0..0, arguments);
            text.functions.push(Function { name, private, body });
        }
        Ok(())
    }

    /// Keeps what is needed of an operation that stands in a module.
    fn keep(&self, text: &mut Text<'s>, operation: Operation<'s>) {
        match operation.op {
            "func.func" | "util.func" => {
                let Some(at) = operation.attributes.iter().position(|(name, _)| *name == "sym_name") else {
                    return;
                };
                let private = operation
                    .attributes
                    .iter()
                    .any(|(name, value)| *name == "sym_visibility" && value.contains("private"));
                // The attribute's text was made anew: its name is found in the source again.
                let wanted = operation.attributes[at].1.trim_matches('"').to_owned();
                let span = &self.source[operation.offset..];
                let Some(found) = span.find(&format!("\"{wanted}\"")) else { return };
                let name = &span[found + 1..found + 1 + wanted.len()];
                if let Some(body) =
                    operation.regions.into_iter().next().filter(|body| !body.operations.is_empty())
                {
                    text.functions.push(Function { name, private, body });
                }
            }
            "util.global" => {
                if let (Some(symbol), Some(ty)) = (operation.symbol, operation.types.last()) {
                    text.globals.insert(symbol, ty);
                }
            }
            _ => {}
        }
    }

    /// The operations up to the `}` that closes a region, which is left.
    fn region(&mut self, depth: usize) -> Result<Region<'s>> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("regions are nested deeper than {MAX_DEPTH}")));
        }
        let mut region = Region::default();
        while !self.token.is(b'}') {
            match self.token.kind {
                Kind::End => return Err(self.error("a `}` is missing before the end of the text")),
                Kind::Block => {
                    let label = self.block_label()?;
                    region.arguments.extend(attributes::arguments(self.source, &label));
                }
                _ => {
                    let operation = self.statement(depth)?;
                    region.operations.push(operation);
                }
            }
        }
        Ok(region)
    }

    /// `^bb0(%a: i32):`
    fn block_label(&mut self) -> Result<Vec<Placed>> {
        self.advance()?;
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        while !(depth == 0 && self.token.is(b':')) {
            if self.token.kind == Kind::End || tokens.len() > MAX_TOKENS {
                return Err(self.error("the `:` of a block is missing"));
            }
            if matches!(self.token.kind, Kind::Sign(b')' | b'>' | b']' | b'}')) {
                depth = depth.saturating_sub(1);
            }
            tokens.push((self.token, depth));
            if matches!(self.token.kind, Kind::Sign(b'(' | b'<' | b'[' | b'{')) {
                depth += 1;
            }
            self.advance()?;
        }
        self.advance()?;
        Ok(tokens)
    }

    fn statement(&mut self, depth: usize) -> Result<Operation<'s>> {
        let start = self.token;
        let mut results = Vec::new();
        while self.token.kind == Kind::Value {
            let name = self.advance()?;
            let mut count = 1;
            if self.token.is(b':') {
                self.advance()?;
                count = self.text(self.token).parse().unwrap_or(1);
                self.advance()?;
            }
            results.push((self.text(name), count));
            if self.token.is(b',') {
                self.advance()?;
            } else {
                self.expect(b'=', "`=`")?;
                break;
            }
        }
        // An alias: `#loc1 = …`, `!type = …`.
        if self.token.kind == Kind::Hash
            || (self.token.kind == Kind::Word && self.text(self.token).starts_with('!'))
        {
            self.advance()?;
        } else if !matches!(self.token.kind, Kind::Word | Kind::Text) {
            let found = self.found();
            return Err(self.error(format!("an operation is missing before {found}")));
        } else {
            let op = self.text(self.token).trim_matches('"');
            self.advance()?;
            let head = self.head(start, depth, false)?;
            return Ok(attributes::operation(
                self.source,
                start.start,
                results,
                op,
                &head.tokens,
                head.regions,
            ));
        }
        let head = self.head(start, depth, false)?;
        Ok(attributes::operation(self.source, start.start, results, "", &head.tokens, head.regions))
    }

    /// The tokens of an operation up to its end, its regions apart.
    fn head(&mut self, start: Token, depth: usize, function: bool) -> Result<Head<'s>> {
        let mut head = Head { tokens: Vec::new(), regions: Vec::new() };
        let mut open: Vec<u8> = Vec::new();
        loop {
            if self.token.kind == Kind::End && open.is_empty() {
                return Ok(head);
            }
            if self.token.kind == Kind::End {
                return Err(ParseError::at(
                    self.source,
                    start.start,
                    "a bracket of this operation is never closed",
                ));
            }
            if open.is_empty() && self.ends_operation(&head) {
                return Ok(head);
            }
            if head.tokens.len() > MAX_TOKENS || open.len() > 1024 {
                return Err(ParseError::at(self.source, start.start, "this operation is too long"));
            }
            if self.token.is(b'{')
                && (self.opens_region() || (function && open.is_empty() && self.next.first))
            {
                self.advance()?;
                let region = self.region(depth + 1)?;
                self.expect(b'}', "the end of the region")?;
                head.regions.push(region);
                continue;
            }
            match self.token.kind {
                Kind::Sign(sign @ (b'(' | b'[' | b'{' | b'<')) => {
                    head.tokens.push((self.token, open.len()));
                    open.push(sign);
                }
                Kind::Sign(sign @ (b')' | b']' | b'}' | b'>')) => {
                    let opener = match sign {
                        b')' => b'(',
                        b']' => b'[',
                        b'}' => b'{',
                        _ => b'<',
                    };
                    if open.pop() != Some(opener) {
                        return Err(self.error(format!("this `{}` closes nothing", char::from(sign))));
                    }
                    head.tokens.push((self.token, open.len()));
                }
                _ => head.tokens.push((self.token, open.len())),
            }
            self.advance()?;
        }
    }

    /// Whether the token at hand is no more part of an operation.
    fn ends_operation(&self, head: &Head<'s>) -> bool {
        if self.token.is(b'}') {
            return true;
        }
        if !self.token.first || (head.tokens.is_empty() && head.regions.is_empty()) {
            return false;
        }
        let word = self.text(self.token);
        match self.token.kind {
            Kind::Value => self.next.is(b'=') || self.next.is(b',') || self.next.is(b':'),
            Kind::Text => self.next.is(b'('),
            Kind::Block | Kind::Hash => true,
            Kind::Word => {
                word.contains('.') || word.starts_with('!') || matches!(word, "return" | "call" | "module")
            }
            _ => false,
        }
    }
}

/// A symbol's name, without its sign and quotes.
pub(super) fn symbol(text: &str) -> &str {
    text.trim_start_matches('@').trim_matches('"')
}
