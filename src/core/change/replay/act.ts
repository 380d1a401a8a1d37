import type { Entity } from "../../model/entity.ts";
import { listActValues } from "../../model/facts/act-values.ts";
import type { Json } from "../../wire/json.ts";
import { type AuditLine, groupLines } from "./audit-line.ts";
import { NotKnown, type PastRecord, type PastWorld } from "./past-world.ts";

/** The lines of one transaction, oldest first, under the names of the latest version. */
export interface Act {
  readonly at: string;
  readonly person: string | null;
  readonly lines: readonly AuditLine[];
}

/** A refused request, whose content is unknown. */
export type RequestWithoutContent = Pick<AuditLine, "entity" | "action" | "person" | "at"> & {
  readonly record: string | null;
};

/** True for the lines of the request itself: the record, and the parts sent with it. */
export const isOwnLine = ({ cause, clause }: AuditLine): boolean =>
  cause === null || clause.startsWith("6.") || clause === "ADMINISTRATORS_ONLY";

const byRecord = new WeakMap<Act["lines"], ReadonlyMap<string, readonly AuditLine[]>>();

/** The lines of an act about the record of one of its lines. An import is one act with thousands of lines. */
export const findLinesOfRecord = ({ lines }: Act, { entity, record }: AuditLine): readonly AuditLine[] => {
  const known = byRecord.get(lines) ?? groupLines(lines, (line) => `${line.entity} ${line.record}`);
  byRecord.set(lines, known);
  return known.get(`${entity} ${record}`) ?? [];
};

/**
 * The record of a line before or after it, while the world is at the end of the act. Throws `NotKnown` if there is no
 * trace of it.
 */
export const getRecordAt = (world: PastWorld, act: Act, line: AuditLine, side: "before" | "after"): PastRecord => {
  const own = findLinesOfRecord(act, line);
  const deleted = own.find(({ action }) => action === "delete");
  const now = world.find(line.entity, line.record);
  if (now === undefined && deleted === undefined) throw new NotKnown("record");
  const values: Record<string, Json> = { ...(now === undefined ? {} : now.values) };
  const undone = own.filter(({ id }) => (side === "before" ? id >= line.id : id > line.id));
  for (const auditLine of undone.toReversed()) Object.assign(values, getValuesBefore(auditLine));
  return { id: line.record, values, createdAt: now?.createdAt ?? null, updatedAt: null };
};

/** The record after a line, with the values that only the act itself had. */
export const withActValues = (
  record: PastRecord,
  entity: Entity,
  { action, changes }: Pick<AuditLine, "action" | "changes">,
): PastRecord => {
  const acts = listActValues(entity, entity.states?.transitions.get(action) ?? { asks: [] });
  if (acts.length === 0) return record;
  const actValues = Object.fromEntries(acts.map(({ name }) => [name, changes[name]?.[1] ?? null]));
  return { ...record, values: { ...record.values, ...actValues } };
};

const getValuesBefore = ({ changes }: AuditLine): Record<string, Json> =>
  Object.fromEntries(Object.entries(changes).map(([name, [before]]) => [name, before]));
