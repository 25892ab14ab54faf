//! Archives that nobody should unpack: bombs, and files that lead out.

use std::fs::File;
use std::process::Command;

use crate::scene::Scene;

/// What all scripts begin with: `tar` and `zip` write an extension, and what `add` puts beside it.
const TAR: &str = r#"
import gzip, io, tarfile
MANIFEST = b'{"name": "clock", "exec": "sh", "args": ["-c", "exit"]}'
def member(name, kind=tarfile.REGTYPE, size=0, to=""):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, to
    return info.tobuf(tarfile.GNU_FORMAT)
def body(data):
    return data + bytes(-len(data) % 512)
def sparse(size):
    head = bytearray(member("sparse", tarfile.GNUTYPE_SPARSE))
    # One part of no bytes at the end, and the size of all.
    head[386:410] = tarfile.itn(size, 12, tarfile.GNU_FORMAT) + tarfile.itn(0, 12)
    head[483:495] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)
    head[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(head))[0]
    return bytes(head)
def pax(records):
    text = b"".join(b"%d %s\n" % (len(it) + 2 + len(str(len(it) + 5)), it) for it in records)
    return member("pax", tarfile.XHDTYPE, len(text)) + body(text)
manifest = member("extension.json", size=len(MANIFEST)) + body(MANIFEST)
END = bytes(1024)
with gzip.open("evil.tar.gz", "wb", 1) as out:
    out.write(manifest)
"#;
const ZIP: &str = r#"
import zipfile
def add(name, text="x", mode=0o100644):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr, info.compress_type = 3, mode << 16, zipfile.ZIP_DEFLATED
    out.writestr(info, text)
def says(size):
    out.infolist()[-1].file_size = size
with zipfile.ZipFile("evil.zip", "w") as out:
    add("extension.json", '{"name": "clock", "exec": "sh", "args": ["-c", "exit"]}')
"#;

