//! Which extensions run in a sandbox.

use std::path::Path;

use super::HostBuilder;
use crate::home;
use crate::process::Launch;
use crate::sandbox::{Limits, Sandbox, of_machines};
use crate::source::Manifest;

impl HostBuilder {
    /// Whether extensions are held to `fs`, `net` and `exec` of the `permissions` in their manifests, as they are by
    /// default: on Linux, where one is not started if the kernel cannot do that
    /// ([`Problem::Sandbox`](crate::Problem::Sandbox)). On other platforms none is held to them, which is told by a
    /// notice. See [`sandbox_support`](crate::sandbox_support).
    #[must_use]
    pub fn sandbox(mut self, sandbox: bool) -> Self {
        self.has_sandbox = sandbox;
        self
    }

    /// The program of an extension, in the sandbox that its manifest calls for.
    pub(super) fn in_sandbox(
        &self,
        mut launch: Launch,
        name: &str,
        manifest: Option<&Manifest>,
        cwd: &Path,
    ) -> Launch {
        let Some(manifest) = manifest.filter(|_| self.has_sandbox) else { return launch };
        launch.notices.extend(of_machines(&manifest.permissions));
        match Limits::of(&manifest.permissions, &launch.dir, cwd, &launch.environment) {
            None => launch,
            Some(limits) => {
                let home = self.home_or_default();
                let data = home::data_dir(&home, name);
                Sandbox::put(launch, limits, home, data)
            }
        }
    }
}
