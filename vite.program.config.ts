import { defineConfig } from "vite";

/** Two folders deep like the sources, because some find other files relative to their own path. */
const parts = "server/parts";

/**
 * Builds the library, the threads, and the loader of the commands (vite.commands.config.ts) into a few files in `dist`,
 * because Node takes twice as long to load five hundred small ones.
 */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: "dist",
    emptyOutDir: false,
    target: "node20.19",
    sourcemap: true,
    rolldownOptions: {
      input: {
        index: "src/index.ts",
        "cli/main": "src/cli/main.ts",
        "cli/write-code-cache": "src/cli/write-code-cache.ts",
        // Threads are started by file name.
        [`${parts}/check-draft-worker`]: "src/server/authoring/draft/check-draft-worker.ts",
        [`${parts}/parse-draft-worker`]: "src/server/authoring/draft/parse-draft-worker.ts",
        [`${parts}/draft-file-worker`]: "src/server/imports/draft-file-worker.ts",
        [`${parts}/read-table-worker`]: "src/server/imports/read-table-worker.ts",
        [`${parts}/draw-letter-worker`]: "src/server/records/draw-letter-worker.ts",
        // Benchmarks measure the built compiler.
        "core/compile": "src/core/compile.ts",
        "core/document/read": "src/core/document/read.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: `${parts}/[name].js` },
    },
  },
});
