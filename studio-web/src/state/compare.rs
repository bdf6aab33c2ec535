//! A second model beside the first: what is known of their differences, and the table's search and order.

use crate::messages::{ComparedModel, Problem, TensorOutcome};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;
use studio_core::compare::{Difference, PairKind, TensorPair};

/// The second model.
#[derive(Debug, Clone, Default)]
pub enum CompareState {
    /// None was chosen.
    #[default]
    None,
    /// Its header is being read.
    Reading {
        /// The question.
        compare_id: u64,
        /// The files' names.
        names: Vec<String>,
    },
    /// It can't be read.
    Failed(Problem),
    /// It is open in the worker.
    Open {
        /// The question that opened it.
        compare_id: u64,
        /// What its header says differently.
        model: Arc<ComparedModel>,
    },
}

impl CompareState {
    /// Takes the answer, unless another question was asked meanwhile.
    pub fn take(&mut self, of: u64, result: Result<Box<ComparedModel>, Problem>) {
        if matches!(self, CompareState::Reading { compare_id, .. } if *compare_id == of) {
            *self = match result {
                Ok(model) => CompareState::Open { compare_id: of, model: Arc::new(*model) },
                Err(problem) => CompareState::Failed(problem),
            };
        }
    }
}

/// How the comparison of numbers stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ValuesState {
    /// Nobody asked.
    #[default]
    Idle,
    /// The worker goes through them.
    Running {
        /// The question.
        run_id: u64,
        /// The share that is done, 0 to 1.
        share: f64,
    },
    /// Somebody stopped it; what was found until then is kept.
    Cancelled,
    /// All was gone through.
    Done,
    /// It can't go on.
    Failed(Problem),
}

/// By how much the numbers differ, as far as it is known.
#[derive(Debug, Clone, Default)]
pub struct Values {
    /// How it stands.
    pub state: ValuesState,
    /// By the tensor's name.
    pub found: HashMap<String, Result<Difference, String>>,
}

impl Values {
    /// The question that is under way.
    fn is_awaited(&self, of: u64) -> bool {
        matches!(self.state, ValuesState::Running { run_id, .. } if run_id == of)
    }

    /// Takes what was found.
    pub fn take(&mut self, of: u64, found: Vec<TensorOutcome>, done: f64) {
        if self.is_awaited(of) {
            self.found.extend(found.into_iter().map(|outcome| (outcome.name, outcome.result)));
            self.state = ValuesState::Running { run_id: of, share: done };
        }
    }

    /// Takes the end.
    pub fn end(&mut self, of: u64, result: Result<bool, Problem>) {
        if self.is_awaited(of) {
            self.state = match result {
                Ok(true) => ValuesState::Done,
                Ok(false) => ValuesState::Cancelled,
                Err(problem) => ValuesState::Failed(problem),
            };
        }
    }

    /// Tensors that were gone through, and of these those whose bytes are the same.
    pub fn counts(&self) -> (usize, usize) {
        let same = |found: &&Result<Difference, String>| matches!(found, Ok(found) if found.identical);
        (self.found.len(), self.found.values().filter(same).count())
    }

    /// A tensor's difference.
    pub fn of(&self, name: &str) -> Option<&Difference> {
        self.found.get(name)?.as_ref().ok()
    }
}

/// What the table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The order in the first file.
    File,
    /// The root mean square of the differences by that of the numbers.
    Relative,
    /// The greatest difference.
    Max,
    /// The mean difference.
    Mean,
    /// The cosine: the least like first.
    Cosine,
}

/// A column and a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The column.
    pub column: Column,
    /// The least different first.
    pub ascending: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { column: Column::File, ascending: false }
    }
}

impl Order {
    /// What a press on a column's head gives: the most different first, then the least, then the file's order.
    #[must_use]
    pub fn pressed(self, column: Column) -> Self {
        match (self.column == column, self.ascending) {
            (false, _) => Self { column, ascending: false },
            (true, false) => Self { column, ascending: true },
            (true, true) => Self::default(),
        }
    }
}

