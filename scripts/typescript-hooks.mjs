// Hooks of Node that load TypeScript (load-typescript.mjs). Node calls them in a thread of their own.
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";

export const load = async (url, context, next) => {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:" || pathname.includes("/node_modules/")) return next(url, context);
  if (!/\.tsx?$/u.test(pathname)) return next(url, context);
  const path = fileURLToPath(`file://${pathname}`);
  const options = { target: "node20", tsconfig: false };
  const { code, map } = await transformWithOxc(await readFile(path, "utf8"), path, options);
  // Failures then name lines of the source.
  const inlined = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString("base64");
  const source = `${withFoundFiles(code, url)}\n//# sourceMappingURL=data:application/json;base64,${inlined}`;
  return { format: "module", source, shortCircuit: true };
};

/** Does what Vite does with `import.meta.glob` when it builds, for patterns of one star between folders. */
const withFoundFiles = (code, url) => {
  const imports = [];
  const found = code.replaceAll(
    /import\.meta\.glob\(\s*"([^"*]*)\*([^"*]*)"(,\s*\{\s*eager:\s*true\s*\})?\s*\)/gu,
    (_, folder, file, isEager) => {
      const paths = readdirSync(new URL(folder, url))
        .map((name) => folder + name + file)
        .filter((path) => existsSync(new URL(path, url)));
      const entries = paths.map((path) => {
        if (isEager === undefined) return `"${path}": () => import("${path}")`;
        imports.push(`import * as found${imports.length} from "${path}";`);
        return `"${path}": found${imports.length - 1}`;
      });
      return `{ ${entries.join(", ")} }`;
    },
  );
  // Behind the code, so that its lines stay where the source map says.
  return [found, ...imports].join("\n");
};
