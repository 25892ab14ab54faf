//! Many calls in flight over many extensions, for long: does the host's memory stay?

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::echo::{self, Echo};
use crate::{Failure, measure};

/// Bytes of text in each call.
const TEXT: usize = 88;
/// How often the memory is looked at: the first time is the base that the last is compared with.
const LOOKS: u64 = 10;

pub(crate) async fn run(
    extensions: usize,
    open: usize,
    calls: u64,
    program: &[String],
) -> Result<Value, Failure> {
    let home = tempfile::tempdir()?;
    let host = Arc::new(echo::start(program, extensions, home.path()).await?);
    let echo = Arc::new(Echo::new(TEXT));
    let done = Arc::new(AtomicU64::new(0));
    let resident_kb = Arc::new(Mutex::new(Vec::new()));
    let began = Instant::now();
    let mut callers = JoinSet::new();
    for caller in 0..open {
        let tool = echo::tool(caller % extensions, extensions);
        let (host, echo) = (Arc::clone(&host), Arc::clone(&echo));
        let (done, resident_kb) = (Arc::clone(&done), Arc::clone(&resident_kb));
        callers.spawn(async move {
            while done.load(Ordering::Relaxed) < calls {
                echo.call(&host, &tool).await?;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done % (calls / LOOKS).max(1) == 0 {
                    lock(&resident_kb).push(measure::resident_kb());
                }
            }
            Ok::<(), Failure>(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    let seconds = began.elapsed().as_secs_f64();
    host.shutdown().await;
    Ok(json!({
        "extensions": extensions,
        "open": open,
        "calls": done.load(Ordering::Relaxed),
        "seconds": seconds,
        "resident_kb": *lock(&resident_kb),
        "peak_kb": measure::peak_kb(),
    }))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is in it is whole after each push.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
