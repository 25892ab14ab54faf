//! What every server of HTTP here needs: connections within bounds, bodies, answers, and a token that is compared.

mod answer;
mod body;
mod connection;
mod token;

pub(crate) use self::answer::{
    Answer, Inlet, Outlet, Refusal, content, empty, json, outlet, refuse,
};
pub(crate) use self::body::Reading;
pub(crate) use self::connection::{ACCEPT_PAUSE, connection};
pub(crate) use self::token::is_same;
