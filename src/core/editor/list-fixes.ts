import type { Finding } from "../findings.ts";
import { type Edit, isSlip, type Source } from "../source-text.ts";
import { addError } from "./add-error.ts";
import { addRole } from "./add-role.ts";
import { findCursor } from "./cursor.ts";
import { nameKindAt } from "./name-kind.ts";

/** A change that a finding offers: that of the compiler, or an error or a role that the document lacks. */
export interface FindingFix {
  /** The code of the error, or the name of the role, that is added to a point. */
  readonly adds?: { readonly name: string; readonly point: 6 | 8 };
  readonly edits: readonly Edit[];
}

/** Adds the error or the role that a finding misses. Undefined if it misses none. */
const findAddition = (sources: readonly Source[], { code, span }: Finding): FindingFix | undefined => {
  const text = sources.find(({ file }) => file === span.file)?.text ?? "";
  const name = text.slice(span.start, span.end).replaceAll(/^["']|["']$/gu, "");
  if (code === "NO_ERROR_ENTRY") {
    const edit = addError(sources, span.file, name);
    return edit && { adds: { name, point: 8 }, edits: [edit] };
  }
  const cursor = code === "UNKNOWN_NAME" ? findCursor(text, span.end) : undefined;
  if (cursor === undefined || nameKindAt(cursor)?.of !== "role") return undefined;
  const edit = addRole(sources, span.file, name);
  return edit && { adds: { name, point: 6 }, edits: [edit] };
};

/** The fixes of a finding, the likeliest one first. What is added comes before another name, unless one letter is wrong. */
export const listFixes = (sources: readonly Source[], finding: Finding): readonly FindingFix[] => {
  const own = finding.fix === undefined ? [] : [{ edits: finding.fix }];
  const added = findAddition(sources, finding);
  if (added?.adds === undefined) return own;
  const { nearest } = finding;
  return nearest !== undefined && isSlip(added.adds.name, nearest) ? [...own, added] : [added, ...own];
};
