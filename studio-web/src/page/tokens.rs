//! The tokenizer bench: what a person changes, and the worker's answers.

use super::App;
use crate::messages::{Problem, ToWorker, TokenAnswer};
use crate::state::tokens::BenchForm;
use leptos::prelude::*;

impl App {
    /// Changes the form. Who changes it wants to see the first of its tokens.
    pub(crate) fn change_bench(&self, change: impl FnOnce(&mut BenchForm)) {
        self.bench.update(|form| {
            form.first = 0;
            change(form);
        });
    }

    /// Asks for the tokens of what the form has, as soon as the worker has answered what it was asked before.
    pub(crate) fn ask_for_tokens(&self) {
        let model = self
            .model
            .with_untracked(|model| model.open().map(|(drop_id, card)| (drop_id, card.has_chat_template)));
        let Some((drop_id, has_template)) = model else { return };
        let tokens_id = self.next_number();
        if self.tokens.try_update(|tokens| tokens.ask(tokens_id)) == Some(true) {
            let (question, first) =
                self.bench.with_untracked(|form| (form.question(has_template), form.first));
            self.tell_worker(&ToWorker::Tokenize { drop_id, tokens_id, question, first }, &[]);
        }
    }

    pub(super) fn take_tokens(&self, tokens_id: u64, result: Result<Box<TokenAnswer>, Problem>) {
        if self.tokens.try_update(|tokens| tokens.take(tokens_id, result)) == Some(true) {
            self.ask_for_tokens();
        }
    }
}
