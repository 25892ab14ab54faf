//! Schemas that cost far more than they are worth.

use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::{CallError, CallOptions, Host};

use crate::support::{Home, LONG, behave, end, python, text};

async fn host(home: &Home, how: &str) -> Host {
    let host = home.builder().extension(python("hostile.py", [how])).extension(behave(&[]));
    tokio::time::timeout(LONG, host.start()).await.expect("a schema must not hold up the start")
}

/// What the host says of the tool `hostile`, which it refused.
async fn refusal(how: &str) -> String {
    let home = Home::new();
    let host = host(&home, how).await;
    let rejected = async {
        loop {
            let rejected = host.extensions().remove(0).report.rejected;
            if !rejected.is_empty() && host.tools().iter().any(|tool| tool.name() == "behind") {
                return rejected;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let rejected = tokio::time::timeout(LONG, rejected).await.expect("it must be refused");
    assert_eq!(rejected.len(), 1, "{rejected:?}");
    assert_eq!(rejected[0].name, "hostile");
    assert_eq!(rejected[0].code, ErrorKind::TooLarge);
    assert!(rejected[0].message.len() <= 1100, "{}", rejected[0].message.len());
    // What was registered behind it is there when the host is.
    assert_eq!(text(&host.call("behind", "{}").await.unwrap()), "done");
    end(host).await;
    rejected[0].message.clone()
}

#[tokio::test]
async fn a_schema_over_a_limit_is_refused_by_the_name_of_the_limit() {
    for (how, limit) in [
        ("references", "has more than 10000 subschemas"),
        ("all-of", "has more than 10000 subschemas"),
        ("patterns", "beyond 33554432 bytes"),
        ("empty-schemas", "has more than 1048576 bytes"),
    ] {
        let message = refusal(how).await;
        assert!(message.contains(limit), "{how}: {message}");
    }
}

#[tokio::test]
async fn a_call_whose_check_takes_long_ends_with_its_steps_or_its_time() {
    for how in ["twice-all-of", "twice-any-of"] {
        let home = Home::new();
        let host = host(&home, how).await;
        let arguments = r#"{"x":"b"}"#;
        let arguments = if how == "twice-all-of" { r#"{"x":"a"}"# } else { arguments };
        let error = host.call("hostile", arguments).await.unwrap_err();
        let CallError::Invalid { violation, .. } = &error else { panic!("{error}") };
        assert!(violation.message.starts_with("take more than 5000000 steps"), "{violation}");

        let mut options = CallOptions::default();
        options.timeout = Some(Duration::from_millis(1));
        let short = host.start_call("hostile", arguments, options).await;
        assert!(matches!(short, Err(CallError::Timeout { .. })), "{short:?}");
        end(host).await;
    }
}

/// The runtime of this test has one thread: whatever computes on it holds up everything.
#[tokio::test]
async fn a_schema_that_takes_long_to_compile_holds_up_nobody() {
    let home = Home::new();
    let host = host(&home, "large").await;
    // It is ready when what was registered before is there, in the order of the wire.
    let status = host.extensions().remove(0);
    assert_eq!(status.report.rejected, []);
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "done");
    assert_eq!(text(&host.call("behind", "{}").await.unwrap()), "done");
    assert!(host.tools().iter().any(|tool| tool.name() == "hostile"));
    end(host).await;
}
