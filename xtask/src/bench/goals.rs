//! What the product is to reach against llama.cpp, and the table that says how far it is.

/// What is aimed at for a model, against llama.cpp with as many threads.
pub(super) struct Goals {
    /// The model's type.
    pub(super) model: &'static str,
    /// Decode with 1 and with 2 threads, and prefill: at least so many times as fast.
    pub(super) decode: [f64; 2],
    pub(super) prefill: f64,
    /// Decode with 2 threads at least so many times as fast as our own with 1.
    pub(super) second_thread: f64,
}

/// Every model measured.
pub(super) const GOALS: &[Goals] = &[
    Goals { model: "Q4_1", decode: [2.2, 2.2], prefill: 7.0, second_thread: 1.35 },
    Goals { model: "Q8_0", decode: [1.7, 1.6], prefill: 3.3, second_thread: 1.0 },
    Goals { model: "Q4_0", decode: [1.5, 1.6], prefill: 1.9, second_thread: 1.35 },
    Goals { model: "Q4_K_M", decode: [1.7, 2.2], prefill: 3.3, second_thread: 1.35 },
];

/// Decode far into the context, of the first model.
pub(super) const DEEP: f64 = 1.5;
/// The most memory in decode, and the bytes of the archive: at most.
pub(super) const MEMORY: f64 = 0.9;
pub(super) const ARCHIVE: f64 = 1.03;
/// The share of the read bandwidth at which decode streams Q8_0 with 1 thread: at least.
pub(super) const BANDWIDTH: f64 = 0.85;

/// Which side of a goal is the good one.
#[derive(Clone, Copy)]
pub(super) enum Aim {
    AtLeast(f64),
    AtMost(f64),
}

impl Aim {
    fn reached(self, value: f64) -> bool {
        match self {
            Self::AtLeast(goal) => value >= goal,
            Self::AtMost(goal) => value <= goal,
        }
    }
}

/// A line of the table: what, our figure, the peer's, their ratio, the goal.
pub(super) fn print_row(what: &str, ours: &str, peer: &str, value: Option<f64>, aim: Aim) {
    let (sign, goal) = match aim {
        Aim::AtLeast(goal) => (">=", goal),
        Aim::AtMost(goal) => ("<=", goal),
    };
    let value_text = value.map_or("not measured".to_owned(), |value| format!("{value:.2}"));
    let verdict = match value {
        Some(value) if aim.reached(value) => "reached",
        Some(_) => "MISSED",
        None => "",
    };
    println!("{what:<42}{ours:>16}{peer:>16}{value_text:>9}   {sign} {goal:<5} {verdict}");
}
