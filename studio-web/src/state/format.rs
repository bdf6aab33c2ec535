//! Numbers as people read them.

/// A byte count with a unit of 1000: `128.8 MB`.
pub fn bytes(count: u64) -> String {
    scaled(count, &[(1_000_000_000_000, " TB"), (1_000_000_000, " GB"), (1_000_000, " MB"), (1_000, " kB")])
        .unwrap_or_else(|| format!("{count} B"))
}

/// A count with a letter for its magnitude: `134.5 M`.
pub fn count(count: u64) -> String {
    scaled(count, &[(1_000_000_000_000, " T"), (1_000_000_000, " B"), (1_000_000, " M")])
        .unwrap_or_else(|| grouped(count))
}

/// A count with its digits in groups of three: `49 152`, joined by thin spaces that don't break.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A part of a whole in per cent: `73.4 %`. Nothing is 0 % of nothing.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    let share = part as f64 * 100.0 / whole as f64;
    if part > 0 && share < 0.05 { "< 0.1 %".to_owned() } else { format!("{share:.1} %") }
}

/// Milliseconds with a unit that fits: `0.84 ms`, `12.3 ms`, `1.20 s`, `3 min 20 s`.
pub fn millis(ms: f64) -> String {
    if ms >= 59_950.0 {
        seconds(ms / 1000.0)
    } else if ms >= 1_000.0 {
        format!("{:.2} s", ms / 1000.0)
    } else if ms >= 100.0 {
        format!("{ms:.0} ms")
    } else if ms >= 10.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{ms:.2} ms")
    }
}

/// Whole seconds, for what remains: `8 s`, `3 min 20 s`, `2 h 5 min`.
pub fn seconds(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A cosine: `0.8153`, with a true minus.
pub fn cosine(cosine: f64) -> String {
    format!("{cosine:.4}").replace('-', "\u{2212}")
}

/// A rate of tokens: `144`, `27.3`, `0.84`.
pub fn tokens_per_second(rate: f64) -> String {
    if rate >= 100.0 {
        format!("{rate:.0}")
    } else if rate >= 10.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.2}")
    }
}

/// ggml's dimensions as they are usually written: `576 × 1536`.
pub fn dims(dims: &[u64]) -> String {
    if dims.is_empty() {
        return "scalar".to_owned();
    }
    dims.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}

/// The text with a capital first letter.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn scaled(count: u64, units: &[(u64, &str)]) -> Option<String> {
    let (size, unit) = units.iter().find(|(size, _)| count >= *size)?;
    let value = count as f64 / *size as f64;
    Some(if value >= 100.0 { format!("{value:.0}{unit}") } else { format!("{value:.1}{unit}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_carry_the_unit_that_fits() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_000), "1.0 kB");
        assert_eq!(bytes(98_871_520), "98.9 MB");
        assert_eq!(bytes(270_000_000), "270 MB");
        assert_eq!(bytes(4_100_000_000), "4.1 GB");
        assert_eq!(count(134_515_008), "135 M");
        assert_eq!(count(49_152), "49\u{202f}152");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(12), "12");
    }

    #[test]
    fn shares_never_round_something_to_nothing() {
        assert_eq!(percent(1, 4), "25.0 %");
        assert_eq!(percent(1, 100_000), "< 0.1 %");
        assert_eq!(percent(0, 10), "0.0 %");
        assert_eq!(percent(0, 0), "0 %");
    }

    #[test]
    fn times_carry_the_unit_that_fits() {
        assert_eq!(millis(0.842), "0.84 ms");
        assert_eq!(millis(12.34), "12.3 ms");
        assert_eq!(millis(999.4), "999 ms");
        assert_eq!(millis(1_204.0), "1.20 s");
        assert_eq!(millis(200_000.0), "3 min 20 s");
        assert_eq!(seconds(7_500.0), "2 h 5 min");
        assert_eq!(tokens_per_second(143.6), "144");
        assert_eq!(tokens_per_second(27.31), "27.3");
    }

    #[test]
    fn dimensions_read_as_a_product() {
        assert_eq!(dims(&[576, 1536]), "576 × 1536");
        assert_eq!(dims(&[]), "scalar");
    }
}
