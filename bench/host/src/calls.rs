//! Calls through the host, in the phases of the C client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use extline_host::Host;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::echo::{self, Echo};
use crate::{Failure, measure};

/// One phase, as it is written on the command line.
struct Phase {
    text: usize,
    warm_up: u64,
    calls: u64,
    at_least: Duration,
    /// `None`: one call at a time, each of which is timed.
    open: Option<usize>,
}

pub(crate) async fn run(phases: &[String], program: &[String]) -> Result<Value, Failure> {
    let home = tempfile::tempdir()?;
    let before = Instant::now();
    let host = Arc::new(echo::start(program, 1, home.path()).await?);
    let start_ms = before.elapsed().as_secs_f64() * 1e3;
    let mut figures = Vec::new();
    for text in phases {
        let phase = Phase::parse(text).ok_or_else(|| format!("no such phase: {text}"))?;
        let mut measured = match phase.open {
            None => one_at_a_time(&host, &phase).await?,
            Some(open) => many_at_a_time(&host, &phase, open).await?,
        };
        measured["phase"] = json!(text);
        measured["peak_kb"] = json!(measure::peak_kb());
        figures.push(measured);
    }
    host.shutdown().await;
    Ok(json!({ "start_ms": start_ms, "phases": figures, "peak_kb": measure::peak_kb() }))
}

async fn one_at_a_time(host: &Host, phase: &Phase) -> Result<Value, Failure> {
    let echo = Echo::new(phase.text);
    for _ in 0..phase.warm_up {
        echo.call(host, "echo").await?;
    }
    let (began, cpu) = (Instant::now(), measure::cpu());
    let mut took = Vec::new();
    while (took.len() as u64) < phase.calls || began.elapsed() < phase.at_least {
        let asked = Instant::now();
        echo.call(host, "echo").await?;
        took.push(asked.elapsed());
    }
    let mut figures = figures_since(began, cpu, took.len() as u64);
    took.sort_unstable();
    figures["p50_us"] = json!(measure::micros(took[took.len() / 2]));
    figures["p99_us"] = json!(measure::micros(took[took.len() * 99 / 100]));
    Ok(figures)
}

async fn many_at_a_time(host: &Arc<Host>, phase: &Phase, open: usize) -> Result<Value, Failure> {
    let echo = Arc::new(Echo::new(phase.text));
    for _ in 0..phase.warm_up {
        echo.call(host, "echo").await?;
    }
    let (began, cpu) = (Instant::now(), measure::cpu());
    let (least, at_least) = (phase.calls, phase.at_least);
    let done = Arc::new(AtomicU64::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..open {
        let (host, echo, done) = (Arc::clone(host), Arc::clone(&echo), Arc::clone(&done));
        callers.spawn(async move {
            while done.load(Ordering::Relaxed) < least || began.elapsed() < at_least {
                echo.call(&host, "echo").await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), Failure>(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(figures_since(began, cpu, done.load(Ordering::Relaxed)))
}

fn figures_since(began: Instant, cpu: Duration, calls: u64) -> Value {
    let seconds = began.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 calls")]
    let calls = calls as f64;
    json!({
        "calls": calls,
        "seconds": seconds,
        "calls_per_s": calls / seconds,
        "client_cpu_us": measure::micros(measure::cpu_since(cpu)) / calls,
    })
}

impl Phase {
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<_> = text.split(':').collect();
        let (open, fields) = match fields.as_slice() {
            ["one", fields @ ..] => (None, fields),
            ["many", fields @ .., open] => (Some(open.parse().ok()?), fields),
            _ => return None,
        };
        let [text, warm_up, calls, seconds] = fields else { return None };
        Some(Self {
            text: text.parse().ok()?,
            warm_up: warm_up.parse().ok()?,
            calls: calls.parse().ok()?,
            at_least: Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?,
            open,
        })
    }
}
