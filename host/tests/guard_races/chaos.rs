//! What happens to the guards while calls go.

use std::time::Duration;

use extline_host::{ExtensionState, ExtensionStatus, Host};
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process_group};

/// What was done to them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) kills: u64,
    pub(crate) stops: u64,
}

/// Kills, stops and continues processes of guards at random for so long.
pub(crate) async fn rage(host: &Host, mut random: Rng, lasts: Duration) -> Done {
    let mut done = Done::default();
    let all_end_by_themselves = random.u8(..8) == 0;
    let rages = async {
        loop {
            tokio::time::sleep(Duration::from_micros(random.u64(100..20_000))).await;
            let extensions = host.extensions();
            let extension = &extensions[random.usize(..extensions.len())];
            let Some(group) = extension.pid.filter(|_| runs(extension)) else { continue };
            match random.u8(..10) {
                0..4 => done.kills += u64::from(send(group, Signal::KILL)),
                4..6 => {
                    done.stops += u64::from(send(group, Signal::STOP));
                    let holds = Duration::from_millis(random.u64(1..150));
                    tokio::time::sleep(holds).await;
                    send(group, Signal::CONT);
                }
                6 => done.stops += u64::from(send(group, Signal::STOP)),
                7 => drop(send(group, Signal::CONT)),
                _ => {}
            }
        }
    };
    // Dropped where it stands.
    let _ = tokio::time::timeout(lasts, rages).await;
    if !all_end_by_themselves {
        // What hangs or is stopped would take the host seconds to end.
        let running = host.extensions().into_iter().filter(runs);
        running.filter_map(|it| it.pid).for_each(|group| {
            let _ = send(group, Signal::KILL);
        });
    }
    done
}

/// The id of one that has ended may be another's by now.
fn runs(extension: &ExtensionStatus) -> bool {
    matches!(extension.state, ExtensionState::Ready | ExtensionState::Starting)
}

/// Whether there was such a group.
fn send(group: u32, signal: Signal) -> bool {
    let group = i32::try_from(group).ok().and_then(Pid::from_raw);
    group.is_some_and(|group| kill_process_group(group, signal).is_ok())
}
