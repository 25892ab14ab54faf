//! The file of a log: of bounded size, and for its owner only.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::fs::{self, File};
use tokio::io::AsyncWriteExt;

use crate::home::LogPlace;

/// A log file that grew to this size is renamed to `NAME.log.1`, and a new one begun.
const LOG_BYTES: u64 = 1024 * 1024;

/// The file, made when there is something to write.
pub(crate) struct LogFile {
    file: Option<File>,
    place: Arc<LogPlace>,
    size: u64,
}

impl LogFile {
    pub(crate) fn new(place: Arc<LogPlace>) -> Self {
        Self { file: None, place, size: 0 }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.place.file
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            self.open().await?;
        }
        if self.size >= LOG_BYTES {
            self.flush().await?;
            let mut old = self.place.file.clone().into_os_string();
            old.push(".1");
            fs::rename(&self.place.file, old).await?;
            self.open().await?;
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes).await?;
            // tokio writes in the background, and tells of a full disk at the next call otherwise.
            file.flush().await?;
            self.size += bytes.len() as u64;
        }
        Ok(())
    }

    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.flush().await,
            None => Ok(()),
        }
    }

    async fn open(&mut self) -> io::Result<()> {
        let place = Arc::clone(&self.place);
        let (file, size) = tokio::task::spawn_blocking(move || place.open()).await??;
        (self.file, self.size) = (Some(File::from_std(file)), size);
        Ok(())
    }
}
