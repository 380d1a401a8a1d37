import {
  type CallRefusal,
  closedFieldRefusal,
  requiredRefusal,
  unknownFieldRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { readDuration } from "../../../core/expression/values/iso-duration.ts";
import type { ParsedValue, Stored } from "../../../core/field/kind.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import { type Field, isActValue } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Past } from "../../../core/model/renaming.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";
import { nullForList, type RefusalAt, type Relocation } from "../../refusal.ts";
import { currentFieldName, currentValueName } from "../row/former-names.ts";

/** Parsed fields of a request body: stored values and validation errors. */
export interface ParsedInput {
  readonly values: ReadonlyMap<string, Stored>;
  readonly wrong: readonly RefusalAt[];
  /** Fields that the caller cannot write on any record. */
  readonly closed: readonly RefusalAt[];
}

/** `null` clears a field with one value. An empty text counts as missing. */
const isMissing = (json: Json | undefined): boolean => json === undefined || json === null || json === "";

/** Maximum number of unknown fields in a refusal. */
const MAX_UNKNOWN = 50;

/** JSON pointer (RFC 6901) to a member. */
const toPointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * Parses a body, field by field in document order. `open`: fields that the caller can write on some record; `known`:
 * fields that the caller can know. Any other name is refused as unknown.
 */
export const parseInput = (
  entity: Entity,
  sent: Values,
  {
    open,
    known,
    past = [],
    retired = () => undefined,
  }: {
    readonly open: ReadonlySet<string>;
    readonly known: ReadonlySet<string>;
    readonly past?: Past;
    /** Tells which version removed an unknown field, if the caller can know that. */
    readonly retired?: (name: string) => Relocation | undefined;
  },
  closedBy: string,
  format: Format,
): ParsedInput => {
  const values = new Map<string, Stored>();
  const wrong: RefusalAt[] = [];
  const closed: RefusalAt[] = [];
  const at = (name: string, { code, clause }: CallRefusal, more: Readonly<Record<string, string>> = {}): RefusalAt => ({
    at: toPointer(name),
    code,
    clause,
    values: { field: isKnown(name) ? (entity.fields.get(name)?.title ?? name) : name, ...more },
  });
  const isKnown = (name: string): boolean => entity.fields.has(name) && (open.has(name) || known.has(name));
  const unknown = Object.keys(sent).filter((name) => !isKnown(name));
  for (const name of unknown.slice(0, MAX_UNKNOWN)) {
    const now = currentFieldName(past, entity, name, isKnown);
    const removed = now === undefined && !entity.fields.has(name) ? retired(name) : undefined;
    wrong.push({
      ...at(name, unknownFieldRefusal(entity)),
      ...isCalled(name, now),
      ...(removed === undefined ? {} : { elsewhere: removed }),
    });
  }
  for (const field of entity.fields.values()) {
    if (!Object.hasOwn(sent, field.name) || !isKnown(field.name)) continue;
    const json = sent[field.name];
    if (!open.has(field.name)) closed.push(at(field.name, closedFieldRefusal(closedBy)));
    else if (field.many && json === null) wrong.push(nullForList(toPointer(field.name), field));
    else if (isMissing(json) && !field.many) {
      if (field.type === "boolean") values.set(field.name, false);
      // A transition itself requires the values that no record keeps.
      else if (field.optional || isActValue(field)) values.set(field.name, null);
      else wrong.push({ ...requiredRefusal(field), values: { field: field.title } });
    } else {
      const kind = getFieldKind(field);
      const reading = kind.read(json ?? null, toFieldSpec(entity, field));
      if (reading.ok) values.set(field.name, reading.value);
      else
        wrong.push({
          ...at(
            field.name,
            { code: reading.error, clause: field.clause.id },
            {
              type: field.type,
              ...(field.many ? { many: "true" } : {}),
              ...boundsInWords(field, reading, format),
            },
          ),
          ...(typeof json === "string" ? isCalled(json, currentValueName(past, entity, field.name, json)) : {}),
        });
    }
  }
  return { values, wrong, closed };
};

/** Adds the current name to an error about a former name. */
const isCalled = (name: string, now: string | undefined): Pick<RefusalAt, "elsewhere"> =>
  now === undefined ? {} : { elsewhere: { says: "renamed", name, now } };

/** Formats a bound in the document's language; lengths are plain numbers. */
const boundsInWords = (
  field: Field,
  { error, values = {} }: Extract<ParsedValue, { ok: false }>,
  format: Format,
): Readonly<Record<string, string>> => {
  if (error !== "TOO_SMALL" && error !== "TOO_LARGE") return values;
  const type = field.ruleType.kind === "list" ? field.ruleType.of : field.ruleType;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      format(type.kind === "duration" ? readDuration(value) : value, type),
    ]),
  );
};

/** The empty value of a field: null, an empty list or false. */
export const emptyValue = ({ type, many }: Field): Stored => (many ? [] : type === "boolean" ? false : null);

/** The required fields among `names` without a value. */
export const missingFields = (
  entity: Entity,
  names: Iterable<string>,
  has: (name: string) => boolean,
): readonly RefusalAt[] => {
  const missing: RefusalAt[] = [];
  for (const name of names) {
    const field = entity.fields.get(name);
    if (field === undefined || field.optional || field.type === "boolean" || field.storage.as !== "column" || has(name))
      continue;
    missing.push({ ...requiredRefusal(field), values: { field: field.title } });
  }
  return missing;
};

/** The parameter of a field's value, cast to its column type. */
export const inputParam = (field: Field): Sql => sql`${slot(slotOf(field.name), typeOfColumn(field))}`;

/** The names of the slots of fields, because joining one for each value of a request takes longer than looking it up. */
const slotNames = new Map<string, string>();
const MOST_SLOT_NAMES = 10_000;

const slotOf = (field: string): string => {
  const known = slotNames.get(field);
  if (known !== undefined) return known;
  if (slotNames.size >= MOST_SLOT_NAMES) slotNames.clear();
  const name = `v:${field}`;
  slotNames.set(field, name);
  return name;
};

export const inputParams = (values: ReadonlyMap<string, Stored>): Readonly<Record<string, Stored>> => {
  const slots: Record<string, Stored> = {};
  for (const [name, value] of values) slots[slotOf(name)] = value;
  return slots;
};
