//! Many extensions started at once.

use std::time::Instant;

use serde_json::{Value, json};

use crate::{Failure, echo, measure};

pub(crate) async fn run(extensions: usize, program: &[String]) -> Result<Value, Failure> {
    let home = tempfile::tempdir()?;
    // Their folders are made at the first start ever, and that one is not measured.
    echo::start(program, extensions, home.path()).await?.shutdown().await;
    let (began, cpu) = (Instant::now(), measure::cpu());
    let host = echo::start(program, extensions, home.path()).await?;
    let start_ms = began.elapsed().as_secs_f64() * 1e3;
    let host_cpu_ms = measure::cpu_since(cpu).as_secs_f64() * 1e3;
    host.shutdown().await;
    Ok(json!({
        "extensions": extensions,
        "start_ms": start_ms,
        "host_cpu_ms": host_cpu_ms,
        "peak_kb": measure::peak_kb(),
    }))
}
