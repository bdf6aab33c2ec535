//! A text's vector: what is said of it, and how near two are.

use serde::Serialize;

/// Numbers that are shown.
const SHOWN: usize = 8;

/// The cosine of the angle between two vectors of one length: 1 for the same direction. `None` where there is none: of
/// different lengths, or where one is all zeros.
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum() };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    (a.len() == b.len() && lengths > 0.0).then(|| dot(a, b) / lengths)
}

/// Its length as a vector.
pub fn norm(vector: &[f32]) -> f64 {
    vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt()
}

/// Its first numbers.
pub fn beginning(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().take(SHOWN).map(|number| format!("{number:.4}")).collect();
    let more = if vector.len() > SHOWN { ", …" } else { "" };
    format!("[{}{more}]", numbers.join(", "))
}

/// A text and its vector, as a document of its own.
pub fn json(text: &str, vector: &[f32]) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        text: &'a str,
        embedding: &'a [f32],
    }
    // Texts and numbers can always be written.
    serde_json::to_string(&Document { text, embedding: vector }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_those_of_the_angle() {
        assert_eq!(cosine(&[3.0, 0.0], &[0.5, 0.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), Some(0.0));
        assert!((cosine(&[1.0, 0.0], &[1.0, 1.0]).unwrap() - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(cosine(&[1.0], &[1.0, 1.0]), None);
        assert_eq!(cosine(&[0.0], &[1.0]), None);
    }

    #[test]
    fn a_long_vector_is_shown_by_its_beginning() {
        assert_eq!(beginning(&[0.25, -1.0]), "[0.2500, -1.0000]");
        assert!(beginning(&[0.0; 9]).ends_with("0.0000, …]"));
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert_eq!(json("a \"b\"", &[0.5]), r#"{"text":"a \"b\"","embedding":[0.5]}"#);
    }
}
