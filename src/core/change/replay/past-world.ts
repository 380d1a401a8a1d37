import { addsRecord } from "../../model/write-actions.ts";
import type { ReplayGapJson } from "../../wire/authoring/replay.ts";
import type { Json } from "../../wire/json.ts";
import type { AuditChanges, PresentRecord } from "./audit-line.ts";

/** A record at the moment that the walk back through the audit has reached. `PastWorld` changes it in place. */
export interface PastRecord {
  readonly id: string;
  /** Values in the form of the audit, with the names of the latest version. */
  values: { readonly [field: string]: Json };
  /** Null for a record that has been deleted since. */
  readonly createdAt: string | null;
  /** Null after an undone change, because the time of the previous change is unknown. */
  updatedAt: string | null;
}

/** The reasons why a past value can be unknown. */
type UnknownRead = Extract<ReplayGapJson["why"], "many records" | "changed type" | "no history" | "person" | "record">;

/** Thrown when a read needs a past value that is unknown. */
export class NotKnown extends Error {
  override readonly name = "NotKnown";
  readonly why: UnknownRead;
  /** `Ticket` or `Ticket.cost`, by its name in the draft; null for `person` and `record`. */
  readonly reads: string | null;

  constructor(why: UnknownRead, reads: string | null = null) {
    super(`${why} ${reads ?? ""}`);
    this.why = why;
    this.reads = reads;
  }
}

/** The records of a database, moved back in time by undoing one audit line after another. */
export interface PastWorld {
  /** Adds a record in its current form, unless it was added before. Call it before any line of the record is undone. */
  add(entity: string, record: PresentRecord): void;
  /** Marks that all records of the entity have been added. */
  complete(entity: string): void;
  isComplete(entity: string): boolean;
  find(entity: string, id: string): PastRecord | undefined;
  /** All records of an entity, sorted by id. Throws `NotKnown` unless the entity is complete. */
  all(entity: string): readonly PastRecord[];
  /** Undoes a change: afterwards the record is as it was before it. */
  undo(line: {
    readonly entity: string;
    readonly record: string;
    readonly action: string;
    readonly changes: AuditChanges;
  }): void;
}

export const createPastWorld = (): PastWorld => {
  const entities = new Map<string, Map<string, PastRecord>>();
  const complete = new Set<string>();
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
    complete: (entity) => void complete.add(entity),
    isComplete: (entity) => complete.has(entity),
    find: (entity, id) => entities.get(entity)?.get(id),
    all: (entity) => {
      if (!complete.has(entity)) throw new NotKnown("many records", entity);
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
