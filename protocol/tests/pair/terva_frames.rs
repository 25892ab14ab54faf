//! Every frame that terva documents, in lines of our own with its shapes: what our two sessions make of
//! each. What is known is read; what is not is skipped, and the session goes on.

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HelloAck, HostFrame};
use extline_protocol::{
    CallKind, ExtensionEvent, HostEvent, Incoming, Notice, Profile, decode_text,
};

use crate::harness::{Pair, config, full_ack};

/// From the host, known to us.
const KNOWN_FROM_HOST: [&str; 17] = [
    r#"{"type":"hello_ack","protocol_version":1,"zot_version":"0.4.0","provider":"p","model":"m","cwd":"/w","extension_dir":"/x","data_dir":"/d"}"#,
    r#"{"type":"hello_ack","protocol_version":6,"zot_version":"0.4.0","terva_version":"0.4.0","provider":"p","model":"m","cwd":"/w","supported_events":["session_start"],"config":{"base":"https://example.com","loud":true}}"#,
    r#"{"type":"command_invoked","id":"1","name":"greet","args":"all"}"#,
    r#"{"type":"tool_call","id":"2","name":"echo","args":{"q":"x"}}"#,
    r#"{"type":"event","event":"session_start","session_id":"s-1","session_path":"/s","session_title":"First","cwd":"/w","project_id":"w-1"}"#,
    r#"{"type":"event","event":"session_start"}"#,
    r#"{"type":"event","event":"turn_end","step":2,"stop":"end_turn"}"#,
    r#"{"type":"event","event":"tool_result","tool_id":"t","tool_name":"bash","text":"exit status 1","is_error":true}"#,
    r#"{"type":"event","event":"workspace_changed","files":[{"path":"a.go","change":"modified"}]}"#,
    r#"{"type":"event","event":"config_update","config":{"loud":false}}"#,
    r#"{"type":"event","event":"run_end","error":"context canceled"}"#,
    r#"{"type":"event_intercept","id":"i1","event":"tool_call","tool_id":"t","tool_name":"bash","tool_args":{"command":"ls"}}"#,
    r#"{"type":"event_intercept","id":"i2","event":"user_message","text":"a prompt"}"#,
    r#"{"type":"panel_key","panel_id":"p","key":"rune","text":"y"}"#,
    r#"{"type":"panel_resize","panel_id":"p","width":80,"height":24}"#,
    r#"{"type":"panel_close","panel_id":"p"}"#,
    r#"{"type":"shutdown"}"#,
];

/// From the host, terva's own.
const OWN_FROM_HOST: [&str; 10] = [
    r#"{"type":"host_tool_result","id":"c1","content":[{"type":"text","text":"ok"}]}"#,
    r#"{"type":"session_list","id":"l1","sessions":[{"session_id":"a","title":"t","messages":3,"mtime":42}]}"#,
    r#"{"type":"session_data","id":"r1","messages":[{"role":"user","text":"hi"}]}"#,
    r#"{"type":"session_data","id":"r2","messages":null,"not_found":true}"#,
    r#"{"type":"secret_value","id":"q1","found":true,"value":"v"}"#,
    r#"{"type":"secret_keys","id":"q2","keys":null}"#,
    r#"{"type":"secret_ack","id":"q3","error":"denied"}"#,
    r#"{"type":"chat_open","id":"s1"}"#,
    r#"{"type":"chat","id":"s1","frame":{"type":"connect"}}"#,
    r#"{"type":"chat_close","id":"s1"}"#,
];

/// From an extension, known to us; fields of terva's own among them are ignored.
const KNOWN_FROM_EXTENSION: [&str; 16] = [
    r#"{"type":"register_command","name":"deploy","description":"ships it"}"#,
    r#"{"type":"register_tool","name":"search","schema":{"type":"object"},"read_only":true,"authority":"local-read","essential":true,"display":{"subject":"{q}","body":"table","redact":["key"]}}"#,
    r#"{"type":"subscribe","events":["run_end"],"intercept":["user_message"]}"#,
    r#"{"type":"ready"}"#,
    r#"{"type":"tool_result","id":"2","content":[{"type":"image","mime_type":"image/png","data":"aGk="}]}"#,
    r#"{"type":"tool_result","id":"7","content":[{"type":"text","text":"none"}],"is_error":true}"#,
    r#"{"type":"command_response","id":"1","action":"error","error":"no such target"}"#,
    r#"{"type":"command_response","id":"1","action":"open_panel","open_panel":{"id":"p","title":"P","lines":["a"],"footer":"q"}}"#,
    r#"{"type":"event_intercept_response","id":"3","replace_text":"redacted"}"#,
    r#"{"type":"notify","level":"warn","message":"careful"}"#,
    r#"{"type":"clear_notes"}"#,
    r#"{"type":"submit","text":"go on"}"#,
    r#"{"type":"submit_slash","text":"/compact"}"#,
    r#"{"type":"open_panel","panel":{"id":"p","title":"P","lines":["a"]}}"#,
    r#"{"type":"panel_render","panel_id":"p","lines":["a"],"widgets":[{"type":"meter","label":"done","value":3,"max":8},{"type":"group","children":[{"type":"note","text":"n","tone":"ok"}]}]}"#,
    r#"{"type":"shutdown_ack"}"#,
];

