//! Secrets in the keyring of the operating system: a real one, GNOME Keyring on a bus of its own.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::Write as _;
use std::process::Command;

use serde_json::json;
use support::Extline;

/// What a person types, beside a keyring that is unlocked.
const SESSION: &str = r#"
set -e
printf 'password of the test' | gnome-keyring-daemon --unlock --components=secrets >"$HOME/keyring.log"
printf 'swordfish-7\n' | extline secret set --keyring weather KEY_OF_TEST
extline secret list
extline call "$HOME/weather" weather
! grep -rq swordfish "$HOME" || echo 'the value stands in a file'
printf 'swordfish-8\n' | extline secret set weather KEY_OF_TEST --keyring
extline secret list --json
extline secret remove weather KEY_OF_TEST
extline secret list
extline call "$HOME/weather" weather || true
printf 'swordfish-9\n' | extline secret set --keyring weather KEY_OF_TEST
printf 'swordfish-10\n' | extline secret set weather KEY_OF_TEST
extline secret list
printf 'swordfish-11\n' | extline secret set --keyring weather KEY_OF_TEST
printf 'x\n' | extline secret set weather OTHER_OF_TEST
unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR
extline secret list
"#;

const WEATHER: &str = r#"
import json
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="weather", version="1.0.0", capabilities=["tools", "rpc"])
say(type="register_tool", name="weather", description="d", schema={"type": "object"})
say(type="ready")
import sys
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        call = frame["id"]
        say(type="request", id="1", method="secret.get", params={"name": "KEY_OF_TEST"})
    elif frame["type"] == "response":
        said = frame["result"]["value"] if "result" in frame else frame["error"]["message"]
        say(type="tool_result", id=call, content=[{"type": "text", "text": "asked with " + said}])
    elif frame["type"] == "shutdown":
        say(type="shutdown_ack")
        break
"#;

#[test]
fn a_secret_is_kept_in_the_keyring_and_nowhere_else() {
    for program in ["dbus-run-session", "gnome-keyring-daemon"] {
        if Command::new(program).arg("--version").output().is_err() {
            let _ = writeln!(std::io::stderr(), "SKIPPED secrets in the keyring: no {program}");
            return;
        }
    }
    let extline = Extline::new();
    let home = extline.home();
    let folder = home.join("weather");
    fs::create_dir(&folder).unwrap();
    let manifest = json!({
        "name": "weather", "exec": "python3", "args": ["-S", "weather.py"],
        "permissions": {"secrets": ["KEY_OF_TEST"]},
    });
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("weather.py"), WEATHER).unwrap();

    let programs = std::path::Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let session = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", SESSION])
        .env("PATH", path)
        .env("HOME", home)
        .env("EXTLINE_HOME", home.join("extline"))
        .env("XDG_DATA_HOME", home.join("data"))
        .env("XDG_RUNTIME_DIR", home)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&session.stdout);
    let told = String::from_utf8_lossy(&session.stderr);
    assert!(session.status.success(), "{said}{told}");
    let missing = "KEY_OF_TEST is not set: extline secret set weather KEY_OF_TEST, or set the \
                   environment variable KEY_OF_TEST where the agent is started";
    let expected = [
        "KEY_OF_TEST of weather is set",
        "weather\n  KEY_OF_TEST  set (keyring)",
        // What an extension does with it in a result is its own matter.
        "asked with swordfish-7",
        "KEY_OF_TEST of weather is set",
        r#"{"extension":"weather","secrets":[{"name":"KEY_OF_TEST","set":true,"source":"keyring"}]}"#,
        "KEY_OF_TEST of weather is removed",
        "no secrets are set",
        &format!("asked with {missing}"),
        "KEY_OF_TEST of weather is set",
        "KEY_OF_TEST of weather is set",
        "weather\n  KEY_OF_TEST  set (file)",
        "KEY_OF_TEST of weather is set",
        "OTHER_OF_TEST of weather is set",
        "weather\n  KEY_OF_TEST  not readable: KEY_OF_TEST of weather is kept in the keyring: there is no session bus \
         (DBUS_SESSION_BUS_ADDRESS is not set), so no keyring\n  OTHER_OF_TEST  set (file)\n",
    ];
    assert_eq!(said, expected.join("\n"), "{told}");
    assert!(!told.contains("swordfish"), "{told}");
}

#[test]
fn without_a_keyring_nothing_is_set_and_the_file_is_named() {
    let extline = Extline::new();
    let set = Command::new("sh")
        .args(["-c", "printf x | \"$0\" secret set weather KEY_OF_TEST --keyring"])
        .arg(env!("CARGO_BIN_EXE_extline"))
        .env("EXTLINE_HOME", extline.home())
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .unwrap();
    assert_eq!(set.status.code(), Some(1));
    let told = String::from_utf8_lossy(&set.stderr);
    assert_eq!(
        told,
        "error: there is no session bus (DBUS_SESSION_BUS_ADDRESS is not set), so no keyring; without --keyring it is \
         kept in a file\n"
    );
    assert_eq!(extline.run(&["secret", "list"]).stdout, "no secrets are set\n");
}
