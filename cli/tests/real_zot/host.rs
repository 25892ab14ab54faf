//! A zot as the host that is tested.

use std::env;
use std::process::Command;

use crate::support::repository;

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn a_real_zot_deviates_as_its_baseline_says_and_no_further() {
    let zot = env::var_os("ZOT_BIN").expect("ZOT_BIN names a zot");
    let mut command = Command::new(env!("CARGO_BIN_EXE_extline"));
    command
        .current_dir(repository())
        .args(["conformance", "host"])
        .args(["--baseline", "conformance/baselines/host-real-zot-0.1.62.toml"])
        .args(["--driver", "python3", "-S", "examples/zot-driver/driver.py"])
        .arg(zot);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("conformant: "), "{said}");
    assert!(!said.contains("is stale"), "{said}");
}
