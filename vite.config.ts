import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { type CSSOptions, defineConfig, type Plugin } from "vite";

/** Every script and sheet beside itself in fewer bytes, once and for all: the server sends what the browser takes. */
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
 * Sheets say lengths in pixels as they are where letters are 16 pixels high, which is what browsers come with. Here they come
 * to be `rem`, and widths of the window `em`: whoever has larger letters in their browser has a larger page of larger
 * letters, as if it were zoomed. Hairlines stay hairlines, and a drawing grows as a whole (web/app/font-scale.ts).
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

/** The interface: built into `dist/web`, from where the server sends it under a strict content security policy. */
export default defineConfig({
  root: "src/web",
  plugins: [react(), compressed()],
  css: { postcss: growing },
  server: {
    // `ninefold run` beside it answers the calls.
    proxy: { "/api": "http://localhost:9009", "/_": "http://localhost:9009" },
  },
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2023",
    // Fonts and images come from the site itself: the policy allows no data: addresses for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs comes in two pieces, of which one stays the same from version to version.
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/u, priority: 2 },
            { name: "first", tags: ["$initial"], priority: 1 },
          ],
        },
      },
    },
  },
});
