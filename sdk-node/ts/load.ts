/** The native modules: those that were built here, else those of the package for this platform. */

/** As @napi-rs/cli names them. */
function names(): string[] {
  const { platform, arch } = process;
  if (platform === "linux") return [`linux-${arch}-gnu`, `linux-${arch}-musl`];
  return [platform === "win32" ? `win32-${arch}-msvc` : `${platform}-${arch}`];
}

/**
 * Loads `extline`, or `extline-model` or `extline-testing`, which stand beside it. A program that may be an MCP server loads the larger
 * module that can be one; where everything is built together, there is no other.
 */
export function load(module: "extline" | "extline-model" | "extline-testing"): unknown {
  const larger = module === "extline" && mayBeMcp() ? loadInPlace("extline-mcp") : undefined;
  return larger ?? loadInPlace(module) ?? loadAnywhere(module);
}

function mayBeMcp(): boolean {
  return process.argv[2] === "--mcp" || process.env["EXTLINE_WIRE"] !== undefined;
}

/**
 * From where npm and others put it: in this package, or beside it. To look there takes Node a tenth of
 * the time in which it finds a package.
 */
function loadInPlace(module: string): unknown {
  for (const name of names()) {
    for (const folder of ["..", `../../extline-${name}`]) {
      try {
        const loaded = { exports: {} };
        process.dlopen(loaded, `${__dirname}/${folder}/${module}.${name}.node`);
        return loaded.exports;
      } catch {
        // What is wrong with it is said where nothing is found anywhere.
      }
    }
  }
  return undefined;
}

function loadAnywhere(module: string): unknown {
  const require = process.getBuiltinModule("node:module").createRequire(`${__dirname}/`);
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
