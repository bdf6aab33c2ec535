//! How a rule cuts a text.

/// Cuts a text into pieces and hands them to a sink, in order; put together they are the text, and none is empty.
pub(super) type Cut = fn(&str, &mut dyn FnMut(&str));

/// Cuts by each of `rules` what those before it left together.
pub(super) fn cut(rules: &[Cut], text: &str, sink: &mut dyn FnMut(&str)) {
    match rules.split_first() {
        None => {
            if !text.is_empty() {
                sink(text);
            }
        }
        Some((rule, rest)) => rule(text, &mut |piece| cut(rest, piece, sink)),
    }
}

/// Cuts by a function that gives the length of the word a text starts with. Where it gives 0 no word starts, and the
/// characters up to the next word are a piece of their own.
pub(super) fn words(word_len: impl Fn(&str) -> usize, text: &str, sink: &mut dyn FnMut(&str)) {
    let (mut between, mut at) = (0, 0);
    while let Some(first) = text[at..].chars().next() {
        let len = word_len(&text[at..]);
        if len == 0 {
            at += first.len_utf8();
            continue;
        }
        if between < at {
            sink(&text[between..at]);
        }
        sink(&text[at..at + len]);
        at += len;
        between = at;
    }
    if between < at {
        sink(&text[between..]);
    }
}
