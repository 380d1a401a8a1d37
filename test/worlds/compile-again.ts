import { LRUCache } from "lru-cache";
import { type Compile, type Compiled, createCompiler } from "../../src/core/compile.ts";
import { toSources } from "../../src/core/source-text.ts";

/** Both worlds, and many of their people, send the same drafts. */
const known = new LRUCache<string, Compiled>({ max: 60 });

/** A draft differs from its document in one place. */
const compileNext = createCompiler();

/** Compiles a document; one that was compiled before is not compiled again. The result depends on nothing but the text. */
export const compileAgain: Compile = (input) => {
  const key = JSON.stringify(toSources(input));
  const result = known.get(key) ?? compileNext(input);
  known.set(key, result);
  return result;
};
