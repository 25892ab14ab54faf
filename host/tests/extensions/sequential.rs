//! Tools whose calls the host holds in order.

use std::task::Poll;
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{CallError, CallOptions, Host};
use serde_json::json;

use crate::journal::Journal;
use crate::support::{Home, LONG, end, text};

/// Longer than a call that waits for nothing takes to reach the extension.
const A_WHILE: Duration = Duration::from_millis(300);

/// With a sequential tool `one` and a tool `free`.
async fn host_of(home: &Home, journal: &Journal) -> Host {
    home.builder().extension(journal.caller("a", &["one:sequential", "free"])).start().await
}

fn runs(journal: &Journal) -> usize {
    journal.lines().iter().filter(|line| *line == "a: runs one").count()
}

#[tokio::test]
async fn a_call_waits_for_the_one_before_and_other_tools_do_not() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = host_of(&home, &journal).await;
    let first = host.start_call("one", r#"{"hang":"first"}"#, CallOptions::default());
    let first = first.await.unwrap();
    journal.until("a: hangs first", 1).await;
    let second = host.call("one", r#"{"text":"second"}"#);
    let mut second = Box::pin(second);
    assert!(tokio::time::timeout(A_WHILE, &mut second).await.is_err());
    assert_eq!(runs(&journal), 1);
    assert_eq!(text(&host.call("free", r#"{"text":"free"}"#).await.unwrap()), "free");
    first.cancel("enough");
    assert!(first.outcome().await.unwrap().is_error);
    assert_eq!(text(&second.await.unwrap()), "second");
    assert_eq!(runs(&journal), 2);
    end(host).await;
}

#[tokio::test]
async fn calls_run_in_the_order_in_which_they_were_made() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = host_of(&home, &journal).await;
    let args: Vec<_> = (0..20).map(|number| json!({"text": number.to_string()})).collect();
    let mut calls = Vec::new();
    for args in &args {
        let mut call = Box::pin(async { host.call("one", &args.to_string()).await.unwrap() });
        // Made, which is when it is first polled, one after the other.
        tokio::select! {
            biased;
            _ = &mut call => panic!("it cannot be answered yet"),
            () = std::future::ready(()) => {}
        }
        calls.push(call);
    }
    // All are awaited together, the last one first.
    let mut last_first: Vec<_> = calls.into_iter().rev().collect();
    std::future::poll_fn(|context| {
        last_first.retain_mut(|call| call.as_mut().poll(context).is_pending());
        if last_first.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    drop(last_first);
    let ran = journal.entries().into_iter().filter(|(_, what, _)| what == "runs one");
    assert_eq!(ran.map(|(_, _, args)| args).collect::<Vec<_>>(), args);
    end(host).await;
}

#[tokio::test]
async fn a_held_call_that_is_given_up_never_reaches_the_extension() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = host_of(&home, &journal).await;
    let first = host.start_call("one", r#"{"hang":"first"}"#, CallOptions::default());
    let first = first.await.unwrap();
    journal.until("a: hangs first", 1).await;
    let second = host.call("one", r#"{"text":"second"}"#);
    assert!(tokio::time::timeout(A_WHILE, second).await.is_err());
    drop(first);
    // Dropping the first one frees its turn once the extension has answered.
    assert_eq!(text(&host.call("one", r#"{"text":"third"}"#).await.unwrap()), "third");
    let ran = journal.entries().into_iter().filter(|(_, what, _)| what == "runs one");
    assert_eq!(ran.map(|(_, _, args)| args).next_back(), Some(json!({"text": "third"})));
    assert_eq!(runs(&journal), 2);
    end(host).await;
}

#[tokio::test]
async fn the_caller_s_own_time_runs_while_it_waits() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = host_of(&home, &journal).await;
    let first = host.start_call("one", r#"{"hang":"first"}"#, CallOptions::default());
    let first = first.await.unwrap();
    let options = CallOptions::default().timeout(A_WHILE);
    let error = host.start_call("one", r#"{"text":"second"}"#, options).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { after, .. } if after == A_WHILE), "{error}");
    drop(first);
    end(host).await;
}

#[tokio::test]
async fn a_call_that_times_out_or_whose_extension_dies_gives_its_turn_back() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let tool = Duration::from_millis(500);
    let builder = home.builder().deadlines(Deadlines { tool, ..Deadlines::default() });
    let builder = builder.extension(journal.caller("a", &["one:sequential"]));
    let host = builder.start().await;
    let hang = || host.call("one", r#"{"hang":"it"}"#);
    let (first, second) = tokio::join!(hang(), hang());
    for outcome in [first, second] {
        assert!(matches!(outcome, Err(CallError::Timeout { .. })), "{outcome:?}");
    }
    // Both were begun, though a busy machine may be late with it.
    journal.until("a: runs one", 2).await;
    let patient = async |args| {
        let call = host.start_call("one", args, CallOptions::default().timeout(LONG)).await?;
        call.outcome().await
    };
    let die = patient(r#"{"die":{"name":"one","args":{}}}"#);
    let (died, held) = tokio::join!(die, patient(r#"{"hang":"it"}"#));
    assert!(matches!(died, Err(CallError::Died { .. })), "{died:?}");
    assert!(matches!(held, Err(CallError::Unknown { .. })), "{held:?}");
    end(host).await;
}
