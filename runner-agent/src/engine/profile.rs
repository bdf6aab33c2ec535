//! What a module's dispatches take.

use super::{decoder::runtime, statistics::millis};
use iree_runtime::Device;
use studio_protocol::{DispatchTime, ErrorCode, WireError};

/// Takes in what a device timed, before that is more than it keeps.
pub(super) fn take_in(device: Option<&Device>) -> Result<(), WireError> {
    device.map_or(Ok(()), |device| device.profile().map(|_| ()).map_err(runtime))
}

/// The dispatches of a device, those that took most first; nothing of none.
pub(super) fn dispatches(device: Option<&Device>) -> Result<Vec<DispatchTime>, WireError> {
    let Some(device) = device else { return Ok(Vec::new()) };
    let mut profile = device.profile().map_err(runtime)?;
    if profile.lost > 0 {
        let words = format!(
            "{} dispatches were more than IREE keeps of one call, and their times are lost",
            profile.lost
        );
        return Err(
            WireError::new(ErrorCode::Runtime, words).hint("Run without the profile, or a shorter prompt")
        );
    }
    profile.dispatches.sort_by_key(|dispatch| std::cmp::Reverse(dispatch.total));
    let told = |dispatch: iree_runtime::DispatchTime| DispatchTime {
        name: dispatch.name,
        calls: dispatch.calls,
        total_ms: millis(dispatch.total),
        min_ms: millis(dispatch.shortest),
        max_ms: millis(dispatch.longest),
        scopes: Vec::new(),
    };
    Ok(profile.dispatches.into_iter().map(told).collect())
}
