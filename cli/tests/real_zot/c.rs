//! The examples in C, C++ and Go under a real zot: copies of their folders, built there by `make`, and
//! started as their `extension.json` says.

use serde_json::json;

use crate::c_library::{built, found};
use crate::zot::Zot;

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn weather_c_answers_and_its_errors_reach_the_model() {
    let zot = Zot::with_copy(built("weather-c").path());
    let results = zot.play(&json!([
        {"call": ["weather", {"city": "Berlin"}]},
        {"call": ["weather", {"units": "f"}]},
        {"call": ["weather", {"city": "Atlantis"}]},
        {"call": ["bash", {"command": "echo rm -rf"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    assert!(!results[0].is_error);
    assert!(results[1].is_error && results[1].text.contains("/city"), "{results:?}");
    assert!(results[2].is_error && results[2].text.contains("no such city"), "{results:?}");
    assert!(results[3].is_error && results[3].text.contains("refused: rm -rf"), "{results:?}");
    assert_eq!(results.len(), 4);
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn calc_cpp_answers_and_its_exceptions_reach_the_model() {
    let zot = Zot::with_copy(built("calc-cpp").path());
    let results = zot.play(&json!([
        {"call": ["calc", {"expression": "2 * (3 + 4)"}]},
        {"call": ["calc", {"expression": "2 *"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "14");
    assert!(results[1].is_error && results[1].text.contains("a number is missing"), "{results:?}");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn hello_go_answers() {
    if !found("go", "hello-go under a zot") {
        return;
    }
    let zot = Zot::with_copy(built("hello-go").path());
    let results = zot.play(&json!([
        {"call": ["hello", {"who": "Ada"}]},
        {"call": ["hello", {"who": "panic"}]},
        {"call": ["hello", {"who": "Bob"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Hello, Ada!");
    assert!(results[1].is_error, "{results:?}");
    assert_eq!(results[2].text, "Hello, Bob!");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn poll_c_answers_when_its_timer_has_ticked() {
    if cfg!(not(target_os = "linux")) {
        return; // epoll and timerfd are Linux's
    }
    let zot = Zot::with_copy(built("poll-c").path());
    let results = zot.play(&json!([{"call": ["wait", {"ticks": 2}]}, {"text": "done"}]));
    assert!(results[0].text.starts_with("tick "), "{results:?}");
}
