import { fieldKinds } from "../../../core/field/kinds.ts";
import { isId } from "../../../core/field/reference.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { constant, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Database } from "../../../postgres/database.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../../plan/context.ts";
import { labelSql, labelText } from "../../plan/row/labels.ts";
import { asCondition, type ReadScope, readScope } from "../../plan/row/read-scope.ts";
import { tableSql } from "../../plan/row/sql-env.ts";
import { toQuery } from "../../plan/statements.ts";

/** The records that a text names: none, one, or several. */
export type NamedRecord = "none" | "several" | { readonly id: string };

/** Labels that are not stored in a column are compared among at most this many records. */
const MAX_LABELS = 20_000;

/** The texts and fields of a label that consists of texts. Undefined for labels that are formatted for their reader. */
export const partsOfLabel = ({ label, fields }: Entity): readonly (string | Field)[] | undefined => {
  const parts = label.parts.map((part) => {
    if (typeof part === "string") return part;
    const field = part.kind === "field" && part.of.kind === "this" ? fields.get(part.field.name) : undefined;
    return field === undefined || field.many || !fieldKinds[field.type].fields.names ? undefined : field;
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
};

/** The label of a row as SQL, if it consists of texts that the caller can read. */
const plainLabel = ({ column, entity }: ReadScope): Sql | undefined => {
  const texts: Sql[] = [];
  for (const part of partsOfLabel(entity) ?? []) {
    const value = typeof part === "string" ? constant(part) : column(part.name);
    if (value === undefined) return undefined;
    texts.push(typeof part === "string" ? value : sql`(${value})::text`);
  }
  return texts.length === 0 ? undefined : join(texts, " || ");
};

/** The fields whose values name one record. */
export const uniqueFields = (entity: Entity): readonly Field[] =>
  [...entity.fields.values()].filter(
    ({ unique, isKey, type, many }) =>
      !many && fieldKinds[type].fields.names && (unique || isKey || type === "sequence" || type === "slug"),
  );

/** Looks up the records of one entity that texts name, among those that the caller can read: by id, unique field or label. */
export class RecordFinder {
  readonly #context: PlanContext;
  readonly #entity: Entity;
  readonly #format: Format;
  readonly #isGrowing: boolean;
  readonly #known = new Map<string, NamedRecord>();
  #labels: ReadonlyMap<string, NamedRecord> | null | undefined;

  /** `isGrowing`: the import adds records of this entity, so none is remembered. */
  constructor(context: PlanContext, entity: Entity, format: Format, isGrowing: boolean) {
    this.#context = context;
    this.#entity = entity;
    this.#format = format;
    this.#isGrowing = isGrowing;
  }

  /** Finds the record that each text names. Found records are cached; others are looked up again. */
  async find(
    send: Database["batch"],
    caller: Caller,
    texts: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, NamedRecord>> {
    const unknown = [...texts].filter((text) => !this.#known.has(text));
    const found = new Map<string, NamedRecord>(
      [...texts].flatMap((text) => {
        const known = this.#known.get(text);
        return known === undefined ? [] : [[text, known] as const];
      }),
    );
    if (unknown.length === 0) return found;
    if (this.#isGrowing) this.#labels = undefined;
    const { model, statements } = this.#context;
    const statement = statements.get(["import records", this.#entity.name, principalKey(caller.principal)], () => {
      const scope = readScope(model, this.#entity, caller.principal, "t");
      const keys = [
        ...uniqueFields(this.#entity).flatMap(({ name }) => {
          const column = scope.column(name);
          return column === undefined ? [] : [sql`(${column})::text`];
        }),
        ...optional(plainLabel(scope)),
      ];
      return { more: undefined, sql: keysSql(this.#entity, scope, keys) };
    });
    const slots = { ...callerParams(caller), keys: unknown, ids: unknown.filter(isId) };
    const [rows = []] = await send([toQuery(statement, slots)]);
    const byKey = new Map<string, NamedRecord>();
    for (const row of rows) {
      const [key, id] = [String(row.key), String(row.id)];
      const before = byKey.get(key);
      byKey.set(key, before === undefined || (typeof before === "object" && before.id === id) ? { id } : "several");
    }
    for (const text of unknown) {
      const record = byKey.get(text) ?? (await this.#findByLabel(send, caller, text));
      found.set(text, record);
      if (typeof record === "object" && !this.#isGrowing) this.#known.set(text, record);
    }
    return found;
  }

  /** Finds a record by a label that is formatted for its reader, such as one with a date. */
  async #findByLabel(send: Database["batch"], caller: Caller, text: string): Promise<NamedRecord> {
    const { model, statements } = this.#context;
    if (this.#labels === undefined) {
      const scope = readScope(model, this.#entity, caller.principal, "t");
      if (plainLabel(scope) !== undefined) this.#labels = null;
      else {
        const statement = statements.get(["import labels", this.#entity.name, principalKey(caller.principal)], () => ({
          more: undefined,
          sql: sql`SELECT "t"."id", ${labelSql(model, this.#entity, caller.principal, "t")} AS "label" FROM ${tableSql(this.#entity)} AS "t" WHERE ${asCondition(scope.rows)} LIMIT ${constant(MAX_LABELS)}`,
        }));
        const [rows = []] = await send([toQuery(statement, callerParams(caller))]);
        const labels = new Map<string, NamedRecord>();
        for (const row of rows) {
          const label = labelText(this.#entity.label, row.label, this.#format);
          labels.set(label, labels.has(label) ? "several" : { id: String(row.id) });
        }
        this.#labels = labels;
      }
    }
    return this.#labels?.get(text) ?? "none";
  }
}

const keysSql = (entity: Entity, scope: ReadScope, keys: readonly Sql[]): Sql => {
  const select = (key: Sql, condition: Sql) =>
    sql`SELECT "t"."id", ${key} AS "key" FROM ${tableSql(entity)} AS "t" WHERE ${condition} AND ${asCondition(scope.rows)}`;
  return join(
    [
      select(sql`"t"."id"::text`, sql`"t"."id" = ANY(${slot("ids", "uuid[]")})`),
      ...keys.map((key) => select(key, sql`${key} = ANY(${slot("keys", "text[]")})`)),
    ],
    " UNION ",
  );
};

const optional = (part: Sql | undefined): readonly Sql[] => (part === undefined ? [] : [part]);
