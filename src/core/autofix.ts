import { type Compiled, createCompiler } from "./compile.ts";
import { applicable, applyEdits } from "./document/edits.ts";
import type { Finding } from "./findings.ts";
import { type Place, placesIn, type Source } from "./source-text.ts";

/** The result of applying fixes. */
export interface FixedDocument {
  readonly compiled: Compiled;
  /** The applied fixes, in order. Positions refer to the text of their round. */
  readonly done: readonly { readonly finding: Finding; readonly place: Place }[];
}

/** Fixing one finding can uncover another. No document has needed more rounds. */
const ROUNDS = 10;

/**
 * Applies all certain fixes and reads the document again, until none is left. It changes no other character and applies
 * no fix that guesses at a meaning.
 */
export const applyFixes = (sources: readonly Source[]): FixedDocument => {
  const compile = createCompiler();
  let compiled = compile(sources);
  const done: { finding: Finding; place: Place }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const chosen = applicable(compiled.sources, compiled.findings);
    if (chosen.length === 0) break;
    const at = placesIn(compiled.sources);
    for (const finding of chosen) done.push({ finding, place: at(finding.span) });
    compiled = compile(
      applyEdits(
        compiled.sources,
        chosen.flatMap(({ fix }) => fix),
      ),
    );
  }
  return { compiled, done };
};
