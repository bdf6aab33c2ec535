//! How workgroups share work: every one executes the same list of kernel calls, and each call is a *phase* whose chunks
//! the workgroups claim one by one.
//!
//! A phase has a line of 64 bytes, all zero at first: how many chunks were claimed, how many are done, and whether the
//! phase is complete. A workgroup waits for a phase only before it reads the phase's results, and then only for chunks
//! that another one has claimed and therefore is computing. Nothing assumes that workgroups run at the same time: where
//! one worker runs them one after the other, the first does everything and the others find nothing left.
//!
//! Who waits for a phase finds its results: each workgroup publishes its chunks by the release half of adding to
//! `done`; the one that completes the count acquires all of them, because additions to one word form a release
//! sequence; it then sets `complete` with release, which the waiting side acquires.

use crate::abi::PHASE_WORDS;
use core::sync::atomic::{AtomicU32, Ordering};

/// A phase's line in the team's memory.
#[derive(Clone, Copy)]
pub(crate) struct Phase<'team> {
    claimed: &'team AtomicU32,
    done: &'team AtomicU32,
    complete: &'team AtomicU32,
}

impl<'team> Phase<'team> {
    /// The line of `phase`.
    ///
    /// # Safety
    /// `team` points to lines for every phase in use, at least `phase + 1`, aligned to 4 bytes and touched by nothing
    /// else while `'team` lasts.
    #[inline(always)]
    pub(crate) unsafe fn new(team: *const u32, phase: usize) -> Self {
        let line = team.add(phase * PHASE_WORDS).cast::<AtomicU32>();
        Phase { claimed: &*line, done: &*line.add(1), complete: &*line.add(2) }
    }

    /// Claims a first chunk of `chunks`, at least one; `None` if all are claimed already.
    ///
    /// Private state that is made from the results of earlier phases (quantised activations, say) is to be made after
    /// this: as long as a claimed chunk isn't done no later phase can overwrite what this one reads.
    #[inline(always)]
    pub(crate) fn claim(self, chunks: usize) -> Option<Claims<'team>> {
        let chunks = chunks.max(1) as u32;
        let first = self.claimed.fetch_add(1, Ordering::Relaxed);
        (first < chunks).then_some(Claims { phase: self, chunks, next: Some(first), count: 0 })
    }

    /// Waits until the phase is complete.
    #[inline(always)]
    pub(crate) fn wait(self) {
        while self.complete.load(Ordering::Acquire) == 0 {
            core::hint::spin_loop();
        }
    }
}

/// The chunks that one workgroup gets, claimed as it asks for them.
pub(crate) struct Claims<'team> {
    phase: Phase<'team>,
    chunks: u32,
    next: Option<u32>,
    count: u32,
}

impl<'team> Claims<'team> {
    /// The next chunk to compute; `None` when every chunk of the phase is claimed.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<usize> {
        let chunk = match self.next.take() {
            Some(first) => first,
            None => self.phase.claimed.fetch_add(1, Ordering::Relaxed),
        };
        if chunk >= self.chunks {
            return None;
        }
        self.count += 1;
        Some(chunk as usize)
    }

    /// To be called when [`Claims::next`] has given `None` and all chunks are computed. The workgroup that did the last
    /// of the phase gets the duty to close it; it sees the results of all others.
    #[inline(always)]
    pub(crate) fn finish(self) -> Option<Closing<'team>> {
        let before = self.phase.done.fetch_add(self.count, Ordering::AcqRel);
        (before + self.count == self.chunks).then_some(Closing { phase: self.phase })
    }
}

/// The duty to complete a phase, after what remains to be done once all chunks are there.
#[must_use]
pub(crate) struct Closing<'team> {
    phase: Phase<'team>,
}

impl Closing<'_> {
    /// Lets those go on who wait for the phase.
    #[inline(always)]
    pub(crate) fn complete(self) {
        self.phase.complete.store(1, Ordering::Release);
    }
}
