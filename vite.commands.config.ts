import { rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const name = "server/parts/commands";

/** Native code, and packages that are loaded on demand. */
const outside = [
  "@node-rs/argon2",
  "pg-native",
  /^@opentelemetry\//u,
  "@zxcvbn-ts/language-common",
  "nodemailer",
  "prom-client",
];

/**
 * Escapes characters beyond ASCII, so that Node reads the file without decoding it. Deletes an earlier code cache, because V8
 * compares only the length of the source with it.
 */
const fastToLoad = (): Plugin => ({
  name: "fast-to-load",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      if (/\\[^\p{ASCII}]|String\.raw`[^`]*[^\p{ASCII}`]/u.test(chunk.code))
        throw new Error("an escape would change what this code says");
      const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
      chunk.code = chunk.code.replaceAll(/[\u0080-\uffff]/g, escaped);
    }
  },
  writeBundle: ({ dir = "" }) => rmSync(join(dir, `${name}.cjs.cache`), { force: true }),
});

/**
 * Builds the commands with their packages into one file, for which `write-code-cache` stores the compiled code. The file is two
 * folders deep like the sources, because some find other files relative to their own path.
 */
export default defineConfig({
  publicDir: false,
  plugins: [fastToLoad()],
  // Node 20 has no `navigator`, and pg then makes a `Response` to learn where it runs, which loads all that `fetch` needs.
  define: { navigator: JSON.stringify({ userAgent: "Node.js" }) },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    target: "node20.19",
    rolldownOptions: {
      external: outside,
      input: { [name]: "src/cli/commands.ts" },
      output: {
        format: "cjs",
        codeSplitting: false,
        // A script from V8's cache loses its dynamic imports.
        dynamicImportInCjs: false,
        entryFileNames: "[name].cjs",
        comments: { legal: true, annotation: false, jsdoc: false },
      },
    },
  },
});
