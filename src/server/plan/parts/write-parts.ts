import { slot, sql } from "../../../core/sql.ts";
import type { RefusalAt } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { callerParams } from "../context.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { updateSql } from "../transaction/update-sql.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { deleteParts } from "./delete-parts.ts";
import { insertParts } from "./insert-parts.ts";
import { loadParts, refusePartChanges } from "./load-parts.ts";
import { matchPartOrder } from "./match-order.ts";
import type { PlacedPart } from "./parts-payload.ts";
import { updateParts } from "./update-parts.ts";

/**
 * Writes the parts of a record in one request. Absent parts are deleted, parts with ids are updated, and the rest are
 * created. Each list takes a constant number of statements: one that reads and locks the stored parts, and one each for
 * deletion, update and creation. Each part is checked as in the calls of its entity.
 */

/** The result for all lists of a request. */
export interface PartsWritten {
  readonly writeSets: readonly WriteSet[];
  /** Parts that changed only through their own parts. The rules that read those are checked here too. */
  readonly raised: readonly WriteSet[];
  /** JSON pointer of each part in the request, by id. */
  readonly places: ReadonlyMap<string, string>;
  readonly broken: readonly RefusalAt[];
}

/** The record whose parts are written, with the audit line of its own write. */
interface Whole {
  readonly id: string;
  readonly line: number;
  readonly isNew: boolean;
}

/** Results collected while the lists are written in order. */
interface Gathering {
  readonly following: WriteTransaction;
  readonly line: number;
  readonly writeSets: WriteSet[];
  readonly raised: WriteSet[];
  readonly places: Map<string, string>;
  readonly broken: RefusalAt[];
}

/** Parent records by their JSON pointers. */
type Wholes = ReadonlyMap<string, Pick<Whole, "id" | "isNew">>;

export function* writeParts(tx: WriteTransaction, parent: Whole, lists: readonly PartListInput[]): Steps<PartsWritten> {
  const gathering = { following: tx, line: parent.line, writeSets: [], raised: [], places: new Map(), broken: [] };
  for (const list of lists) yield* writeList(gathering, list, new Map([["", parent]]));
  return gathering;
}

/** Writes one list for all its parents. Returns the ids of parents with changed parts. */
function* writeList(gathering: Gathering, list: PartListInput, parents: Wholes): Steps<ReadonlySet<string>> {
  const { following: tx, line, writeSets, places, broken } = gathering;
  const of = [...parents].filter(([at]) => list.of.has(at));
  const storedIds = of.filter(([, { isNew }]) => !isNew).map(([, { id }]) => id);
  const present = storedIds.length === 0 ? [] : yield* loadParts(tx, storedIds, list);
  const found = of.map(([at, { id }]) => {
    const items = list.items.filter((item) => item.of === at);
    const own = present.filter(({ parent }) => parent === id);
    return { ...matchPartOrder({ ...list, items }, own), own, parent: id };
  });
  const items = found.flatMap(({ items, parent }) => items.map((item): PlacedPart => ({ ...item, parent })));
  const refused = [
    ...found.flatMap(({ wrong }) => wrong),
    ...found.flatMap(({ own, items }) => refusePartChanges(tx, list, own, items)),
  ];
  broken.push(...refused);
  if (refused.length > 0) return new Set();
  const named = new Set(list.items.map(({ id }) => id));
  const absent = present.filter(({ id }) => !named.has(id));
  const touched = new Set(absent.map(({ parent }) => parent));
  if (absent.length > 0)
    writeSets.push(
      ...(yield* deleteParts(
        tx,
        line,
        list,
        absent.map(({ id }) => id),
      )),
    );
  const own = new Map<string, Pick<Whole, "id" | "isNew">>();
  const written = new Set<string>();
  for (const { at, id } of items) if (id !== null) own.set(at, { id, isNew: false });
  for (const [parts, write] of [
    [items.filter(({ id, sentFields }) => id !== null && sentFields.length > 0), updateParts],
    [items.filter(({ id }) => id === null), insertParts],
  ] as const) {
    if (parts.length === 0) continue;
    const done = yield* write(tx, line, list, parts);
    broken.push(...done.broken);
    const wholeAt = new Map(parts.map(({ at, parent }) => [at, parent]));
    for (const [id, at] of done.places) places.set(id, at);
    for (const { id } of done.wave.rows) {
      const at = places.get(id) ?? "";
      written.add(id);
      touched.add(wholeAt.get(at) ?? "");
      own.set(at, { id, isNew: write === insertParts });
    }
    if (done.wave.rows.length > 0) writeSets.push(done.wave);
  }
  yield* writeBelow(gathering, list, own, written);
  for (const { id, parent } of items) if (id !== null && written.has(id)) touched.add(parent);
  return touched;
}

/** Writes nested parts. Raises the version of each part that was not written itself. */
function* writeBelow(
  gathering: Gathering,
  { entity, lists }: PartListInput,
  own: Wholes,
  written: Set<string>,
): Steps<void> {
  const { following: tx, raised, places } = gathering;
  const below = new Set<string>();
  for (const list of lists) for (const id of yield* writeList(gathering, list, own)) below.add(id);
  if (below.size === 0) return;
  for (const [at, { id }] of own) places.set(id, at);
  const rows = [...below].filter((id) => !written.has(id));
  // A new part is checked together with all its own parts.
  const raisedParts = [...own.values()].filter(({ id, isNew }) => !isNew && below.has(id));
  if (raisedParts.length > 0)
    raised.push({
      entity,
      action: "update",
      changed: new Set(lists.map(({ list }) => list.name)),
      rows: raisedParts.map(({ id }) => ({ id, before: null, line: null })),
    });
  if (rows.length === 0) return;
  const raising = tx.context.statements.get(["parts raise", entity.name], () => ({
    more: undefined,
    sql: updateSql(entity, TABLE.alias, { from: sql`WHERE ${TABLE}."id" = ANY(${slot("ids", "uuid[]")})` }),
  }));
  yield* send(raising, { ...callerParams(tx.caller), ids: rows });
  for (const id of rows) written.add(id);
}
