import { isGenerated } from "../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { messageText } from "../../core/i18n/languages.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { matchableFields } from "../../core/import/map-columns.ts";
import { countDecimals } from "../../core/import/read-number.ts";
import { findQuestions } from "../../core/import/settings.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { ImportAdjustments, ImportJson } from "../../core/wire/imports.ts";
import type { Database } from "../../postgres/database.ts";
import { csvLine } from "../records/csv.ts";
import { readPart, type StoredImport } from "./import-store.ts";
import type { ImportFields } from "./rows/fillable-fields.ts";
import { ROWS_PER_PART } from "./table-parts.ts";

/** True if a new record has no value in the field unless a column fills it. A state begins with the initial one. */
const needsColumn = (field: Field): boolean =>
  !field.optional &&
  field.default === null &&
  field.set === null &&
  field.type !== "boolean" &&
  field.type !== "state" &&
  !isGenerated(field);

/** An import as its person sees it. */
export const toImportJson = (
  stored: StoredImport,
  entity: Entity,
  importFields: ImportFields,
  phrases: Pick<Phrases, "say" | "language">,
  undoRefused: ImportJson["undoRefused"],
): ImportJson => {
  const { fields, matchOnly } = importFields;
  const matchable = new Set(matchableFields(fields));
  return {
    id: stored.id,
    entity: entity.name,
    file: stored.file,
    state: stored.state,
    made_at: stored.madeAt,
    rows: stored.rows,
    done: Math.min(stored.part * ROWS_PER_PART, stored.rows),
    ...stored.counts,
    cancelled: stored.cancelled,
    columns: stored.columns,
    settings: stored.settings,
    fields: fields.map((field) => ({
      name: field.name,
      title: phrases.say(field.title),
      type: field.type,
      required: needsColumn(field),
      matches: matchable.has(field),
      fills: !matchOnly.has(field.name),
    })),
    questions: findQuestions(importFields, stored.columns, stored.settings),
    remarks: stored.remarks.map((remark) => messageText(remark, phrases.language)),
    refusals: stored.refusals,
    adjustments: stored.adjusted.map((group) => ({
      ...group,
      message: messageText(describeAdjustments(entity, group, phrases), phrases.language),
    })),
    waits: stored.said,
    undoRefused,
  };
};

/** “Price: rounded to 2 decimals in 493 rows, such as 12.3456 → 12.35.” */
const describeAdjustments = (
  { fields }: Pick<Entity, "fields">,
  { field: name, kind, count, examples }: ImportAdjustments,
  phrases: Pick<Phrases, "say">,
): Message => {
  const field = fields.get(name);
  const { from = "", to = "" } = examples[0] ?? {};
  const values = { field: field === undefined ? name : phrases.say(field.title), count, from, to };
  return kind === "rounded"
    ? say("table.rounded", { ...values, decimals: field === undefined ? 0 : countDecimals(field) })
    : say("table.cut", values);
};

/** The refused rows as they were in the file, with the reasons in a last column that no field matches. */
export async function* refusedRows(database: Database, stored: StoredImport, language: string): AsyncGenerator<string> {
  yield `\ufeff${csvLine([...stored.columns.map(({ header }) => header), messageText(say("table.reasons", {}), language)])}`;
  for (let part = 0; ; part++) {
    const found = await readPart(database, stored.id, part);
    if (found === undefined) return;
    const cells = new Map(found.rows.map(([row, texts]) => [row, texts]));
    const lines = found.results.flatMap((result) =>
      result.did === "refused"
        ? [csvLine([...(cells.get(result.row) ?? []), result.errors.map(({ message }) => message).join(" ")])]
        : [],
    );
    yield lines.join("");
  }
}
