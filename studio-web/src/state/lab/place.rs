//! Which machine is to do something, and what a new one needs.

use studio_protocol::{On, Runner, RunnerState, Terms, is_runner_name};

/// Who is to carry out what is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Place {
    /// The hub's own runner.
    #[default]
    Local,
    /// The runner of this name.
    Runner(String),
    /// The first with this label that is free.
    Any(String),
    /// Every one with this label.
    Each(String),
    /// All that are there.
    All,
}

impl Place {
    /// Its name in a list of choices.
    #[must_use]
    pub fn value(&self) -> String {
        match self {
            Place::Local => "local".to_owned(),
            Place::Runner(name) => format!("runner:{name}"),
            Place::Any(label) => format!("any:{label}"),
            Place::Each(label) => format!("each:{label}"),
            Place::All => "all".to_owned(),
        }
    }

    /// The one of this name; the hub's own where there is none.
    #[must_use]
    pub fn of(value: &str) -> Self {
        match value.split_once(':') {
            Some(("runner", name)) => Place::Runner(name.to_owned()),
            Some(("any", label)) => Place::Any(label.to_owned()),
            Some(("each", label)) => Place::Each(label.to_owned()),
            _ if value == "all" => Place::All,
            _ => Place::Local,
        }
    }

    /// The one that such terms mean; the hub's own for those of several names, which no choice gives.
    #[must_use]
    pub fn of_terms(terms: &Terms) -> Self {
        match &terms.on {
            Some(On::Runner(name)) => Place::Runner(name.clone()),
            Some(On::Label(label)) => Place::Any(label.clone()),
            Some(On::Each(names)) => match &names[..] {
                [] => Place::All,
                [label] => Place::Each(label.clone()),
                _ => Place::Local,
            },
            None => Place::Local,
        }
    }

    /// As the protocol has it.
    #[must_use]
    pub fn terms(&self, group: Option<String>) -> Terms {
        let on = match self {
            Place::Local => None,
            Place::Runner(name) => Some(On::Runner(name.clone())),
            Place::Any(label) => Some(On::Label(label.clone())),
            Place::Each(label) => Some(On::Each(vec![label.clone()])),
            Place::All => Some(On::Each(Vec::new())),
        };
        Terms { on, group, ..Terms::default() }
    }

    /// The only runner that is meant, if one is.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Place::Local => Some("local"),
            Place::Runner(name) => Some(name),
            Place::Any(_) | Place::Each(_) | Place::All => None,
        }
    }

    /// The runners that are meant and there.
    #[must_use]
    pub fn meant<'r>(&self, runners: &'r [Runner]) -> Vec<&'r Runner> {
        let is_meant = |runner: &&Runner| match self {
            Place::Local => runner.info.name == "local",
            Place::Runner(name) => runner.info.name == *name,
            Place::Any(label) | Place::Each(label) => runner.labels.contains(label),
            Place::All => true,
        };
        runners.iter().filter(|runner| runner.state != RunnerState::Gone).filter(is_meant).collect()
    }

    /// The choices that these runners give, with their words.
    #[must_use]
    pub fn choices(runners: &[Runner]) -> Vec<(Place, String)> {
        let state = |runner: &Runner| match runner.state {
            RunnerState::Idle => "",
            RunnerState::Busy => ", busy",
            RunnerState::Gone => ", gone: waits for it",
        };
        let mut choices = Vec::new();
        for runner in runners {
            let name = &runner.info.name;
            choices.push(match name.as_str() {
                "local" => (Place::Local, format!("local, this hub’s own{}", state(runner))),
                _ => (Place::Runner(name.clone()), format!("{name}{}", state(runner))),
            });
        }
        for label in labels(runners) {
            choices.push((Place::Any(label.clone()), format!("first free with label {label}")));
            choices.push((Place::Each(label.clone()), format!("each with label {label}")));
        }
        let there = Place::All.meant(runners).len();
        if there > 1 {
            choices.push((Place::All, format!("all {there} that are there")));
        }
        choices
    }
}

/// The labels that runners have, sorted.
#[must_use]
pub fn labels(runners: &[Runner]) -> Vec<String> {
    let mut labels: Vec<String> = runners.iter().flat_map(|runner| runner.labels.iter().cloned()).collect();
    labels.sort();
    labels.dedup();
    labels
}

/// Labels as somebody wrote them, separated by commas or spaces; or the word that can't be one.
pub fn parse_labels(text: &str) -> Result<Vec<String>, String> {
    let words = text.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    words
        .map(|word| match is_runner_name(word) {
            true => Ok(word.to_owned()),
            false => Err(format!("“{word}” can’t be a label: letters, digits, “.”, “_” and “-”")),
        })
        .collect()
}

/// The command that brings a machine in.
#[must_use]
pub fn join_command(origin: &str, token: &str) -> String {
    format!("STUDIO_TOKEN={token} runner-agent join {origin}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_protocol::RunnerInfo;

    fn runner(name: &str, labels: &[&str], state: RunnerState) -> Runner {
        let info = RunnerInfo {
            name: name.to_owned(),
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            cpu: String::new(),
            features: vec![],
            cores: 2,
            memory_bytes: 0,
            compiler: None,
            runtime: String::new(),
            drivers: vec![],
            gpus: vec![],
            eager: None,
            agent: String::new(),
        };
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        Runner { info, labels, state, job: None, seen_ms: 0 }
    }

    #[test]
    fn choices_are_runners_labels_and_all_and_each_is_found_by_its_value() {
        let runners = [
            runner("local", &[], RunnerState::Idle),
            runner("pi", &["arm", "shelf"], RunnerState::Gone),
            runner("mac", &["arm"], RunnerState::Busy),
        ];
        let choices = Place::choices(&runners);
        let values: Vec<String> = choices.iter().map(|(place, _)| place.value()).collect();
        let expected =
            ["local", "runner:pi", "runner:mac", "any:arm", "each:arm", "any:shelf", "each:shelf", "all"];
        assert_eq!(values, expected);
        assert!(choices.iter().all(|(place, _)| Place::of(&place.value()) == *place));
        assert_eq!(choices[7].1, "all 2 that are there");
        let meant: Vec<&str> = Place::Each("arm".into())
            .meant(&runners)
            .iter()
            .map(|runner| runner.info.name.as_str())
            .collect();
        assert_eq!(meant, ["mac"]);
        assert_eq!(Place::choices(&runners[..1]).len(), 1);
    }

    #[test]
    fn terms_are_the_protocols() {
        assert_eq!(Place::Local.terms(None), Terms::default());
        assert_eq!(Place::All.terms(None).on, Some(On::Each(vec![])));
        assert_eq!(Place::Any("arm".into()).terms(None).on, Some(On::Label("arm".into())));
        for place in [Place::Local, Place::Runner("pi".into()), Place::Each("arm".into()), Place::All] {
            assert_eq!(Place::of_terms(&place.terms(None)), place);
        }
    }

    #[test]
    fn labels_are_words() {
        assert_eq!(parse_labels(" arm, shelf  a-1 "), Ok(vec!["arm".into(), "shelf".into(), "a-1".into()]));
        assert_eq!(parse_labels(""), Ok(vec![]));
        assert!(parse_labels("a/b").unwrap_err().contains("a/b"));
    }
}
