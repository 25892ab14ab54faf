//! Who is asked in place of the terminal.

use std::fmt::Debug;

use extline_host::HostBuilder;

/// Who is asked what extensions ask the person: clients of MCP, or whoever has a page.
pub(crate) trait Desk: Debug + Send + Sync {
    /// Serves dialogs and displays, and asks about calls that need an approval.
    fn serve(&self, builder: HostBuilder) -> HostBuilder;
}
