import { keyRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent, KeyedRequest } from "../../intent.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { FIRST_USE, type WriteCheck } from "../checks/check.ts";
import { type Caller, NOBODY, type PlanContext } from "../context.ts";
import { planRead } from "../read/read-record.ts";
import type { Steps } from "../steps.ts";

/*
 * A creation or a transition with an idempotency key happens once, however often its request is sent. The key is stored by
 * the statement that writes, so that both happen or neither does.
 */

/** A request that can have a key. */
type KeyedIntent = Extract<Intent, { kind: "create" | "transition" }>;

/** A used idempotency key prevents the write before any other check. */
export const firstUse: WriteCheck = {
  column: FIRST_USE,
  condition: sql`NOT EXISTS (SELECT FROM ninefold.idempotency WHERE person = ${slot("user", "uuid")} AND key = ${slot("key", "text")})`,
};

/** Stores the key with the record that was written. */
export const rememberKeySql = (hasKey: boolean, written: string): Sql =>
  hasKey
    ? sql`, k AS (INSERT INTO ninefold.idempotency (person, key, record, version, request) SELECT ${slot("user", "uuid")}, ${slot("key", "text")}, ${identifier(written)}."id", ${identifier(written)}."version", ${slot("request", "bytea")} FROM ${identifier(written)})`
    : sql``;

/** The slots of a statement with a key. */
export const keyParams = (intent: KeyedIntent) => {
  const { key = null } = intent;
  return { key, request: key === null ? null : requestBytes(intent) };
};

/** By these bytes, a repeated request is told from another one with the same key. */
const requestBytes = (intent: KeyedIntent): Buffer => {
  const { entity, values } = intent;
  const parts = intent.kind === "create" ? [entity, values] : [entity, values, intent.id, intent.transition];
  return Buffer.from(JSON.stringify(intent.request ?? parts));
};

/** The row of a key that the caller used before; undefined if they did not. */
function* findKey(caller: Caller, key: string | null): Steps<Row | undefined> {
  const [[earlier] = []] = yield [
    {
      name: "idempotency",
      text: "select record, version, request from ninefold.idempotency where person = $1 and key = $2",
      values: [caller.principal.id ?? NOBODY, key],
    },
  ];
  return earlier;
}

const isSameRequest = ({ request: earlier }: Row, request: Buffer | null): boolean =>
  request !== null && Buffer.isBuffer(earlier) && request.equals(earlier);

/**
 * The id of the record that an earlier call with the same key moved. The call itself may no longer find it: one with
 * `where: status == open` closed it.
 */
export function* findMovedRecord(caller: Caller, key: string, request: KeyedRequest): Steps<string | undefined> {
  const earlier = yield* findKey(caller, key);
  const isSame = earlier !== undefined && isSameRequest(earlier, Buffer.from(JSON.stringify(request)));
  return isSame ? String(earlier.record) : undefined;
}

/** The record that an earlier request with the same key wrote. */
interface EarlierWrite {
  readonly id: string;
  /** Its version after that request. */
  readonly version: number;
  /** The record as it is now; absent if the caller cannot read it. */
  readonly now?: { readonly body: unknown; readonly version: number | null };
}

/**
 * Finds what an earlier request with this key did; undefined if there was none. A key that was used for another request is
 * refused. `parts`: the response has the parts of the record.
 */
export function* findEarlierWrite(
  context: PlanContext,
  intent: KeyedIntent,
  caller: Caller,
  format: Format,
  parts: boolean,
): Steps<EarlierWrite | Refusal | undefined> {
  const { key, request } = keyParams(intent);
  const earlier = yield* findKey(caller, key);
  if (earlier === undefined) return undefined;
  if (!isSameRequest(earlier, request)) return refuseCall(keyRefusal);
  const [id, version] = [String(earlier.record), Number(earlier.version)];
  const reading = { kind: "read", entity: intent.entity, id, label: intent.label, screen: null, parts } as const;
  const read = planRead(context, reading, caller, format);
  const now = read.kind === "refusal" ? read : yield* read.steps();
  return now.kind === "refusal" ? { id, version } : { id, version, now };
}
