//! Decimal numbers compared by value: `1,299.00`, `1299` and `1.299e3` are one number.

use serde_json::Number;

/// Largest power of ten that is kept; what lies beyond is no number a page shows.
const EXPONENT_MAX: i32 = 400;

/// `digits × 10^-scale`, without leading zeros in `digits` or trailing zeros; zero has no digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    scale: i32,
}

impl Decimal {
    /// From the ASCII digits before and after a decimal point.
    pub(crate) fn new(whole: &str, fraction: &str) -> Self {
        let digits = format!("{whole}{fraction}");
        let scale = i32::try_from(fraction.len()).unwrap_or(EXPONENT_MAX);
        Self { negative: false, digits, scale }.reduced()
    }

    pub(crate) fn of_json(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
        let (sign, unsigned) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let value = Self::new(whole, fraction).shifted(exponent);
        Some(if sign { value.negated() } else { value })
    }

    fn reduced(mut self) -> Self {
        let trailing = self.digits.len() - self.digits.trim_end_matches('0').len();
        self.digits.truncate(self.digits.len() - trailing);
        self.scale -= i32::try_from(trailing).unwrap_or(EXPONENT_MAX);
        self.digits = self.digits.trim_start_matches('0').to_owned();
        if self.digits.is_empty() {
            return Self { negative: false, digits: String::new(), scale: 0 };
        }
        self
    }

    pub(crate) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.digits.is_empty(), ..self.clone() }
    }

    /// Times a power of ten.
    pub(crate) fn shifted(&self, power: i32) -> Self {
        let scale = self.scale.saturating_sub(power).clamp(-EXPONENT_MAX, EXPONENT_MAX);
        Self { scale, ..self.clone() }.reduced()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.scale <= 0
    }

    /// The JSON number; one that JSON cannot hold exactly is the nearest double.
    pub(crate) fn to_json(&self) -> Option<Number> {
        serde_json::from_str(&self.plain()).ok()
    }

    /// Digits without an exponent, such as `-12.5`.
    pub(crate) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let Ok(fraction_digits) = usize::try_from(self.scale) else {
            let zeros = usize::try_from(-self.scale).unwrap_or_default();
            return format!("{sign}{}{}", self.digits, "0".repeat(zeros));
        };
        let padded = format!("{:0>width$}", self.digits, width = fraction_digits + 1);
        let (whole, fraction) = padded.split_at(padded.len() - fraction_digits);
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    /// The value as a count, when it is one.
    pub(crate) fn as_count(&self) -> Option<usize> {
        if self.negative || !self.is_whole() { None } else { self.plain().parse().ok() }
    }
}
