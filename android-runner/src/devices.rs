//! Which devices there are, what state each is in, and what to do about it.

use crate::adb::{Adb, AdbError, Device};
use std::time::Duration;

/// How long a device may take to say what it is.
const ASKING: Duration = Duration::from_secs(10);

/// What adb says of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It can be used.
    Ready,
    /// Nobody has allowed this computer on the device's screen.
    Unauthorized,
    /// It is there and doesn't answer.
    Offline,
    /// This user may not open the USB device.
    NoPermissions,
    /// It is being started, or being recovered.
    Elsewhere(String),
}

impl State {
    fn of(word: &str) -> Self {
        match word {
            "device" => State::Ready,
            "unauthorized" => State::Unauthorized,
            "offline" => State::Offline,
            "no permissions" => State::NoPermissions,
            other => State::Elsewhere(other.to_owned()),
        }
    }

    /// `ready`, or adb's word for it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            State::Ready => "ready",
            State::Unauthorized => "unauthorized",
            State::Offline => "offline",
            State::NoPermissions => "no permissions",
            State::Elsewhere(word) => word,
        }
    }

    /// What to do so that the device becomes ready; `None` where it is.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        let words = match self {
            State::Ready => return None,
            State::Unauthorized => {
                "Unlock the device and answer its question whether this computer may debug it; where it asks nothing, \
                 pull the cable, choose \"Revoke USB debugging authorizations\" in its developer options and plug it in \
                 again"
            }
            State::Offline => {
                "The device is there and doesn't answer: wake it, or pull the cable and plug it in again; over Wi-Fi, \
                 `adb disconnect` it and `adb connect` it anew"
            }
            State::NoPermissions => {
                "This user may not open the USB device: install udev rules for Android (Debian, Ubuntu: apt install \
                 android-sdk-platform-tools-common), be in the group plugdev, then plug the device in again"
            }
            State::Elsewhere(word) => {
                return Some(format!(
                    "Its state is \"{word}\": wait until Android has started, or restart it"
                ));
            }
        };
        Some(words.to_owned())
    }
}

/// A line of adb's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name for adb.
    pub serial: String,
    /// What adb says of it.
    pub state: State,
}

/// Reads adb's list of devices, short or long.
#[must_use]
pub fn parse(list: &str) -> Vec<Listed> {
    let device = |line: &str| {
        let (serial, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim_start();
        // The only state of two words, and words of explanation after it.
        let word = match rest.starts_with("no permissions") {
            true => "no permissions",
            false => rest.split_whitespace().next()?,
        };
        Some(Listed { serial: serial.to_owned(), state: State::of(word) })
    };
    list.lines().filter_map(device).collect()
}

/// What a device says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// Such as `Pixel 8`.
    pub model: String,
    /// Such as `14`.
    pub android: String,
    /// Its best application binary interface, such as `arm64-v8a`.
    pub abi: String,
    /// All of them.
    pub abis: Vec<String>,
    /// The size of its kernel's pages, in bytes; 0 where it doesn't say.
    pub page_bytes: u64,
    /// Bytes free where agents are put; `None` where it doesn't say.
    pub free_bytes: Option<u64>,
}

/// What asks for [`Properties`], in any Android's shell. The size of pages is read from the memory map of the program that
/// reads it: `getconf` is younger than some phones.
const SCRIPT: &str = "echo model=$(getprop ro.product.model)
echo android=$(getprop ro.build.version.release)
echo abi=$(getprop ro.product.cpu.abi)
echo abis=$(getprop ro.product.cpu.abilist)
echo page=$(grep -m1 KernelPageSize: /proc/self/smaps)
echo free=$(df -k /data/local/tmp | tail -n1)";

impl Properties {
    fn parse(text: &str) -> Self {
        let field = |name: &str| {
            let values = text.lines().filter_map(|line| line.split_once('='));
            values.filter(|(key, _)| *key == name).map(|(_, value)| value.trim().to_owned()).next()
        };
        let numbers =
            |text: String| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u64>>();
        let abis = field("abis").unwrap_or_default();
        Self {
            model: field("model").unwrap_or_default(),
            android: field("android").unwrap_or_default(),
            abi: field("abi").unwrap_or_default(),
            abis: abis.split(',').filter(|abi| !abi.is_empty()).map(str::to_owned).collect(),
            page_bytes: field("page").map(numbers).and_then(|all| all.first().copied()).unwrap_or(0) * 1024,
            // Size, used and available.
            free_bytes: field("free").map(numbers).and_then(|all| Some(all.get(2)? * 1024)),
        }
    }
}

