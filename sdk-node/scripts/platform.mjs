// Platforms, as @napi-rs/cli names them: `linux-x64-gnu`, `darwin-arm64`.

/** The name of this machine's. */
export function platform() {
  const { platform: os, arch: cpu } = process;
  return [os, cpu, os === "linux" ? libc() : os === "win32" ? "msvc" : undefined].filter(Boolean).join("-");
}

/** What the package for a platform says of where it can be installed. */
export function fields(name) {
  const [os, cpu, abi] = name.split("-");
  return { os: [os], cpu: [cpu], ...(os === "linux" && { libc: [abi === "musl" ? "musl" : "glibc"] }) };
}

function libc() {
  return process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
}
