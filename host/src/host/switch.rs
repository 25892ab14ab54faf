//! Extensions that are switched on and off while the host runs.

use std::sync::Arc;

use super::slot::Slot;
use super::{EnableError, Host, ReloadError};
use crate::registry::Difference;
use crate::report::{CallError, Ending};

/// What is done with one extension. Each of these goes on when its future is dropped.
impl Host {
    /// Starts an extension that does not run: one that was added
    /// [on demand](crate::ExtensionSource::on_demand), was disabled, or has failed. Waits until it is
    /// ready; one that is ready already, or on the way to that, is not started twice. It has its place
    /// in load order, and all that was said to the builder holds for it. What is there now is started: a
    /// manifest or program that was mended meanwhile is looked at anew.
    ///
    /// What its manifest declares to guard, and what it guarded before it was disabled, is closed from
    /// the beginning: calls wait until it is ready, or are blocked. If it fails, nothing passes there
    /// until it is enabled again, disabled, or removed.
    ///
    /// ```
    /// use extline_host::{ExtensionSource, ExtensionState, Host};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let home = tempfile::tempdir()?;
    /// let script = r#"
    ///     echo '{"type":"hello","name":"greeter","version":"1.0.0"}'
    ///     echo '{"type":"ready"}'
    ///     while read -r frame; do case $frame in *shutdown*) exit 0;; esac; done"#;
    /// let greeter = ExtensionSource::command("sh", ["-c", script]).named("greeter").on_demand();
    /// let host = Host::builder().home(home.path()).extension(greeter).start().await;
    /// assert_eq!(host.extensions()[0].state, ExtensionState::Disabled);
    /// host.enable("greeter").await?;
    /// assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    /// host.disable("greeter").await;
    /// assert_eq!(host.extensions()[0].state, ExtensionState::Disabled);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    pub async fn enable(&self, extension: &str) -> Result<(), EnableError> {
        let unknown = || EnableError::Unknown { name: extension.to_owned() };
        self.slots.named(extension).ok_or_else(unknown)?.enable().await
    }

    /// Ends one extension that may be enabled again. New calls of what it offers are refused with
    /// [`CallError::Disabled`](crate::CallError::Disabled) from here on; those that run have the time
    /// of [`HostBuilder::drain`](crate::HostBuilder::drain), and its guards are asked meanwhile. Then it
    /// is told to end, as by [`Host::shutdown`]. After that its names are free, and what it guarded
    /// passes: this is for the person in front of the agent to say.
    ///
    /// Says how it ended; `None` when there is no such extension, or it had no process.
    pub async fn disable(&self, extension: &str) -> Option<Ending> {
        self.slots.named(extension)?.disable(self.drain).await
    }

    /// Puts one extension out of use while its process runs. New calls of its tools and commands are refused with
    /// [`CallError::Inactive`](crate::CallError::Inactive) and no model is offered them, though the names stay its own;
    /// those that run have the time of [`HostBuilder::drain`](crate::HostBuilder::drain). Then it is told by the
    /// method `lifecycle.deactivate`, where it serves that, and has the same time again to let go of what it needs for
    /// them. Its guards and interceptors are asked, and it hears of events, as before: [`Host::disable`] ends that.
    ///
    /// Nothing changes where it is out of use already, or where it answers with an error, which is returned.
    pub async fn deactivate(&self, extension: &str) -> Result<(), CallError> {
        self.slot_of(extension)?.deactivate(self.drain).await
    }

    /// Puts one extension into use again that was [deactivated](Host::deactivate). It is told by the method
    /// `lifecycle.activate`, where it serves that, and called once it has answered. Where it answers with an error it
    /// stays out of use. One that is in use stays so, and is not told.
    pub async fn activate(&self, extension: &str) -> Result<(), CallError> {
        self.slot_of(extension)?.activate().await
    }

    fn slot_of(&self, extension: &str) -> Result<Arc<Slot>, CallError> {
        let unknown = || CallError::Unknown { what: "extension", name: extension.to_owned() };
        self.slots.named(extension).ok_or_else(unknown)
    }

    /// Puts what is there now in the place of an extension that runs: its program or manifest was changed. Says
    /// what it registers otherwise than before.
    ///
    /// It is first started on trial beside the one that runs, and ended when it is ready; where that fails,
    /// nothing changes. Within a turn of the agent, from the event `turn_start` to `turn_end`, it waits for
    /// the end of that ([`News::ReloadWaits`](crate::News::ReloadWaits)), so nothing within the turn may wait for
    /// it. Then the one that runs gets no new calls, has the time of
    /// [`HostBuilder::drain`](crate::HostBuilder::drain) for those that it has, and is told to end, and what is
    /// there now is started in its place. Calls that the agent makes meanwhile wait for that, and what it guards is
    /// closed until it can be asked again. What it keeps with the host stays. One that does not run is
    /// [enabled](Host::enable).
    ///
    /// It is started twice, so its setup must be able to run beside itself. Where the second start fails it is tried
    /// once more; where that fails too, it has failed, and [`Host::enable`] or a further reload starts it again.
    pub async fn reload(&self, extension: &str) -> Result<Difference, ReloadError> {
        let unknown = || EnableError::Unknown { name: extension.to_owned() };
        let slot = self.slots.named(extension).ok_or_else(unknown)?;
        let reloaded = slot.reload(self.drain).await;
        self.slots.tell_report(&self.shared.news);
        reloaded
    }

    /// Ends one extension, as [`Host::shutdown`] does, and forgets what it offered and where its
    /// guards stood; one that has ended already, or never started, is only forgotten: what it was to
    /// guard passes again. It cannot be enabled any more. Says how it ended; `None` when there is no such
    /// extension, or it never had a process. Of several of one name the first that was not removed yet is
    /// meant.
    pub async fn remove(&self, extension: &str) -> Option<Ending> {
        self.slots.named_or_removed(extension)?.remove().await
    }
}
