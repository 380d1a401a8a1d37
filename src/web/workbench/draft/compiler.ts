import { findDefinition, type RestoredText, writeDefinition } from "../../../core/bring-back-clause.ts";
import { type Compile, createCompiler } from "../../../core/compile.ts";
import { getPhrasesFor } from "../../../core/explain/language.ts";
import { phraseCondition } from "../../../core/explain/phrase.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { createFormatter } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Source, Span } from "../../../core/source-text.ts";
import type { MissingClause } from "../../../core/wire/authoring/document.ts";
import { suggestConversion, WRITES, writeDuring, writeFill, writeWas } from "../../../core/write-was.ts";

export { permissionRulesFor, transitionRulesFor } from "../../../core/derive/authorization/grants.ts";
export { stateIcons } from "../../../core/derive/client/state-icons.ts";
export { renderPage } from "../../../core/document/rendered-page.ts";
export { answerPoint } from "../../../core/editor/answer-point.ts";
export { collectClauses } from "../../../core/model/facts/collect-clauses.ts";
/** The compiler, shared with the server, as a separate chunk. */
export { createCompiler };

/** Types with bounds that are numbers. */
const numbers: ReadonlySet<string> = new Set(["integer", "decimal", "money"]);

/** An expression that fits a field, for the author to type over. */
const beginningOf = ({ type, values, min, max }: Field): string | undefined =>
  values[0] ?? (numbers.has(type) ? (max ?? min) : null) ?? beginnings[type];

/** An expression of each type. */
const beginnings: { readonly [type: string]: string } = {
  text: "\"'…'\"",
  "long text": "\"'…'\"",
  integer: "0",
  decimal: "0",
  boolean: "false",
  date: "today",
  datetime: "now",
};

interface WrittenFiles {
  /** The value of the clause. */
  readonly says: string;
  readonly written: readonly Source[] | undefined;
  readonly isWhole: boolean;
}

const clauseFor = (
  files: readonly Source[],
  entity: Entity,
  missing: MissingClause,
  value: string | null,
  compile: Compile,
): WrittenFiles | undefined => {
  if (missing.kind === "during") return { says: WRITES, written: writeDuring(files, missing, compile), isWhole: true };
  const field = entity.fields.get(missing.field);
  if (field === undefined) return undefined;
  if (missing.kind === "was") {
    const state =
      entity.states?.field === field.name ? entity.states.states.find(({ name }) => name === value) : undefined;
    const { span } = (state ?? field).clause;
    const rename = {
      of: "value",
      entity: entity.name,
      field: field.name,
      old: missing.value,
      now: value ?? "",
    } as const;
    return { says: missing.value, written: writeWas(files, { ...rename, span }, compile), isWhole: true };
  }
  const { was, convert } = missing;
  const says = convert ?? (was === undefined ? beginningOf(field) : suggestConversion(field, was));
  if (says === undefined) return undefined;
  const fill = { entity: entity.name, field: field.name, fill: says, was };
  return { says, written: writeFill(files, fill, compile), isWhole: convert !== undefined };
};

/**
 * The file in which a clause makes stored data fit, and the place of its value. `isWhole` is false if the value is only an
 * example. Undefined if the text has a form in which that is not possible.
 */
export const writeMissing = (
  files: readonly Source[],
  missing: MissingClause,
  value: string | null,
): (Source & { readonly span: Span; readonly isWhole: boolean }) | undefined => {
  const compile = createCompiler();
  const entity = compile(files).model?.entities.get(missing.entity);
  const clause = entity && clauseFor(files, entity, missing, value, compile);
  const changed = clause?.written?.find((source) => !files.includes(source));
  if (clause === undefined || changed === undefined) return undefined;
  const { says, isWhole } = clause;
  const before = files.find(({ file }) => file === changed.file)?.text ?? "";
  let from = 0;
  while (from < before.length && before[from] === changed.text[from]) from++;
  const start = changed.text.indexOf(says, changed.text.indexOf(`${missing.kind}:`, from - 5));
  return { ...changed, span: { file: changed.file, start, end: start + says.length }, isWhole };
};

/**
 * The file of a draft with the definition that an entity or a field had in an earlier text. Undefined if the earlier text
 * has none, or the draft no place for it.
 */
export const bringBack = (
  earlier: readonly Source[],
  draft: readonly Source[],
  of: { readonly entity: string; readonly field: string | null },
): RestoredText | undefined => {
  const compile = createCompiler();
  const definition = findDefinition(compile(earlier), of);
  return definition && writeDefinition(compile(draft), of, definition);
};

/** Formats conditions of a model as phrases. */
export const phraser = ({
  model,
  locale,
  source,
}: {
  readonly model: Model;
  readonly locale: string;
  readonly source: (span: Span) => string;
}): ((condition: Expr) => string) => {
  const phrases = getPhrasesFor(locale);
  const phrasing = {
    model,
    phrases,
    format: createFormatter(locale, model.timezone, phrases.booleans),
    who: null,
    source,
  };
  return (condition) => phraseCondition(condition, phrasing);
};
