//! A safety net for the tool `bash`: a guard that blocks commands which destroy what cannot be
//! brought back, and an interceptor that gives each call a timeout. It is no sandbox.

mod path;
mod program;
mod rules;
mod shell;

use extline::prelude::*;

/// For how long a command may run when the model sets no limit, in seconds.
const TIMEOUT: u64 = 120;

/// The part of the arguments of `bash` that the guard reads; others may stand beside it.
#[derive(Deserialize)]
struct Bash {
    command: String,
}

fn main() -> Result<(), extline::Error> {
    Extension::new("guard-rust", "1.0.0")
        .intercept(point::ToolCall, async |call, _| {
            if call.tool() != "bash" {
                return Ok(None);
            }
            Ok(with_timeout(call.args_as()?).map(|args| call.rewrite(args)))
        })
        .guard("dangerous_bash", async |call, _| {
            if call.tool() != "bash" {
                return Ok(call.allow());
            }
            // Arguments that it cannot read are an error here, and so a block: a guard fails closed.
            let bash: Bash = call.args_as()?;
            Ok(rules::danger_in(&bash.command).map_or_else(|| call.allow(), |why| call.block(why)))
        })
        .run()
}

/// The arguments with a timeout, for a call that has none.
fn with_timeout(mut args: Value) -> Option<Value> {
    if args.get("timeout").is_some_and(|timeout| timeout.as_u64().is_none_or(|it| it > 0)) {
        return None;
    }
    args["timeout"] = json!(TIMEOUT);
    Some(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_timeout_gets_one_and_keeps_the_rest() {
        let args = json!({"command": "make", "other": [1]});
        let expected = json!({"command": "make", "other": [1], "timeout": TIMEOUT});
        assert_eq!(with_timeout(args), Some(expected));
        let unlimited = json!({"command": "make", "timeout": 0});
        assert_eq!(with_timeout(unlimited).unwrap()["timeout"], TIMEOUT);
    }

    #[test]
    fn the_model_s_own_timeout_stands() {
        assert_eq!(with_timeout(json!({"command": "make", "timeout": 5})), None);
        // Not ours to judge: the tool's schema does.
        assert_eq!(with_timeout(json!({"command": "make", "timeout": "5"})), None);
    }
}
