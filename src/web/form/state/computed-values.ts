import Big from "big.js";
import { readDuration } from "../../../core/expression/values/iso-duration.ts";
import type { JsEnv, JsRecord, Value } from "../../../core/expression/values/value.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { readFormField } from "../../field/form-values.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getValue, initialValue } from "../../format/record-values.ts";
import { isMoney } from "../../format/value-shapes.ts";
import {
  type BrokenRule,
  closedTransitions,
  findBrokenAlready,
  findLeastLength,
  isChoiceRefused,
  violatedRules,
  violatedRulesWith,
} from "./check-rules.ts";
import { prepareExpression } from "./evaluator.ts";
import type { FormFieldError } from "./field-error.ts";
import { changedFields, type Form, type FormNode, filledRows, isChanged, joinPath } from "./form-node.ts";

/*
 * Computed values while typing: the same expressions and the same code as on the server, evaluated on the values in the
 * form.
 */

/** The computed values of a record and of each row of its lists, by the row's path. */
export interface ComputedForm {
  readonly record: Readonly<Record<string, Json>>;
  readonly rows: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** Violated rules, once it is time to show them. */
  readonly broken: readonly FormFieldError[];
  /** The transitions that are ruled out. */
  readonly closed: ReadonlySet<string>;
  /** The records that formulas read beside the form, loaded or not. */
  readonly records: readonly OtherRecord[];
  /** Violated rules if the form is saved and this transition is made; null: if it is only saved. */
  readonly brokenWith: (transition: string | null) => readonly FormFieldError[];
  /** Rules that the transition of the dialog breaks whatever is entered. */
  readonly brokenAlready: readonly BrokenRule[];
  /** True if a reference cannot refer to this record, whatever else is entered. */
  readonly isRefused: (field: string, id: string) => boolean;
  /** The least number of characters that rules ask for; 0 if none does. */
  readonly leastLength: (field: string) => number;
}

/** A record that a form refers to. */
export interface OtherRecord {
  /** The path of its calls. */
  readonly path: string;
  readonly id: string;
}

/** Records that a form refers to, as this person reads them. */
export interface OtherRecords {
  readonly entities: { readonly [name: string]: EntityJson };
  /** The record, once it is loaded; undefined also if this person cannot read it. */
  readonly find: (record: OtherRecord) => RecordJson | undefined;
}

const noRecords: OtherRecords = { entities: {}, find: () => undefined };

/** A formula reads a value that is not loaded, or that this person cannot read. */
class UnknownValue extends Error {}

/** Converts a JSON value to a value of expressions. */
const ruleValue = (field: FieldJson, json: Json | undefined): Value => {
  if (json === undefined || json === null) return field.many ? [] : field.type === "boolean" ? false : null;
  if (Array.isArray(json)) return json.map((one: Json) => toValue(field, one));
  return toValue(field, json);
};

const toValue = (field: FieldJson, json: Json): Value => {
  if (json === null) return null;
  if (field.type === "money") return decimal(isMoney(json) ? json.amount : json);
  if (field.type === "decimal") return decimal(json);
  if (field.type === "integer" || field.type === "position") return Number(json);
  if (field.type === "duration") return (readDuration(String(json)) ?? null) as Value;
  if (field.type === "reference") return typeof json === "string" ? { id: json } : { ...(json as object) };
  return json as Value;
};

const decimal = (json: Json): Value => {
  try {
    return Big(String(json));
  } catch {
    return null;
  }
};

/** Converts a value of an expression to JSON. */
export const valueToJson = (field: FieldJson, value: Value): Json => {
  if (value === null) return null;
  if (value instanceof Big) {
    if (field.type !== "money") return value.toFixed();
    return { amount: value.toFixed(Math.max(2, value.c.length - 1 - value.e)), currency: field.currency ?? "" };
  }
  if (typeof value !== "object") return value;
  if (field.type !== "reference" || !("id" in value)) return null;
  return { id: String(value.id), label: String(value.label ?? "") };
};

/** The fields of a saved record whose values stay, because nothing changes that they wait for. */
const listStoredNames = (fields: readonly FieldJson[], node: FormNode): ReadonlySet<string> => {
  const { record } = node;
  if (record === null || fields.every(({ until }) => until === undefined)) return new Set();
  const changed = new Set(changedFields(node));
  return new Set(
    fields.flatMap(({ name, until }) =>
      until !== undefined && name in record && !until.some((one) => changed.has(one)) ? [name] : [],
    ),
  );
};

type Source = (field: FieldJson) => Json | undefined;

