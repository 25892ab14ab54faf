//! Hosts that differ: what they say of themselves, and what they do not understand.

use std::fs;
use std::path::Path;

use extline::Capability;
use extline::prelude::*;
use extline::testing::{Failure, Host};

fn curious() -> Extension {
    Extension::new("curious", "1.0.0")
        .tool("about", "", async |_: NoArgs, ctx: Context| {
            let text = |path: Option<&Path>| path.map(|path| path.display().to_string());
            Ok(json!({
                "name": ctx.host().name(),
                "zot": ctx.host().zot_version(),
                "provider": ctx.host().provider(),
                "model": ctx.host().model(),
                "cwd": ctx.host().cwd(),
                "data_dir": text(ctx.data_dir()),
                "extension_dir": text(ctx.extension_dir()),
                "session": ctx.session().map(|session| session.id.clone()),
                "limits": ctx.host().limits().is_some(),
            }))
        })
        .tool("tell", "", async |_: NoArgs, ctx: Context| {
            ctx.update("telling").send();
            ctx.log(Level::Info, "told");
            ctx.submit("more");
            ctx.blocking(|| {}).await;
            Ok(())
        })
}

#[test]
fn a_host_says_of_itself_what_the_builder_was_told() -> Result<(), Failure> {
    let mut host = Host::builder()
        .cwd("/project")
        .data_dir("/data")
        .extension_dir("/extension")
        .model("anthropic", "claude")
        .session("s1")
        .start(curious)?;
    let about = host.call("about", json!({}))?.value();
    assert_eq!(
        about,
        json!({
            "name": "extline testing", "zot": "", "provider": "anthropic", "model": "claude",
            "cwd": "/project", "data_dir": "/data", "extension_dir": "/extension",
            "session": "s1", "limits": true,
        })
    );
    Ok(())
}

#[test]
fn unsaid_there_is_a_directory_and_no_place_for_data() -> Result<(), Failure> {
    let about = Host::new(curious).call("about", json!({}))?.value();
    assert_eq!(about["cwd"], json!(std::env::current_dir().unwrap()));
    assert_eq!(about["data_dir"], Value::Null);
    assert_eq!(about["session"], Value::Null);
    Ok(())
}

#[test]
fn a_zot_knows_the_base_and_nothing_else() -> Result<(), Failure> {
    let mut host = Host::builder().zot().data_dir("/data").start(curious)?;
    let about = host.call("about", json!({}))?;
    // A zot knows the text alone.
    assert_eq!(about.value(), Value::Null);
    let about: Value = extline::serde_json::from_str(&about.text()).unwrap();
    assert_eq!(about["name"], "zot");
    assert_eq!(about["zot"], "0.1.62");
    assert_eq!(about["data_dir"], "/data");
    assert_eq!(about["limits"], false);

    assert!(host.call("tell", json!({}))?.updates().is_empty());
    assert!(host.logs().is_empty());
    assert_eq!(host.stderr(), ["info: told", "host zot 0.1.62 may not know submit"]);
    let call = host.begin("tell", json!({}))?;
    let failure = host.cancel(&call).unwrap_err().to_string();
    assert!(failure.starts_with("zot-0.1.62 never cancels a call\n"), "{failure}");
    host.finish(call)?;
    Ok(())
}

#[test]
fn a_capability_that_is_not_offered_is_not_used() -> Result<(), Failure> {
    let host = Host::builder().capabilities([Capability::Log]).start(curious);
    let mut host = host?;
    assert!(host.call("tell", json!({}))?.updates().is_empty());
    assert_eq!(host.logs()[0].message, "told");
    // The host says what it knows, so nobody has to guess.
    assert!(host.stderr().is_empty());
    assert_eq!(host.submitted(), ["more"]);
    Ok(())
}

#[test]
fn data_is_kept_where_the_host_says() -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("extline-testing-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut host = Host::builder().data_dir(&folder).start(|| {
        Extension::new("a", "1").tool("note", "", async |_: NoArgs, ctx: Context| {
            let folder = ctx.data_dir().ok_or_else(|| ToolError::internal("no data_dir"))?;
            fs::write(folder.join("note"), "noted")?;
            Ok(())
        })
    })?;
    assert!(!host.call("note", json!({}))?.is_error());
    assert_eq!(fs::read_to_string(folder.join("note")).unwrap(), "noted");
    fs::remove_dir_all(folder).unwrap();
    Ok(())
}
