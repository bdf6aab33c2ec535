//! Where in the page an address leads: `#lab/runners`, `#lab/jobs`, `#lab/job/7`, `#lab/compare/7,8`.

use studio_protocol::JobId;

/// The most jobs that an address compares: more don't stand beside each other.
const MOST_COMPARED: usize = 32;

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Route {
    /// The steps from a model to its bundle, which every other address leads to.
    #[default]
    Steps,
    /// The machines.
    Runners,
    /// The history.
    Jobs,
    /// One job of it.
    Job(JobId),
    /// Measurements side by side, these chosen.
    Compare(Vec<JobId>),
}

impl Route {
    /// What the part of an address behind `#`, with it, leads to.
    #[must_use]
    pub fn of(hash: &str) -> Self {
        let Some(rest) = hash.strip_prefix("#lab") else { return Route::Steps };
        let mut parts = rest.trim_matches('/').split('/');
        match (parts.next(), parts.next()) {
            (Some("" | "runners"), None) => Route::Runners,
            (Some("jobs"), None) => Route::Jobs,
            (Some("job"), Some(id)) => id.parse().map_or(Route::Jobs, Route::Job),
            (Some("compare"), ids) => {
                let ids = ids.unwrap_or_default().split(',').filter_map(|id| id.parse().ok());
                Route::Compare(ids.take(MOST_COMPARED).collect())
            }
            _ => Route::Steps,
        }
    }

    /// The address that leads here.
    #[must_use]
    pub fn hash(&self) -> String {
        match self {
            Route::Steps => "#model".to_owned(),
            Route::Runners => "#lab/runners".to_owned(),
            Route::Jobs => "#lab/jobs".to_owned(),
            Route::Job(id) => format!("#lab/job/{id}"),
            Route::Compare(ids) if ids.is_empty() => "#lab/compare".to_owned(),
            Route::Compare(ids) => {
                let ids: Vec<String> = ids.iter().map(JobId::to_string).collect();
                format!("#lab/compare/{}", ids.join(","))
            }
        }
    }

    /// Whether it is in the lab.
    #[must_use]
    pub fn is_lab(&self) -> bool {
        *self != Route::Steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_leads_back_to_where_it_came_from() {
        for route in
            [Route::Runners, Route::Jobs, Route::Job(7), Route::Compare(vec![]), Route::Compare(vec![7, 8])]
        {
            assert_eq!(Route::of(&route.hash()), route);
        }
        assert_eq!(Route::of("#lab"), Route::Runners);
    }

    #[test]
    fn an_address_that_leads_nowhere_leads_to_the_steps() {
        for hash in ["", "#compile", "#graph=decode/layer%203", "#lab/nowhere", "#labor"] {
            assert_eq!(Route::of(hash), Route::Steps, "{hash}");
        }
        assert_eq!(Route::of("#lab/job/x"), Route::Jobs);
        assert_eq!(Route::of("#lab/compare/7,x,8"), Route::Compare(vec![7, 8]));
    }
}
