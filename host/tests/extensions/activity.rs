//! Extensions that are put out of use, and into use again, while their processes run.

use std::sync::Arc;

use extline_host::protocol::ErrorKind;
use extline_host::{CallError, ExtensionSource, ExtensionState, Host};

use crate::support::{Home, behave, end, text};

/// In plain sh. It has the tool `say` and the command `say`, guards what is called `danger`, and serves both methods:
/// what it is asked is said by `say`. With `no` it answers them with an error.
const SCRIPT: &str = r#"
told=nothing
emit() { printf '%s\n' "$1"; }
emit '{"type":"hello","name":"shop","version":"1.0.0","capabilities":["tools","commands","rpc"],"methods":["lifecycle.activate","lifecycle.deactivate"]}'
emit '{"type":"register_tool","name":"say","description":"Says.","schema":{"type":"object"}}'
emit '{"type":"register_command","name":"say","description":"Says."}'
emit '{"type":"subscribe","intercept":["tool_call"],"guards":["tool_call"]}'
emit '{"type":"ready"}'
while IFS= read -r line; do
    id=${line#*'"id":"'}
    id=${id%%'"'*}
    case $line in
        *'"type":"event_intercept"'*danger*) emit '{"type":"event_intercept_response","id":"'"$id"'","block":true,"reason":"no"}' ;;
        *'"type":"event_intercept"'*) emit '{"type":"event_intercept_response","id":"'"$id"'"}' ;;
        *'"type":"tool_call"'*) emit '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"'"$told"'"}]}' ;;
        *'"type":"request"'*)
            case $line in *drain_ms*) told=deactivate ;; *) told="$told activate" ;; esac
            if [ "$1" = no ]; then
                emit '{"type":"response","id":"'"$id"'","error":{"code":"conflict","message":"not now"}}'
            else
                emit '{"type":"response","id":"'"$id"'","result":{}}'
            fi ;;
        *'"type":"shutdown"'*) exit ;;
    esac
done"#;

fn shop(answer: &str) -> ExtensionSource {
    ExtensionSource::command("sh", ["-c", SCRIPT, "shop", answer]).named("shop")
}

fn offered(host: &Host) -> Vec<String> {
    host.tools().iter().map(|tool| tool.name().to_owned()).collect()
}

#[tokio::test]
async fn one_that_is_out_of_use_is_told_and_not_called_and_keeps_its_names_and_guards() {
    let home = Home::new();
    let host = home.builder().extension(shop("yes")).extension(behave(&[])).start().await;
    let pid = host.extensions()[0].pid;
    host.deactivate("shop").await.unwrap();
    assert_eq!(host.extensions()[0].state, ExtensionState::Inactive);
    assert!(!offered(&host).contains(&"say".to_owned()), "{:?}", offered(&host));
    let error = host.call("say", "{}").await.unwrap_err();
    assert!(matches!(&error, CallError::Inactive { .. }), "{error}");
    assert_eq!(error.to_string(), "say is not active: the host has deactivated it");
    let error = host.command("say", "").await.unwrap_err();
    assert!(matches!(&error, CallError::Inactive { .. }), "{error}");
    // What others offer is called, and passes its guard.
    host.call("echo", r#"{"text":"a"}"#).await.unwrap();
    let error = host.call("echo", r#"{"text":"danger"}"#).await.unwrap_err();
    assert!(matches!(&error, CallError::Blocked { .. }), "{error}");
    // Once more, and it is not told again.
    host.deactivate("shop").await.unwrap();
    host.activate("shop").await.unwrap();
    host.activate("shop").await.unwrap();
    assert_eq!(text(&host.call("say", "{}").await.unwrap()), "deactivate activate");
    assert_eq!(
        (host.extensions()[0].pid, &host.extensions()[0].state),
        (pid, &ExtensionState::Ready)
    );
    end(host).await;
}

#[tokio::test]
async fn one_that_says_no_stays_as_it_is_and_one_that_is_not_there_is_told() {
    let home = Home::new();
    let host = home.builder().extension(shop("no")).start().await;
    let error = host.deactivate("shop").await.unwrap_err();
    assert!(
        matches!(&error, CallError::Request { error, .. } if error.code == ErrorKind::Conflict)
    );
    assert_eq!(text(&host.call("say", "{}").await.unwrap()), "deactivate");
    let error = host.deactivate("shoop").await.unwrap_err();
    assert!(matches!(&error, CallError::Unknown { .. }), "{error}");
    host.disable("shop").await;
    let error = host.activate("shop").await.unwrap_err();
    assert!(matches!(&error, CallError::Disabled { .. }), "{error}");
    end(host).await;
}

/// One that does not serve the methods is not asked, and a reload does not bring it back.
#[tokio::test]
async fn one_that_knows_nothing_of_it_is_out_of_use_all_the_same() {
    let home = Home::new();
    let host = Arc::new(home.builder().extension(behave(&[])).start().await);
    let slow = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.call("echo", r#"{"text":"a"}"#).await })
    };
    slow.await.unwrap().unwrap();
    host.deactivate("behave").await.unwrap();
    host.reload("behave").await.unwrap();
    assert_eq!(host.extensions()[0].state, ExtensionState::Inactive);
    assert_eq!(offered(&host), [""; 0]);
    host.activate("behave").await.unwrap();
    host.call("echo", r#"{"text":"a"}"#).await.unwrap();
    // Enabled anew it is in use.
    host.deactivate("behave").await.unwrap();
    host.disable("behave").await;
    host.enable("behave").await.unwrap();
    host.call("echo", r#"{"text":"a"}"#).await.unwrap();
    end(Arc::into_inner(host).unwrap()).await;
}
