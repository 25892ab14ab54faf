//! `extline.hpp`: what C++ adds, exceptions and calls that outlive their handler, called by the host.

use std::fs;

use crate::c_library::{found, sh, try_sh};

const PROGRAM: &str = r#"#include <extline.hpp>

#include <chrono>
#include <thread>

int main() {
    extline::Extension ext("all", "1.0.0");
    const std::string any = R"({"type":"object"})";
    ext.tool("later", "Answers from a thread.", any, [](extline::Call& call) {
        std::thread([kept = call.keep()] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            kept.text("from a thread");
        }).detach();
    });
    ext.tool("dropped", "Keeps its call and drops it.", any, [](extline::Call& call) {
        extline::KeptCall kept = call.keep();
        extline::KeptCall other = std::move(kept);
    });
    ext.tool("thrown", "Throws.", any, [](extline::Call& call) {
        const std::string what = call.string("/what");
        if (what == "int") throw 5;
        if (what == "exception") throw std::runtime_error("it broke");
        if (what == "kind") throw extline::Error("no_such_kind", "told all the same").hint("but here");
        if (what == "twice") { call.text("once"); call.text("twice"); }
    });
    ext.tool("args", "Takes arguments.", any, [](extline::Call& call) {
        call.update("half", 1, 2);
        return std::to_string(call.integer("/n") + call.integer("/absent", 40)) + (call.boolean("/b") ? " true " : " false ")
            + std::to_string(call.length("/list")) + " " + call.string("/absent", "none") + (call.number("/d") == 2.5 ? " 2.5" : "");
    });
    ext.tool("ship", "Asks.", any, [](extline::Call& call) {
        if (!call.confirm("Ship it?", "To all.")) return std::string("kept");
        const auto where = call.select("Where?", {"north", "south"});
        const auto name = call.input("By whom?");
        return std::to_string(where.value_or(9)) + " by " + std::string(name.value_or("nobody"));
    });
    ext.tool("secret", "Asks for a key.", any, [](extline::Call& call) {
        return std::to_string(call.secret("PATH").size() > 0);
    });
    ext.tool("config", "Tells its configuration.", any, [&ext](extline::Call& call) {
        std::int64_t timeout = 5000;
        extline_json_int(call.config(), "/timeout_ms", &timeout);
        return std::to_string(timeout) + (ext.config() == call.config() ? " of both" : "");
    });
    ext.guard("throws", [](extline::Call& call) {
        if (call.look("/tool_name") == "guarded") throw std::runtime_error("no guard");
    });
    ext.tool("guarded", "Is blocked.", any, [](extline::Call&) { return std::string("it ran"); });
    try {
        ext.tool("guarded", "There is one.", any, [](extline::Call&) {});
        return 9;
    } catch (const extline::Failure& failure) {
        if (failure.code() != EXTLINE_DUPLICATE) return 8;
    }
    return 0;
}
"#;

#[test]
fn the_header_is_clean_in_every_standard_from_17_on() {
    if !found("c++", "extline.hpp") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.cpp"), PROGRAM).unwrap();
    for standard in ["c++17", "c++20"] {
        let said = sh(
            &format!(
                "c++ -std={standard} -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only \
                 all.cpp $(pkg-config --cflags extline)"
            ),
            folder.path(),
        );
        assert_eq!(said, "", "{standard}");
    }
    let (code, said) = try_sh(
        "c++ -std=c++14 -fsyntax-only all.cpp $(pkg-config --cflags extline)",
        folder.path(),
    );
    assert_ne!(code, 0);
    assert!(said.contains("extline.hpp needs C++17: compile with -std=c++17"), "{said}");
}

