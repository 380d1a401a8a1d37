// Hooks of Node that load TypeScript (load-typescript.mjs). Node calls them in a thread of their own.
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
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inlined}`;
  return { format: "module", source, shortCircuit: true };
};
