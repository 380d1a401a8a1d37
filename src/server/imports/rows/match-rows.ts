import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import type { Stored } from "../../../core/field/kind.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import type { Field } from "../../../core/model/field.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import type { Database } from "../../../postgres/database.ts";
import type { Values } from "../../intent.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../../plan/context.ts";
import { columnTypeSql } from "../../plan/row/proposed-row.ts";
import { asCondition, readScope } from "../../plan/row/read-scope.ts";
import { tableSql } from "../../plan/row/sql-env.ts";
import { toQuery } from "../../plan/statements.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { entityTitleValue } from "./read-rows.ts";

/** A record that a row changes, with its current version. */
export interface MatchedRecord {
  readonly id: string;
  readonly version: number;
}

/** Finds the records that rows change: those with the same values in some fields. Refuses rows that share a record. */
export class RowMatcher {
  readonly #context: PlanContext;
  readonly #entity: Entity;
  readonly #fields: readonly Field[];
  /** The first row with each key. */
  readonly #seen = new Map<string, number>();

  /** `names`: the fields in which a row and its record agree; none if each row adds a record. */
  constructor(context: PlanContext, entity: Entity, names: readonly string[]) {
    this.#context = context;
    this.#entity = entity;
    this.#fields = names.flatMap((name) => entity.fields.get(name) ?? []);
  }

  /** Finds the record that each row changes; null for a row that adds a record. `values`: undefined for a refused row. */
  async match(
    rows: readonly { readonly row: number; readonly values: Values | undefined }[],
    caller: Caller,
    send: Database["batch"],
  ): Promise<readonly (MatchedRecord | Refusal | null)[]> {
    if (this.#fields.length === 0) return rows.map(() => null);
    const keyed = rows.map(({ row, values }) => ({ row, key: values && this.#key(values) }));
    const keys = keyed.flatMap(({ key }) => (key === undefined ? [] : [key]));
    const found = keys.length === 0 ? [] : await this.#find(keys, caller, send);
    let next = 0;
    return keyed.map(({ row, key }) => {
      if (key === undefined) return null;
      const match = found[next++] ?? "none";
      if (this.#isRepeated(key, row) || match === "several")
        return refuse(
          "NOT_ONE",
          decidingClauseId(this.#entity, "update"),
          entityTitleValue(this.#context.model, this.#entity.name),
        );
      return match === "none" ? null : match;
    });
  }

  /** Remembers a row that was written before, so that a later row with the same values is refused. */
  remember(row: number, values: Values): void {
    const key = this.#key(values);
    if (key !== undefined) this.#seen.set(JSON.stringify(key), row);
  }

  /** True if an earlier row has this key. */
  #isRepeated(key: readonly Stored[], row: number): boolean {
    const text = JSON.stringify(key);
    const earlier = this.#seen.get(text);
    if (earlier === undefined) this.#seen.set(text, row);
    return earlier !== undefined && earlier !== row;
  }

  /** The stored values of the fields by which a row finds its record. Undefined if one is missing or invalid. */
  #key(values: Values): readonly Stored[] | undefined {
    const key: Stored[] = [];
    for (const field of this.#fields) {
      const json = values[field.name];
      if (json === undefined || json === null || json === "") return undefined;
      const reading = getFieldKind(field).read(json, toFieldSpec(this.#entity, field));
      if (!reading.ok) return undefined;
      key.push(reading.value);
    }
    return key;
  }

  /** Finds the records with these keys, among those that the caller can read. */
  async #find(
    keys: readonly (readonly Stored[])[],
    caller: Caller,
    send: Database["batch"],
  ): Promise<readonly (MatchedRecord | "none" | "several")[]> {
    const { model, statements } = this.#context;
    const entity = this.#entity;
    const fields = this.#fields;
    const names = fields.map(({ name }) => name);
    const statement = statements.get(["import matches", entity.name, principalKey(caller.principal), names], () => {
      const scope = readScope(model, entity, caller.principal, "t");
      const columns = fields.map((field, at) => sql`${identifier(`k${at}`)} ${columnTypeSql(field)}`);
      const equal = fields.map(({ name }, at) => sql`${scope.column(name) ?? sql`NULL`} = "k".${identifier(`k${at}`)}`);
      return {
        more: undefined,
        sql: sql`SELECT "t"."id", "t"."version", "k"."n" FROM jsonb_to_recordset(${slot("rows", "jsonb")}) AS "k"("n" integer, ${join(columns, ", ")})
          JOIN ${tableSql(entity)} AS "t" ON ${join(equal, " AND ")} WHERE ${asCondition(scope.rows)}`,
      };
    });
    const rows = keys.map((values, n) =>
      Object.fromEntries([["n", n], ...values.map((value, at) => [`k${at}`, value])]),
    );
    const [found = []] = await send([toQuery(statement, { ...callerParams(caller), rows: JSON.stringify(rows) })]);
    const matches = new Map<number, MatchedRecord | "several">();
    for (const { n, id, version } of found)
      matches.set(Number(n), matches.has(Number(n)) ? "several" : { id: String(id), version: Number(version) });
    return keys.map((_, n) => matches.get(n) ?? "none");
  }
}
