//! Results: those with which a server begins, and what 2026-07-28 wants in each.

use serde_json::Value;

use super::{each, quoted, results, results_of};
use crate::check::{Observed, Outcome};
use crate::conversation::Era;

/// The same for requests that are whole and of the newer era: what a server makes of others is not held to its
/// rules.
fn newer_results<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a Value, &'a Value)> {
    let mut results = results(observed);
    let version = "io.modelcontextprotocol/protocolVersion";
    results.retain(|(_, request, _)| {
        request["jsonrpc"] == "2.0"
            && request["params"]["_meta"][version] == Era::Discover.revision()
    });
    results
}

/// `initialize` is answered with a version, capabilities and who the server is.
pub(super) fn initialize_result(observed: &Observed<'_>) -> Outcome {
    each(&results_of(observed, "initialize"), |(record, _, result)| {
        let missing = if !result["protocolVersion"].is_string() {
            "protocolVersion that is a string"
        } else if !result["capabilities"].is_object() {
            "capabilities that are an object"
        } else if !result["serverInfo"]["name"].is_string()
            || !result["serverInfo"]["version"].is_string()
        {
            "serverInfo with a name and a version"
        } else {
            return None;
        };
        Some((*record, format!("the result has no {missing}: {}", quoted(&result.to_string()))))
    })
}

/// `server/discover` is answered with versions and capabilities.
pub(super) fn discover_result(observed: &Observed<'_>) -> Outcome {
    each(&results_of(observed, "server/discover"), |(record, _, result)| {
        let versions = result["supportedVersions"].as_array();
        let named = versions.is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string));
        let missing = if !named {
            "supportedVersions that is a list of strings"
        } else if !result["capabilities"].is_object() {
            "capabilities that are an object"
        } else {
            return None;
        };
        Some((*record, format!("the result has no {missing}: {}", quoted(&result.to_string()))))
    })
}

/// The version that it answered at first is the one that it answers when it is asked for that.
pub(super) fn same_version(observed: &Observed<'_>) -> Outcome {
    let Some(first) = observed.first else { return Outcome::Nothing };
    let version = &first.hello["protocolVersion"];
    let mut results = results_of(observed, "initialize");
    results.retain(|(_, request, _)| request["params"]["protocolVersion"] == *version);
    each(&results, |(record, _, result)| {
        let answered = &result["protocolVersion"];
        (answered != version)
            .then(|| (*record, format!("asked for {version}, which it speaks, it says {answered}")))
    })
}

/// The version that nobody speaks is not taken for one that the server speaks.
pub(super) fn version_echo(observed: &Observed<'_>) -> Outcome {
    let mut results = results_of(observed, "initialize");
    results.retain(|(_, request, _)| request["params"]["protocolVersion"] == "1999-01-01");
    each(&results, |(record, _, result)| {
        (result["protocolVersion"] == "1999-01-01")
            .then(|| (*record, "it says that it speaks 1999-01-01".to_owned()))
    })
}

/// Each result says what type it is of.
pub(super) fn result_type(observed: &Observed<'_>) -> Outcome {
    each(&newer_results(observed), |(record, request, result)| {
        let kind = &result["resultType"];
        (!kind.is_string())
            .then(|| (*record, format!("a result of {} without resultType", request["method"])))
    })
}

/// What may be kept says for how long, and for whom.
pub(super) fn cache_hints(observed: &Observed<'_>) -> Outcome {
    const KEPT: [&str; 6] = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];
    let mut results = newer_results(observed);
    results.retain(|(_, request, result)| {
        KEPT.iter().any(|method| request["method"] == *method)
            && result["resultType"] != "input_required"
    });
    each(&results, |(record, request, result)| {
        let missing = if result["ttlMs"].as_f64().is_none_or(|ttl| ttl < 0.0) {
            "ttlMs that is not negative"
        } else if result["cacheScope"] != "public" && result["cacheScope"] != "private" {
            "cacheScope \"public\" or \"private\""
        } else {
            return None;
        };
        Some((*record, format!("a result of {} without {missing}", request["method"])))
    })
}

/// Each result says whose it is.
pub(super) fn server_info(observed: &Observed<'_>) -> Outcome {
    each(&newer_results(observed), |(record, request, result)| {
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        let is_named = info["name"].is_string() && info["version"].is_string();
        (!is_named).then(|| {
            let method = &request["method"];
            let what = "_meta with io.modelcontextprotocol/serverInfo";
            (*record, format!("a result of {method} without {what}"))
        })
    })
}
