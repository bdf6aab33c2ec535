//! Jobs and their events.

use super::{History, HistoryError, number, unsigned};
use rusqlite::{OptionalExtension, Row, ToSql, params, params_from_iter};
use studio_protocol::{JobEvent, JobFilter, JobId, JobRecord, JobState, Outcome};

/// The most jobs of a list.
const MAX_LISTED: u32 = 200;

/// Jobs of a list where nobody says how many.
const LISTED: u32 = 50;

/// Characters of a generated text in a list.
const LISTED_TEXT: usize = 200;

const COLUMNS: &str = "id, spec, terms, model, hub, state, runner_info, attempt, losses, events, reported, log_bytes, \
    created_ms, started_ms, finished_ms, outcome";

/// A job as the history has it.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// What clients may know.
    pub(crate) record: JobRecord,
    /// How often its runner was lost.
    pub(crate) losses: u32,
    /// Events of this attempt that its runner told.
    pub(crate) reported: u64,
    /// Bytes of log lines that are kept.
    pub(crate) log_bytes: u64,
}

/// A part of a list of jobs.
#[derive(Debug)]
pub(crate) struct Page {
    /// The newest first.
    pub(crate) jobs: Vec<JobRecord>,
    /// Whether there are more.
    pub(crate) more: bool,
}

impl History {
    /// The greatest number that a job has.
    pub(crate) fn last_job(&self) -> Result<JobId, HistoryError> {
        let last: Option<i64> = self.db.query_row("SELECT max(id) FROM jobs", [], |row| row.get(0))?;
        Ok(last.map_or(0, unsigned))
    }

    /// Adds jobs: all or none.
    pub(crate) fn add(&mut self, jobs: &[Stored]) -> Result<(), HistoryError> {
        let change = self.db.transaction()?;
        for job in jobs {
            let record = &job.record;
            change
                .prepare_cached(
                    "INSERT INTO jobs (id, kind, spec, terms, priority, job_group, model, hub, state, attempt, losses, \
                     events, reported, log_bytes, created_ms) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, 0, 0, 0, 0, ?10)",
                )?
                .execute(params![
                    number(record.job),
                    record.spec.kind(),
                    serde_json::to_string(&record.spec)?,
                    serde_json::to_string(&record.terms)?,
                    record.terms.priority,
                    record.terms.group,
                    record.model,
                    record.hub,
                    word(record.state),
                    number(record.created_ms),
                ])?;
        }
        Ok(change.commit()?)
    }

    /// Writes what is new of a job and its new events, which follow those it had: all or nothing.
    pub(crate) fn update(&mut self, job: &Stored, new: &[JobEvent]) -> Result<(), HistoryError> {
        let record = &job.record;
        let change = self.db.transaction()?;
        let first = record.events - new.len() as u64 + 1;
        {
            let mut insert =
                change.prepare_cached("INSERT INTO events (job, seq, event) VALUES (?1, ?2, ?3)")?;
            for (seq, event) in (first..).zip(new) {
                insert.execute(params![number(record.job), number(seq), serde_json::to_string(event)?])?;
            }
        }
        let outcome = record.outcome.as_ref().map(serde_json::to_string).transpose()?;
        let info = record.runner.as_ref().map(serde_json::to_string).transpose()?;
        change
            .prepare_cached(
                "UPDATE jobs SET state = ?2, runner = ?3, runner_info = ?4, attempt = ?5, losses = ?6, events = ?7, \
                 reported = ?8, log_bytes = ?9, started_ms = ?10, finished_ms = ?11, outcome = ?12 WHERE id = ?1",
            )?
            .execute(params![
                number(record.job),
                word(record.state),
                record.runner.as_ref().map(|runner| &runner.name),
                info,
                record.attempt,
                job.losses,
                number(record.events),
                number(job.reported),
                number(job.log_bytes),
                record.started_ms.map(number),
                record.finished_ms.map(number),
                outcome,
            ])?;
        Ok(change.commit()?)
    }

    /// A job.
    pub(crate) fn job(&self, id: JobId) -> Result<Option<Stored>, HistoryError> {
        let mut query = self.db.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1"))?;
        let row = query.query_row(params![number(id)], |row| Ok(stored(row))).optional()?;
        row.transpose()
    }

    /// The jobs that are not over, in the order of their numbers.
    pub(crate) fn unfinished(&self) -> Result<Vec<Stored>, HistoryError> {
        let mut query =
            self.db.prepare(&format!("SELECT {COLUMNS} FROM jobs WHERE state != 'over' ORDER BY id"))?;
        let rows = query.query_map([], |row| Ok(stored(row)))?;
        rows.map(|row| row?).collect()
    }

