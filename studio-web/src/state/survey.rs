//! The tensor that is looked at, and the pictures of its numbers.

use crate::messages::Problem;
use std::sync::Arc;
use studio_core::statistics::{Heat, Histogram, TensorStatistics};

/// The tensor that is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum SurveyState {
    /// None.
    #[default]
    None,
    /// The worker goes through it.
    Running {
        /// The question.
        survey_id: u64,
        /// The tensor.
        name: String,
        /// The share that is done, 0 to 1.
        share: f64,
    },
    /// Its numbers are known.
    Done(Arc<TensorStatistics>),
    /// Nobody can tell.
    Failed {
        /// The tensor.
        name: String,
        /// Why.
        problem: Problem,
    },
}

impl SurveyState {
    /// The tensor.
    pub fn name(&self) -> Option<&str> {
        match self {
            SurveyState::None => None,
            SurveyState::Running { name, .. } | SurveyState::Failed { name, .. } => Some(name),
            SurveyState::Done(found) => Some(&found.name),
        }
    }

    /// Takes word of how far the worker is.
    pub fn advance(&mut self, of: u64, done: f64) {
        if let SurveyState::Running { survey_id, share, .. } = self
            && *survey_id == of
        {
            *share = done;
        }
    }

    /// Takes the answer, unless another question was asked meanwhile.
    pub fn end(&mut self, of: u64, result: Result<Box<TensorStatistics>, Problem>) {
        if let SurveyState::Running { survey_id, name, .. } = self
            && *survey_id == of
        {
            *self = match result {
                Ok(found) => SurveyState::Done(Arc::new(*found)),
                Err(problem) => SurveyState::Failed { name: std::mem::take(name), problem },
            };
        }
    }
}

/// A histogram's bars as an SVG path in a box of 100 by 30, as high as the square root of their share: what is rare
/// stays visible.
pub fn bars(histogram: &Histogram) -> String {
    let most = histogram.counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = 100.0 / histogram.counts.len().max(1) as f64;
    let bar = |(index, count): (usize, &u64)| {
        let (x, height) = (index as f64 * step, (*count as f64 / most).sqrt() * 30.0);
        match count {
            0 => String::new(),
            _ => format!("M{x:.2} 30h{step:.2}v-{:.2}h-{step:.2}z", height.max(0.3)),
        }
    };
    histogram.counts.iter().enumerate().map(bar).collect()
}

/// Where 0 is in such a box, if it is within.
pub fn zero_at(histogram: &Histogram) -> Option<f64> {
    let width = histogram.high - histogram.low;
    let at = -histogram.low / width * 100.0;
    (width > 0.0 && (0.0..=100.0).contains(&at)).then_some(at)
}

/// A picture's pixels, red, green, blue and alpha: the larger the mean magnitude, the less transparent.
pub fn pixels(heat: &Heat) -> Vec<u8> {
    let most = heat.mean_magnitude.iter().copied().fold(0.0, f32::max);
    let alpha = |value: f32| match most > 0.0 {
        true => ((value / most).sqrt() * 255.0).round() as u8,
        false => 0,
    };
    heat.mean_magnitude.iter().flat_map(|value| [56, 118, 230, alpha(*value)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_an_earlier_question_changes_nothing() {
        let mut survey = SurveyState::Running { survey_id: 2, name: "a".into(), share: 0.0 };
        survey.advance(1, 0.5);
        survey.end(1, Err(Problem::new("no")));
        assert_eq!(survey, SurveyState::Running { survey_id: 2, name: "a".into(), share: 0.0 });
        survey.advance(2, 0.5);
        survey.end(2, Err(Problem::new("no")));
        assert_eq!(survey.name(), Some("a"));
        assert!(matches!(survey, SurveyState::Failed { .. }));
    }

    #[test]
    fn pictures_are_as_wide_as_their_box_and_show_what_is_rare() {
        let histogram = Histogram { low: -1.0, high: 1.0, counts: vec![10_000, 0, 1, 100] };
        assert_eq!(
            bars(&histogram),
            "M0.00 30h25.00v-30.00h-25.00zM50.00 30h25.00v-0.30h-25.00zM75.00 30h25.00v-3.00h-25.00z"
        );
        assert_eq!(zero_at(&histogram), Some(50.0));
        assert_eq!(zero_at(&Histogram { low: 1.0, high: 2.0, counts: vec![1] }), None);
        assert_eq!(zero_at(&Histogram { low: 0.0, high: 0.0, counts: vec![] }), None);
        let heat = Heat { rows: 1, columns: 3, mean_magnitude: vec![0.0, 1.0, 4.0] };
        assert_eq!(pixels(&heat).chunks(4).map(|pixel| pixel[3]).collect::<Vec<_>>(), [0, 128, 255]);
    }
}
