import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import type { FieldTypeName } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Capabilities, RecordJson } from "../../../core/wire/records.ts";
import type { Row, RowValues } from "../../../postgres/database.ts";
import type { PlanContext } from "../context.ts";
import {
  asValue,
  objectRows,
  positionalRows,
  type ResultColumn,
  type RowForm,
  resultColumn,
  resultColumnSql,
  selectAs,
} from "../result-columns.ts";
import { capabilitiesReader, capabilityColumns } from "./capabilities.ts";
import { labelSql, labelText, referenceLabelSql, referenceLabelsSql } from "./labels.ts";
import { type ReadScope, visibilityColumn } from "./read-scope.ts";

/** Optional parts of a record's response. */
export interface RecordExtras {
  readonly may: boolean;
  readonly label: boolean;
  /** The state of the record, if the statement knows it. */
  readonly state?: string;
}

const LABEL = resultColumn("_label", asValue);

/** The value of a field, under its own name. */
const fieldColumn = (field: string): ResultColumn<unknown> => resultColumn(field, asValue);

/** The values of the label of the record that a field refers to; a list for a field with several references. */
export const referenceLabelColumn = (field: string): ResultColumn<unknown> => resultColumn(`label:${field}`, asValue);

/**
 * The columns of a record in the caller's read scope, with capabilities; decoded by `rowReader`. `labels`: labels of
 * references that are already available.
 */
export const recordColumns = (
  context: PlanContext,
  principal: Principal,
  scope: ReadScope,
  alias: string,
  wanted: RecordExtras,
  labels: ReadonlyMap<string, Sql> = new Map(),
): Sql => {
  const { model } = context;
  const system = ["id", "version", "created_at", "updated_at"].map((name) =>
    selectAs(resultColumnSql(alias, fieldColumn(name)), fieldColumn(name)),
  );
  const fields = scope.fields.flatMap((field) => {
    const column = scope.column(field.name);
    if (column === undefined) return [];
    const seen = scope.visibleWhen(field.name);
    const target = field.entity === null ? undefined : model.entities.get(field.entity);
    return [
      selectAs(field.many ? sql`${column}::text[]` : column, fieldColumn(field.name)),
      ...(target === undefined
        ? []
        : [
            selectAs(
              labels.get(field.name) ??
                (field.many ? referenceLabelsSql : referenceLabelSql)(model, target, principal, column),
              referenceLabelColumn(field.name),
            ),
          ]),
      ...(seen === undefined ? [] : [selectAs(seen, visibilityColumn(field.name))]),
    ];
  });
  return join(
    [
      ...system,
      ...fields,
      ...(wanted.label ? [selectAs(labelSql(model, scope.entity, principal, alias), LABEL)] : []),
      ...(wanted.may ? capabilityColumns(context.model, principal, scope, wanted.state) : []),
    ],
    ", ",
  );
};

/** The label of the referenced record with an id; undefined if the reference is not visible on every record. */
export const keyLabelSql = (
  context: PlanContext,
  principal: Principal,
  scope: ReadScope,
  reference: string,
  id: Sql,
): Sql | undefined => {
  const field = scope.fields.find(({ name }) => name === reference);
  const target = field?.entity == null ? undefined : context.model.entities.get(field.entity);
  if (field === undefined || target === undefined || field.many || scope.visibleWhen(reference) !== undefined)
    return undefined;
  return referenceLabelSql(context.model, target, principal, id);
};

/** Decodes rows with these columns. Unreadable fields are absent, not null. */
export interface RowReader {
  record(row: Row, phrases: Phrases): RecordJson;
  /** Writes JSON directly, without an intermediate object, because lists contain many records. */
  text(row: Row, phrases: Phrases): string;
  /** Like `text`, for rows that are values by position. `aliases`: the columns of the statement in order. */
  textOf(aliases: readonly string[]): TextWriter<RowValues>;
}

/** Writes a row as the JSON of its record. */
export type TextWriter<R> = (row: R, phrases: Phrases) => string;

export const rowReader = (
  context: PlanContext,
  principal: Principal,
  scope: ReadScope,
  wanted: RecordExtras,
  format: Format,
): RowReader => {
  const columns = { context, principal, scope, wanted, format };
  const readers = createReaders(columns, objectRows);
  const { label, may, fields } = readers;
  return {
    record: (row, phrases) => {
      const record: {
        id: string;
        version: number;
        created_at: string;
        updated_at: string;
        [field: string]: Json | Capabilities;
      } = {
        id: String(row.id),
        version: Number(row.version),
        created_at: String(row.created_at),
        updated_at: String(row.updated_at),
      };
      if (wanted.label) record._label = label(row);
      for (const { name, seen, wire } of fields) if (seen === undefined || seen(row) === true) record[name] = wire(row);
      if (may !== undefined) record.may = may(row, phrases);
      return record;
    },
    text: textWriter(wanted, readers, objectRows),
    textOf: (aliases) => {
      const form = positionalRows(aliases);
      return textWriter(wanted, createReaders(columns, form), form);
    },
  };
};

/** Functions that read a record's columns from rows of one form. */
interface Readers<R> {
  readonly label: (row: R) => string;
  readonly may: ((row: R, phrases: Phrases) => Capabilities) | undefined;
  readonly fields: readonly {
    readonly name: string;
    /** True if the field is visible; undefined if it always is. */
    readonly seen: ((row: R) => unknown) | undefined;
    readonly wire: (row: R) => Json;
    readonly write: (value: Json) => string;
  }[];
}

