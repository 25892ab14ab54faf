//! Secrets: who gets which, and where none of them is to be found afterwards.

use std::fs;
use std::path::Path;

use extline_host::services::secret::Get;
use extline_host::{Asked, ExtensionSource, Host, Redactor, SecretStore, Trace};
use serde_json::{Value, json};

use crate::requests::{ask, asks};
use crate::support::{Home, end};

const VALUE: &str = "swordfish \"7\" of the sea";

/// `methods.py` with a manifest, which declares two secrets and a variable that every process has.
fn extension(home: &Home, name: &str) -> ExtensionSource {
    let folder = home.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/extensions/methods.py");
    let manifest = json!({
        "name": name, "exec": "python3", "args": ["-S", script],
        "permissions": {"secrets": ["KEY_OF_TEST", "OTHER_OF_TEST"], "env": ["PATH", "NO_SUCH_OF_TEST"]},
    });
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
    ExtensionSource::folder(folder)
}

fn wants(id: &str, method: &str, name: &str) -> Value {
    let mut request = asks(id, method);
    request["params"] = json!({ "name": name });
    request
}

async fn answers(host: &Host, wanted: &[(&str, &str)]) -> Vec<Value> {
    let frames: Vec<_> = wanted
        .iter()
        .enumerate()
        .map(|(id, (method, name))| wants(&id.to_string(), method, name))
        .collect();
    let mut answers = ask(host, json!(frames), wanted.len()).await;
    answers.sort_by_key(|answer| answer["id"].as_str().unwrap().to_owned());
    answers
}

fn assert_nowhere(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_nowhere(&path);
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert!(!text.contains("swordfish"), "{}: {text}", path.display());
    }
}

#[tokio::test]
async fn only_what_is_declared_is_given() {
    let home = Home::new();
    SecretStore::new(home.path()).set("clock", "KEY_OF_TEST", VALUE).unwrap();
    let host = home.builder().extension(extension(&home, "clock")).start().await;
    let wanted = [
        ("secret.get", "KEY_OF_TEST"),
        ("secret.exists", "KEY_OF_TEST"),
        ("secret.get", "OTHER_OF_TEST"),
        ("secret.exists", "OTHER_OF_TEST"),
        ("secret.get", "PATH"),
        ("env.get", "PATH"),
        ("env.get", "KEY_OF_TEST"),
        ("env.get", "NO_SUCH_OF_TEST"),
        ("secret.get", ""),
    ];
    let all = answers(&host, &wanted).await;
    assert_eq!(all[0]["result"], json!({"value": VALUE}));
    assert_eq!(all[1]["result"], json!({"exists": true, "source": "file"}));
    assert_eq!(all[3]["result"], json!({"exists": false}));
    assert_eq!(all[5]["result"]["value"], json!(std::env::var("PATH").unwrap()));
    let error = |at: usize| {
        let error = &all[at]["error"];
        (error["code"].as_str().unwrap(), error["message"].as_str().unwrap())
    };
    assert_eq!(error(2).0, "not_found");
    assert!(error(2).1.contains("extline secret set clock OTHER_OF_TEST"), "{}", error(2).1);
    let undeclared = "add \"PATH\" to permissions.secrets in extension.json";
    assert!(error(4).0 == "permission" && error(4).1.contains(undeclared), "{}", error(4).1);
    let undeclared = "add \"KEY_OF_TEST\" to permissions.env in extension.json";
    assert!(error(6).0 == "permission" && error(6).1.contains(undeclared), "{}", error(6).1);
    assert_eq!(error(7).0, "not_found");
    assert_eq!(error(8).0, "validation");
    end(host).await;
}

#[tokio::test]
async fn a_secret_is_one_extension_s() {
    let home = Home::new();
    SecretStore::new(home.path()).set("weather", "KEY_OF_TEST", VALUE).unwrap();
    let host = home.builder().extension(extension(&home, "clock")).start().await;
    let all = answers(&host, &[("secret.get", "KEY_OF_TEST")]).await;
    assert_eq!(all[0]["error"]["code"], "not_found");
    end(host).await;
}