#[test]
fn what_is_thrown_and_kept_becomes_an_answer() {
    if !found("c++", "extline.hpp") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The last registration is a mistake, which would end it.
    let (head, tail) = PROGRAM.split_once("    try {\n        ext.tool").unwrap();
    assert!(tail.ends_with("return 0;\n}\n"));
    fs::write(folder.path().join("all.cpp"), format!("{head}    return ext.run();\n}}\n")).unwrap();
    let build = "c++ -std=c++17 -pthread all.cpp -o all $(pkg-config --cflags --libs extline)";
    assert_eq!(sh(build, folder.path()), "");
    let call = |tool: &str, args: &str| {
        try_sh(&format!("extline call {tool} '{args}' -- ./all"), folder.path())
    };
    let fails = |tool: &str, args: &str, parts: &[&str]| {
        let (code, said) = call(tool, args);
        assert_eq!(code, 1, "{said}");
        for part in parts {
            assert!(said.contains(part), "{part:?} is missing: {said}");
        }
    };
    assert_eq!(call("later", "{}"), (0, "from a thread\n".to_owned()));
    fails("dropped", "{}", &["internal", "without an answer"]);
    fails("thrown", r#"{"what":"int"}"#, &["internal", "what is no std::exception"]);
    fails("thrown", r#"{"what":"exception"}"#, &["internal", "it broke"]);
    fails("thrown", r#"{"what":"kind"}"#, &["internal", "told all the same"]);
    fails("thrown", "{}", &["validation", "/what"]);
    // The first answer holds, whatever comes behind it.
    // There is no manifest that declares it.
    assert_eq!(call("secret", "{}").0, 1);
    assert_eq!(call("thrown", r#"{"what":"twice"}"#), (0, "once\n".to_owned()));
    let args = r#"{"n":2,"b":true,"list":[1,2,3],"d":2.5}"#;
    assert_eq!(call("args", args).1, "42 true 3 none 2.5\n");
    assert_eq!(call("config", "{}").1, "5000 of both\n");
    fs::write(folder.path().join("given.json"), r#"{"timeout_ms": 7}"#).unwrap();
    let given = try_sh("extline call config --config given.json -- ./all", folder.path());
    assert_eq!(given.1, "7 of both\n");
    fails("guarded", "{}", &["guard"]);
    let ship = |answers: &str| {
        try_sh(&format!("extline call ship {answers} -- ./all 2>&-"), folder.path())
    };
    let answered = "--answer confirm=yes --answer select=south --answer input=Ada";
    assert_eq!(ship(answered), (0, "1 by Ada\n".to_owned()));
    assert_eq!(ship("--answer confirm=yes").1, "9 by nobody\n");
    assert_eq!(ship("").1, "kept\n");
}

#[test]
fn a_registration_that_is_refused_throws() {
    if !found("c++", "extline.hpp") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.cpp"), PROGRAM).unwrap();
    let build = "c++ -std=c++17 -pthread all.cpp -o all $(pkg-config --cflags --libs extline)";
    assert_eq!(sh(&format!("{build} && ./all"), folder.path()), "");
}

#[test]
fn what_looks_like_a_decision_and_is_none_does_not_compile() {
    if !found("c++", "extline.hpp") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let told =
        "an event is only told, and its handler returns nothing: guard() or intercept() decides";
    let returned = "returns decides nothing: call.block(reason)";
    for (line, says) in [
        ("ext.on(\"tool_call\", [](const extline_json*) { return true; });", told),
        ("ext.guard(\"g\", [](extline::Call&) { return true; });", returned),
        ("ext.intercept(\"tool_call\", [](extline::Call&) { return \"no\"; });", returned),
    ] {
        let program = format!(
            "#include <extline.hpp>\nint main() {{ extline::Extension ext(\"x\", \"1\"); {line} }}\n"
        );
        fs::write(folder.path().join("wrong.cpp"), program).unwrap();
        let compile = "c++ -std=c++17 -fsyntax-only wrong.cpp $(pkg-config --cflags extline)";
        let (code, said) = try_sh(compile, folder.path());
        assert_ne!(code, 0, "{line}");
        assert!(said.contains(says), "{said}");
    }
}
