//! Methods that the extension serves for its host.

use std::rc::Rc;

use extline_protocol::frame::RpcError;
use extline_protocol::{RawJson, RegistrationError, RequestError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::handler::MethodHandler;
use crate::{Context, Extension, ToolError, args};

/// Methods.
impl Extension {
    /// Serves requests of the host by method; `hello` names the method, and the host asks only for
    /// what is named there. Its parameters are any type that serde can read, where absent ones are
    /// read as `null`; its result is anything that serde can write. A [`RawJson`] passes through as
    /// it is, both ways.
    ///
    /// An error is answered with its kind as the code. A method of another name is answered with
    /// `unsupported` (`rpc.unsupported-answer`). Requests run concurrently like tool calls.
    ///
    /// Two handlers of one method are a registration mistake.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize)]
    /// struct Search {
    ///     q: String,
    /// }
    ///
    /// let extension = Extension::new("index", "1.0.0")
    ///     .method("index.search", async |search: Search, ctx| {
    ///         for hit in ["a.rs", "b.rs"] {
    ///             ctx.send_part(hit).await?;
    ///         }
    ///         Ok(json!({ "q": search.q, "hits": 2 }))
    ///     });
    /// ```
    #[track_caller]
    pub fn method<P, R, F>(mut self, name: impl Into<String>, handler: F) -> Self
    where
        P: DeserializeOwned + 'static,
        R: Serialize + 'static,
        F: AsyncFn(P, Context) -> Result<R, ToolError> + 'static,
    {
        let name = name.into();
        if self.handlers.methods.contains_key(&name) {
            self.note(RegistrationError::Duplicate { kind: "method", name });
            return self;
        }
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: MethodHandler = Rc::new(move |params, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move {
                let run = async {
                    let params = args::decode(&params)?;
                    Ok(RawJson::of(&handler(params, context).await?)?)
                };
                run.await.map_err(|error: ToolError| {
                    RpcError::new(error.kind().clone(), error.to_string())
                })
            })
        });
        self.methods.push(name.clone());
        self.handlers.methods.insert(name, handler);
        self
    }
}

/// Answers in parts.
impl Context {
    /// Sends a part of the answer to a request before the answer, in the handler of a
    /// [`method`](Extension::method). It waits while 16 parts are unsent (`rpc.parts-ahead`).
    ///
    /// ```
    /// # async fn handler(ctx: extline::Context) -> Result<u32, extline::ToolError> {
    /// for line in ["one", "two"] {
    ///     ctx.send_part(line).await?;
    /// }
    /// Ok(2)
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `unsupported` outside a method's handler; `stale` once the request is answered;
    /// `too_large`; `cancelled`; `internal`, when serde cannot write the part.
    pub async fn send_part<T: Serialize + ?Sized>(&self, part: &T) -> Result<(), ToolError> {
        let part = RawJson::of(part)?;
        loop {
            self.check_cancelled()?;
            match self.connection().tell(|session| session.send_part(self.call(), part.clone())) {
                Err(RequestError::PartsAhead) => {
                    self.run_until_cancelled(self.connection().written()).await?;
                }
                sent => return sent.map_err(|error| ToolError::of(Box::new((&error).into()))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_handlers_of_one_method_are_a_mistake() {
        let serve = async |(): (), _: Context| Ok(());
        let extension = Extension::new("a", "1").method("same", serve);
        let line = line!() + 1;
        let extension = extension.method("same", serve);
        let mistake = extension.mistake.expect("there is a mistake").to_string();
        assert!(mistake.contains(&format!("method.rs:{line}:")), "{mistake}");
        assert!(mistake.contains("two methods named \"same\""), "{mistake}");
    }
}
