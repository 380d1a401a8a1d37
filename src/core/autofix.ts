import { type Compiled, compile } from "./compile.ts";
import { applicable, edited } from "./document/edits.ts";
import type { Finding } from "./findings.ts";
import { type Place, placesIn, type Source } from "./source-text.ts";

/** What was mended of a document, and what became of it. */
export interface Mended {
  readonly compiled: Compiled;
  /** What was done, in order. Places are those of the round in which it was done. */
  readonly done: readonly { readonly finding: Finding; readonly place: Place }[];
}

/** One mend can lay another bare; more rounds than these have not been seen to end. */
const ROUNDS = 10;

/**
 * Makes the certain fixes of all findings and reads again, until there is none. No character outside the fixes changes,
 * and no fix is made that guesses at a meaning.
 */
export const mend = (sources: readonly Source[]): Mended => {
  let compiled = compile(sources);
  const done: { finding: Finding; place: Place }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const chosen = applicable(compiled.sources, compiled.findings);
    if (chosen.length === 0) break;
    const at = placesIn(compiled.sources);
    for (const finding of chosen) done.push({ finding, place: at(finding.span) });
    compiled = compile(
      edited(
        compiled.sources,
        chosen.flatMap(({ fix }) => fix),
      ),
    );
  }
  return { compiled, done };
};