    /// A job's events after number `after`, at most so many.
    pub(crate) fn events(
        &self,
        job: JobId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, JobEvent)>, HistoryError> {
        let mut query = self.db.prepare_cached(
            "SELECT seq, event FROM events WHERE job = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        )?;
        let mut rows = query.query(params![number(job), number(after), limit])?;
        let mut events = Vec::new();
        while let Some(row) = rows.next()? {
            events.push((unsigned(row.get(0)?), serde_json::from_str(&row.get::<_, String>(1)?)?));
        }
        Ok(events)
    }

    /// The jobs that a filter chooses, without the long parts of their outcomes.
    pub(crate) fn list(&self, filter: &JobFilter) -> Result<Page, HistoryError> {
        let mut conditions = vec!["1"];
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut add = |condition, value: Box<dyn ToSql>| {
            conditions.push(condition);
            values.push(value);
        };
        if let Some(state) = filter.state {
            add("state = ?", Box::new(word(state)));
        }
        if let Some(kind) = &filter.kind {
            add("kind = ?", Box::new(kind.clone()));
        }
        if let Some(runner) = &filter.runner {
            add("runner = ?", Box::new(runner.clone()));
        }
        if let Some(group) = &filter.group {
            add("job_group = ?", Box::new(group.clone()));
        }
        if let Some(text) = &filter.text {
            let place = "instr(lower(model || ' ' || spec || ' ' || terms || ' ' || coalesce(outcome, '')), lower(?))";
            add(place, Box::new(text.clone()));
        }
        if let Some(before) = filter.before {
            add("id < ?", Box::new(number(before)));
        }
        let limit = filter.limit.unwrap_or(LISTED).clamp(1, MAX_LISTED);
        let text = format!(
            "SELECT {COLUMNS} FROM jobs WHERE {} ORDER BY id DESC LIMIT {}",
            conditions.join(" AND "),
            limit + 1
        );
        let mut query = self.db.prepare_cached(&text)?;
        let rows = query.query_map(params_from_iter(values), |row| Ok(stored(row)))?;
        let mut jobs = Vec::new();
        for row in rows {
            jobs.push(shortened(row??.record));
        }
        let more = jobs.len() > limit as usize;
        jobs.truncate(limit as usize);
        Ok(Page { jobs, more })
    }

    /// Forgets the oldest finished jobs where there are more than `kept`.
    pub(crate) fn prune(&self, kept: u32) -> Result<usize, HistoryError> {
        Ok(self.db.execute(
            "DELETE FROM jobs WHERE state = 'over' AND id <= \
             (SELECT id FROM jobs ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            params![kept],
        )?)
    }

    /// What the jobs that are not over, or ended after a time, were asked to do.
    pub(crate) fn specs_since(&self, finished_ms: u64) -> Result<Vec<JobRecord>, HistoryError> {
        let mut query = self
            .db
            .prepare(&format!("SELECT {COLUMNS} FROM jobs WHERE state != 'over' OR finished_ms > ?1"))?;
        let rows = query.query_map(params![number(finished_ms)], |row| Ok(stored(row)))?;
        rows.map(|row| Ok(row??.record)).collect()
    }
}

fn word(state: JobState) -> &'static str {
    match state {
        JobState::Waiting => "waiting",
        JobState::Working => "working",
        JobState::Over => "over",
    }
}

fn state(word: &str) -> JobState {
    match word {
        "waiting" => JobState::Waiting,
        "working" => JobState::Working,
        _ => JobState::Over,
    }
}

/// A job from a row of [`COLUMNS`].
fn stored(row: &Row<'_>) -> Result<Stored, HistoryError> {
    let text = |index: usize| row.get::<_, String>(index);
    let optional = |index: usize| row.get::<_, Option<String>>(index);
    let time = |index: usize| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(index)?.map(unsigned));
    let record = JobRecord {
        job: unsigned(row.get(0)?),
        spec: serde_json::from_str(&text(1)?)?,
        terms: serde_json::from_str(&text(2)?)?,
        model: text(3)?,
        hub: text(4)?,
        state: state(&text(5)?),
        runner: optional(6)?.map(|info| serde_json::from_str(&info)).transpose()?,
        attempt: row.get(7)?,
        events: unsigned(row.get(9)?),
        created_ms: unsigned(row.get(12)?),
        started_ms: time(13)?,
        finished_ms: time(14)?,
        outcome: optional(15)?.map(|outcome| serde_json::from_str(&outcome)).transpose()?,
    };
    Ok(Stored {
        record,
        losses: row.get(8)?,
        reported: unsigned(row.get(10)?),
        log_bytes: unsigned(row.get(11)?),
    })
}

/// The same without what makes an outcome long.
fn shortened(mut record: JobRecord) -> JobRecord {
    if let Some(Outcome::Ran { report }) = &mut record.outcome {
        report.tokens.clear();
        report.embedding = None;
        if let Some((end, _)) = report.text.char_indices().nth(LISTED_TEXT) {
            report.text.truncate(end);
            report.text.push('…');
        }
    }
    if let Some(Outcome::Swept { report }) = &mut record.outcome {
        let measured = report.combinations.iter_mut().flat_map(|combination| &mut combination.measured);
        measured.for_each(|one| one.report = None);
    }
    record
}
