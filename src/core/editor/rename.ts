import type { Compile } from "../compile.ts";
import { applyEdits } from "../document/edits.ts";
import { nameRules } from "../document/shape/name.ts";
import type { NamedThing } from "../model/renaming.ts";
import type { Edit, Source } from "../source-text.ts";
import { writeWas } from "../write-was.ts";
import { type DocumentSymbol, type Occurrence, symbolKey } from "./symbols.ts";

/** The document under the new name, or a sentence that says why not. */
export type RenameResult = { readonly sources: readonly Source[] } | { readonly refusal: string };

/** The kinds of names under which data is stored: `was` tells the database that it is the same thing. */
const stored: ReadonlySet<string> = new Set<NamedThing>([
  "entity",
  "field",
  "value",
  "transition",
  "record",
  "role",
  "limit",
]);

const ruleFor = ({ of }: DocumentSymbol) =>
  of === "entity" || of === "error" || of === "role" || of === "value" ? nameRules[of] : nameRules.field;

/** The place of a name after edits of names. */
const shifted = ({ span }: Occurrence, edits: readonly Edit[]): number =>
  edits.reduce(
    (start, edit) =>
      edit.span.file === span.file && edit.span.start < span.start
        ? start + edit.text.length - (edit.span.end - edit.span.start)
        : start,
    span.start,
  );

/** The edit of a place: in `{ title }`, and in a line with only `title:`, the word that keeps its meaning stays. */
const editOf = (sources: readonly Source[], { symbol, span, standsFor }: Occurrence, to: string): Edit => {
  if (standsFor === undefined) return { span, text: to };
  const hasColon = sources.find(({ file }) => file === span.file)?.text.charAt(span.end) === ":";
  const [key, value] = standsFor === "key" ? [to, symbol.name] : [symbol.name, to];
  return { span: hasColon ? { ...span, end: span.end + 1 } : span, text: `${key}: ${value}` };
};

/**
 * Renames something in each place where the document names it, and writes `was` if the database has data under the former
 * name (`isStored`).
 */
export const renameSymbol = (
  sources: readonly Source[],
  occurrences: readonly Occurrence[],
  symbol: DocumentSymbol,
  { to, isStored }: { readonly to: string; readonly isStored: boolean },
  compile: Compile,
): RenameResult => {
  if (symbol.of === "error" && symbol.name.includes("."))
    return { refusal: `“${symbol.name}” is a built-in error, so it keeps its name.` };
  const { pattern, expected } = ruleFor(symbol);
  if (!pattern.test(to) || to.length > 63) return { refusal: `“${to}” is not ${expected}.` };
  const key = symbolKey(symbol);
  if (occurrences.some((occurrence) => symbolKey(occurrence.symbol) === symbolKey({ ...symbol, name: to })))
    return { refusal: `“${to}” is already in use.` };
  if (symbol.of === "entity" && symbol.name === "User") return { refusal: "“User” is built in, so it keeps its name." };
  const own = occurrences.filter((occurrence) => symbolKey(occurrence.symbol) === key);
  const definition = own.find(({ isDefinition }) => isDefinition);
  if (definition === undefined) return { refusal: `“${symbol.name}” is not declared in this document.` };
  const edits = own.map((occurrence) => editOf(sources, occurrence, to));
  const changed = applyEdits(sources, edits);
  if (!isStored || !stored.has(symbol.of)) return { sources: changed };
  const { span } = definition;
  const start = shifted(definition, edits);
  const rename = {
    of: symbol.of as NamedThing,
    entity: symbol.entity,
    field: symbol.field,
    old: symbol.name,
    now: to,
    span: clauseSpan(changed, { file: span.file, start, end: start + to.length }, symbol),
  };
  const written = writeWas(changed, rename, compile);
  if (written !== undefined) return { sources: written };
  // No data has the name of a role that is held on records.
  const { model } = compile(changed);
  if (symbol.of === "role" && model !== undefined && !model.roles.has(to)) return { sources: changed };
  // A place that names it in a form that is not followed, such as `at` of an error.
  const left = compile(changed).findings.find(({ severity }) => severity === "error");
  return {
    refusal:
      left === undefined
        ? `“was: ${symbol.name}” can’t be written here. Rename it by hand, and add it.`
        : `It can’t be renamed everywhere. Rename it by hand, and add “was: ${symbol.name}”. Line ${lineOf(changed, left.span)} would have an error: ${left.message}`,
  };
};

const lineOf = (sources: readonly Source[], { file, start }: Edit["span"]): number =>
  sources
    .find((source) => source.file === file)
    ?.text.slice(0, start)
    .split("\n").length ?? 0;

/** `writeWas` looks for a value in the definition of its field, and for any other name at the name itself. */
const clauseSpan = (sources: readonly Source[], span: Edit["span"], { of, entity }: DocumentSymbol): Edit["span"] => {
  if (of !== "value") return span;
  const text = sources.find(({ file }) => file === span.file)?.text ?? "";
  const line = text.lastIndexOf("\n", span.start) + 1;
  const first = text.slice(line).search(/\S/u);
  const begins = line + Math.max(0, first);
  return entity === null ? span : { ...span, start: begins, end: begins };
};
