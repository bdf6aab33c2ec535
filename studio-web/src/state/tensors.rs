//! The tensor table: what is searched for, how it is sorted, which rows are in sight.

use crate::messages::TensorRow;
use std::cmp::Ordering;

/// What the table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The order in the file.
    File,
    /// Names, with numbers in them counted: `blk.2` before `blk.10`.
    Name,
    /// The number of values.
    Dims,
    /// The block format's name.
    Format,
    /// The length.
    Bytes,
}

/// A column and a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting {
    /// The column.
    pub column: Column,
    /// Largest first.
    pub descending: bool,
}

impl Default for Sorting {
    fn default() -> Self {
        Self { column: Column::File, descending: false }
    }
}

impl Sorting {
    /// What a press on a column's head gives: sizes start with the largest, a second press turns the order,
    /// a third returns to the file's order.
    #[must_use]
    pub fn pressed(self, column: Column) -> Self {
        let first = matches!(column, Column::Dims | Column::Bytes);
        if self.column != column {
            Self { column, descending: first }
        } else if self.descending == first {
            Self { column, descending: !first }
        } else {
            Self::default()
        }
    }
}

/// The indices of the rows that hold every word of the query in name, format or dimensions, in order.
pub fn select(rows: &[TensorRow], query: &str, sorting: Sorting) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut indices: Vec<usize> = (0..rows.len()).filter(|&index| matches(&rows[index], &words)).collect();
    let values = |row: &TensorRow| row.dims.iter().fold(1_u64, |product, &dim| product.saturating_mul(dim));
    let order = |a: &TensorRow, b: &TensorRow| match sorting.column {
        Column::File => Ordering::Equal,
        Column::Name => natural(&a.name, &b.name),
        Column::Dims => values(a).cmp(&values(b)),
        Column::Format => a.format.cmp(&b.format),
        Column::Bytes => a.bytes.cmp(&b.bytes),
    };
    indices.sort_by(|&a, &b| {
        let order = order(&rows[a], &rows[b]);
        if sorting.descending { order.reverse() } else { order }
    });
    indices
}

fn matches(row: &TensorRow, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let dims = row.dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
    let text = format!("{} {} {dims}", row.name, row.format).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Compares names with runs of digits taken as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left, right) = (digits(&mut a), digits(&mut b));
                let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
                if order != Ordering::Equal {
                    return order;
                }
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            (Some(x), Some(y)) => return x.cmp(y),
        }
    }
}

/// Takes a run of digits off the front; leading zeros don't count.
fn digits<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (run, rest) = text.split_at(end);
    *text = rest;
    &run[run.iter().position(|&byte| byte != b'0').unwrap_or(run.len())..]
}

/// The rows to build for a scrolled table: only these are in the document, whatever the model's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sight {
    /// The first row.
    pub first: usize,
    /// One past the last row.
    pub end: usize,
}

/// The rows in sight with a few around them. Heights are in pixels.
pub fn sight(scroll_top: f64, view_height: f64, row_height: f64, row_count: usize) -> Sight {
    const AROUND: usize = 8;
    let first = (scroll_top.max(0.0) / row_height) as usize;
    let visible = (view_height.max(0.0) / row_height).ceil() as usize + 1;
    let first = first.min(row_count.saturating_sub(visible)).saturating_sub(AROUND);
    Sight { first, end: (first + visible + 2 * AROUND).min(row_count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, dims: &[u64], format: &str, bytes: u64) -> TensorRow {
        TensorRow { name: name.into(), dims: dims.into(), format: format.into(), bytes }
    }

    fn rows() -> Vec<TensorRow> {
        vec![
            row("token_embd.weight", &[576, 49152], "Q8_0", 900),
            row("blk.10.attn_q.weight", &[576, 576], "Q4_1", 30),
            row("blk.2.attn_q.weight", &[576, 576], "Q4_1", 20),
            row("output_norm.weight", &[576], "F32", 10),
        ]
    }

    fn names(query: &str, column: Column, descending: bool) -> Vec<String> {
        let rows = rows();
        let picked = select(&rows, query, Sorting { column, descending });
        picked.into_iter().map(|index| rows[index].name.clone()).collect()
    }

    #[test]
    fn every_word_must_be_found_in_name_format_or_dimensions() {
        assert_eq!(names("q4_1 blk.2", Column::File, false), ["blk.2.attn_q.weight"]);
        assert_eq!(names("576x49152", Column::File, false), ["token_embd.weight"]);
        assert_eq!(names("ATTN", Column::File, false), ["blk.10.attn_q.weight", "blk.2.attn_q.weight"]);
        assert!(names("nothing", Column::File, false).is_empty());
    }

    #[test]
    fn numbers_in_names_are_counted() {
        assert_eq!(names("blk", Column::Name, false), ["blk.2.attn_q.weight", "blk.10.attn_q.weight"]);
        assert_eq!(natural("a.007", "a.7"), Ordering::Equal);
        assert_eq!(natural("a.10b", "a.10c"), Ordering::Less);
        assert_eq!(natural("a", "a.1"), Ordering::Less);
    }

    #[test]
    fn sizes_sort_both_ways_and_ties_keep_the_files_order() {
        assert_eq!(names("", Column::Bytes, true)[0], "token_embd.weight");
        assert_eq!(names("", Column::Bytes, false)[0], "output_norm.weight");
        assert_eq!(names("attn", Column::Dims, true), ["blk.10.attn_q.weight", "blk.2.attn_q.weight"]);
    }

    #[test]
    fn a_heads_third_press_returns_to_the_files_order() {
        let once = Sorting::default().pressed(Column::Bytes);
        assert_eq!(once, Sorting { column: Column::Bytes, descending: true });
        let twice = once.pressed(Column::Bytes);
        assert_eq!(twice, Sorting { column: Column::Bytes, descending: false });
        assert_eq!(twice.pressed(Column::Bytes), Sorting::default());
        assert!(!Sorting::default().pressed(Column::Name).descending);
    }

    #[test]
    fn sight_covers_the_view_and_stays_within_the_rows() {
        assert_eq!(sight(0.0, 300.0, 30.0, 5), Sight { first: 0, end: 5 });
        let middle = sight(30_000.0, 300.0, 30.0, 5_000);
        assert!(middle.first <= 1_000 && middle.end >= 1_011 && middle.end - middle.first < 40);
        let last = sight(1e9, 300.0, 30.0, 5_000);
        assert_eq!(last.end, 5_000);
        assert_eq!(sight(0.0, 300.0, 30.0, 0), Sight { first: 0, end: 0 });
    }
}
