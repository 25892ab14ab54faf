//! From the start of the process to `ready`, and the ways not to get there.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use crate::host::{ACK, HELLO, Host, probe};

#[test]
fn the_handshake_is_this_byte_for_byte() {
    let mut host = Host::start(&mut Command::new(probe()));
    assert_eq!(host.line(), HELLO);
    host.send(ACK);
    let mut lines: Vec<_> =
        std::iter::from_fn(|| Some(host.line()).filter(|line| !line.contains("\"ready\"")))
            .collect();
    let subscribe = lines.pop().unwrap();
    assert_eq!(subscribe, r#"{"type":"subscribe","events":["turn_start","turn_end"]}"#);
    assert_eq!(
        lines[0],
        r#"{"type":"register_command","name":"show","description":"shows its arguments"}"#
    );
    let echo = lines.iter().find(|line| line.contains("register_tool")).unwrap();
    assert_eq!(
        echo,
        concat!(
            r#"{"type":"register_tool","name":"echo","description":"Says it again.","schema":{"#,
            r#""additionalProperties":false,"properties":{"text":{"description":"What to say again","#,
            r#""type":"string"},"times":{"default":1,"description":"How often","maximum":255,"#,
            r#""minimum":0,"type":"integer"}},"required":["text"],"type":"object"}}"#
        )
    );
    let end = host.close();
    assert!(end.status.success());
    assert!(end.lines.is_empty(), "{:?}", end.lines);
}

#[test]
fn a_registration_mistake_is_reported_with_its_line_before_anything_is_sent() {
    let end = Host::start(Command::new(probe()).arg("mistake")).wait();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.lines.is_empty());
    let source =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/probe/main.rs")).unwrap();
    let second = source.lines().position(|line| line.contains("The second.")).unwrap() + 1;
    let place = format!("probe/main.rs:{second}:");
    assert!(end.stderr.contains(&place), "no {place} in: {}", end.stderr);
    assert!(end.stderr.contains("two tools named \"twin\""), "{}", end.stderr);
}

#[test]
#[cfg(unix)]
fn a_socket_serves_as_well_as_two_pipes() {
    use std::os::unix::net::UnixStream;

    let (ours, its) = UnixStream::pair().unwrap();
    let its = (its.try_clone().unwrap().into(), its.into());
    let mut probe = Command::new(probe());
    let host =
        Host::start_over(&mut probe, its, ours.try_clone().unwrap(), ours.try_clone().unwrap());
    let mut host = host.accepted(ACK);
    host.call("1", "echo", r#"{"text":"over a socket"}"#);
    assert_eq!(host.text(), "over a socket");
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(host.close().status.success());
}

#[test]
fn files_serve_too() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let (input, output) = (format!("{folder}/files-in"), format!("{folder}/files-out"));
    let call = crate::host::call("1", "echo", r#"{"text":"from a file"}"#);
    fs::write(&input, format!("{ACK}\n{call}\n")).unwrap();
    let status = Command::new(probe())
        .stdin(File::open(&input).unwrap())
        .stdout(File::create(&output).unwrap())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let written = fs::read_to_string(&output).unwrap();
    assert!(written.starts_with(HELLO), "{written}");
    // The end of the file may be seen before the call is run; it is answered in either case.
    assert!(written.contains(r#"{"type":"tool_result","id":"1","#), "{written}");
}

#[test]
fn a_program_with_a_runtime_of_its_own_serves_and_goes_on() {
    let mut host = Host::start(Command::new(probe()).arg("serve")).accepted(ACK);
    host.call("1", "sleep", r#"{"amount":5}"#);
    assert_eq!(host.text(), "slept 5 ms");
    host.sigterm();
    let end = host.wait();
    assert_eq!(end.status.code(), Some(143));
    assert!(end.stderr.contains("main goes on after serve"), "{}", end.stderr);
}

#[test]
#[cfg(unix)]
fn in_a_terminal_it_explains_itself() {
    let terminal =
        rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)
            .unwrap();
    rustix::pty::grantpt(&terminal).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap();
    let inside = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let output = Command::new(probe())
        .stdin(inside.try_clone().unwrap())
        .stdout(inside)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("extline call DIR echo"), "{text}");
}
