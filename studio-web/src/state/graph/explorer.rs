//! An open graph: the function, what is open of it, what is chosen, and the drawing of that.

use super::camera::Camera;
use crate::state::profile::Profile;
use std::collections::HashSet;
use std::sync::Arc;
use studio_graph::{
    Analysis, Direction, Drawing, DrawnBox, Function, GroupId, Highlight, Item, Match, Measure, Module,
    NodeId, Overlay, Point, ScopeId, View, find, nearby, path_of, search,
};

/// The most that a search lists.
pub const MOST_MATCHES: usize = 60;

/// What was asked for by an arrow key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To what is read.
    Up,
    /// To what reads.
    Down,
    /// To the box on the left.
    Left,
    /// To the box on the right.
    Right,
}

/// An open graph.
#[derive(Debug)]
pub struct Explorer {
    module: Arc<Module>,
    function: usize,
    analysis: Analysis,
    /// What is open, by function.
    views: Vec<View>,
    drawing: Drawing,
    overlay: Option<Overlay>,
    measure: Option<Measure>,
    profile: Option<Profile>,
    /// Nanoseconds of one call of the function, by node.
    times: Option<Vec<u64>>,
    /// The node that is shown in the panel, or a scope.
    chosen: Option<Item>,
    highlight: Option<Highlight>,
    hops: usize,
    direction: Direction,
}

impl Explorer {
    /// Opens a module at its last function; `None` if there is no function.
    #[must_use]
    pub fn new(module: Arc<Module>) -> Option<Self> {
        let function = module.functions().len().checked_sub(1)?;
        let analysis = Analysis::new(&module, &module.functions()[function]);
        let views = vec![View::default(); module.functions().len()];
        let mut explorer = Self {
            module,
            function,
            analysis,
            views,
            drawing: Drawing::default(),
            overlay: None,
            measure: None,
            profile: None,
            times: None,
            chosen: None,
            highlight: None,
            hops: 0,
            direction: Direction::Both,
        };
        explorer.lay_out();
        Some(explorer)
    }