interface RecordParts {
  readonly env: JsEnv;
  /** True for computed fields whose value is taken from the source; by default all are. */
  readonly stays?: (name: string) => boolean;
  readonly more?: JsRecord;
  /** Adds the fields of a record that it refers to. */
  readonly complete?: (field: FieldJson, value: Value) => Value;
}

/** A record whose computed fields are evaluated on demand. */
export const buildRecord = (
  fields: readonly FieldJson[],
  source: Source,
  { env, stays = () => true, more = {}, complete = (_, value) => value }: RecordParts,
): JsRecord => {
  const record: Record<string, Value | undefined> = { ...more };
  const known = new Map<string, Value>();
  for (const field of fields)
    Object.defineProperty(record, field.name, {
      enumerable: true,
      get: (): Value => {
        const before = known.get(field.name);
        if (before !== undefined) return before;
        const reckon = stays(field.name) ? undefined : prepareExpression(field.reckoned)?.evaluate;
        const value = reckon === undefined ? complete(field, ruleValue(field, source(field))) : reckon(record, env);
        known.set(field.name, value);
        return value;
      },
    });
  return record;
};

/** The editable values as they are entered, the others as saved or as they begin. */
export const enteredSource =
  (node: FormNode, context: LocaleContext): Source =>
  (field) => {
    const { fields, record } = node;
    if (!fields.some(({ name }) => name === field.name))
      return record === null ? initialValue(field, context) : getValue(record, field.name);
    const reading = readFormField(field, node, context);
    return reading.kind === "value" ? reading.value : null;
  };

/** The initial value of a field that depends on the clock. */
export const clockDefault = (field: FieldJson, today: string): Json => {
  const begins = field.default;
  const reckon =
    typeof begins === "object" && "reckoned" in begins ? prepareExpression(begins.reckoned)?.evaluate : undefined;
  return valueToJson(field, reckon?.({}, { now: new Date().toISOString(), today, rows: () => [] }) ?? null);
};

/** All records of the entities that formulas read, as far as they are loaded. */
export type LoadedRows = ReadonlyMap<
  string,
  { readonly fields: readonly FieldJson[]; readonly items: readonly RecordJson[] }
>;

/** The fields whose formulas can be evaluated now; the others are shown as saved. */
const withReadyFormulas = (fields: readonly FieldJson[], loaded: LoadedRows): readonly FieldJson[] =>
  fields.every(({ rows }) => rows === undefined)
    ? fields
    : fields.map(({ reckoned, ...field }) =>
        reckoned !== undefined && (field.rows ?? []).every((name) => loaded.has(name)) ? { ...field, reckoned } : field,
      );

const toRows = (loaded: LoadedRows, env: Omit<JsEnv, "rows">): JsEnv["rows"] => {
  const known = new Map<string, readonly JsRecord[]>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const { fields, items } = loaded.get(name) ?? { fields: [], items: [] };
    const rows = items
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map((item) =>
        buildRecord(fields, (field) => getValue(item, field.name), {
          env: { ...env, rows: () => [] },
          more: { id: item.id },
        }),
      );
    known.set(name, rows);
    return rows;
  };
};

interface FormSurroundings {
  readonly context: LocaleContext;
  /** The transition whose dialog the form is. */
  readonly transition?: string | null;
  /** The rows of lists that formulas read. */
  readonly loaded?: LoadedRows;
  readonly others?: OtherRecords;
}