/// From an extension, terva's own.
const OWN_FROM_EXTENSION: [&str; 17] = [
    r#"{"type":"status_segment","id":"t","text":"1/4"}"#,
    r#"{"type":"set_withdrawn_tools","tools":["run"],"all":false}"#,
    r#"{"type":"set_withdrawn_tools","tools":[],"all":true}"#,
    r#"{"type":"register_context","text":"one task at a time"}"#,
    r#"{"type":"refresh_context","text":"notes"}"#,
    r#"{"type":"context_card","id":"t","label":"Tasks","text":"a","priority":1,"blocking":true}"#,
    r#"{"type":"context_card_clear","id":"t"}"#,
    r#"{"type":"host_tool_call","id":"c1","name":"read","args":{"path":"x"},"silent":true}"#,
    r#"{"type":"list_sessions","id":"l1","project_id":"p"}"#,
    r#"{"type":"read_session","id":"r1","session_id":"a"}"#,
    r#"{"type":"secret_set","id":"q1","key":"k","value":""}"#,
    r#"{"type":"secret_get","id":"q2","key":"k"}"#,
    r#"{"type":"secret_delete","id":"q3","key":"k"}"#,
    r#"{"type":"secret_list","id":"q4"}"#,
    r#"{"type":"register_connector"}"#,
    r#"{"type":"chat","id":"s1","frame":{"type":"message","text":"hi"}}"#,
    r#"{"type":"chat_down","id":"s1","error":"revoked"}"#,
];

fn is_known<F: AnyFrame>(line: &str) -> bool {
    match decode_text::<F>(line) {
        Incoming::Frame(frame) => F::TYPES.contains(&frame.frame_type()),
        Incoming::Unusable(unusable) => panic!("{line}: {unusable}"),
    }
}

#[test]
fn each_frame_is_read_or_known_to_be_terva_s_own() {
    assert!(KNOWN_FROM_HOST.iter().all(|line| is_known::<HostFrame>(line)));
    assert!(!OWN_FROM_HOST.iter().any(|line| is_known::<HostFrame>(line)));
    assert!(KNOWN_FROM_EXTENSION.iter().all(|line| is_known::<ExtensionFrame>(line)));
    assert!(!OWN_FROM_EXTENSION.iter().any(|line| is_known::<ExtensionFrame>(line)));
}

#[test]
fn an_extension_skips_what_is_terva_s_own_and_goes_on() {
    let mut pair = Pair::new(config(), full_ack());
    pair.extension.poll_output(pair.now, &mut Vec::new());
    pair.host_writes(KNOWN_FROM_HOST[1]);
    pair.extension.ready();
    for line in OWN_FROM_HOST {
        pair.host_writes(line);
    }
    let skipped = |event: &ExtensionEvent| match event {
        ExtensionEvent::Notice(Notice::UnknownType(name)) => Some(name.clone()),
        // It is understood, and answers nothing that was asked (`fork.asks`).
        ExtensionEvent::Notice(Notice::Unexpected { kind: CallKind::CallTool, .. }) => {
            Some("host_tool_result".to_owned())
        }
        ExtensionEvent::Accepted(_) => None,
        other => panic!("{other:?}"),
    };
    let skipped: Vec<_> = pair.extension_events.iter().filter_map(skipped).collect();
    let once = [
        "host_tool_result",
        "session_list",
        "session_data",
        "secret_value",
        "secret_keys",
        "secret_ack",
        "chat_open",
        "chat",
        "chat_close",
    ];
    assert_eq!(skipped, once, "each type is told once");
    pair.extension_events.clear();
    pair.host_writes(KNOWN_FROM_HOST[3]);
    assert!(matches!(&pair.extension_events[..], [ExtensionEvent::ToolCall { .. }]));
}

#[test]
fn a_host_takes_terva_s_frames_under_its_profile_and_skips_them_under_another() {
    for profile in [Profile::spec(), Profile::terva()] {
        let is_terva = profile.name == "terva";
        let mut pair = Pair::like(profile, config(), HelloAck { ..full_ack() });
        pair.extension.poll_output(pair.now, &mut Vec::new());
        pair.extension_writes(
            r#"{"type":"hello","name":"vault","version":"2.1.0","min_protocol":6}"#,
        );
        pair.clear();
        for line in OWN_FROM_EXTENSION {
            pair.extension_writes(line);
        }
        let unknown =
            |event: &&HostEvent| matches!(event, HostEvent::Notice(Notice::UnknownType(_)));
        let unknown = pair.host_events.iter().filter(unknown).count();
        assert_eq!(unknown, if is_terva { 0 } else { 16 }, "{:?}", pair.host_events);
        pair.clear();
        for line in [KNOWN_FROM_EXTENSION[1], KNOWN_FROM_EXTENSION[9]] {
            pair.extension_writes(line);
        }
        assert!(
            matches!(&pair.host_events[..], [HostEvent::RegisterTool(_), HostEvent::Notify { .. }]),
            "it goes on"
        );
    }
}
