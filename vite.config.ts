import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { type CSSOptions, defineConfig, type Plugin } from "vite";

/** Compresses each script and style sheet once. The server sends the encoding that the browser accepts. */
const compressed = (): Plugin => ({
  name: "compressed",
  apply: "build",
  writeBundle: ({ dir = "" }, bundle) => {
    for (const name of Object.keys(bundle).filter((one) => /\.(?:js|css)$/u.test(one))) {
      const file = join(dir, name);
      const bytes = readFileSync(file);
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});

/**
 * Style sheets give lengths in pixels, for the default font size of 16 pixels. This plugin converts them to `rem`, and widths
 * in media queries to `em`, so that the page scales with the reader's font size, as if it were zoomed. Lengths below 3 pixels
 * stay, and drawings scale as a whole (web/app/font-scale.ts).
 */
const growing: Exclude<CSSOptions["postcss"], string | undefined> = {
  plugins: [
    {
      postcssPlugin: "growing",
      Once: (sheet) => {
        const grown = (text: string, unit: "rem" | "em") =>
          text.replaceAll(/(?<![\w.#-])(-?)(\d*\.?\d+)px\b/gu, (length, sign: string, pixels: string) =>
            Number(pixels) < 3 ? length : `${sign}${Number(pixels) / 16}${unit}`,
          );
        sheet.walkAtRules("media", (rule) => {
          rule.params = grown(rule.params, "em");
        });
        sheet.walkDecls((said) => {
          if (said.source?.input.file?.endsWith("drawings.css") !== true) said.value = grown(said.value, "rem");
        });
      },
    },
  ],
};

/** Builds the interface into `dist/web`. The server sends it with a strict content security policy. */
export default defineConfig({
  root: "src/web",
  plugins: [react(), compressed()],
  css: { postcss: growing },
  server: {
    // A running `ninefold run` answers the calls.
    proxy: { "/api": "http://localhost:9009", "/_": "http://localhost:9009" },
  },
  build: {
    outDir: "../../dist/web",
    // Below the platform's address, so that `/assets` can be the list of an entity Asset.
    assetsDir: "_/assets",
    emptyOutDir: true,
    target: "es2023",
    // The policy allows no data: addresses, so fonts and images stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    // The server reads in it where the texts of each language are (server/pages/spa.ts).
    manifest: true,
    // The compiler and the text editor load on demand, so their size is expected.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          // Every page needs two files, of which the libraries rarely change.
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/u, priority: 3 },
            { name: "first", tags: ["$initial"], priority: 2 },
            // Loaded in advance (frame/current-page.tsx). As thirty small files, they would take more work.
            { name: "record", test: /\/screen\/record-screen\.tsx$/u },
            // Its parts that dashboards, menus of rows and forms need without it.
            {
              name: "shared",
              test: /\/(?:workflow\/(?:use-transition|workflow)|field\/control\/(?:use-candidates|sibling-values))\.tsx?$/u,
              priority: 1,
            },
            // The parts that all forms and dialogs share, loaded with the first of them.
            { name: "forms", test: /\/form\/error-summary\.tsx$/u, priority: 1 },
          ],
        },
      },
    },
  },
});
