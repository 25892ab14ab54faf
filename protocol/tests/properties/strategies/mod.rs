//! Any frame of either direction.

mod extension;
mod host;
mod shared;

pub(crate) use extension::extension_frame;
pub(crate) use host::host_frame;

/// Strategies for objects of the wire, from a strategy for each member. Every member stands here,
/// so a new one does not compile until it has a strategy.
macro_rules! objects {
    ($($name:ident: $object:ident { $($member:ident: $strategy:expr,)* })*) => {
        $(
            pub(super) fn $name() -> BoxedStrategy<$object> {
                prop_compose! {
                    fn object()($($member in Strategy::boxed($strategy)),*) -> $object {
                        $object { $($member),* }
                    }
                }
                object().boxed()
            }
        )*
    };
}

use objects;