fn python(scene: &Scene, beginning: &str, script: &str) {
    let script = script.replace('\n', "\n    ");
    let mut command = Command::new("python3");
    command.args(["-S", "-c", &format!("{beginning}    {script}\n")]).current_dir(scene.project());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// It is not installed, for that reason, and nothing is left of it, here or elsewhere.
#[track_caller]
fn refused(scene: &Scene, archive: &str, why: &str, what: &str) {
    let outcome = scene.run(&["ext", "install", archive]);
    assert_eq!(outcome.code, 1, "{what}: {outcome:?}");
    assert!(outcome.stderr.contains("nothing was installed"), "{what}: {outcome:?}");
    assert!(outcome.stderr.contains(why), "{why:?} for {what}: {outcome:?}");
    assert_eq!(scene.left(), [""; 0], "{what}");
    for elsewhere in ["extline-evil", "../extline-evil"] {
        assert!(!scene.extline.home().join(elsewhere).exists(), "{what}");
    }
    assert!(!std::path::Path::new("/tmp/extline-evil").exists(), "{what}");
}

/// How many bytes are written for an archive says nothing of how many it has.
#[test]
fn a_tar_that_unpacks_to_too_much_is_refused_before_that() {
    let scene = Scene::new();
    for (script, why) in [
        // A size that is only said: nothing of it is written.
        ("out.write(member('big', size=2 << 30) + bytes(1024))", "it has more than 2 GiB"),
        ("out.write(member('big', size=1 << 40))", "it has more than 2 GiB"),
        ("out.write(pax([b'size=1099511627776']) + member('big'))", "it has more than 2 GiB"),
        // Two that are too much together.
        (
            "out.write(member('small', size=1) + body(b'x') + member('big', size=2 << 30))",
            "it has more than 2 GiB",
        ),
        // A name that would be kept in memory.
        (
            "out.write(member('long', b'L', 64 << 20)); [out.write(bytes(1 << 20)) for _ in range(64)]",
            "longer than 1 MiB",
        ),
        (
            "out.write(member('long', tarfile.XHDTYPE, 64 << 20)); [out.write(bytes(1 << 20)) for _ in range(64)]",
            "longer than 1 MiB",
        ),
        // And what is behind the end.
        ("out.write(END); [out.write(bytes(1 << 20)) for _ in range(4)]", "longer than 1 MiB"),
        // Entries that take no room in the archive.
        ("out.write(member('folder', tarfile.DIRTYPE) * 50001)", "it has more than 50000 files"),
        ("out.write(pax([b'path=' + b'a/' * 100 + b'b']) + member('x') + END)", "nested too deep"),
        ("out.write(sparse(2 << 40) + END)", "neither a file nor a folder"),
    ] {
        python(&scene, TAR, script);
        refused(&scene, "evil.tar.gz", why, script);
    }
}

#[test]
fn a_tar_that_leads_out_is_refused_with_the_name_that_does() {
    let scene = Scene::new();
    for (script, why) in [
        (
            "out.write(member('../extline-evil') + END)",
            "../extline-evil in the archive leads out of it",
        ),
        (
            "out.write(member('/tmp/extline-evil') + END)",
            "/tmp/extline-evil in the archive leads out",
        ),
        ("out.write(member('a/../../extline-evil') + END)", "a/../../extline-evil in the archive"),
        (
            "out.write(member('out', tarfile.SYMTYPE, to='/tmp') + END)",
            "out is a link to /tmp, outside of the extension",
        ),
        (
            "out.write(member('a/up', tarfile.SYMTYPE, to='../../..') + END)",
            "up is a link to ../../.., outside of the extension",
        ),
        // Nothing is written through a link, whichever of the two comes first.
        (
            "out.write(member('out', tarfile.SYMTYPE, to='/tmp') + member('out/extline-evil') + END)",
            "out in the archive",
        ),
        (
            "out.write(member('out/extline-evil') + member('out', tarfile.SYMTYPE, to='/tmp') + END)",
            "out in the archive",
        ),
        (
            "out.write(member('out', tarfile.SYMTYPE, to='/tmp/extline-evil') + member('out', size=1) + body(b'x') + END)",
            "out in the archive",
        ),
        // A file outside that would be written through, or read.
        (
            "out.write(member('hard', tarfile.LNKTYPE, to='/etc/passwd') + END)",
            "hard in the archive is a hard link",
        ),
        (
            "out.write(member('hard', tarfile.LNKTYPE, to='extension.json') + END)",
            "hard in the archive is a hard link",
        ),
        (
            "out.write(pax([b'linkpath=' + b'a/' * 4000]) + member('long', tarfile.SYMTYPE, to='x') + END)",
            "a path that is too long",
        ),
        ("out.write(member('null', tarfile.CHRTYPE) + END)", "null in the archive is neither"),
        ("out.write(member('disk', tarfile.BLKTYPE) + END)", "disk in the archive is neither"),
        ("out.write(member('pipe', tarfile.FIFOTYPE) + END)", "pipe in the archive is neither"),
        // One file twice: which of them was looked at would be anybody's guess.
        ("out.write(manifest + END)", "extension.json in the archive: File exists"),
    ] {
        python(&scene, TAR, script);
        refused(&scene, "evil.tar.gz", why, script);
    }
}

#[test]
fn a_zip_that_unpacks_to_too_much_is_refused_before_that() {
    let scene = Scene::new();
    for (script, why) in [
        ("add('big'); says((2 << 30) + 1)", "it has more than 2 GiB"),
        ("add('one'); says(3 << 29); add('two'); says(3 << 29)", "it has more than 2 GiB"),
        // More than it says.
        (
            "add('big', bytes(8 << 20)); says(1)",
            "big in the archive: File is larger than its declared uncompressed size",
        ),
        // One file under many names.
        (
            "import copy\nfor index in range(50001):\n    out.filelist.append(copy.copy(out.filelist[0]))\n    out.filelist[-1].filename = str(index)",
            "it has more than 50000 files",
        ),
        ("add('a/' * 100 + 'b')", "nested too deep"),
        ("add('../extline-evil')", "../extline-evil in the archive leads out of it"),
        ("add('/tmp/extline-evil')", "/tmp/extline-evil in the archive leads out of it"),
        ("add('out', '/tmp', 0o120777)", "out is a link to /tmp, outside of the extension"),
        ("add('long', 'a/' * 4000, 0o120777)", "a path that is too long"),
        ("add('null', '', 0o020666)", "null in the archive is neither a file nor a folder"),
        ("add('disk', '', 0o060666)", "disk in the archive is neither a file nor a folder"),
    ] {
        python(&scene, ZIP, script);
        refused(&scene, "evil.zip", why, script);
    }
}

/// A file with a hole takes no room on the disk.
#[test]
fn what_is_too_much_is_not_copied() {
    let scene = Scene::new();
    let large = |path: &str| {
        let path = scene.project().join(path);
        File::create(path).unwrap().set_len((2 << 30) + 1).unwrap();
    };
    for archive in ["large.tar.gz", "large.zip"] {
        large(archive);
        refused(&scene, archive, "it has more than 2 GiB", archive);
    }
    Scene::extension(&scene.project().join("source"), "clock", "1.0.0");
    large("source/large");
    refused(&scene, "source", "it has more than 2 GiB", "a folder");
}

/// A byte that is not as it was packed.
#[test]
fn an_archive_whose_checksum_is_wrong_is_refused() {
    let scene = Scene::new();
    python(&scene, TAR, "out.write(END)");
    let path = scene.project().join("evil.tar.gz");
    let mut bytes = std::fs::read(&path).unwrap();
    let checksum = bytes.len() - 8;
    bytes[checksum] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    refused(&scene, "evil.tar.gz", "evil.tar.gz", "a wrong checksum");
}
