//! Who is told, while the host starts, what an extension does that is not ready yet.

use std::fmt;
use std::sync::Arc;

type Tell = dyn Fn(&str, &str) + Send + Sync;

/// Gets the name of the extension and what it says; by default nobody does.
#[derive(Clone, Default)]
pub(crate) struct OnBootstrap(Option<Arc<Tell>>);

impl OnBootstrap {
    pub(crate) fn new(tell: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(super) fn tell(&self, extension: &str, message: &str) {
        if let Some(tell) = &self.0 {
            tell(extension, message);
        }
    }
}

impl fmt::Debug for OnBootstrap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("OnBootstrap").finish_non_exhaustive()
    }
}
