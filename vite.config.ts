import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The interface: built into `dist/web`, from where the server sends it under a strict content security policy. */
export default defineConfig({
  root: "src/web",
  plugins: [react()],
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
  },
});