/** Evaluates a form for a record as it is saved; null for a new one. */
export const evaluateForm = (
  form: Form,
  formEntity: EntityJson,
  record: RecordJson | null,
  { context, transition = null, loaded = new Map(), others = noRecords }: FormSurroundings,
): ComputedForm => {
  const entity = { ...formEntity, fields: withReadyFormulas(formEntity.fields, loaded) };
  const clock = { now: new Date().toISOString(), today: context.today };
  const { person } = context;
  const env: JsEnv = { ...clock, rows: toRows(loaded, clock), ...(person && { user: { ...person } }) };
  const records = new Map<string, OtherRecord>();
  /** Adds the fields of a record that the form refers to. They are looked up when a formula reads them. */
  const complete = (field: FieldJson, value: Value): Value => {
    const to = others.entities[field.entity ?? ""];
    if (to === undefined || field.many || value === null || typeof value !== "object" || !("id" in value)) return value;
    const other = { path: to.calls, id: String(value.id) };
    const source: Source = ({ name }) => {
      records.set(`${other.path} ${other.id}`, other);
      const json = others.find(other);
      if (json === undefined || !(name in json)) throw new UnknownValue(name);
      return getValue(json, name);
    };
    return buildRecord(to.fields, source, { env, more: { ...value }, complete });
  };
  const rows: Record<string, Record<string, Json>> = {};
  const listRecords = ({ lists }: FormNode, path: string): Record<string, readonly JsRecord[]> =>
    Object.fromEntries(
      lists.map((list) => [
        list.parts.field,
        filledRows(list).map((row) => {
          const at = joinPath(path, list.parts.field, row.key);
          const { record: saved } = row;
          // A row without changes keeps its saved values.
          const stays = saved !== null && !isChanged(row) ? (name: string) => name in saved : () => false;
          const part = { ...list.part, fields: withReadyFormulas(list.part.fields, loaded) };
          const partRecord = nodeRecord(part, row, at, stays);
          rows[at] = collectShown(part.fields, partRecord);
          return partRecord;
        }),
      ]),
    );
  const nodeRecord = ({ fields }: EntityJson, node: FormNode, path: string, stays: (name: string) => boolean) => {
    const keeps = listStoredNames(fields, node);
    const more = { id: node.record?.id ?? node.key, ...listRecords(node, path) };
    const isStored = (name: string) => stays(name) || keeps.has(name);
    return buildRecord(fields, enteredSource(node, context), { env, stays: isStored, more, complete });
  };
  const own = nodeRecord(entity, { ...form, record }, "", () => false);
  const saved = record === null ? null : buildRecord(entity.fields, ({ name }) => getValue(record, name), { env });
  const checkedForm = { form, entity, record, transition, own, env: { ...env, old: saved }, context };
  const unchanged = record === null ? null : buildSaved(entity, record, { env, complete });
  return {
    record: collectShown(entity.fields, own),
    rows,
    broken: violatedRules(checkedForm),
    closed: closedTransitions(checkedForm),
    brokenAlready:
      unchanged === null
        ? []
        : (entity.rules ?? []).flatMap(
            (rule) => ifKnown(() => findBrokenAlready(rule, { ...checkedForm, own: unchanged })) ?? [],
          ),
    records: [...records.values()],
    brokenWith: (transition) => violatedRulesWith(checkedForm, transition),
    leastLength: (name) => findLeastLength(name, checkedForm),
    isRefused: (name, id) => {
      const chosen: Form = { ...form, entered: { ...form.entered, [name]: { id, label: "" } } };
      const source = enteredSource({ ...chosen, record }, context);
      const more = { id: record?.id ?? form.key };
      const own = buildRecord(entity.fields, source, { env, stays: () => false, more, complete });
      return ifKnown(() => isChoiceRefused(name, { ...checkedForm, form: chosen, own })) ?? false;
    },
  };
};

/** True if a saved record meets a condition that reads only its own fields. An unknown value does not. */
export const meetsCondition = (
  { fields }: EntityJson,
  condition: Json | null,
  record: RecordJson,
  today: string,
): boolean => {
  if (condition === null) return true;
  const env: JsEnv = { now: new Date().toISOString(), today, rows: () => [] };
  const saved = buildRecord(fields, ({ name }) => getValue(record, name), { env });
  return prepareExpression(condition)?.evaluate(saved, env) === true;
};

/** A record with its saved values. Reading any other value throws, so that nothing is decided without it. */
const buildSaved = (
  { fields, rules = [] }: EntityJson,
  record: RecordJson,
  parts: Pick<RecordParts, "env" | "complete">,
): JsRecord => {
  const source: Source = ({ name }) => {
    if (!(name in record)) throw new UnknownValue(name);
    return getValue(record, name);
  };
  const saved = buildRecord(fields, source, { ...parts, more: { id: record.id } });
  for (const name of new Set(rules.flatMap(({ reads }) => reads)))
    if (!(name in saved))
      Object.defineProperty(saved, name, {
        get: () => {
          throw new UnknownValue(name);
        },
      });
  return saved;
};

/** The result, or undefined if it depends on a value that is not known. */
const ifKnown = <T>(find: () => T): T | undefined => {
  try {
    return find();
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    throw error;
  }
};

const collectShown = (fields: readonly FieldJson[], record: JsRecord): Record<string, Json> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      if (field.reckoned === undefined) return [];
      // Nothing is shown, as little as for a field that the form cannot compute.
      const known = ifKnown(() => ({ json: valueToJson(field, record[field.name] ?? null) }));
      return known === undefined ? [] : [[field.name, known.json] as const];
    }),
  );
