import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import { slot, sql } from "../../core/sql.ts";
import { callerParams, getEntity, principalKey } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import type { Service } from "./service.ts";

/** The record on whose page another record is shown. */
export interface ParentRecord {
  readonly entity: string;
  readonly record: string;
}

/**
 * Finds the reference from an entity without a page to the record that lists it, such as from a comment to its ticket.
 */
const findParentReference = (
  { screens, defaults, entities }: Model,
  { name, fields }: Entity,
): readonly [string, string] | null => {
  const isShown =
    defaults.includes("SCREENS_OF_ENTITIES") || screens.some((screen) => hasPage(screen) && screen.entity === name);
  if (isShown) return null;
  for (const { name: by, entity, many } of fields.values()) {
    const lists = [...(entities.get(entity ?? "")?.fields.values() ?? [])];
    if (
      entity !== null &&
      !many &&
      lists.some(({ storage }) => storage.as === "inverse" && storage.entity === name && storage.by === by)
    )
      return [by, entity];
  }
  return null;
};

const hasPage = (screen: Model["screens"][number]) => screen.kind === "record" || screen.kind === "list";

/** Finds the records on whose pages others are shown, as far as the person can read them; one statement per entity. */
export const loadParents = async (
  { context, database, caller }: Service,
  principal: Principal,
  now: Date,
  named: readonly { readonly entity: string; readonly record: string }[],
): Promise<ReadonlyMap<string, ParentRecord>> => {
  const { model, statements } = context;
  const lookups = [...new Set(named.map(({ entity }) => entity))].flatMap((name) => {
    const entity = model.entities.get(name);
    const parentReference = entity?.served ? findParentReference(model, entity) : null;
    if (parentReference === null) return [];
    const [by, to] = parentReference;
    const written = statements.get(["wholes", name, principalKey(principal)], () => {
      const scope = readScope(model, getEntity(context, name), principal, "t");
      return {
        more: undefined,
        sql: sql`SELECT "t"."id", ${scope.column(by) ?? sql`NULL`} AS "whole" FROM ${tableSql(getEntity(context, name))} AS "t"
          WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(scope.rows)}`,
      };
    });
    const ids = named.filter((item) => item.entity === name).map(({ record }) => record);
    return [{ to, query: toQuery(written, { ...callerParams(caller(principal, now)), ids }) }];
  });
  if (lookups.length === 0) return new Map();
  const found = await database.batch(lookups.map(({ query }) => query));
  return new Map(
    lookups.flatMap(({ to }, i) =>
      (found[i] ?? []).flatMap((row): readonly (readonly [string, ParentRecord])[] =>
        row.whole === null ? [] : [[String(row.id), { entity: to, record: String(row.whole) }]],
      ),
    ),
  );
};
