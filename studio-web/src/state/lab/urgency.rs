//! How soon a job is done and how long it may take, where somebody chooses.

use studio_protocol::Terms;

/// The choice. Nothing is chosen at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Urgency {
    /// Waiting jobs of a higher priority go first.
    pub priority: i32,
    /// Seconds; the hub's own limits where absent.
    pub time_limit_s: Option<u32>,
}

impl Urgency {
    /// Priorities to choose from, with their words.
    pub const PRIORITIES: [(i32, &'static str); 3] =
        [(10, "before others"), (0, "in the order asked for"), (-10, "after others")];

    /// Limits to choose from, with their words.
    pub const LIMITS: [(Option<u32>, &'static str); 7] = [
        (None, "30 min to compile, 1 h else"),
        (Some(60), "1 min"),
        (Some(300), "5 min"),
        (Some(1800), "30 min"),
        (Some(7200), "2 h"),
        (Some(8 * 3600), "8 h"),
        (Some(24 * 3600), "1 day"),
    ];

    /// These terms with what was chosen.
    #[must_use]
    pub fn on(self, terms: Terms) -> Terms {
        Terms { priority: self.priority, time_limit_s: self.time_limit_s, ..terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::lab::place::Place;
    use studio_protocol::{MAX_TIME_LIMIT_S, PRIORITIES};

    #[test]
    fn every_choice_is_one_that_the_hub_takes() {
        assert!(Urgency::PRIORITIES.iter().all(|(priority, _)| PRIORITIES.contains(priority)));
        assert!(
            Urgency::LIMITS.iter().filter_map(|(limit, _)| *limit).all(|limit| limit <= MAX_TIME_LIMIT_S)
        );
        let place = Place::Runner("pi".into()).terms(Some("g".into()));
        let terms = Urgency { priority: 10, time_limit_s: Some(60) }.on(place.clone());
        assert_eq!((terms.priority, terms.time_limit_s), (10, Some(60)));
        assert_eq!((&terms.on, &terms.group), (&place.on, &place.group));
        assert_eq!(Urgency::default().on(place.clone()), place);
    }
}
