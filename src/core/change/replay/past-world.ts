import { addsRecord } from "../../model/moments.ts";
import type { Json } from "../../wire/json.ts";
import type { AuditChanges, PresentRecord } from "./audit-line.ts";

/** A record at the moment that a walk through the audit has reached. Changed in place by `PastWorld`. */
export interface PastRecord {
  readonly id: string;
  /** Values in the form of the audit, under the names of the latest version. */
  values: { readonly [field: string]: Json };
  /** Null for a record that has been deleted since. */
  readonly createdAt: string | null;
  /** Null once a later change has been taken back: the time of the change before it is not known. */
  updatedAt: string | null;
}

/** Thrown by a read of something that is not known for that time. */
export class NotKnown extends Error {
  override readonly name = "NotKnown";
}

/** The records of a database, walked back through the audit one line at a time. */
export interface PastWorld {
  /** Adds a record as it is now, unless it is there already. Only before a line about it is taken back. */
  add(entity: string, record: PresentRecord): void;
  /** Marks that all records of the entity have been added. */
  complete(entity: string): void;
  isComplete(entity: string): boolean;
  find(entity: string, id: string): PastRecord | undefined;
  /** All records by id, in their order. Throws `NotKnown` unless the entity is complete. */
  all(entity: string): readonly PastRecord[];
  /** Takes back a change: afterwards the record is as it was before. */
  undo(line: {
    readonly entity: string;
    readonly record: string;
    readonly action: string;
    readonly changes: AuditChanges;
  }): void;
}

export const createPastWorld = (): PastWorld => {
  const entities = new Map<string, Map<string, PastRecord>>();
  const isWhole = new Set<string>();
  const inOrder = new Map<string, readonly PastRecord[]>();
  const getRecords = (entity: string): Map<string, PastRecord> => {
    const known = entities.get(entity) ?? new Map<string, PastRecord>();
    entities.set(entity, known);
    return known;
  };
  const sides = (changes: AuditChanges, side: 0 | 1): Record<string, Json> =>
    Object.fromEntries(Object.entries(changes).map(([name, both]) => [name, both[side]]));
  return {
    add: (entity, { id, createdAt, updatedAt, changes }) => {
      const records = getRecords(entity);
      if (records.has(id)) return;
      records.set(id, { id, values: sides(changes, 1), createdAt, updatedAt });
      inOrder.delete(entity);
    },
    complete: (entity) => void isWhole.add(entity),
    isComplete: (entity) => isWhole.has(entity),
    find: (entity, id) => entities.get(entity)?.get(id),
    all: (entity) => {
      if (!isWhole.has(entity)) throw new NotKnown(`all records of ${entity}`);
      const known = inOrder.get(entity) ?? [...getRecords(entity).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      inOrder.set(entity, known);
      return known;
    },
    undo: ({ entity, record: id, action, changes }) => {
      const records = getRecords(entity);
      const record = records.get(id);
      if (addsRecord(action)) {
        records.delete(id);
        inOrder.delete(entity);
      } else if (record !== undefined) {
        record.values = { ...record.values, ...sides(changes, 0) };
        record.updatedAt = null;
      } else if (action === "delete") {
        records.set(id, { id, values: sides(changes, 0), createdAt: null, updatedAt: null });
        inOrder.delete(entity);
      }
    },
  };
};
