//! Bytes that are looked for in what is short as a rule: lines, strings of a frame.
//!
//! At its first call `memchr` asks the CPU ten times what it can do. In a virtual machine each of
//! these questions leaves the machine: 50 us in all, a twentieth of an extension's start. What is
//! short is searched with what each CPU of the target has, for which nothing is asked.

/// From so many bytes on the widest registers are worth their question.
#[cfg(any(test, all(target_arch = "x86_64", target_feature = "sse2")))]
const LONG: usize = 4096;

/// Where `byte` stands first.
#[inline]
pub fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if bytes.len() < LONG
        && let Some(search) = memchr::arch::x86_64::sse2::memchr::One::new(byte)
    {
        return search.find(bytes);
    }
    memchr::memchr(byte, bytes)
}

/// Where one of the two stands first.
#[inline]
pub fn find_either(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if bytes.len() < LONG
        && let Some(search) = memchr::arch::x86_64::sse2::memchr::Two::new(one, other)
    {
        return search.find(bytes);
    }
    memchr::memchr2(one, other, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_found_in_short_and_in_long() {
        for length in [0, 1, 7, 16, 33, LONG - 1, LONG, 3 * LONG] {
            let mut bytes = vec![b'.'; length];
            assert_eq!((find(b'x', &bytes), find_either(b'x', b'y', &bytes)), (None, None));
            for at in (0..length).step_by(length / 5 + 1) {
                bytes[length - 1] = b'x';
                bytes[at] = b'x';
                assert_eq!(find(b'x', &bytes), Some(at), "of {length}");
                bytes[at] = b'y';
                assert_eq!(find_either(b'x', b'y', &bytes), Some(at), "of {length}");
                bytes[at] = b'.';
            }
        }
    }
}
