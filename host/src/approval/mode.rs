//! Who decides about a call that needs an approval.

/// Who decides about a call that needs an approval. It holds as long as the host runs, and a pattern
/// of [`HostBuilder::deny`](crate::HostBuilder::deny) wins over each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalMode {
    /// A person, by the [`Approver`](crate::Approver), unless a pattern of
    /// [`HostBuilder::approve`](crate::HostBuilder::approve) covers it or the person said "always"
    /// to its like. Without an approver it is refused.
    #[default]
    Ask,
    /// The patterns of [`HostBuilder::approve`](crate::HostBuilder::approve) alone: what none of them
    /// covers is refused, and nobody is asked.
    Allowlist,
    /// Nobody: everything runs.
    Yolo,
}
