#!/usr/bin/env python3
"""The kits under `extline conformance --deep`: every case again with cut writes, other locales, other sizes
of pipes and a slow reader. It takes many minutes. Arguments are names of kits (rust, c). The reports are
left in target/conformance-deep.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
REPORTS = ROOT / "target/conformance-deep"
KITS = ROOT / "conformance/kit"


def main():
    os.chdir(ROOT)
    kits = sys.argv[1:] or sorted(kit.parent.name for kit in KITS.glob("*/extension.json"))
    if not os.environ.get("EXTLINE_BUILT"):
        subprocess.run(["scripts/build-kits.sh"], check=True)
    REPORTS.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{TARGET / 'python/bin'}{os.pathsep}{os.environ['PATH']}"
    failed = [kit for kit in kits if not conforms(kit)]
    print(f"{len(kits) - len(failed)} passed, {len(failed)} failed" + "".join(f" {kit}" for kit in failed))
    sys.exit(1 if failed else 0)


def conforms(kit):
    print(f"\n== the kit {kit}", flush=True)
    reports = [word for kind in ("html", "ndjson") for word in ("--report", f"{kind}={REPORTS / kit}.{kind}")]
    words = ["conformance", "--level", "kit", "--call", "--deep", *reports, str(KITS / kit)]
    return subprocess.run([str(TARGET / "debug/extline"), *words]).returncode == 0


if __name__ == "__main__":
    main()
