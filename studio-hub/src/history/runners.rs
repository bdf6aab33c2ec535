//! The runners that were here.

use super::{History, HistoryError, number, unsigned};
use rusqlite::params;
use studio_protocol::RunnerInfo;

/// A runner as the history has it.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    /// What it said of itself when it was last here.
    pub(crate) info: RunnerInfo,
    /// Tells it from another machine of the same name.
    pub(crate) id: String,
    /// The labels that it joined with.
    pub(crate) labels: Vec<String>,
    /// Those that somebody gave it here instead.
    pub(crate) chosen: Option<Vec<String>>,
    /// When it was last here, in milliseconds since 1970.
    pub(crate) seen_ms: u64,
}

impl Remembered {
    /// What jobs may choose it by, besides its name.
    pub(crate) fn labels(&self) -> &[String] {
        self.chosen.as_ref().unwrap_or(&self.labels)
    }
}

impl History {
    /// All runners that were ever here and were not removed.
    pub(crate) fn runners(&self) -> Result<Vec<Remembered>, HistoryError> {
        let mut query = self.db.prepare_cached("SELECT id, labels, info, seen_ms, chosen FROM runners")?;
        let mut rows = query.query([])?;
        let mut runners = Vec::new();
        while let Some(row) = rows.next()? {
            runners.push(Remembered {
                id: row.get(0)?,
                labels: serde_json::from_str(&row.get::<_, String>(1)?)?,
                info: serde_json::from_str(&row.get::<_, String>(2)?)?,
                seen_ms: unsigned(row.get(3)?),
                chosen: row
                    .get::<_, Option<String>>(4)?
                    .map(|chosen| serde_json::from_str(&chosen))
                    .transpose()?,
            });
        }
        Ok(runners)
    }

    /// Remembers a runner, or what is new of it.
    pub(crate) fn remember(&self, runner: &Remembered) -> Result<(), HistoryError> {
        let (labels, info) = (serde_json::to_string(&runner.labels)?, serde_json::to_string(&runner.info)?);
        let chosen = runner.chosen.as_ref().map(serde_json::to_string).transpose()?;
        self.db
            .prepare_cached(
                "INSERT OR REPLACE INTO runners (name, id, labels, info, seen_ms, chosen) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![runner.info.name, runner.id, labels, info, number(runner.seen_ms), chosen])?;
        Ok(())
    }

    /// Forgets a runner.
    pub(crate) fn forget(&self, name: &str) -> Result<(), HistoryError> {
        self.db.execute("DELETE FROM runners WHERE name = ?1", params![name])?;
        Ok(())
    }
}
