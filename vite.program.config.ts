import { defineConfig } from "vite";

/** Two folders deep like the sources, because some look for other files from where they are. */
const parts = "server/parts";

/**
 * The library, the threads, and what loads the commands (vite.commands.config.ts): built into a few files in `dist`, because
 * Node takes twice the time to load five hundred small ones.
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
        // Threads are started by the name of their file.
        [`${parts}/check-draft-worker`]: "src/server/authoring/check-draft-worker.ts",
        [`${parts}/parse-draft-worker`]: "src/server/authoring/parse-draft-worker.ts",
        // Benchmarks measure the built compiler.
        "core/compile": "src/core/compile.ts",
        "core/document/read": "src/core/document/read.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: `${parts}/[name].js` },
    },
  },
});
