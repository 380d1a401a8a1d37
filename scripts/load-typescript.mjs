// Makes Node load TypeScript in this process: `node --import ./scripts/load-typescript.mjs`. Node 20 cannot do it alone.
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
