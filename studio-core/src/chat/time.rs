//! `strftime_now`: the day that a template writes into a prompt. The caller says what time it is; we have no clock.

use minijinja::{Error, ErrorKind};

/// A moment of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    year: i64,
    /// From 0.
    month: usize,
    /// From 1.
    day: u64,
    /// Sunday is 0.
    weekday: usize,
    hour: u64,
    minute: u64,
    second: u64,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const DAY_SECONDS: u64 = 86_400;
/// Days of 400 years, after which the calendar repeats itself.
const CYCLE_DAYS: u64 = 146_097;

impl Moment {
    /// So many seconds after 1970 began.
    pub(super) fn from_unix(seconds: u64) -> Self {
        let (days, rest) = (seconds / DAY_SECONDS, seconds % DAY_SECONDS);
        let (cycles, mut left) = (days / CYCLE_DAYS, days % CYCLE_DAYS);
        let mut year = 1970 + 400 * cycles;
        while left >= year_days(year) {
            left -= year_days(year);
            year += 1;
        }
        let mut month = 0;
        while left >= month_days(year, month) {
            left -= month_days(year, month);
            month += 1;
        }
        Moment {
            year: year.cast_signed(),
            month,
            day: left + 1,
            // 1970 began on a Thursday.
            weekday: ((days + 4) % 7) as usize,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// As C's `strftime` writes it, with the conversions that templates use.
    pub(super) fn format(self, format: &str) -> Result<String, Error> {
        let mut text = String::new();
        let mut chars = format.chars();
        while let Some(char) = chars.next() {
            if char != '%' {
                text.push(char);
                continue;
            }
            let conversion = chars.next().unwrap_or('%');
            let (month, weekday) = (MONTHS[self.month], WEEKDAYS[self.weekday]);
            text += &match conversion {
                'Y' => self.year.to_string(),
                'y' => format!("{:02}", self.year % 100),
                'm' => format!("{:02}", self.month + 1),
                'B' => month.to_owned(),
                'b' | 'h' => month[..3].to_owned(),
                'd' => format!("{:02}", self.day),
                'e' => format!("{:2}", self.day),
                'A' => weekday.to_owned(),
                'a' => weekday[..3].to_owned(),
                'H' => format!("{:02}", self.hour),
                'M' => format!("{:02}", self.minute),
                'S' => format!("{:02}", self.second),
                'F' => self.format("%Y-%m-%d")?,
                'T' => self.format("%H:%M:%S")?,
                '%' => "%".to_owned(),
                other => {
                    let message = format!("strftime_now: `%{other}` is not known here");
                    return Err(Error::new(ErrorKind::InvalidOperation, message));
                }
            };
        }
        Ok(text)
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn year_days(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

/// `month` counts from 0.
fn month_days(year: u64, month: usize) -> u64 {
    match month {
        1 => 28 + u64::from(is_leap(year)),
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `date -u -d @SECONDS` writes them.
    #[test]
    fn days_are_those_of_the_calendar() {
        let cases = [
            (0, "Thursday 01 January 1970 00:00:00"),
            (951_782_400, "Tuesday 29 February 2000 00:00:00"),
            (1_709_251_199, "Thursday 29 February 2024 23:59:59"),
            (1_796_083_200, "Tuesday 01 December 2026 00:00:00"),
            (4_107_542_400, "Monday 01 March 2100 00:00:00"),
            (32_503_680_000, "Wednesday 01 January 3000 00:00:00"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(Moment::from_unix(seconds).format("%A %d %B %Y %T").unwrap(), expected);
        }
    }

    #[test]
    fn unknown_conversions_are_named() {
        let moment = Moment::from_unix(0);
        assert_eq!(moment.format("%e. %b %y 100%%").unwrap(), " 1. Jan 70 100%");
        assert!(moment.format("%Q").unwrap_err().to_string().contains("`%Q`"));
    }
}
