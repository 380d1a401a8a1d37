import type { JsEnv, JsRecord, Value } from "../../../core/expression/values/value.ts";
import type { EntityJson, FieldJson, SuggestionJson } from "../../../core/wire/entities.ts";
import { sameEntered, toEntered } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getValue } from "../../format/record-values.ts";
import { isReference } from "../../format/value-shapes.ts";
import { buildRecord, enteredSource, type OtherRecord, type OtherRecords, valueToJson } from "./computed-values.ts";
import { prepareExpression } from "./evaluator.ts";
import type { FormNode } from "./form-node.ts";

/*
 * Defaults that follow other values in the form: evaluated with the code of the server on the values in the form, and on
 * records that it refers to, as this person reads them.
 */

interface Known extends OtherRecords {
  readonly context: LocaleContext;
}

const getSuggestion = ({ default: begins }: FieldJson): SuggestionJson | undefined =>
  typeof begins === "object" && "suggested" in begins ? begins : undefined;

/** The values of a record in the form, with the records that it refers to. `parent` is the record that it is part of. */
const nodeRecord = (
  node: FormNode,
  { fields, acts = [] }: EntityJson,
  known: Known,
  env: JsEnv,
  parent?: { readonly field: string; readonly record: JsRecord },
): JsRecord => {
  const { entities, find, context } = known;
  const complete = (field: FieldJson, value: Value): Value => {
    if (parent !== undefined && field.name === parent.field) return parent.record;
    const to = entities[field.entity ?? ""];
    if (to === undefined || field.many || value === null || typeof value !== "object" || !("id" in value)) return value;
    const { id, label } = value;
    const json = find({ path: to.calls, id: String(id) });
    if (json === undefined) return value;
    const more = { id: String(id), label: typeof label === "string" ? label : (json._label ?? "") };
    return buildRecord(to.fields, ({ name }) => getValue(json, name), { env, more, complete });
  };
  const source = enteredSource(node, context);
  return buildRecord(
    [...fields, ...acts],
    (field) => {
      const entered = node.entered[field.name];
      // The entered reference has its label.
      return isReference(entered) ? { ...entered } : source(field);
    },
    { env, stays: () => false, more: { id: node.record?.id ?? "" }, complete },
  );
};

type Visit = <N extends FormNode>(node: N, entity: EntityJson, record: JsRecord, fields: readonly FieldJson[]) => N;

/** Visits each record of a form, with its values. Its parts come after it. */
const visitNodes = <N extends FormNode>(
  node: N,
  entity: EntityJson,
  known: Known,
  visit: Visit,
  parent?: { readonly field: string; readonly record: JsRecord },
): N => {
  const env: JsEnv = { now: new Date().toISOString(), today: known.context.today, rows: () => [] };
  const record = nodeRecord(node, entity, known, env, parent);
  const visited = visit(node, entity, record, node.record === null || node.purpose === "ask" ? node.fields : []);
  const lists = visited.lists.map((list) => {
    const rows = list.rows.map((row) => visitNodes(row, list.part, known, visit, { field: list.parts.by, record }));
    return rows.every((row, i) => row === list.rows[i]) ? list : { ...list, rows };
  });
  return lists.every((list, i) => list === visited.lists[i]) ? visited : { ...visited, lists };
};

/** The records to load for the defaults of a form. A reference of a loaded record can lead to another. */
export const recordsToLoad = (form: FormNode, entity: EntityJson, known: Known): readonly OtherRecord[] => {
  const records = new Map<string, OtherRecord>();
  visitNodes(form, entity, known, (node, own, record, fields) => {
    for (const path of new Set(fields.flatMap((field) => getSuggestion(field)?.loads ?? []))) {
      let at: { readonly entity: EntityJson | undefined; readonly value: Value | undefined } = {
        entity: own,
        value: record,
      };
      for (const step of path.split(".")) {
        const field = at.entity?.fields.find(({ name }) => name === step);
        at = { entity: known.entities[field?.entity ?? ""], value: isRecord(at.value) ? at.value[step] : null };
      }
      const id = isRecord(at.value) ? String(at.value.id ?? "") : "";
      if (at.entity !== undefined && id !== "") records.set(`${at.entity.calls} ${id}`, { path: at.entity.calls, id });
    }
    return node;
  });
  return [...records.values()];
};

const isRecord = (value: Value | undefined): value is JsRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The form with its defaults computed again, in each field in which nobody entered another value. */
export const followSuggestions = <N extends FormNode>(form: N, entity: EntityJson, known: Known): N =>
  visitNodes(form, entity, known, (node, _, record, fields) => {
    const env: JsEnv = { now: new Date().toISOString(), today: known.context.today, rows: () => [] };
    const changes = fields.flatMap((field) => {
      const ready = prepareExpression(getSuggestion(field)?.suggested);
      if (ready === undefined) return [];
      const { name } = field;
      const entered = node.entered[name] ?? null;
      const before = node.followed?.[name] ?? toEntered(field, null, known.context);
      if (!sameEntered(entered, before)) return [];
      const next = toEntered(field, valueToJson(field, ready.evaluate(record, env)), known.context);
      return sameEntered(entered, next) ? [] : [[name, next] as const];
    });
    if (changes.length === 0) return node;
    const values = Object.fromEntries(changes);
    return {
      ...node,
      base: { ...node.base, ...values },
      entered: { ...node.entered, ...values },
      followed: { ...node.followed, ...values },
    };
  });
