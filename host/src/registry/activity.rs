//! Tools and extensions that are out of use for a while.

use super::Registry;

/// Who has put an extension out of use.
pub(crate) const HOST: &str = "the host";

impl Registry {
    /// The tools and commands of an extension are in use, or are not. Its names stay its own.
    pub(crate) fn set_in_use(&mut self, owner: usize, is_in_use: bool) {
        self.offers[owner].is_inactive = !is_in_use;
    }

    /// Whether the tools and commands of an extension are out of use.
    pub(crate) fn is_inactive(&self, owner: usize) -> bool {
        self.offers[owner].is_inactive
    }

    /// Whether nobody has deactivated it.
    pub(crate) fn is_active(&self, tool: &str) -> bool {
        self.deactivated_by(tool).is_none()
    }

    /// The extension that has deactivated a tool, or the host.
    pub(crate) fn deactivated_by(&self, tool: &str) -> Option<&str> {
        let mut by = self.inactive.iter();
        let by =
            by.find(|(_, tools)| tools.contains(tool)).map(|(extension, _)| extension.as_str());
        by.or_else(|| {
            let owner = self.winners.as_ref()?.tools.get(tool)?.owner()?;
            self.is_inactive(owner).then_some(HOST)
        })
    }

    /// An extension deactivates tools, or activates those that it has deactivated. Returns those that are offered now
    /// and were not before, or the other way round.
    pub(crate) fn set_active(
        &mut self,
        extension: &str,
        names: &[String],
        to_active: bool,
    ) -> Vec<String> {
        let mut changed = Vec::new();
        for name in names {
            let was_active = self.is_active(name);
            let own = self.inactive.entry(extension.to_owned()).or_default();
            if to_active {
                own.remove(name);
            } else {
                own.insert(name.clone());
            }
            if self.is_active(name) != was_active {
                changed.push(name.clone());
            }
        }
        changed
    }

    /// What an extension has deactivated is active again.
    pub(crate) fn activate_all_of(&mut self, extension: &str) {
        self.inactive.remove(extension);
    }
}
