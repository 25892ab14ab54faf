//! Runs of plain characters between escapes, moved as they are.

/// Runs up to this long are moved by a copy of this length: one that is as long as the run costs a
/// call, and a wrong guess of the processor at its length.
pub(super) const SHORT: usize = 32;

/// Appends the bytes from `from` to `to`. It needs room for [`SHORT`] bytes more.
#[inline]
pub(super) fn push_run(bytes: &[u8], from: usize, to: usize, out: &mut Vec<u8>) {
    match bytes[from..].first_chunk::<SHORT>() {
        Some(run) if to - from <= SHORT => {
            let end = out.len() + (to - from);
            out.extend_from_slice(run);
            out.truncate(end);
        }
        _ => out.extend_from_slice(&bytes[from..to]),
    }
}

/// What stands for each byte in a table of escapes that has nothing for it.
pub(super) const NONE: u8 = 0;

/// A table from the first of each pair to the second.
pub(super) const fn table(pairs: &[(u8, u8)]) -> [u8; 256] {
    let mut table = [NONE; 256];
    let mut at = 0;
    while at < pairs.len() {
        table[pairs[at].0 as usize] = pairs[at].1;
        at += 1;
    }
    table
}
