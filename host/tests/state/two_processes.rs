//! Two hosts with one file, each a process of its own, and both are killed again and again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::keeper::{ask, call, done, end, get, host, plain};

const PLACE: &str = "EXTLINE_TEST_STATE";
/// Writes that are answered, of both together.
const WRITES: u64 = 10_000;
const KILLS: u64 = 12;

/// Not a test of its own: the host that the one below kills.
#[tokio::test]
#[ignore = "the test beside it starts it"]
async fn a_host_that_counts() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let (home, acks) = place.split_once('|').unwrap();
    let options = json!({ "name": "keeper", "acks": acks });
    let host = host(Path::new(home), "one", &options).await;
    call(&host, "keeper_count", json!({ "scope": "global", "times": 1_000_000 })).await;
}

struct Counter {
    home: PathBuf,
    acks: PathBuf,
    host: Child,
}

impl Counter {
    fn start(home: &Path, name: &str) -> Self {
        let (home, acks) = (home.to_owned(), home.join(name));
        let host = Self::spawn(&home, &acks);
        Self { home, acks, host }
    }

    fn spawn(home: &Path, acks: &Path) -> Child {
        let this = std::env::current_exe().unwrap();
        Command::new(this)
            .args(["--exact", "two_processes::a_host_that_counts", "--ignored", "--nocapture"])
            .env(PLACE, format!("{}|{}", home.display(), acks.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap()
    }

    /// Increments that the host has answered.
    fn acks(&self) -> u64 {
        fs::metadata(&self.acks).map_or(0, |found| found.len())
    }

    fn kill(&mut self) {
        self.host.kill().unwrap();
        self.host.wait().unwrap();
    }

    fn start_again(&mut self) {
        self.host = Self::spawn(&self.home, &self.acks);
    }

    fn assert_runs(&mut self) {
        assert_eq!(self.host.try_wait().unwrap(), None, "the host has ended by itself");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_in_10_000_writes_of_two_hosts_that_are_killed() {
    let home = tempfile::tempdir().unwrap();
    let mut counters = ["a", "b"].map(|name| Counter::start(home.path(), name));
    let all = |counters: &[Counter; 2]| counters.iter().map(Counter::acks).sum::<u64>();
    for kill in 1..=KILLS {
        while all(&counters) < kill * WRITES / KILLS {
            counters.iter_mut().for_each(Counter::assert_runs);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let victim = &mut counters[usize::try_from(kill % 2).unwrap()];
        victim.kill();
        if kill < KILLS {
            victim.start_again();
        }
    }
    let [_, b] = &mut counters;
    b.kill();
    // The extensions end a moment after their host: what was answered they still write down.
    let host = host(home.path(), "one", &plain()).await;
    let counted = get(&host, "global", "n").await.unwrap().as_u64().unwrap();
    let acks = all(&counters);
    assert!(acks >= WRITES, "{acks}");
    // Each kill may have come between a write and its answer.
    assert!((acks..=acks + KILLS + 1).contains(&counted), "{counted} of {acks}");
    end(host).await;
    let database = rusqlite::Connection::open(home.path().join("state/state.db")).unwrap();
    let check: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

#[tokio::test]
async fn of_two_hosts_that_set_what_both_have_read_one_is_told_of_a_conflict() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) =
        (host(home.path(), "one", &plain()).await, host(home.path(), "two", &plain()).await);
    for round in 0..20 {
        let read = json!({ "scope": "project", "key": "k" });
        let revision = done(&one, "state.get", read.clone()).await["revision"].clone();
        assert_eq!(done(&two, "state.get", read).await["revision"], revision);
        let params =
            |who| json!({ "scope": "project", "key": "k", "value": who, "revision": revision });
        let (a, b) =
            tokio::join!(ask(&one, "state.set", params(1)), ask(&two, "state.set", params(2)));
        let conflicts = [&a, &b].iter().filter(|it| it["error"]["code"] == "conflict").count();
        assert_eq!(conflicts, 1, "round {round}: {a} {b}");
        let winner = if a.get("error").is_none() { 1 } else { 2 };
        assert_eq!(get(&one, "project", "k").await, Some(json!(winner)));
    }
    end(one).await;
    end(two).await;
}

#[tokio::test]
async fn values_are_migrated_once_where_two_hosts_ask_at_once() {
    let home = tempfile::tempdir().unwrap();
    let first = host(home.path(), "one", &plain()).await;
    crate::keeper::count(&first, "global").await;
    end(first).await;
    let options = json!({ "name": "keeper", "version": 2, "migrate": "add" });
    let (one, two) =
        (host(home.path(), "one", &options).await, host(home.path(), "two", &options).await);
    let (a, b) = tokio::join!(get(&one, "global", "n"), get(&two, "global", "n"));
    assert_eq!((a, b), (Some(json!(2)), Some(json!(2))));
    end(one).await;
    end(two).await;
}
