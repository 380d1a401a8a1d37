import { byKind, map } from "../../document/shape/combinators.ts";
import { keyed, list, named } from "../../document/shape/list-and-mapping.ts";
import { plainText } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { KEY, seedRecordId } from "../../expression/values/seed-record.ts";
import type { ContextName } from "../../expression/values/type.ts";
import type { Stored } from "../../field/kind.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import { finding } from "../../findings.ts";
import { kinds as kindNames } from "../../i18n/en/errors.ts";
import type { Entity, SeedRecordDefinition } from "../../model/entity.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import type { Field } from "../../model/field.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";

/** One value, or a list of values in brackets. */
const value = byKind<readonly Spanned<string>[] | Spanned<string>>("a value or a list of values", {
  scalar: plainText,
  list: map(list(plainText), (all) => all),
});

/** `records` of an entity: names, each with field values. */
export const recordsShape = named("field", keyed("a mapping from fields to values", value));
export type RecordsSyntax = ShapeValue<typeof recordsShape>;

/** The former key of a record (`was`), unless its entity has a field of that name. */
export const formerKey = (
  values: RecordsSyntax[number]["value"],
  fields: Pick<ReadonlySet<string>, "has">,
): Spanned<string> | undefined => {
  const was = fields.has(WAS) ? undefined : values.find(({ name }) => name === WAS)?.value;
  return was === undefined || Array.isArray(was) ? undefined : (was as Spanned<string>);
};

const WAS = "was";

/**
 * Ids of seed records by name (`Kind.travel`) that differ from the id derived from the name, because the database
 * assigned them earlier.
 */
export type StoredSeedIds = ReadonlyMap<string, string>;

/** The seed records as names in expressions: `Kind.travel`. */
export const seedRecordNames = (
  syntax: readonly Named<{ readonly records: RecordsSyntax | undefined }>[] | "none" | undefined,
  ids: StoredSeedIds,
): ReadonlyMap<string, ContextName> =>
  new Map(
    (syntax === undefined || syntax === "none" ? [] : syntax).flatMap(({ name: entity, value: { records } }) =>
      (records ?? []).map(({ name: key }): readonly [string, ContextName] => {
        const name = `${entity}.${key}`;
        const seedRecord = { id: ids.get(name) ?? seedRecordId(name), key };
        return [name, { type: { kind: "record", entity }, optional: false, seedRecord }];
      }),
    ),
  );

/** Context of linked entities. */
interface Around {
  readonly names: ReadonlyMap<string, ContextName>;
  readonly linking: Linking;
}

/** The seed records of an entity with their stored values. Omitted fields get the usual defaults. */
export const linkRecords = (
  entity: Pick<Entity, "name" | "fields">,
  syntax: RecordsSyntax | undefined,
  around: Around,
): ReadonlyMap<string, SeedRecordDefinition> => {
  const records = new Map<string, SeedRecordDefinition>();
  for (const entry of syntax ?? []) {
    const seedRecord = around.names.get(`${entity.name}.${entry.name}`)?.seedRecord;
    if (seedRecord === undefined) continue;
    const clause = clauseAt(`3.${entity.name}.${entry.name}`, entry.key);
    const values = new Map<string, Stored>();
    const former = formerKey(entry.value, entity.fields);
    for (const assigned of entry.value) {
      if (assigned.value === former) continue;
      const field = findWritableField(entity, assigned, clause.id, around.linking);
      const stored = field === undefined ? undefined : findStoredValue(entity, field, assigned, clause.id, around);
      if (field !== undefined && stored !== undefined) values.set(field.name, stored);
    }
    checkNeeds(entity, entry, values, clause.id, around.linking);
    records.set(entry.name, { key: entry.name, id: seedRecord.id, clause, values });
  }
  checkUnique(entity, records, syntax ?? [], around.linking);
  return records;
};

const wrong = (
  linking: Linking,
  at: Spanned<string>["span"],
  message: string,
  hint: string,
  clause: string,
): undefined => void linking.report(finding("BAD_VALUE", at, message, hint, { clause }));

const notInSeedRecords: ReadonlySet<Field["type"]> = new Set([
  "file",
  "image",
  "sequence",
  "integer sequence",
  "state",
]);

/** Resolves a field of a seed record: one that users could set. */
const findWritableField = (
  { name, fields }: Pick<Entity, "name" | "fields">,
  entry: Named<unknown>,
  clause: string,
  linking: Linking,
): Field | undefined => {
  const field = fields.get(entry.name);
  if (field === undefined || entry.name === KEY) {
    reportUnknownName(
      linking,
      entry.key,
      `field of ${name}`,
      entry.name,
      [...fields.keys()].filter((field) => field !== KEY),
    );
    return undefined;
  }
  if (field.storage.as === "column" && !notInSeedRecords.has(field.type)) return field;
  return wrong(
    linking,
    entry.key,
    `A seed record can’t set ${field.name}: ${field.storage.as === "column" ? `it is ${kindNames[field.type]}` : "it is computed"}.`,
    "Remove it here.",
    clause,
  );
};

