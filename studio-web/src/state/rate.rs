//! How fast something goes and how long it will still take.

use std::collections::VecDeque;

/// How far back a rate looks, in milliseconds.
const LOOK_BACK_MS: f64 = 4_000.0;

/// How long a count is watched before its rest is foretold: the first moments tell nothing.
const TELL_REST_AFTER_MS: f64 = 800.0;

/// The rate of a growing count, over its last few seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rate {
    samples: VecDeque<(f64, u64)>,
}

impl Rate {
    /// Takes a reading: the time in milliseconds and the count. A count that fell starts anew.
    pub fn note(&mut self, now_ms: f64, count: u64) {
        if self.samples.back().is_some_and(|&(_, last)| count < last) {
            self.samples.clear();
        }
        self.samples.push_back((now_ms, count));
        while self.samples.len() > 2 && now_ms - self.samples[1].0 > LOOK_BACK_MS {
            self.samples.pop_front();
        }
    }

    fn elapsed_ms(&self) -> Option<f64> {
        Some(self.samples.back()?.0 - self.samples.front()?.0)
    }

    /// Counts a second, once there is enough to tell.
    pub fn per_second(&self) -> Option<f64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let elapsed_ms = self.elapsed_ms()?;
        (elapsed_ms >= 200.0).then(|| (last.1 - first.1) as f64 * 1000.0 / elapsed_ms)
    }

    /// Seconds until the count is reached, once there is enough to tell.
    pub fn seconds_to(&self, total: u64) -> Option<f64> {
        if self.elapsed_ms()? < TELL_REST_AFTER_MS {
            return None;
        }
        let rate = self.per_second().filter(|&rate| rate > 0.0)?;
        Some(total.saturating_sub(self.samples.back()?.1) as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_count_gives_its_rate_and_what_remains() {
        let mut rate = Rate::default();
        for tick in 0..10 {
            rate.note(f64::from(tick) * 100.0, u64::try_from(tick).unwrap() * 50);
        }
        assert_eq!(rate.per_second(), Some(500.0));
        assert_eq!(rate.seconds_to(1_450), Some(2.0));
    }

    #[test]
    fn only_the_last_seconds_count() {
        let mut rate = Rate::default();
        for tick in 0..100_u32 {
            let ms = f64::from(tick) * 100.0;
            rate.note(ms, if tick < 50 { 0 } else { u64::from(tick - 50) * 10 });
        }
        assert_eq!(rate.per_second().unwrap().round(), 100.0);
    }

    #[test]
    fn nothing_is_said_too_early_or_after_a_stand_still() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(), None);
        rate.note(0.0, 10);
        rate.note(50.0, 20);
        assert_eq!(rate.per_second(), None);
        rate.note(900.0, 5);
        assert_eq!(rate.per_second(), None);
        rate.note(2_000.0, 5);
        assert_eq!(rate.seconds_to(100), None);
    }
}
