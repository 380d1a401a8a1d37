import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Message } from "../../core/i18n/message.ts";
import type { Model } from "../../core/model/model.ts";
import type { PlannedRecordsJson } from "../../core/wire/authoring/document.ts";
import type { Database } from "../../postgres/database.ts";
import type { RecordsPage } from "../../postgres/schema/step-messages.ts";
import type { PlannedChange } from "./planned-change.ts";
import { findContaining, findWhollyReadable } from "./readable-examples.ts";

/** The place of a page: a point of a plan, and the id that it follows. */
export type RecordsAt = Omit<RecordsPage, "limit">;

/** Records of a page. */
const MOST_LISTED = 200;

/** Records that are looked at for a page, because its reader may not be able to read all of them. */
export const MOST_SCANNED = 5_000;

/** A page of records without their labels. */
export interface PlannedRecords extends Omit<PlannedRecordsJson, "says" | "records"> {
  readonly sentence: { readonly says: string; readonly message?: Message } | null;
  readonly found: readonly { readonly entity: string; readonly record: string }[];
}

const NONE: PlannedRecords = { sentence: null, clause: null, count: 0, found: [], unreadable: 0, next: null };

/** Takes from a plan the records at one point that the author can read. The plan names the next ones at that point. */
export const pageOfRecords = async (
  database: Pick<Database, "query">,
  model: Model,
  { records, messages, refused }: PlannedChange,
  point: string,
  author: Principal,
  now: Date,
): Promise<PlannedRecords> => {
  const refusal = refused.find(({ misfits }) => misfits?.point === point);
  const step = records.find((candidate) => candidate.point === point);
  const counted = refusal?.misfits ?? step;
  if (counted === undefined) return NONE;
  const message = step && messages[step.step];
  const sentence = refusal ?? { says: "", ...(message && { message }) };
  const { ids, count } = counted;
  const entity = model.entities.get(counted.entity);
  const readable =
    entity === undefined ? new Set<string>() : await findWhollyReadable(database, model, entity, ids, author, now);
  const listed = ids.filter((id) => readable.has(id)).slice(0, MOST_LISTED);
  const isFull = listed.length === MOST_LISTED;
  const last = isFull ? listed.at(-1) : ids.at(-1);
  const passed = ids.filter((id) => last !== undefined && id <= last);
  const inside = entity === undefined ? [] : await findContaining(database, model, entity, listed, author, now);
  const groups = inside.length > 0 ? inside : [{ entity: counted.entity, ids: listed }];
  return {
    sentence,
    clause: refusal?.clause ?? null,
    count,
    found: groups.flatMap((group) => group.ids.map((record) => ({ entity: group.entity, record }))),
    unreadable: passed.length - listed.length,
    next: (isFull && last !== ids.at(-1)) || ids.length === MOST_SCANNED ? (last ?? null) : null,
  };
};
