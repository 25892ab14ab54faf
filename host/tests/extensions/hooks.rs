//! Script hooks: programs that are asked before a tool runs.

use std::path::Path;

use extline_host::{Host, HostBuilder, News, ScriptHooks};
use serde_json::{Value, json};

use crate::support::{Home, LONG, behave, end, text};

fn hooks(folder: &Path, file: &str) -> ScriptHooks {
    let path = folder.join("hooks.toml");
    std::fs::write(&path, file).unwrap();
    ScriptHooks::read(&path).unwrap()
}

/// With one hook, whose script is that.
fn hooked(home: &Home, more: &str, script: &str) -> HostBuilder {
    std::fs::write(home.path().join("check.sh"), script).unwrap();
    let path = home.path().join("check.sh");
    let command = json!(["sh", path]);
    let file =
        format!("[[hook]]\nname = \"check\"\npoint = \"tool_call\"\ncommand = {command}\n{more}");
    let hooks = hooks(home.path(), &file);
    home.builder().cwd(home.path()).script_hooks(hooks).extension(behave(&[]))
}

async fn blocked(host: &Host) -> String {
    host.call("echo", r#"{"text":"1"}"#).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_hook_reads_the_call_and_what_it_says_with_two_blocks_it() {
    let home = Home::new();
    let script =
        "cat > seen; grep -q '\"text\":\"1\"' seen && { echo 'no ones' >&2; exit 2; }; exit 0";
    let host = hooked(&home, "", script).start().await;
    assert!(blocked(&host).await.contains("blocked by check: no ones"));
    let seen = std::fs::read_to_string(home.path().join("seen")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["event"], "tool_call");
    assert_eq!(seen["tool_name"], "echo");
    assert_eq!(seen["tool_args"], json!({ "text": "1" }));
    assert_eq!(seen["cwd"], home.path().to_str().unwrap());
    assert!(seen["tool_id"].as_str().unwrap().starts_with("call_"));
    let passed = host.call("echo", r#"{"text":"2"}"#).await.unwrap();
    assert!(!passed.is_error, "{}", text(&passed));
    // What the agent tries out, and its own calls, are asked about too.
    assert!(host.intercept_tool_call("bash", r#"{"text":"1"}"#).await.is_err());
    assert!(host.intercept_tool_call("bash", r#"{"text":"2"}"#).await.is_ok());
    end(host).await;
}

#[tokio::test]
async fn a_hook_that_cannot_decide_blocks_unless_it_only_advises() {
    let home = Home::new();
    let failing = [
        ("", "exit 1", "exit status 1"),
        ("", "kill -KILL $$", "SIGKILL"),
        ("timeout_ms = 100", "sleep 1000", "longer than 100 ms"),
    ];
    for (more, script, said) in failing {
        let host = hooked(&home, more, script).start().await;
        let error = blocked(&host).await;
        assert!(error.contains("it could not decide") && error.contains(said), "{error}");
        end(host).await;

        let host = hooked(&home, &format!("{more}\nmode = \"advisory\""), script).start().await;
        let mut news = host.news();
        host.call("echo", r#"{"text":"1"}"#).await.unwrap();
        let told = async {
            loop {
                if let News::Notice { extension, notice } = news.next().await.unwrap() {
                    assert_eq!(extension, "check");
                    return notice.text;
                }
            }
        };
        let told = tokio::time::timeout(LONG, told).await.unwrap();
        assert!(told.contains(said), "{told}");
        end(host).await;
    }
    let missing = "[[hook]]\npoint = \"tool_call\"\ncommand = [\"./gone.sh\"]";
    let missing = hooks(home.path(), missing);
    let host = home.builder().script_hooks(missing).extension(behave(&[])).start().await;
    let error = blocked(&host).await;
    assert!(error.contains("./gone.sh") && error.contains("there is no program"), "{error}");
    end(host).await;
}

#[tokio::test]
async fn a_hook_is_about_the_tools_that_it_names_and_sees_no_keys() {
    let home = Home::new();
    let host = hooked(&home, "tool = \"ech*\"", "exit 2").start().await;
    assert!(blocked(&host).await.contains("it gives no reason"));
    assert!(host.intercept_tool_call("bash", "{}").await.is_ok());
    end(host).await;
    // Cargo sets this one for tests.
    let script = "test -z \"$CARGO_MANIFEST_DIR\"";
    for (more, passes) in [("", true), ("env = [\"CARGO_MANIFEST_DIR\"]", false)] {
        let host = hooked(&home, more, script).start().await;
        assert_eq!(host.call("echo", r#"{"text":"1"}"#).await.is_ok(), passes);
        end(host).await;
    }
}

#[tokio::test]
async fn a_hook_behind_a_tool_reads_its_result_and_may_withhold_it() {
    let home = Home::new();
    let script =
        "cat > seen; grep -q secret seen && { echo 'not for a model' >&2; exit 2; }; exit 0";
    std::fs::write(home.path().join("check.sh"), script).unwrap();
    let command = json!(["sh", home.path().join("check.sh")]);
    let file =
        format!("[[hook]]\nname = \"check\"\npoint = \"tool_result\"\ncommand = {command}\n");
    let hooks = hooks(home.path(), &file);
    let host = home.builder().cwd(home.path()).script_hooks(hooks).extension(behave(&[]));
    let host = host.start().await;
    let passed = host.call("echo", r#"{"text":"plain"}"#).await.unwrap();
    assert!(!passed.is_error && text(&passed).contains("plain"));
    let seen = std::fs::read_to_string(home.path().join("seen")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["event"], "tool_result");
    assert_eq!(seen["tool_args"], json!({ "text": "plain" }));
    assert!(seen["result"]["content"][0]["text"].as_str().unwrap().contains("plain"), "{seen}");
    let withheld = host.call("echo", r#"{"text":"secret"}"#).await.unwrap();
    let said = text(&withheld);
    assert!(withheld.is_error && said.contains("withheld by check: not for a model"), "{said}");
    assert!(!said.contains("secret"), "{said}");
    end(host).await;
}

/// It writes more than a pipe holds, and does not read what it is given.
#[tokio::test]
async fn a_noisy_hook_is_waited_for_and_its_last_words_count() {
    let home = Home::new();
    let script = "yes noise | head -c 300000 >&2; echo the last words >&2; exit 2";
    let host = hooked(&home, "", script).start().await;
    let error = blocked(&host).await;
    assert!(error.ends_with("the last words") && error.len() < 3000, "{error}");
    end(host).await;
}
