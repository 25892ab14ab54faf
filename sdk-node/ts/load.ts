/** The native modules: those that were built here, else those of the package for this platform. */

/** As @napi-rs/cli names them. */
function names(): string[] {
  const { platform, arch } = process;
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [platform === "win32" ? `win32-${arch}-msvc` : `${platform}-${arch}`];
}

/** Loads `extline`, or `extline-testing`, which stands beside it. */
export function load(module: "extline" | "extline-testing"): unknown {
  const failures: string[] = [];
  for (const name of names()) {
    const file = `${module}.${name}.node`;
    for (const path of [`../${file}`, `extline-${name}/${file}`]) {
      try {
        return require(path);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        if (code !== "MODULE_NOT_FOUND") failures.push(`${path}: ${message}`);
      }
    }
  }
  const [name] = names();
  const why = failures.length > 0 ? `: ${failures.join("; ")}` : "";
  throw new Error(
    `extline has no native module for ${name}${why}. Install it again (npm install extline --include=optional); ` +
      "docs/PLATFORM.md says which platforms there are",
  );
}
