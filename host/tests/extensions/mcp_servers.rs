//! Servers of MCP as sources of tools: a real one, by hand (`mcp_server.py`), of the era with a handshake.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::Content;
use extline_host::services::ui::{Answer, Entered, InputMethod};
use extline_host::{
    ApprovalRequest, Asked, CallError, CallOptions, CommandOutcome, Decision, ExtensionSource,
    ExtensionState, Host, HostBuilder, McpServer, News, Problem,
};
use serde_json::{Value, json};

use crate::support::{Home, LONG, behave, diagnosis, end, script, text};

fn server(options: &[&str]) -> McpServer {
    let program = script("mcp_server.py").into_os_string();
    let words = ["-S".into(), program].into_iter().chain(options.iter().map(Into::into));
    McpServer::new("hand", "python3", words).unwrap()
}

fn trusted(home: &Home, options: &[&str]) -> McpServer {
    let server = server(options);
    let digest = server.digest(home.path()).unwrap();
    server.trust(digest)
}

/// What happens next of that kind.
async fn next<T>(host: &mut extline_host::NewsStream, wanted: impl Fn(News) -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = wanted(host.next().await.unwrap()) {
                return found;
            }
        }
    };
    tokio::time::timeout(LONG, found).await.expect("it did not happen")
}

/// What a tool answers, between the two lines that frame it.
async fn answer(host: &Host, tool: &str, args: &str) -> Vec<Content> {
    let result = host.call(tool, args).await.unwrap();
    assert_eq!(result.trust.as_deref(), Some("untrusted"));
    let [Content::Text(begin), content @ .., Content::Text(end)] = result.content.as_slice() else {
        panic!("{result:?}")
    };
    assert!(begin.contains("the MCP server hand answers") && begin[..17] == end[..17], "{begin}");
    content.to_vec()
}

