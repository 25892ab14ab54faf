//! What tools answer to the samples in their manifests.

use extline_host::ExtensionStatus;
use extline_mcp::lint::{Client, Finding, Offer, lint_result};
use extline_protocol::RawJson;
use extline_protocol::frame::ToolResult;
use extline_schema::ToolSchema;
use serde_json::Value;

use crate::args::Timeout;
use crate::exit::Exit;
use crate::session::Session;

/// Calls each tool that has a sample. Which were called comes back, and what is wrong with the results.
pub(super) async fn call(
    session: &mut Session,
    statuses: &[ExtensionStatus],
    offers: &[Offer<'_>],
    clients: &[&'static Client],
    timeout: &Timeout,
) -> Result<(Vec<String>, Vec<Finding>), Exit> {
    let (mut called, mut findings) = (Vec::new(), Vec::new());
    for (tool, args) in samples(statuses) {
        let Some(offer) = offers.iter().find(|offer| offer.tool.name == *tool) else {
            session.printer.warn(format_args!(
                "the sample of {tool} in extension.json: there is no such tool"
            ));
            continue;
        };
        match session.call(tool, &args.to_string(), timeout).await? {
            Ok(result) => {
                if result.is_error {
                    session.printer.warn(format_args!(
                        "{tool} answered its sample with an error: no result of it was seen"
                    ));
                }
                let violation = violation(offer, &result);
                findings.extend(lint_result(*offer, &result, violation.as_deref(), clients));
                called.push(tool.clone());
            }
            Err(error) => {
                session.printer.warn(format_args!("{tool} did not answer its sample: {error}"));
            }
        }
    }
    Ok((called, findings))
}

fn samples(statuses: &[ExtensionStatus]) -> impl Iterator<Item = (&String, &Value)> {
    let manifests = statuses.iter().filter_map(|status| status.manifest.as_ref());
    let samples = manifests.filter_map(|manifest| manifest.samples.as_ref());
    samples.flatten()
}

/// Where the value of a result does not match the output schema.
fn violation(offer: &Offer<'_>, result: &ToolResult) -> Option<String> {
    let value: &RawJson = result.structured_content.as_ref()?;
    let schema = ToolSchema::compile(offer.tool.output_schema.as_ref()?).ok()?;
    let violation = schema.validate(value).err()?;
    let at = if violation.pointer.is_empty() { "its root" } else { &violation.pointer };
    Some(format!("{at}: {}", violation.message))
}