    /// The module.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The function that is shown.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.module.functions()[self.function]
    }

    /// Its place in the module.
    #[must_use]
    pub fn function_index(&self) -> usize {
        self.function
    }

    /// What is known of the function.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// What is open of it.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.views[self.function]
    }

    /// The drawing.
    #[must_use]
    pub fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// The numbers that boxes are coloured by.
    #[must_use]
    pub fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_ref()
    }

    /// What stands out.
    #[must_use]
    pub fn highlight(&self) -> Option<&Highlight> {
        self.highlight.as_ref()
    }

    /// What is shown in the panel: a node, which may stand on another's box, or a scope.
    #[must_use]
    pub fn chosen(&self) -> Option<Item> {
        self.chosen
    }

    /// The box of what is chosen.
    #[must_use]
    pub fn chosen_box(&self) -> Option<&DrawnBox> {
        self.drawing.of(self.box_item(self.chosen?)?)
    }

    /// The item of the box that something is drawn as or within.
    #[must_use]
    pub fn box_item(&self, item: Item) -> Option<Item> {
        if self.drawing.of(item).is_some() {
            return Some(item);
        }
        let node = match item {
            Item::Node(node) => node,
            Item::Scope(scope) => *self.analysis.tree.all(scope).first()?,
            Item::Group(group) => *self.analysis.group(group).nodes.first()?.first()?,
        };
        let path = self.drawing.around(self.function(), &self.analysis, self.view(), node);
        // A member of a group is drawn as the group.
        if let Item::Scope(scope) = item
            && let Some((group, _)) = self.analysis.group_of(scope)
            && path.contains(&Item::Group(group))
        {
            return Some(Item::Group(group));
        }
        path.last().copied()
    }

    fn lay_out(&mut self) {
        let (module, function) = (self.module.clone(), self.function);
        let function = &module.functions()[function];
        self.drawing = Drawing::new(&module, function, &self.analysis, self.view());
        self.color();
        self.light();
    }

    fn color(&mut self) {
        let (function, analysis, view) = (self.function(), &self.analysis, self.view());
        self.overlay = match self.measure {
            None => None,
            Some(Measure::Bytes) => {
                Some(Overlay::bytes(&self.module, function, analysis, view, &self.drawing))
            }
            Some(Measure::Flops) => Some(Overlay::flops(function, analysis, view, &self.drawing)),
            Some(Measure::Time) => {
                let times = self.times.clone();
                let overlay =
                    |times| Overlay::new(Measure::Time, function, analysis, view, &self.drawing, times);
                times.map(overlay)
            }
        };
    }

    /// Lights up what is near the chosen box.
    fn light(&mut self) {
        self.highlight = self.chosen.map(|chosen| {
            let from = self.nodes_of(chosen);
            let hops = self.hops.max(1);
            let near = nearby(self.function(), &self.analysis, &from, self.direction, hops);
            let items: HashSet<Item> =
                near.iter().filter_map(|&node| self.box_item(Item::Node(node))).collect();
            Highlight { items, values: near.into_iter().collect(), dims: self.hops > 0 }
        });
    }

    /// Shows another function.
    pub fn set_function(&mut self, index: usize) {
        if index == self.function || index >= self.module.functions().len() {
            return;
        }
        self.function = index;
        let module = self.module.clone();
        self.analysis = Analysis::new(&module, self.function());
        self.chosen = None;
        self.time();
        self.lay_out();
    }

    /// Colours boxes by a number, or by none.
    pub fn set_measure(&mut self, measure: Option<Measure>) {
        self.measure = measure;
        self.color();
    }

    /// What is known of the time that it takes.
    pub fn set_profile(&mut self, profile: Option<Profile>) {
        self.profile = profile;
        self.time();
        self.color();
    }

    fn time(&mut self) {
        let profile = self.profile.as_ref();
        self.times = profile.and_then(|profile| profile.of_nodes(&self.module, self.function()));
    }

    /// Nanoseconds that something takes in one call; `None` where nobody measured the function.
    #[must_use]
    pub fn time_of(&self, item: Item) -> Option<u64> {
        let times = self.times.as_ref()?;
        Some(self.nodes_of(item).iter().filter_map(|node| times.get(node.index())).sum())
    }

    /// How far from the chosen box things stand out: not at all at 0.
    pub fn set_reach(&mut self, hops: usize, direction: Direction) {
        (self.hops, self.direction) = (hops, direction);
        self.light();
    }

    /// Opens or closes a box; the camera moves so that the box stays where it was.
    pub fn toggle(&mut self, item: Item, camera: Camera) -> Camera {
        self.change(item, camera, |view, _, _| view.toggle(item))
    }

    /// Lets another member of a group stand for all.
    pub fn show_member(&mut self, group: GroupId, member: usize, camera: Camera) -> Camera {
        self.change(Item::Group(group), camera, |view, _, _| view.show_member(group, member))
    }

    /// Shows all members of a group, or one for all.
    pub fn set_unfolded(&mut self, group: GroupId, unfolded: bool, camera: Camera) -> Camera {
        if self.chosen == Some(Item::Group(group)) && unfolded {
            self.chosen = self.analysis.group(group).members.first().map(|&scope| Item::Scope(scope));
        }
        let item = Item::Group(group);
        self.change(item, camera, |view, _, _| view.set_unfolded(group, unfolded))
    }

    /// Opens everything, or closes it.
    pub fn open_all(&mut self, open: bool) {
        let module = self.module.clone();
        let function = &module.functions()[self.function];
        match open {
            true => self.views[self.function].open_all(&self.analysis, function),
            false => self.views[self.function].close_all(),
        }
        self.lay_out();
    }

    fn change(
        &mut self,
        item: Item,
        camera: Camera,
        change: impl FnOnce(&mut View, &Analysis, &Function),
    ) -> Camera {
        let corner = |explorer: &Self| {
            let drawn = explorer.drawing.of(explorer.box_item(item)?)?;
            Some(Point::new(drawn.rect.center().x, drawn.rect.y))
        };
        let before = corner(self);
        let module = self.module.clone();
        change(&mut self.views[self.function], &self.analysis, &module.functions()[self.function]);
        self.lay_out();
        match (before, corner(self)) {
            (Some(before), Some(after)) => {
                let by = Point::new((before.x - after.x) * camera.scale, (before.y - after.y) * camera.scale);
                camera.moved(by)
            }
            _ => camera,
        }
    }

    /// Chooses something that is in sight, or nothing.
    pub fn choose(&mut self, item: Option<Item>) {
        self.chosen = item;
        self.light();
    }

    /// Opens what something lies in and chooses it.
    pub fn reveal(&mut self, item: Item) {
        let module = self.module.clone();
        let function = &module.functions()[self.function];
        let view = &mut self.views[self.function];
        match item {
            Item::Node(node) => view.reveal(&self.analysis, function, node),
            Item::Scope(scope) => match self.analysis.group_of(scope) {
                // A member of a folded group is shown by being the one that stands for all.
                Some(_) => view.reveal_whole(&self.analysis, scope),
                None => {
                    if let Some(parent) = self.analysis.tree.parent(scope) {
                        view.reveal_whole(&self.analysis, parent);
                    }
                }
            },
            Item::Group(_) => {}
        }
        self.chosen = Some(item);
        self.lay_out();
    }

    /// What an address leads to: shows the function, opens the place and chooses it. Whether there is such a place.
    pub fn follow(&mut self, function: &str, path: &str) -> bool {
        let Some((index, _)) = self.module.function(function) else { return false };
        self.set_function(index);
        if path.is_empty() {
            return true;
        }
        let found = find(&self.module, self.function(), &self.analysis, path);
        if let Some(item) = found {
            self.reveal(item);
        }
        found.is_some()
    }

    /// The address of what is chosen.
    #[must_use]
    pub fn address(&self) -> String {
        let path = |item| match item {
            Item::Group(group) => {
                let member = self.view().member(group);
                let scope = self.analysis.group(group).members.get(member).copied();
                scope.map(|scope| self.path(Item::Scope(scope))).unwrap_or_default()
            }
            item => self.path(item),
        };
        super::link::hash(self.function().name(), &self.chosen.map(path).unwrap_or_default())
    }

    /// The path of an item.
    #[must_use]
    pub fn path(&self, item: Item) -> String {
        path_of(&self.module, self.function(), &self.analysis, item)
    }

    /// What holds every word of a query, and how much that is.
    #[must_use]
    pub fn search(&self, query: &str) -> (Vec<Match>, usize) {
        search(&self.module, self.function(), &self.analysis, query, MOST_MATCHES)
    }

    /// The nodes that an item stands for.
    fn nodes_of(&self, item: Item) -> Vec<NodeId> {
        match item {
            Item::Node(node) => vec![node],
            Item::Scope(scope) => self.analysis.tree.all(scope),
            Item::Group(group) => self.analysis.group(group).nodes.concat(),
        }
    }

    /// The box that an arrow key leads to.
    #[must_use]
    pub fn step(&self, step: Step) -> Option<Item> {
        let Some(chosen) = self.chosen.and_then(|item| self.box_item(item)) else {
            return self.drawing.boxes.first().map(|drawn| drawn.item);
        };
        let here = self.drawing.of(chosen)?;
        match step {
            Step::Up | Step::Down => self.along(chosen, step),
            Step::Left | Step::Right => {
                let middle = here.rect.center();
                let beside = self.drawing.boxes.iter().filter(|other| {
                    let center = other.rect.center();
                    let side = if step == Step::Left { center.x < middle.x } else { center.x > middle.x };
                    let level = other.rect.y < here.rect.bottom() && here.rect.y < other.rect.bottom();
                    other.parent == here.parent && other.item != chosen && side && level
                });
                let nearest = beside.min_by(|a, b| {
                    let far = |drawn: &DrawnBox| (drawn.rect.center().x - middle.x).abs();
                    far(a).total_cmp(&far(b))
                });
                nearest.map(|drawn| drawn.item)
            }
        }
    }

    /// The nearest box that reads from this one, or that this one reads from. Into an open container leads down.
    fn along(&self, chosen: Item, step: Step) -> Option<Item> {
        let here = self.drawing.of(chosen)?;
        if here.look.is_open() && step == Step::Down {
            let index = self.drawing.index_of(chosen);
            let inside = self.drawing.boxes.iter().filter(|drawn| drawn.parent == index);
            return inside.min_by(|a, b| a.rect.y.total_cmp(&b.rect.y)).map(|drawn| drawn.item);
        }
        let mut items: HashSet<Item> = HashSet::new();
        for node in self.nodes_of(chosen) {
            // Weights on the box belong to it.
            let own = std::iter::once(node).chain(self.inline_operands(node));
            for node in own {
                let near: Vec<NodeId> = match step {
                    Step::Down => self.analysis.users(node).to_vec(),
                    _ => self.function().node(node).operands.iter().map(|operand| operand.node).collect(),
                };
                items.extend(near.into_iter().filter_map(|node| self.box_item(Item::Node(node))));
            }
        }
        items.remove(&chosen);
        let far = |drawn: &DrawnBox| {
            let (a, b) = (drawn.rect.center(), here.rect.center());
            (a.x - b.x).abs() + (a.y - b.y).abs()
        };
        let boxes = items.into_iter().filter_map(|item| self.drawing.of(item));
        let nearest = boxes.min_by(|a, b| far(a).total_cmp(&far(b)).then(a.item.cmp(&b.item)));
        nearest.map(|drawn| drawn.item)
    }

    fn inline_operands(&self, node: NodeId) -> Vec<NodeId> {
        let operands = &self.function().node(node).operands;
        operands
            .iter()
            .map(|operand| operand.node)
            .filter(|&operand| self.analysis.is_inline(operand))
            .collect()
    }

    /// What an item lies in, as it is drawn; `None` at the top.
    #[must_use]
    pub fn parent(&self, item: Item) -> Option<Item> {
        let drawn = self.drawing.of(self.box_item(item)?)?;
        self.drawing.boxes.get(drawn.parent?).map(|drawn| drawn.item)
    }

    /// The scope that an item's box stands for, to say where one is.
    #[must_use]
    pub fn scope_of(&self, item: Item) -> ScopeId {
        match item {
            Item::Node(node) => self.function().node(node).scope,
            Item::Scope(scope) => scope,
            Item::Group(group) => {
                let members = &self.analysis.group(group).members;
                members[self.view().member(group).min(members.len() - 1)]
            }
        }
    }
}
