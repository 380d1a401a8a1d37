import type { Finding } from "../findings.ts";
import { type Edit, isSlip, type Source } from "../source-text.ts";
import { addError } from "./add-error.ts";

/** A change that a finding offers: that of the compiler, or an entry of point 8 for an error that it lacks. */
export interface FindingFix {
  /** The code of the error that is added. */
  readonly adds?: string;
  readonly edits: readonly Edit[];
}

/** The fixes of a finding, the likeliest one first. A new error comes before another name, unless one letter is wrong. */
export const listFixes = (sources: readonly Source[], { code, span, fix, nearest }: Finding): readonly FindingFix[] => {
  const own = fix === undefined ? [] : [{ edits: fix }];
  if (code !== "NO_ERROR_ENTRY") return own;
  const text = sources.find(({ file }) => file === span.file)?.text ?? "";
  const adds = text.slice(span.start, span.end).replaceAll(/^["']|["']$/gu, "");
  const edit = addError(sources, span.file, adds);
  if (edit === undefined) return own;
  const added = { adds, edits: [edit] };
  return nearest !== undefined && isSlip(adds, nearest) ? [...own, added] : [added, ...own];
};
