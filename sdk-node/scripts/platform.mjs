// What this machine is called in the names of native modules: as @napi-rs/cli calls it.

/** For instance `linux-x64-gnu`, with the fields that a package for it has. */
export function platform() {
  const { platform: os, arch: cpu } = process;
  const abi = os === "linux" ? libc() : os === "win32" ? "msvc" : undefined;
  const name = [os, cpu, abi].filter(Boolean).join("-");
  const fields = { os: [os], cpu: [cpu] };
  return { name, fields: os === "linux" ? { ...fields, libc: [abi === "gnu" ? "glibc" : abi] } : fields };
}

function libc() {
  return process.report.getReport().header.glibcVersionRuntime ? "gnu" : "musl";
}
