//! A bench's figures as tables for other programs.

use super::outcome::{print, print_text};
use clap::Args;
use studio_protocol::figures::{FigureRow, csv, markdown};

/// As which table figures are printed.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct TableArgs {
    /// Print comma-separated values, a line for each engine and number of threads.
    #[arg(long)]
    csv: bool,
    /// Print a table in Markdown.
    #[arg(long, conflicts_with = "csv")]
    markdown: bool,
}

impl TableArgs {
    /// Whether a table is wanted.
    pub(super) fn is_wanted(self) -> bool {
        self.csv || self.markdown
    }

    /// Prints the rows as it is wanted.
    pub(super) fn print(self, rows: &[FigureRow]) -> anyhow::Result<()> {
        if self.csv { print(csv(rows)) } else { print_text(markdown(rows)) }
    }
}
