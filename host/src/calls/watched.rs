//! Who wants to know what a call does to the world is told before its tool is called, and when it has answered.

use extline_protocol::RawJson;
use extline_protocol::frame::{Content, Effect};

use super::proposal::Proposal;
use super::review::Answer;
use crate::aside;
use crate::connection::Shared;
use crate::effects::{Consumer, EffectCall};
use crate::tool::Tool;

/// A call of whose effects somebody wants to know. One that is dropped has no answer.
#[derive(Debug)]
pub(super) struct Watched(Option<(Consumer, EffectCall)>);

impl Shared {
    /// Tells that a tool is about to be called that may change something, where somebody wants to know.
    pub(super) async fn watch(
        &self,
        call: Proposal<'_>,
        tool: &Tool,
        args: &RawJson,
    ) -> Option<Watched> {
        let consumer = self.model_side.effects.clone();
        let consumer = consumer.filter(|_| !tool.definition.only_looks())?;
        let call = EffectCall {
            id: call.id.to_owned(),
            tool: call.tool.to_owned(),
            extension: tool.extension.clone(),
            caller: call.caller.map(str::to_owned),
            args: args.clone(),
        };
        let watched = Watched(Some((consumer, call)));
        // It may read files. Whoever does not wait for it drops the call there, behind what is told here.
        let told = aside::run("extline-effects", move || {
            if let Some((consumer, call)) = &watched.0 {
                consumer.get().before(call);
            }
            watched
        });
        told.await
    }
}

impl Watched {
    /// Tells what the tool told, and puts behind the result what is to be said of it.
    pub(super) async fn answered(mut self, mut answer: Answer) -> Answer {
        let Some((consumer, call)) = self.0.take() else { return answer };
        let is_for_model = call.caller.is_none();
        let effects = answer.as_ref().ok().and_then(|result| result.effects.clone());
        let said = tell(consumer, call, effects.unwrap_or_default()).await.flatten();
        if let (Some(said), Ok(result), true) = (said, &mut answer, is_for_model) {
            result.content.push(Content::text(said));
        }
        answer
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some((consumer, call)) = self.0.take() {
            // It runs whether or not anybody waits for it.
            drop(tell(consumer, call, Vec::new()));
        }
    }
}

fn tell(
    consumer: Consumer,
    call: EffectCall,
    told: Vec<Effect>,
) -> impl Future<Output = Option<Option<String>>> {
    aside::run("extline-effects", move || consumer.get().after(&call, &told))
}
