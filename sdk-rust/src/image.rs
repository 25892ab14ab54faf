//! Images in results.

use extline_protocol::write_base64;

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
        Self { mime_type: mime_type.into(), data: write_base64(bytes.as_ref()) }
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
