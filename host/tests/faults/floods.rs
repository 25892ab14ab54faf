//! Extensions that write far more than anybody asked for.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use extline_host::{ExtensionState, Problem};

use crate::pair::Pair;
use crate::support::LONG;

async fn flood(switch: &str, newest: &str) {
    let pair = Pair::start(&[switch]).await;
    let found = pair.diagnosis_in_call("{}").await;
    assert_eq!(found.problem, Problem::Flood);
    let expected = format!(
        "misbehave: it floods its stdout: far more lines than a thousand a second that nobody \
         asked for
  while   answering the tool call hang
  system  PROCESS
  stdout  {newest}
  log     HOME/logs/misbehave.log
  try     write a note only when it is news to somebody, and debug output to stderr"
    );
    let process = found.process.clone().unwrap_or_default();
    assert_eq!(pair.shape(&found).replace(&process, "PROCESS"), expected);
    let status = pair.host.extensions().remove(1);
    assert!(status.notices.len() <= 50, "{}", status.notices.len());
    assert!(size_of(&found.log.unwrap()).await < 2 << 20);
    pair.end().await;
}

/// A log is written behind the extension's back, and is not there while a new file is begun.
async fn size_of(log: &Path) -> u64 {
    let there = async {
        loop {
            match fs::metadata(log) {
                Ok(found) => return found.len(),
                Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, there).await.expect("the log must be written")
}

#[tokio::test]
async fn of_junk_on_stdout() {
    let text =
        "skipped a line: not JSON (expected value at line 1 column 1): DEBUG entering the loop";
    flood("flood-junk", text).await;
}

#[tokio::test]
async fn of_notes() {
    flood("flood-notes", "notify: again").await;
}

#[tokio::test]
async fn of_bytes_without_an_end() {
    let pair = Pair::start(&["flood-bytes"]).await;
    let found = pair.diagnosis_in_call("{}").await;
    assert_eq!(found.problem, Problem::Flood);
    pair.end().await;
}

#[tokio::test]
async fn of_stderr_ends_nothing_and_fills_no_disk() {
    let mut pair = Pair::start(&["flood-stderr"]).await;
    assert_eq!(pair.hang("{}").await.unwrap(), "from now on");
    assert_eq!(
        pair.next_notice().await.to_string(),
        "it floods its stderr: from here on only a part is kept, and read slowly (log less)"
    );
    pair.good_one_answers().await;
    let status = pair.host.extensions().remove(1);
    assert_eq!(status.state, ExtensionState::Ready);
    let log = status.log.unwrap();
    for file in [log.with_extension("log.1"), log] {
        assert!(size_of(&file).await < 2 << 20);
    }
    pair.end().await;
}
