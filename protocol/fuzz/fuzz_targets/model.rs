#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| extline_protocol_fuzz::model(data));
