//! The metadata table's search.

use crate::messages::MetadataRow;

/// The rows that hold every word of the query in key or value, in the file's order.
pub fn select(rows: &[MetadataRow], query: &str) -> Vec<usize> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let holds = |row: &MetadataRow| {
        let text = format!("{} {}", row.key, row.value).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    (0..rows.len()).filter(|&index| words.is_empty() || holds(&rows[index])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_searched() {
        let row = |key: &str, value: &str| MetadataRow {
            key: key.into(),
            kind: "string".into(),
            value: value.into(),
        };
        let rows = [row("general.name", "SmolLM2"), row("tokenizer.ggml.pre", "smollm"), row("x", "y")];
        assert_eq!(select(&rows, "smol"), [0, 1]);
        assert_eq!(select(&rows, "smol ggml"), [1]);
        assert_eq!(select(&rows, ""), [0, 1, 2]);
    }
}
