import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import { asCondition, readScope } from "./read-scope.ts";
import { tableSql } from "./sql-env.ts";

/** A reference of an entity to a record that lists its records. */
interface ListingReference {
  readonly from: Entity;
  readonly by: string;
  readonly to: Entity;
}

/**
 * The references from an entity without a page to the nearest one that has a page, each to the record that lists the
 * one before, such as from a delivery to its line and from there to its order. Empty if it has a page, or if there is none.
 */
const findWayToPage = (model: Model, entity: Entity): readonly ListingReference[] => {
  const seen = new Set([entity]);
  let ways: readonly (readonly ListingReference[])[] = hasPage(model, entity) ? [] : [[]];
  while (ways.length > 0) {
    const longer = ways.flatMap((way) =>
      listingReferences(model, way.at(-1)?.to ?? entity)
        .filter(({ to }) => !seen.has(to))
        .map((step) => [...way, step]),
    );
    const found = longer.find((way) => hasPage(model, way.at(-1)?.to ?? entity));
    if (found !== undefined) return found;
    for (const { to } of longer.flat()) seen.add(to);
    ways = longer;
  }
  return [];
};

const hasPage = ({ defaults, screens }: Model, { name }: Entity): boolean =>
  defaults.includes("SCREENS_OF_ENTITIES") ||
  screens.some((screen) => (screen.kind === "record" || screen.kind === "list") && screen.entity === name);

const listingReferences = ({ entities }: Model, from: Entity): readonly ListingReference[] =>
  [...from.fields.values()].flatMap(({ name: by, entity, many }): readonly ListingReference[] => {
    const to = entity === null || many ? undefined : entities.get(entity);
    const isListed = [...(to?.fields.values() ?? [])].some(
      ({ storage }) => storage.as === "inverse" && storage.entity === from.name && storage.by === by,
    );
    return to !== undefined && isListed ? [{ from, by, to }] : [];
  });

/**
 * The record on whose page a record without a page is shown, as far as the caller can read the references to it: null
 * for a row that does not lead to it. Undefined if there is no such record. The row itself must be readable.
 */
export const pageRecord = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
): { readonly entity: string; readonly id: Sql } | undefined => {
  const way = entity.served ? findWayToPage(model, entity) : [];
  const last = way.at(-1);
  if (last === undefined) return undefined;
  const id = way.reduce<Sql | undefined>((reference, { from, by }, nth) => {
    const as = nth === 0 ? alias : `page~${nth}`;
    const scope = readScope(model, from, principal, as);
    const column = scope.column(by);
    if (reference === undefined || column === undefined) return undefined;
    return nth === 0
      ? column
      : sql`(SELECT ${column} FROM ${tableSql(from)} AS ${identifier(as)} WHERE ${identifier(as)}."id" = ${reference} AND ${asCondition(scope.rows)})`;
  }, sql`NULL`);
  return id === undefined ? undefined : { entity: last.to.name, id };
};