/// A device that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its name for adb.
    pub serial: String,
    /// What adb says of it.
    pub state: State,
    /// What it says of itself; `None` where it can't be asked.
    pub properties: Option<Properties>,
}

/// Every device, each asked what it is. One that goes away while it is asked has no properties.
///
/// # Errors
///
/// The server can't be had.
pub async fn devices(adb: &Adb) -> Result<Vec<Found>, AdbError> {
    let listed = parse(&adb.devices().await?);
    let mut asking = Vec::new();
    for Listed { serial, state } in listed {
        let device = adb.device(&serial);
        asking.push(tokio::spawn(async move {
            let properties = match state {
                State::Ready => properties(&device).await.ok(),
                _ => None,
            };
            Found { serial: device.serial().to_owned(), state, properties }
        }));
    }
    let mut found = Vec::new();
    for one in asking {
        if let Ok(one) = one.await {
            found.push(one);
        }
    }
    Ok(found)
}

/// What a ready device says of itself.
///
/// # Errors
///
/// It isn't there, or doesn't answer.
pub async fn properties(device: &Device) -> Result<Properties, AdbError> {
    let what = format!("asking {} what it is", device.serial());
    let answer = device.shell(SCRIPT, "", ASKING, &what).await?;
    Ok(Properties::parse(&answer.success(&what)?))
}

/// A ready device's model alone, which is what it is called by.
///
/// # Errors
///
/// It isn't there, or doesn't answer.
pub async fn model(device: &Device) -> Result<String, AdbError> {
    let what = format!("asking {} for its model", device.serial());
    let answer = device.shell("getprop ro.product.model", "", ASKING, &what).await?;
    Ok(answer.success(&what)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adbs_lists_are_read() {
        let list = "0A1B2C\tdevice\nemulator-5554          offline transport_id:2\n\
                    XYZ no permissions (missing udev rules? user is in the plugdev group); see [http://x] usb:1-2\n\
                    127.0.0.1:5555 unauthorized transport_id:7\nR5 recovery usb:1-1\n\n";
        let found: Vec<_> =
            parse(list).into_iter().map(|one| (one.serial, one.state.name().to_owned())).collect();
        let found: Vec<_> = found.iter().map(|(serial, state)| (serial.as_str(), state.as_str())).collect();
        assert_eq!(
            found,
            [
                ("0A1B2C", "ready"),
                ("emulator-5554", "offline"),
                ("XYZ", "no permissions"),
                ("127.0.0.1:5555", "unauthorized"),
                ("R5", "recovery"),
            ]
        );
        assert!(parse("").is_empty());
    }

    #[test]
    fn what_keeps_a_device_from_use_is_told_with_what_to_do() {
        let remedy = |word: &str| State::of(word).remedy();
        assert_eq!(remedy("device"), None);
        assert!(remedy("unauthorized").unwrap().contains("answer its question"));
        assert!(remedy("offline").unwrap().contains("plug it in again"));
        assert!(remedy("no permissions").unwrap().contains("udev"));
        assert!(remedy("sideload").unwrap().contains("\"sideload\""));
    }

    #[test]
    fn what_devices_say_is_read() {
        let text = "model=Pixel 8\nandroid=15\nabi=arm64-v8a\nabis=arm64-v8a,armeabi-v7a\n\
                    page=KernelPageSize:       16 kB\nfree=/dev/block/dm-53 114000000 50000000 63800000 44% /data\n";
        assert_eq!(
            Properties::parse(text),
            Properties {
                model: "Pixel 8".into(),
                android: "15".into(),
                abi: "arm64-v8a".into(),
                abis: vec!["arm64-v8a".into(), "armeabi-v7a".into()],
                page_bytes: 16384,
                free_bytes: Some(63_800_000 * 1024),
            }
        );
        assert_eq!(Properties::parse("model=\nfree=\n"), Properties::default());
    }
}