interface ReadColumns {
  readonly context: PlanContext;
  readonly principal: Principal;
  readonly scope: ReadScope;
  readonly wanted: RecordExtras;
  readonly format: Format;
}

const createReaders = <R>(
  { context, principal, scope: { entity, fields, visibleWhen }, wanted, format }: ReadColumns,
  form: RowForm<R>,
): Readers<R> => {
  const findLabel = form.find(LABEL);
  return {
    label: (row) => labelText(entity.label, findLabel(row), format),
    may: wanted.may ? capabilitiesReader(context.model, entity, principal, form) : undefined,
    fields: fields.map((field) => ({
      name: field.name,
      seen: visibleWhen(field.name) === undefined ? undefined : form.find(visibilityColumn(field.name)),
      wire: getWireReader(context, entity, field, format, form),
      write: getWriter(field),
    })),
  };
};

const textWriter = <R>(
  wanted: RecordExtras,
  { label, may, fields }: Readers<R>,
  { find }: RowForm<R>,
): TextWriter<R> => {
  const id = find(fieldColumn("id"));
  const version = find(fieldColumn("version"));
  const created = find(fieldColumn("created_at"));
  const updated = find(fieldColumn("updated_at"));
  const members = fields.map(({ name, ...readers }) => ({ key: `,"${name}":`, ...readers }));
  return (row: R, phrases: Phrases): string => {
    let text = `{"id":"${id(row)}","version":${version(row)},"created_at":"${created(row)}","updated_at":"${updated(row)}"`;
    if (wanted.label) text += `,"_label":${quoteJson(label(row))}`;
    for (const { key, seen, wire, write } of members)
      if (seen === undefined || seen(row) === true) text += key + write(wire(row));
    return may === undefined ? `${text}}` : `${text},"may":${mayText(may(row, phrases))}}`;
  };
};

/** Capabilities are few and the same objects, so their JSON is written once. */
const capabilityTexts = new WeakMap<Capabilities, string>();
const mayText = (may: Capabilities): string => {
  const known = capabilityTexts.get(may);
  if (known !== undefined) return known;
  // Node sends a text several times as fast if all of its characters fit into a byte, and reasons have typographic quotes.
  const text = JSON.stringify(may).replace(/[\u0100-\uffff]/g, escapeCharacter);
  capabilityTexts.set(may, text);
  return text;
};

/** The escape sequence of a character in JSON. */
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The JSON writer of a field's values. */
const getWriter = ({ type, many }: Field): ((value: Json) => string) => {
  if (many) return JSON.stringify;
  if (type === "reference")
    return (value) => {
      if (value === null) return "null";
      const { id, label } = value as { readonly id: string; readonly label: string };
      return `{"id":"${id}","label":${quoteJson(label)}}`;
    };
  // Values of these types never contain characters that JSON escapes.
  if (plain.has(type)) return (value) => (value === null ? "null" : `"${value}"`);
  return (value) =>
    typeof value === "string" ? quoteJson(value) : typeof value === "number" ? String(value) : JSON.stringify(value);
};

const plain: ReadonlySet<FieldTypeName> = new Set(["choice", "state", "date", "datetime", "time"]);

/**
 * Texts that JSON does not escape: without quotes, backslashes, controls and surrogates. Without the flag `u`, testing takes
 * half the time.
 */
const unescaped = /^[ !#-[\]-~\u00a0-\ud7ff\ue000-\uffff]*$/;
const quoteJson = (text: string): string => (unescaped.test(text) ? `"${text}"` : JSON.stringify(text));

const getWireReader = <R>(
  context: PlanContext,
  entity: Entity,
  field: Field,
  format: Format,
  { find }: RowForm<R>,
): ((row: R) => Json) => {
  const findValue = find(fieldColumn(field.name));
  if (field.type !== "reference") {
    const answer = toWireValue(entity, field);
    return (row) => {
      const value = findValue(row);
      return value === null || value === undefined ? null : answer(value);
    };
  }
  const target = field.entity === null ? undefined : context.model.entities.get(field.entity);
  const findLabel = find(referenceLabelColumn(field.name));
  const refer = (id: unknown, values: unknown): Json => ({
    id: String(id),
    label:
      target === undefined || values === null || values === undefined ? "…" : labelText(target.label, values, format),
  });
  if (field.many)
    return (row) => {
      const [ids, labels] = [findValue(row), findLabel(row)];
      if (!Array.isArray(ids)) return null;
      return ids.map((id, i) => refer(id, Array.isArray(labels) ? labels[i] : null));
    };
  return (row) => {
    const value = findValue(row);
    return value === null || value === undefined ? null : refer(value, findLabel(row));
  };
};

/** Converts stored values of a field to their wire form. */
export const toWireValue = (entity: Entity, field: Field): ((value: unknown) => Json) => {
  const { answer }: FieldKind = getFieldKind(field);
  const spec = toFieldSpec(entity, field);
  if (answer !== undefined) return (value) => answer(value, spec);
  return (value) => (typeof value === "number" || typeof value === "boolean" ? value : String(value));
};