#[tokio::test]
async fn without_a_manifest_nothing_is_declared() {
    let home = Home::new();
    let host = home.builder().extension(crate::requests::methods()).start().await;
    let all = answers(&host, &[("secret.get", "KEY_OF_TEST"), ("env.get", "PATH")]).await;
    for answer in &all {
        assert_eq!(answer["error"]["code"], "permission");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("started without an extension.json"), "{message}");
    }
    end(host).await;
}

#[tokio::test]
async fn the_agent_comes_first_and_the_embedder_s_variables_next() {
    let home = Home::new();
    let store = SecretStore::new(home.path());
    store.set("clock", "KEY_OF_TEST", "of the file").unwrap();
    store.set("clock", "OTHER_OF_TEST", "of the file").unwrap();
    let host = home
        .builder()
        .secrets(|asked: Asked<Get>| async move {
            (asked.params.name == "KEY_OF_TEST").then(|| format!("for {}", asked.extension))
        })
        .env("OTHER_OF_TEST", "of the embedder")
        .extension(extension(&home, "clock"))
        .start()
        .await;
    let wanted = [
        ("secret.get", "KEY_OF_TEST"),
        ("secret.get", "OTHER_OF_TEST"),
        ("secret.exists", "KEY_OF_TEST"),
        ("secret.exists", "OTHER_OF_TEST"),
    ];
    let all = answers(&host, &wanted).await;
    assert_eq!(all[0]["result"]["value"], "for clock");
    assert_eq!(all[1]["result"]["value"], "of the embedder");
    assert_eq!(all[2]["result"]["source"], "agent");
    assert_eq!(all[3]["result"]["source"], "environment");
    end(host).await;
}

#[tokio::test]
async fn a_value_is_written_nowhere() {
    let home = Home::new();
    SecretStore::new(home.path()).set("clock", "KEY_OF_TEST", VALUE).unwrap();
    let redactor = Redactor::default();
    let trace = Trace::create(home.path().join("trace.jsonl")).unwrap().redacted(&redactor);
    let host = home
        .builder()
        .redactor(redactor.clone())
        .audit(home.path().join("audit.jsonl"))
        .unwrap()
        .trace(trace)
        .extension(extension(&home, "clock"))
        .start()
        .await;
    let mut news = host.news();
    let all = answers(&host, &[("secret.get", "KEY_OF_TEST")]).await;
    // What the extension is given is the value.
    assert_eq!(all[0]["result"]["value"], VALUE);
    let frames = json!([
        {"type": "log", "level": "info", "message": VALUE, "fields": {"key": VALUE}},
        {"type": "notify", "level": "info", "message": VALUE},
        {"type": VALUE},
        asks("9", "no.such"),
    ]);
    ask(&host, frames, 1).await;
    let args = json!({"frames": [], "count": 1, "key": VALUE}).to_string();
    let failed = host.call("ask", &args);
    let died = async {
        // Its last words are the key, and it ends while a call waits.
        host.request("clock", "exit", Some(json!(VALUE).into())).await.unwrap_err()
    };
    let (failed, _) = tokio::join!(failed, died);
    let diagnosis = host.diagnose(&failed.unwrap_err()).unwrap();
    assert_eq!(diagnosis.stderr, ["***"], "{diagnosis}");
    assert!(!diagnosis.to_string().contains("swordfish"), "{diagnosis}");
    let mut notes = 0;
    while let Some(news) = news.try_next() {
        let text = format!("{news:?}");
        // Of what is not for people alone nothing was sent.
        assert!(!text.contains("swordfish"), "{text}");
        notes += usize::from(text.contains("***"));
    }
    assert!(notes >= 2, "{notes}");
    assert_eq!(redactor.text(VALUE), "***");
    end(host).await;
    let audit = fs::read_to_string(home.path().join("audit.jsonl")).unwrap();
    let of_secrets: Vec<Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_secrets: Vec<_> = of_secrets.iter().filter(|it| it["event"] == "secret").collect();
    let [record] = of_secrets[..] else { panic!("{audit}") };
    assert_eq!((&record["name"], &record["status"]), (&json!("KEY_OF_TEST"), &json!("ok")));
    assert_eq!(record["extension"], "clock");
    let log = fs::read_to_string(home.path().join("logs/clock.log")).unwrap();
    assert!(log.contains("info: *** {\"key\": \"***\"}"), "{log}");
    assert_nowhere(home.path());
}
