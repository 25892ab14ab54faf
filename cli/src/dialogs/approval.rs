//! Whether a call may run: asked on the terminal, answered by --answer, or refused where nobody is there.

use std::io::Write;

use extline_host::{ApprovalRequest, ApproverError, Decision, HostBuilder};
use extline_protocol::shown_line;

use super::scripted::Scripted;

/// Sets up who decides; those that are answered by `scripted` never ask anybody.
pub(super) fn serve(
    builder: HostBuilder,
    scripted: &Scripted,
    is_on_terminal: bool,
) -> HostBuilder {
    let builder =
        if is_on_terminal { builder.approver(on_terminal::ask) } else { builder.approver(refuse) };
    self::scripted(builder, scripted)
}

/// Those that are answered by `scripted` ask nobody.
pub(super) fn scripted(builder: HostBuilder, scripted: &Scripted) -> HostBuilder {
    let Some(next) = scripted.approvals() else { return builder };
    builder.approver(move |_: ApprovalRequest| {
        let decision = next();
        async move { Ok(decision) }
    })
}

async fn refuse(request: ApprovalRequest) -> Result<Decision, ApproverError> {
    Err(not_approved(&request, "nobody is there to be asked").into())
}

/// Why nobody was asked, and what lets the call run all the same.
pub(crate) fn not_approved(request: &ApprovalRequest, why: &str) -> String {
    let pattern = request.pattern().to_string().replace('\'', r"'\''");
    // An author whose function failed learns of it here, where nobody is asked.
    let doubt = request.doubt.as_ref().map(|doubt| format!(" ({})", shown_line(doubt)));
    let doubt = doubt.unwrap_or_default();
    let reason =
        format!("{why}{doubt}: --allow '{pattern}' lets it run, --approve yolo everything");
    if let Some(caller) = &request.caller {
        // The extension that calls may tell nobody.
        let (caller, tool) = (shown_line(caller), shown_line(request.tool.name()));
        // Nobody can be told where stderr is gone.
        let _ = writeln!(
            anstream::stderr(),
            "notice: {caller} calls {tool}, which was not approved: {}",
            shown_line(&reason)
        );
    }
    reason
}

mod on_terminal {
    use std::io;

    use extline_host::{ApprovalRequest, ApproverError, Decision};
    use extline_protocol::{shown_json, shown_line};

    use super::super::stage;
    use super::super::terminal::{Terminal, say};
    use crate::styled::{BOLD, DIM, Text};

    /// Characters that are shown of the arguments at first.
    const ARGS: usize = 600;

    /// Characters that are shown of a reason.
    const REASON: usize = 400;

    pub(super) async fn ask(request: ApprovalRequest) -> Result<Decision, ApproverError> {
        // While a line of the console is edited, the prompt waits until that is entered.
        let _turn = if let Some(turn) = stage::if_free() {
            turn
        } else {
            let (extension, name) = (&request.tool.extension, request.tool.name());
            let (extension, name) = (shown_line(extension), shown_line(name));
            stage::tell(format!(
                "{BOLD}{extension}{BOLD:#} wants to run {BOLD}{name}{BOLD:#} {DIM}(Enter, and you can answer){DIM:#}"
            ));
            stage::to_have().await
        };
        Ok(decide(&request)
            .await
            .map_err(|error| format!("the terminal cannot be used: {error}"))?)
    }

    async fn decide(request: &ApprovalRequest) -> io::Result<Decision> {
        let mut terminal = Terminal::open()?;
        show(request);
        let is_cut = shown_line(request.args.get()).chars().nth(ARGS).is_some();
        let view = if is_cut { ", v for all of it" } else { "" };
        loop {
            terminal.prompt(&format!("run it? y, a for always, N{view}: "));
            let Some(line) = terminal.line().await? else {
                let reason = Some("the user closed the prompt".to_owned());
                return Ok(Decision::Deny { reason });
            };
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(Decision::Once),
                "a" | "always" => return Ok(Decision::Always),
                "" | "n" | "no" => return Ok(Decision::Deny { reason: None }),
                "v" => say(&format!("{}\n", Text::of(shown_json(request.args.get())))),
                _ => say("  y for this time, a for always, n for no\n"),
            }
        }
    }

    /// What would run, for whom, why it is asked, and what always would mean.
    fn show(request: &ApprovalRequest) {
        let ApprovalRequest { tool, caller, args, reason, details, doubt, tier, .. } = request;
        let ApprovalRequest { key, is_exact, .. } = request;
        let (extension, name) = (shown_line(&tool.extension), shown_line(tool.name()));
        // A program is run for the extension itself, which is no other's caller.
        let is_program = tool.is_builtin() && caller.as_ref() == Some(&tool.extension);
        let caller = caller.as_ref().filter(|_| !is_program);
        let caller = caller.map(|caller| format!(", called by {}", shown_line(caller)));
        let mut lines = vec![format!(
            "{BOLD}{extension}{BOLD:#} wants to run {BOLD}{name}{BOLD:#}{}",
            caller.unwrap_or_default()
        )];
        let mut line = |label: &str, text: Text| {
            lines.push(format!("  {DIM}{label:<8}{DIM:#}{text}"));
        };
        line("with", Text::line(args.get(), ARGS));
        if let Some(tier) = tier {
            line("tier", Text::line(&tier.to_string(), 64));
        }
        if let Some(reason) = reason {
            line("because", Text::line(reason, REASON));
        }
        for detail in details {
            line("", Text::line(detail, REASON));
        }
        if let Some(doubt) = doubt {
            line("doubt", Text::line(doubt, REASON));
        }
        line("key", Text::line(key, 2_000));
        line(
            "always",
            if *is_exact {
                Text::of("this call with the same arguments, until extline ends")
            } else {
                Text::line(&format!("{}, until extline ends", request.pattern()), 4_000)
            },
        );
        say(&format!("{}\n", lines.join("\n")));
    }
}
