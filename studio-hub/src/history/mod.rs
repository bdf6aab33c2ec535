//! The history: jobs, their events and the runners, in a database that survives the hub.
//!
//! What is written here is on its way to the disk before anybody is told of it, so that a hub that is killed knows
//! everything that it ever said. (A machine that loses its power may lose the last moments; SQLite keeps the rest whole.)

mod jobs;
mod runners;

pub(crate) use jobs::{Page, Stored};
pub(crate) use runners::Remembered;

use rusqlite::{Connection, ErrorCode as SqliteCode};
use std::{path::Path, time::Duration};
use studio_protocol::{ErrorCode, WireError};

/// The version of the tables.
const VERSION: i64 = 2;

/// How long one connection waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

const TABLES: &str = "
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    spec TEXT NOT NULL,
    terms TEXT NOT NULL,
    priority INTEGER NOT NULL,
    job_group TEXT,
    model TEXT NOT NULL,
    hub TEXT NOT NULL,
    state TEXT NOT NULL,
    runner TEXT,
    runner_info TEXT,
    attempt INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    events INTEGER NOT NULL,
    reported INTEGER NOT NULL,
    log_bytes INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    started_ms INTEGER,
    finished_ms INTEGER,
    outcome TEXT
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE TABLE events (
    job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE runners (
    name TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    labels TEXT NOT NULL,
    info TEXT NOT NULL,
    seen_ms INTEGER NOT NULL,
    chosen TEXT
) STRICT;
";

/// What makes tables of version 1 those of version 2.
const FROM_1: &str = "ALTER TABLE runners ADD COLUMN chosen TEXT;";

/// A connection to the database.
#[derive(Debug)]
pub(crate) struct History {
    db: Connection,
}

/// Why the history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryError {
    /// What SQLite says.
    #[error("the hub's history: {0}")]
    Database(#[from] rusqlite::Error),
    /// A column that is not what was once written there.
    #[error("the hub's history: {0}")]
    Json(#[from] serde_json::Error),
    /// Made by a later version of this program.
    #[error("the hub's history is of version {0}, this program reads {VERSION}")]
    Version(i64),
}

impl HistoryError {
    /// Whether there is no room on the disk: later there may be.
    pub(crate) fn is_full(&self) -> bool {
        let Self::Database(rusqlite::Error::SqliteFailure(error, _)) = self else { return false };
        // A limit on a file's size is an error of input and output to SQLite.
        matches!(error.code, SqliteCode::DiskFull | SqliteCode::SystemIoFailure)
    }
}

impl From<HistoryError> for WireError {
    fn from(error: HistoryError) -> Self {
        if error.is_full() {
            return Self::new(ErrorCode::NoSpace, "the hub's disk is full: it can't keep what happens")
                .hint("Free some space on the hub's disk. What was not kept is told again by itself");
        }
        Self::new(ErrorCode::Io, error.to_string()).hint("Look at history.db in the hub's data folder")
    }
}

impl History {
    /// Opens the database of a data folder, making it where there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, HistoryError> {
        let db = Connection::open(path)?;
        db.busy_timeout(PATIENCE)?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.pragma_update(None, "foreign_keys", true)?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            VERSION => {}
            0 => {
                db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))?;
            }
            1 => db.execute_batch(&format!("BEGIN; {FROM_1} PRAGMA user_version = {VERSION}; COMMIT;"))?,
            other => return Err(HistoryError::Version(other)),
        }
        Ok(Self { db })
    }
}

/// A number for a column. Nothing counted here comes near 2^63.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A column's number.
fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use studio_protocol::JobState;

    /// A database as the program of version 1 left it: a runner, a job that waits and its event, columns by their names.
    const OF_VERSION_1: &str = r#"
        INSERT INTO runners (name, id, labels, info, seen_ms) VALUES ('pi', 'a1', '["arm"]',
            '{"name":"pi","os":"linux","arch":"aarch64","cpu":"c","features":[],"cores":4,"memory_bytes":1,"compiler":null,
              "runtime":"3.13.0","drivers":[],"agent":"a"}', 5);
        INSERT INTO jobs (id, kind, spec, terms, priority, model, hub, state, attempt, losses, events, reported, log_bytes,
            created_ms) VALUES (7, 'compile',
            '{"kind":"compile","bundle":"0101010101010101010101010101010101010101010101010101010101010101","target":"host","flags":[]}',
            '{}', 0, 'm', 'h', 'waiting', 0, 0, 1, 0, 0, 3);
        INSERT INTO events (job, seq, event) VALUES (7, 1, '{"event":"step","name":"s"}');
        PRAGMA user_version = 1;"#;

    #[test]
    fn tables_of_version_1_are_converted_once_and_keep_what_they_hold() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.db");
        let before =
            TABLES.replace("seen_ms INTEGER NOT NULL,\n    chosen TEXT\n", "seen_ms INTEGER NOT NULL\n");
        assert!(!before.contains("chosen"));
        Connection::open(&path).unwrap().execute_batch(&format!("{before}{OF_VERSION_1}")).unwrap();
        for labels in [None, Some(vec!["shelf".to_owned()])] {
            // The second time they are of version 2, and what is written there is read.
            let history = History::open(&path).unwrap();
            let mut runner = history.runners().unwrap().remove(0);
            assert_eq!((runner.info.name.as_str(), runner.id.as_str(), runner.seen_ms), ("pi", "a1", 5));
            assert_eq!((runner.labels.clone(), runner.chosen.clone()), (vec!["arm".to_owned()], labels));
            let job = history.unfinished().unwrap().remove(0).record;
            assert_eq!(
                (job.job, job.state, job.spec.kind(), job.events),
                (7, JobState::Waiting, "compile", 1)
            );
            assert_eq!(history.events(7, 0, 9).unwrap().len(), 1);
            runner.chosen = Some(vec!["shelf".to_owned()]);
            history.remember(&runner).unwrap();
        }
        let version = |db: &Connection| db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
        assert_eq!(version(&Connection::open(&path).unwrap()), Ok(VERSION));
    }

    #[test]
    fn a_later_version_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.db");
        drop(History::open(&path).unwrap());
        let later = VERSION + 1;
        Connection::open(&path).unwrap().pragma_update(None, "user_version", later).unwrap();
        assert!(matches!(History::open(&path), Err(HistoryError::Version(of)) if of == later));
    }
}
