//! Times as people read them, in their own zone.

use js_sys::Date;
use wasm_bindgen::JsValue;

/// `2026-11-30 23:59:07`
pub(crate) fn when(ms_since_1970: u64) -> String {
    let date = Date::new(&JsValue::from_f64(ms_since_1970 as f64));
    format!(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}",
        date.get_full_year(),
        date.get_month() + 1,
        date.get_date(),
        date.get_hours(),
        date.get_minutes(),
        date.get_seconds()
    )
}

/// Milliseconds since 1970, now.
pub(crate) fn now_ms() -> u64 {
    Date::now() as u64
}
