//! A good extension beside one that misbehaves.

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{
    CallError, CallOptions, Diagnosis, Ending, ExtensionState, Host, News, NewsStream, Notice,
};

use crate::processes;
use crate::support::{Home, LONG, behave, misbehave, text};

/// A host with both; the good one comes first in load order, the bad one has the tools `hang` and
/// `pids`.
pub(crate) struct Pair {
    home: Home,
    pub(crate) host: Arc<Host>,
    news: NewsStream,
    mark: String,
}

impl Pair {
    pub(crate) async fn start(switches: &[&str]) -> Self {
        Self::start_with(switches, Deadlines::default()).await
    }

    pub(crate) async fn start_with(switches: &[&str], deadlines: Deadlines) -> Self {
        // The good one is asked as a guard too, and has as long for that as for its calls.
        let deadlines = Deadlines { intercept: LONG, ..deadlines };
        let home = Home::new();
        let builder = home.builder().extension(behave(&[])).extension(misbehave(switches));
        let host = builder.deadlines(deadlines).start().await;
        let good = host.extensions().remove(0);
        assert_eq!(good.state, ExtensionState::Ready);
        let mark = processes::mark(good.pid.unwrap()).unwrap();
        let mark = mark.split('/').next().unwrap().to_owned();
        let news = host.news();
        Self { home, host: Arc::new(host), news, mark }
    }

    /// The process of the bad one.
    pub(crate) fn bad(&self) -> u32 {
        self.host.extensions()[1].pid.unwrap()
    }

    /// Asserts that the good one answers.
    pub(crate) async fn good_one_answers(&self) {
        let answer = self.host.call("echo", r#"{"text":"good"}"#);
        let answer = tokio::time::timeout(LONG, answer).await.expect("it must answer").unwrap();
        assert_eq!(text(&answer), "good");
    }

    /// Calls the tool that is never answered, and asserts that the good one answers all the time.
    pub(crate) async fn hang(&self, args: &str) -> Result<String, CallError> {
        let options = CallOptions::default().timeout(10 * LONG);
        let call = self.host.start_call("hang", args, options).await.unwrap();
        let outcome = call.outcome();
        tokio::pin!(outcome);
        loop {
            tokio::select! {
                result = &mut outcome => {
                    self.good_one_answers().await;
                    return result.map(|result| text(&result));
                }
                () = tokio::time::sleep(Duration::from_millis(20)) => {
                    self.good_one_answers().await;
                }
            }
        }
    }

    /// The diagnosis that ends such a call.
    pub(crate) async fn diagnosis_in_call(&self, args: &str) -> Diagnosis {
        let died = tokio::time::timeout(LONG, self.hang(args)).await.expect("it must end");
        let CallError::Died { diagnosis, .. } = died.unwrap_err() else { panic!() };
        (*diagnosis).clone()
    }

    /// The diagnosis of the bad one, when it comes.
    pub(crate) async fn next_diagnosis(&mut self) -> Diagnosis {
        loop {
            match tokio::time::timeout(LONG, self.news.next()).await.expect("it must come") {
                Some(News::Failed { diagnosis, .. }) => return (*diagnosis).clone(),
                Some(_) => {}
                None => panic!("no news any more"),
            }
        }
    }

    /// The next notice, when it comes.
    pub(crate) async fn next_notice(&mut self) -> Notice {
        loop {
            match tokio::time::timeout(LONG, self.news.next()).await.expect("it must come") {
                Some(News::Notice { notice, .. }) => return notice,
                Some(_) => {}
                None => panic!("no news any more"),
            }
        }
    }

    /// The text of a diagnosis without what differs from run to run.
    pub(crate) fn shape(&self, diagnosis: &Diagnosis) -> String {
        let home = self.home.path().to_str().unwrap();
        let shown = diagnosis.to_string().replace(home, "HOME");
        let lines = shown.lines().filter(|line| !line.starts_with("  env "));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Asserts that the good one still answers, ends the host and asserts that nothing is left.
    pub(crate) async fn end(self) -> Vec<Ending> {
        self.good_one_answers().await;
        let endings = self.host.shutdown().await;
        for ending in &endings {
            assert!(ending.gone, "{ending}");
        }
        let left = processes::carrying(&self.mark);
        assert!(left.is_empty(), "left running: {left:?}");
        endings
    }
}
