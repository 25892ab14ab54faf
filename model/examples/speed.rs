//! How long repair takes for ten megabytes: `cargo run --release -p extline-model --example speed`.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::time::Instant;

use extline_model::repair;

const SIZE: usize = 10_000_000;

fn main() {
    let filled = |piece: &str| piece.repeat(SIZE / piece.len());
    let texts = [
        ("opening brackets", filled("[")),
        ("closing brackets", filled("]")),
        ("empty arrays, not closed", format!("[{}", filled("[],"))),
        ("objects in an array, bare keys", format!("[{}", filled("{a: 'b', c: [1, 2,],},"))),
        ("one string, cut", format!("{{\"a\": \"{}", filled("text ,} \\\"it\\\"\n"))),
        ("quotes", filled("\"")),
        ("prose with braces", filled("a {b} [c] ")),
        ("code fences", filled("```json\n{x}\n```\n")),
        ("valid JSON", format!("[{}1]", filled("{\"a\": \"b\", \"c\": [1, 2]},"))),
    ];
    for (name, text) in texts {
        let start = Instant::now();
        let became = match repair(&text) {
            Ok(repaired) => format!("{} fixes", repaired.fixes.len() + repaired.unlisted),
            Err(error) => error.kind.as_str().to_owned(),
        };
        println!("{:>7.1} ms  {name}: {became}", start.elapsed().as_secs_f64() * 1e3);
    }
}