#[tokio::test]
async fn a_server_s_tools_prompts_and_resources_are_used_as_an_extension_s() {
    let home = Home::new();
    let host = home.builder().mcp_server(trusted(&home, &[])).start().await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    let tools = host.tools();
    let echo = tools.iter().find(|tool| tool.name() == "hand_echo").unwrap();
    assert_eq!((echo.description(), echo.extension.as_str()), ("says it again", "hand"));
    assert_eq!(echo.definition.annotations.as_ref().unwrap().read_only, Some(true));

    assert_eq!(answer(&host, "hand_echo", r#"{"text":"hi"}"#).await, [Content::text("hi")]);
    let error = host.call("hand_echo", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Invalid { .. }), "{error}");
    let seen = answer(&host, "hand_picture", "{}").await;
    let image = Content::Image { mime_type: "image/png".to_owned(), data: "aGk=".to_owned() };
    assert_eq!(seen, [image, Content::text("resource file:///notes.md: notes")]);
    let failed = host.call("hand_fail", "{}").await.unwrap();
    assert!(failed.is_error && text(&failed).contains("it cannot be done"));
    assert_eq!(failed.error.unwrap().kind, ErrorKind::Internal);

    let listed = answer(&host, "hand_read_resource", "{}").await;
    assert_eq!(listed, [Content::text("resource file:///notes.md: notes, text/markdown")]);
    let read = answer(&host, "hand_read_resource", r#"{"uri":"file:///notes.md"}"#).await;
    assert_eq!(read, [Content::text("file:///notes.md:\nwhat the notes say")]);
    let greeting = host.command("hand_greet", "Ann in rhyme").await.unwrap();
    assert_eq!(greeting, CommandOutcome::Prompt("Greet Ann in rhyme.".to_owned()));
    let error = host.command("hand_greet", "").await.unwrap_err();
    assert!(error.to_string().contains("the argument who is missing"), "{error}");

    let mut news = host.news();
    host.call("hand_grow", "{}").await.unwrap();
    let grown = |news| match news {
        News::Registered { report, .. } => {
            report.tools.contains(&"hand_grown".to_owned()).then_some(())
        }
        _ => None,
    };
    next(&mut news, grown).await;
    assert_eq!(answer(&host, "hand_grown", "{}").await, [Content::text("grown it is")]);
    end(host).await;
}

#[tokio::test]
async fn a_call_tells_its_progress_asks_the_person_and_can_be_cancelled() {
    let home = Home::new();
    let builder = home.builder().serve::<InputMethod, _, _>(|asked: Asked<_>| async move {
        assert!(asked.parent.is_some());
        let value = format!("{} of {}", asked.params.title, asked.extension);
        Ok(Answer::Given(Entered { value }))
    });
    let host = builder.mcp_server(trusted(&home, &[])).start().await;
    let mut news = host.news();
    let mut call = host.start_call("hand_count", "{}", CallOptions::default()).await.unwrap();
    let update = tokio::time::timeout(LONG, call.update()).await.unwrap().unwrap();
    let progress = update.progress.as_ref().unwrap();
    assert_eq!((progress.total, progress.message.is_some()), (Some(3.0), true));
    call.outcome().await.unwrap();

    let asked = answer(&host, "hand_ask", "{}").await;
    assert_eq!(asked, [Content::text("accept: Who are you? of hand")]);

    let call = host.start_call("hand_wait", "{}", CallOptions::default()).await.unwrap();
    let said = |news| match news {
        News::Log { log, extension } => Some((extension, log.message)),
        _ => None,
    };
    assert_eq!(next(&mut news, said).await, ("hand".to_owned(), "it waits".to_owned()));
    call.cancel("enough");
    let result = tokio::time::timeout(LONG, call.outcome()).await.unwrap();
    assert_eq!(result.unwrap().error.unwrap().kind, ErrorKind::Cancelled);
    wait_for_line(&home.path().join("logs/hand.log"), "was cancelled").await;
    end(host).await;
}

async fn wait_for_line(file: &Path, line: &str) {
    let found = async {
        while !std::fs::read_to_string(file).unwrap_or_default().contains(line) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, found).await.expect("the line did not come");
}

#[tokio::test]
async fn a_server_that_offers_too_much_is_refused_whole_with_the_reason() {
    let cases = [
        ("tools=65", "it has more than 64 tools"),
        ("schema=40960", "the input schema of its tool \"large\" has 409"),
        ("twins", "two of its tools would be called hand_a_b"),
    ];
    for (option, reason) in cases {
        let home = Home::new();
        let host = home.builder().mcp_server(trusted(&home, &[option])).start().await;
        let problem = diagnosis(&host).problem;
        assert!(matches!(problem, Problem::McpServer { .. }), "{problem}");
        assert!(problem.to_string().contains(reason), "{problem}");
        assert!(host.tools().is_empty() && host.commands().is_empty());
        end(host).await;
    }
    // 64 are taken, until there are 65.
    let home = Home::new();
    let host = home.builder().mcp_server(trusted(&home, &["tools=56"])).start().await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    let mut news = host.news();
    // Whether its answer comes before what it has grown by is its own affair.
    drop(host.call("hand_grow", "{}").await);
    let failed = |news| match news {
        News::Failed { diagnosis, .. } => Some(diagnosis.problem.to_string()),
        _ => None,
    };
    let problem = next(&mut news, failed).await;
    assert!(problem.contains("more than 64 tools"), "{problem}");
    // It is not started again, and so its names become free.
    let freed = async {
        while !host.tools().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, freed).await.expect("its tools are kept");
    assert!(matches!(host.extensions()[0].state, ExtensionState::Failed(_)));
    end(host).await;
    // A name that an extension has already.
    let home = Home::new();
    let builder = home.builder().mcp_server(trusted(&home, &[]));
    let host = builder.extension(behave(&["hand_echo"])).start().await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready, "the first one wins");
    end(host).await;
    let builder = home.builder().extension(behave(&["hand_echo"]));
    let host = builder.mcp_server(trusted(&home, &[])).start().await;
    let ExtensionState::Failed(found) = &host.extensions()[1].state else { panic!() };
    let problem = found.problem.to_string();
    assert!(problem.contains("tool hand_echo is not taken: behave has a tool"), "{problem}");
    assert!(host.tools().iter().all(|tool| tool.extension == "behave"));
    end(host).await;
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_and_the_call_fails_at_once() {
    let home = Home::new();
    let host = home.builder().mcp_server(trusted(&home, &[])).start().await;
    let mut news = host.news();
    let call = host.start_call("hand_wait", "{}", CallOptions::default()).await.unwrap();
    next(&mut news, |news| matches!(news, News::Log { .. }).then_some(())).await;
    let pid = host.extensions()[0].pid.unwrap().to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let error = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
    assert!(error.to_string().contains("SIGKILL"), "{error}");
    let error = host.call("hand_echo", r#"{"text":"now"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Restarting { .. }), "{error}");
    next(&mut news, |news| matches!(news, News::Started { .. }).then_some(())).await;
    let again = answer(&host, "hand_echo", r#"{"text":"again"}"#).await;
    assert_eq!(again, [Content::text("again")]);
    end(host).await;
}

#[tokio::test]
async fn a_server_that_ends_at_a_probe_is_begun_with_a_handshake_and_not_probed_twice() {
    let home = Home::new();
    let started = home.path().join("started");
    let options = [format!("started={}", started.display()), "exits".to_owned()];
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    let starts = || std::fs::read_to_string(&started).unwrap().lines().count();
    for expected in [2, 3] {
        let host = home.builder().mcp_server(trusted(&home, &options)).start().await;
        assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
        assert_eq!(starts(), expected);
        end(host).await;
    }
}

#[tokio::test]
async fn nothing_is_started_that_nobody_trusts() {
    let home = Home::new();
    let started = home.path().join("started");
    let option = format!("started={}", started.display());
    let untrusted = server(&[&option]);
    let digest = untrusted.digest(home.path()).unwrap();
    let other = server(&[]).digest(home.path()).unwrap();
    for (server, reason) in [
        (untrusted.clone(), "nobody has said that /"),
        (untrusted.clone().trust(other), "it is not the one that was trusted"),
    ] {
        let host = home.builder().mcp_server(server).start().await;
        let problem = diagnosis(&host).problem.to_string();
        assert!(problem.contains(reason) && problem.contains(&digest), "{problem}");
        end(host).await;
        assert!(!started.exists());
    }
    let host = home.builder().mcp_server(untrusted.trust(digest)).start().await;
    assert!(started.exists());
    end(host).await;
}

#[tokio::test]
async fn nobody_is_connected_to_whom_nobody_trusts() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let untrusted = McpServer::at("far", &url).unwrap();
    let host = home.builder().mcp_server(untrusted.clone()).start().await;
    let problem = diagnosis(&host).problem.to_string();
    assert!(problem.contains("nobody has said that") && problem.contains(&url), "{problem}");
    end(host).await;
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);

    // The same listener sees who is trusted, and ends the connection.
    let digest = untrusted.digest(home.path()).unwrap();
    listener.set_nonblocking(false).unwrap();
    let connected = std::thread::spawn(move || listener.accept().is_ok());
    let host = home.builder().mcp_server(untrusted.trust(digest)).start().await;
    assert!(connected.join().unwrap());
    end(host).await;
}

/// Who allows every call, and notes which.
fn approving(home: &Home) -> (HostBuilder, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let note = Arc::clone(&asked);
    let builder = home.builder().mcp_tools(|digest| format!("agent trust {digest}"));
    let builder = builder.approver(move |request: ApprovalRequest| {
        note.lock().unwrap().push(format!("{} {:?}", request.tool.name(), request.tier));
        async { Ok(Decision::Once) }
    });
    (builder, asked)
}

async fn listed(host: &Host) -> Value {
    let result = host.call("mcp_list", "{}").await.unwrap();
    assert_eq!(result.trust.as_deref(), Some("untrusted"));
    result.structured_content.unwrap().to().unwrap()
}

#[tokio::test]
async fn the_model_connects_to_a_server_uses_it_and_leaves_it() {
    let home = Home::new();
    let (builder, asked) = approving(&home);
    let source = ExtensionSource::Mcp(trusted(&home, &[])).on_demand();
    let host = builder.extension(behave(&[])).extension(source).start().await;
    let server =
        |state: &str, tools: usize| json!({"name": "hand", "state": state, "tools": tools});
    assert_eq!(listed(&host).await, json!({"servers": [server("not_connected", 0)]}));
    let gone = host.call("hand_echo", r#"{"text":"x"}"#).await.unwrap_err();
    assert!(matches!(gone, CallError::Unknown { .. }), "{gone}");

    let mut news = host.news();
    let connected = host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap();
    assert!(text(&connected).starts_with("hand is connected. Its tools: "), "{connected:?}");
    assert!(text(&connected).contains("hand_echo"), "{connected:?}");
    assert_eq!(*asked.lock().unwrap(), ["mcp_connect Some(Exec)"]);
    let offered = |news| match news {
        News::Registered { extension, report } if extension == "hand" => Some(report.tools.len()),
        _ => None,
    };
    let count = next(&mut news, offered).await;
    assert_eq!(listed(&host).await, json!({"servers": [server("connected", count)]}));
    let lines = text(&host.call("mcp_list", "{}").await.unwrap());
    assert_eq!(lines, format!("hand: connected, {count} tools"));
    assert_eq!(answer(&host, "hand_echo", r#"{"text":"hi"}"#).await, [Content::text("hi")]);

    host.call("mcp_disconnect", r#"{"server":"hand"}"#).await.unwrap();
    assert_eq!(listed(&host).await, json!({"servers": [server("not_connected", 0)]}));
    let error = host.call("hand_echo", r#"{"text":"x"}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(host.tools().iter().all(|tool| tool.extension != "hand"));
    let again = host.call("mcp_disconnect", r#"{"server":"hand"}"#).await.unwrap();
    assert_eq!(text(&again), "hand was not connected");
    host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap();
    assert_eq!(answer(&host, "hand_echo", r#"{"text":"2"}"#).await, [Content::text("2")]);
    end(host).await;
}

#[tokio::test]
async fn the_model_reaches_only_what_was_configured_trusted_and_allowed() {
    let home = Home::new();
    let started = home.path().join("started");
    let option = format!("started={}", started.display());
    let digest = server(&[&option]).digest(home.path()).unwrap();
    let (builder, _) = approving(&home);
    let source = ExtensionSource::Mcp(server(&[&option])).on_demand();
    let host = builder.extension(behave(&[])).extension(source).start().await;
    let result = host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap();
    let error = result.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Permission);
    assert!(error.message.ends_with(&format!("by: agent trust {digest}")), "{}", error.message);
    let server = &listed(&host).await["servers"][0];
    assert_eq!(server["state"], "not_trusted");
    assert!(server["reason"].as_str().unwrap().contains(&digest), "{server}");
    // An extension is no server, and so no other program is.
    for name in ["behave", "sh", ""] {
        let args = json!({ "server": name }).to_string();
        let error = host.call("mcp_connect", &args).await.unwrap().error.unwrap();
        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.message.ends_with("there are hand"), "{}", error.message);
        host.call("mcp_disconnect", &args).await.unwrap().error.unwrap();
    }
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    end(host).await;

    // Without somebody who allows it.
    let source = ExtensionSource::Mcp(trusted(&home, &[&option])).on_demand();
    let builder = home.builder().mcp_tools(str::to_owned);
    let host = builder.extension(source).start().await;
    let error = host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Denied { .. }), "{error}");
    end(host).await;
    assert!(!started.exists());
}

#[tokio::test]
async fn a_server_that_fails_says_why_and_one_that_clashes_is_refused_then_too() {
    let home = Home::new();
    let (builder, _) = approving(&home);
    let source = ExtensionSource::Mcp(trusted(&home, &["twins"])).on_demand();
    let host = builder.extension(source).start().await;
    let result = host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap();
    assert!(result.is_error && text(&result).contains("would be called hand_a_b"), "{result:?}");
    let server = &listed(&host).await["servers"][0];
    assert_eq!((&server["state"], &server["tools"]), (&json!("failed"), &json!(0)));
    assert!(server["reason"].as_str().unwrap().contains("hand_a_b"), "{server}");
    end(host).await;

    let (builder, _) = approving(&home);
    let builder = builder.extension(behave(&["hand_echo"]));
    let source = ExtensionSource::Mcp(trusted(&home, &[])).on_demand();
    let host = builder.extension(source).start().await;
    let result = host.call("mcp_connect", r#"{"server":"hand"}"#).await.unwrap();
    let says = "tool hand_echo is not taken: behave has a tool";
    assert!(result.is_error && text(&result).contains(says), "{result:?}");
    assert!(host.tools().iter().all(|tool| tool.extension != "hand"));
    end(host).await;
}
