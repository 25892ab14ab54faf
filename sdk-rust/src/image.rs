//! Images in results.

/// An image for the model. Hosts and models commonly take PNG, JPEG, GIF and WebP.
///
/// ```
/// use extline::Image;
///
/// let pixel: &[u8] = b"\x89PNG\r\n\x1a\n...";
/// let image = Image::new(pixel, "image/png");
/// assert_eq!(image.mime_type(), "image/png");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    mime_type: String,
    /// Standard, padded base64.
    data: String,
}

impl Image {
    /// An image from its bytes, as they stand in a file of that media type.
    ///
    /// ```
    /// let image = extline::Image::new(b"GIF89a...", "image/gif");
    /// ```
    pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self { mime_type: mime_type.into(), data: base64(bytes.as_ref()) }
    }

    /// An image whose bytes are in standard, padded base64 already.
    ///
    /// ```
    /// let image = extline::Image::from_base64("R0lGODlh", "image/gif");
    /// assert_eq!(image, extline::Image::new(b"GIF89a", "image/gif"));
    /// ```
    pub fn from_base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { mime_type: mime_type.into(), data: data.into() }
    }

    /// The media type.
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }

    pub(crate) fn into_parts(self) -> (String, String) {
        (self.mime_type, self.data)
    }
}

/// Standard base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            // A group of n bytes has n + 1 digits.
            if digit <= group.len() {
                let value = bits >> (18 - 6 * digit) & 0x3F;
                text.push(char::from(ALPHABET[value as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_test_vectors_of_the_rfc() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xFB, 0xFF, 0xFE]), "+//+");
    }
}