/// The indices of the pairs that hold every word of the query in name, types or dimensions, in order. With `differing`
/// only those that differ as far as it is known. Pairs whose difference isn't known come last.
pub fn select(
    pairs: &[TensorPair],
    values: &Values,
    query: &str,
    differing: bool,
    order: Order,
) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let chosen = |pair: &TensorPair| {
        let text = words_of(pair).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str())) && (!differing || differs(pair, values))
    };
    let mut indices: Vec<usize> = (0..pairs.len()).filter(|&index| chosen(&pairs[index])).collect();
    let figure = |index: usize| {
        let found = values.of(&pairs[index].name)?;
        match order.column {
            Column::File => None,
            Column::Relative => found.relative_rmse,
            Column::Max => found.max_abs,
            Column::Mean => found.mean_abs,
            Column::Cosine => found.cosine.map(|cosine| -cosine),
        }
    };
    indices.sort_by(|&a, &b| match (figure(a), figure(b)) {
        (Some(a), Some(b)) if order.ascending => a.total_cmp(&b),
        (Some(a), Some(b)) => b.total_cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    indices
}

/// Whether the two of a pair are known to differ.
fn differs(pair: &TensorPair, values: &Values) -> bool {
    pair.kind() != PairKind::Alike || values.of(&pair.name).is_some_and(|found| !found.identical)
}

/// What a pair can be found by.
fn words_of(pair: &TensorPair) -> String {
    let sides = [&pair.first, &pair.second].into_iter().flatten();
    let side = sides.map(|figures| {
        let dims = figures.dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        format!("{} {dims}", figures.format)
    });
    format!("{} {}", pair.name, side.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_core::compare::TensorFigures;

    fn pair(name: &str, first: Option<&str>, second: Option<&str>) -> TensorPair {
        let figures =
            |format: &str| TensorFigures { format: format.to_owned(), dims: vec![64, 32], bytes: 1 };
        TensorPair { name: name.to_owned(), first: first.map(figures), second: second.map(figures) }
    }

    fn found(name: &str, relative: f64) -> TensorOutcome {
        let difference = Difference {
            name: name.to_owned(),
            elements: 2048,
            identical: relative == 0.0,
            equal: 0,
            not_finite: 0,
            max_abs: Some(relative * 2.0),
            max_at: Some(0),
            mean_abs: Some(relative),
            rmse: Some(relative),
            relative_rmse: Some(relative),
            cosine: Some(1.0 - relative),
        };
        TensorOutcome { name: name.to_owned(), result: Ok(difference) }
    }

    fn pairs() -> Vec<TensorPair> {
        vec![
            pair("a", Some("Q4_1"), Some("Q8_0")),
            pair("b", Some("F32"), Some("F32")),
            pair("c", None, Some("F16")),
            pair("d", Some("Q4_1"), Some("Q6_K")),
        ]
    }

    fn values() -> Values {
        let state = ValuesState::Running { run_id: 7, share: 0.0 };
        let mut values = Values { state, ..Values::default() };
        values.take(7, vec![found("a", 0.1), found("b", 0.0), found("d", 0.3)], 0.9);
        values
    }

    fn names(query: &str, differing: bool, column: Column, ascending: bool) -> String {
        let pairs = pairs();
        let rows = select(&pairs, &values(), query, differing, Order { column, ascending });
        rows.into_iter().map(|index| pairs[index].name.clone()).collect()
    }

    #[test]
    fn the_most_different_come_first_and_what_is_not_known_last() {
        assert_eq!(names("", false, Column::Relative, false), "dabc");
        assert_eq!(names("", false, Column::Relative, true), "badc");
        assert_eq!(names("", false, Column::Cosine, false), "dabc");
        assert_eq!(names("", false, Column::File, false), "abcd");
    }

    #[test]
    fn both_types_are_searched_and_what_is_alike_can_be_left_out() {
        assert_eq!(names("q8_0", false, Column::File, false), "a");
        assert_eq!(names("64x32 q4_1", false, Column::File, false), "ad");
        assert_eq!(names("", true, Column::File, false), "acd");
    }

    #[test]
    fn what_an_earlier_question_found_changes_nothing() {
        let mut values = values();
        values.take(6, vec![found("c", 0.5)], 0.1);
        values.end(6, Ok(true));
        assert_eq!(values.counts(), (3, 1));
        assert_eq!(values.state, ValuesState::Running { run_id: 7, share: 0.9 });
        values.end(7, Ok(false));
        assert_eq!(values.state, ValuesState::Cancelled);
    }

    #[test]
    fn a_third_press_returns_to_the_files_order() {
        let once = Order::default().pressed(Column::Max);
        assert_eq!(once, Order { column: Column::Max, ascending: false });
        assert_eq!(once.pressed(Column::Max).pressed(Column::Max), Order::default());
    }
}
