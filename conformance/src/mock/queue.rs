//! A queue between two threads that holds so many bytes at most, however large the things in it are.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A queue of at most `bytes`; one thing that is larger goes alone.
pub fn queue<T>(bytes: usize) -> (QueueSender<T>, QueueReceiver<T>) {
    let (sender, receiver) = mpsc::channel();
    let room = Arc::new(Room { bytes, held: Mutex::new(Some(0)), changed: Condvar::new() });
    (QueueSender { sender, room: Arc::clone(&room) }, QueueReceiver { receiver, room })
}

#[derive(Debug)]
struct Room {
    bytes: usize,
    /// How much is in the queue; `None` once nobody takes from it any more.
    held: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Room {
    fn held(&self) -> MutexGuard<'_, Option<usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts things into a queue. A clone puts them into the same one.
#[derive(Debug)]
pub struct QueueSender<T> {
    sender: Sender<(usize, T)>,
    room: Arc<Room>,
}

impl<T> Clone for QueueSender<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), room: Arc::clone(&self.room) }
    }
}

impl<T> QueueSender<T> {
    /// Puts something of so many bytes into it, and waits until there is room; `false` when nobody
    /// takes it any more.
    pub fn send(&self, bytes: usize, thing: T) -> bool {
        let is_full = |held: &mut Option<usize>| {
            held.is_some_and(|held| held > 0 && held + bytes > self.room.bytes)
        };
        let held = self.room.held();
        let held = self.room.changed.wait_while(held, is_full);
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        let Some(count) = held.as_mut() else { return false };
        *count += bytes;
        self.sender.send((bytes, thing)).is_ok()
    }
}

/// Takes things from a queue.
#[derive(Debug)]
pub struct QueueReceiver<T> {
    receiver: Receiver<(usize, T)>,
    room: Arc<Room>,
}

impl<T> QueueReceiver<T> {
    /// The next thing, within that time.
    pub fn recv_timeout(&self, time: Duration) -> Result<T, RecvTimeoutError> {
        let (bytes, thing) = self.receiver.recv_timeout(time)?;
        if let Some(held) = self.room.held().as_mut() {
            *held -= bytes;
        }
        self.room.changed.notify_all();
        Ok(thing)
    }
}

impl<T> Drop for QueueReceiver<T> {
    fn drop(&mut self) {
        *self.room.held() = None;
        self.room.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_sends_waits_for_room_and_a_large_thing_goes_alone() {
        let (sender, receiver) = queue(10);
        assert!(sender.send(20, 'a'));
        let other = sender.clone();
        let waits = thread::spawn(move || other.send(1, 'b'));
        thread::sleep(Duration::from_millis(50));
        assert!(!waits.is_finished());
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok('a'));
        assert!(waits.join().unwrap());
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok('b'));
        drop(sender);
        let none = receiver.recv_timeout(Duration::from_secs(10));
        assert_eq!(none, Err(RecvTimeoutError::Disconnected));
    }

    #[test]
    fn nobody_waits_for_one_who_is_gone() {
        let (sender, receiver) = queue(10);
        assert!(sender.send(10, ()));
        let waits = thread::spawn(move || sender.send(1, ()));
        drop(receiver);
        assert!(!waits.join().unwrap());
    }
}
