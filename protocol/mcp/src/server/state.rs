//! What a suspended request is known by when its client comes back: a text that only this process can have
//! made (`requestState` of 2026-07-28).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use extline_protocol::{read_base64, write_base64};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How long a client may take to come back: its user may have gone for a coffee.
pub(super) const TIME_TO_LIVE: Duration = Duration::from_secs(15 * 60);

/// Makes states and knows them again. What it is asked for is counted for all servers that share it.
pub(super) struct Signer {
    secret: [u8; 32],
    began: Instant,
    last: AtomicU64,
}

/// Why a state is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    Forged,
    Expired,
}

impl Signer {
    pub(super) fn new(secret: [u8; 32], now: Instant) -> Self {
        Self { secret, began: now, last: AtomicU64::new(0) }
    }

    /// The next number, which no other request has.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The text for a number: that, when it expires, and the signature of both.
    pub(super) fn sign(&self, number: u64, expires: Instant) -> String {
        let expires = expires.saturating_duration_since(self.began).as_millis();
        let said = format!("{number}.{expires}");
        let signature = write_base64(&self.mac(&said).finalize().into_bytes());
        format!("{said}.{signature}")
    }

    /// The number of a text that was signed here and has not expired.
    pub(super) fn read(&self, state: &str, now: Instant) -> Result<u64, Unusable> {
        let (said, signature) = state.rsplit_once('.').ok_or(Unusable::Forged)?;
        let signature = read_base64(signature).ok_or(Unusable::Forged)?;
        self.mac(said).verify_slice(&signature).map_err(|_| Unusable::Forged)?;
        let (number, expires) = said.split_once('.').ok_or(Unusable::Forged)?;
        let (number, expires) =
            number.parse().ok().zip(expires.parse().ok()).ok_or(Unusable::Forged)?;
        if now.saturating_duration_since(self.began) >= Duration::from_millis(expires) {
            return Err(Unusable::Expired);
        }
        Ok(number)
    }

    fn mac(&self, said: &str) -> Hmac<Sha256> {
        // A key has one block at most.
        let mut block = [0; 64];
        block[..self.secret.len()].copy_from_slice(&self.secret);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        mac.update(said.as_bytes());
        mac
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signer").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_known_until_it_expires_and_only_as_it_was() {
        let now = Instant::now();
        let signer = Signer::new([7; 32], now);
        let state = signer.sign(3, now + TIME_TO_LIVE);
        assert_eq!(signer.read(&state, now), Ok(3));
        assert_eq!(signer.read(&state, now + TIME_TO_LIVE), Err(Unusable::Expired));
        let (number, rest) = state.split_once('.').unwrap();
        let other = format!("{}{rest}", number.replace('3', "4."));
        for forged in ["", "3", "..", &other, &state[..state.len() - 2], &format!("{state}A")] {
            assert_eq!(signer.read(forged, now), Err(Unusable::Forged), "{forged}");
        }
        assert_eq!(Signer::new([8; 32], now).read(&state, now), Err(Unusable::Forged));
    }
}
