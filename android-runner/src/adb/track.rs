//! Devices as they come and go.

use super::{Adb, AdbError, SHORT, wire};

/// A connection on which the server tells its list of devices at each change.
pub struct Tracker(wire::Connection);

impl Adb {
    /// Begins to watch. The first list comes at once.
    ///
    /// # Errors
    ///
    /// The server can't be had.
    pub async fn track(&self) -> Result<Tracker, AdbError> {
        self.version().await?;
        let what = "watching devices";
        wire::limit(SHORT, what, async {
            let mut connection = self.connect().await?;
            connection.request("host:track-devices", what).await?;
            Ok(Tracker(connection))
        })
        .await
    }
}

impl Tracker {
    /// The next list, whenever it comes: this is what may wait as long as nothing happens.
    ///
    /// # Errors
    ///
    /// The server has ended.
    pub async fn next(&mut self) -> Result<String, AdbError> {
        self.0.counted_text("watching devices").await
    }
}