const findStoredValue = (
  entity: Pick<Entity, "name" | "fields">,
  field: Field,
  { value: written, key }: RecordsSyntax[number]["value"][number],
  clause: string,
  { names, linking }: Around,
): Stored | undefined => {
  const several = Array.isArray(written) ? (written as readonly Spanned<string>[]) : undefined;
  const spanned = written as Spanned<string>;
  const span = several === undefined ? spanned.span : key;
  if (several !== undefined && !field.many)
    return wrong(linking, span, `${field.name} takes one value, but this gives several.`, "Keep one of them.", clause);
  if (field.entity !== null) {
    const of = field.entity;
    const ids = (several ?? [spanned]).map((one) => findSeedRecordId(of, one, { names, linking }));
    if (ids.includes(undefined)) return undefined;
    return field.many ? ids.flatMap((id) => id ?? []) : ids[0];
  }
  const texts = (several ?? (field.many ? [spanned] : undefined))?.map((each) => each.value);
  if (texts === undefined && spanned.value === "") return undefined;
  const isWord = field.type === "boolean" && (spanned.value === "true" || spanned.value === "false");
  const reading = getFieldKind(field).read(
    texts ?? (isWord ? spanned.value === "true" : spanned.value),
    toFieldSpec(entity, field),
  );
  if (reading.ok) return reading.value;
  const bounds = [field.min, field.max].map((bound) => bound ?? "…").join(" to ");
  return wrong(
    linking,
    span,
    `“${texts?.join(", ") ?? spanned.value}” is not a value of ${field.name}, which takes ${field.many ? kindNames.list.replace("{kind}", kindNames[field.type]) : kindNames[field.type]}${field.min === null && field.max === null ? "" : `, ${bounds}`}.`,
    "Write a valid value.",
    clause,
  );
};

/** The id of a record of the document by its name. */
const findSeedRecordId = (
  entity: string,
  { value, span }: Spanned<string>,
  { names, linking }: Around,
): string | undefined => {
  const seedRecord = names.get(`${entity}.${value}`)?.seedRecord;
  if (seedRecord !== undefined) return seedRecord.id;
  const known = [...names.keys()].flatMap((name) => (name.startsWith(`${entity}.`) ? (name.split(".")[1] ?? "") : []));
  reportUnknownName(linking, span, `record of ${entity}`, value, known);
  return undefined;
};

/** Reports required fields without a value, since no user supplies one for a seed record. */
const checkNeeds = (
  { name, fields }: Pick<Entity, "name" | "fields">,
  record: RecordsSyntax[number],
  values: ReadonlyMap<string, Stored>,
  clause: string,
  linking: Linking,
): void => {
  for (const field of fields.values()) {
    if (field.optional || field.type === "boolean" || field.type === "state" || field.storage.as !== "column") continue;
    if (values.has(field.name) || record.value.some((entry) => entry.name === field.name)) continue;
    const initial = field.set ?? field.default;
    if (initial !== null && !collectReadSet(initial).user) continue;
    if (field.type === "position" || field.type === "integer sequence") continue;
    linking.report(
      finding(
        "MISSING_KEY",
        record.key,
        `The record ${record.name} of ${name} has no ${field.name}, which is required.`,
        `Add “${field.name}:”, or make the field optional.`,
        { clause },
      ),
    );
  }
};

const checkUnique = (
  { name, fields }: Pick<Entity, "name" | "fields">,
  records: ReadonlyMap<string, SeedRecordDefinition>,
  syntax: RecordsSyntax,
  linking: Linking,
): void => {
  for (const field of fields.values()) {
    if (!field.unique) continue;
    const seen = new Map<Stored, string>();
    for (const record of records.values()) {
      const stored = record.values.get(field.name);
      const other = stored === undefined ? undefined : seen.get(stored);
      const at = syntax
        .find((entry) => entry.name === record.key)
        ?.value.find((entry) => entry.name === field.name)?.key;
      if (other !== undefined && at !== undefined)
        wrong(
          linking,
          at,
          `${record.key} and ${other} have the same ${field.name}, which must be unique in ${name}.`,
          "Change one of them.",
          record.clause.id,
        );
      if (stored !== undefined) seen.set(stored, record.key);
    }
  }
};
