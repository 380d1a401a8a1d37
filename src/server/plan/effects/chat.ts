import { toReaders } from "../../../core/derive/authorization/chat-readers.ts";
import { catalogueFor } from "../../../core/i18n/languages.ts";
import type { ChatMessage } from "../../../core/model/effect.ts";
import { recordPath } from "../../../core/model/facts/record-path.ts";
import { slot, sql } from "../../../core/sql.ts";
import { NOTICES } from "../aliases.ts";
import { callerParams } from "../context.ts";
import { fillTemplate } from "../row/labels.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { ACTOR, type ChatEffect, noticeValuesShape, noticeWords } from "./notice-words.ts";
import { findRuns, runsParam, sourceRowsParam } from "./targets.ts";

/** Queues messages to a channel, in words that each of its readers can read. They are sent after the commit. */
export function* enqueueChatMessages(tx: WriteTransaction, writeSet: WriteSet, effect: ChatEffect): Steps<void> {
  const { context, caller, format } = tx;
  const effectRuns = yield* findRuns(tx, writeSet, effect, null);
  if (effectRuns.length === 0) return;
  const rows = yield* send(noticeWords(context, writeSet, effect, toReaders(context.model, effect.call)), {
    ...callerParams(caller),
    [ACTOR]: callerParams(caller).user,
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  const open = catalogueFor(context.model.locale).mail["notice.open"];
  const messages = rows.map(noticeValuesShape.read).flatMap(({ nth, words }) => {
    const source = effectRuns[nth]?.source;
    if (source === undefined) return [];
    const path = writeSet.action === "delete" ? null : recordPath(context.model, writeSet.entity, source);
    const payload: ChatMessage = { text: fillTemplate(effect.text, words, format), path, open };
    return [{ record: source, payload }];
  });
  const statement = context.statements.get(["effect chat"], () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.outbox (call, payload, entity, record, clause, at, next_at) SELECT ${slot("call", "text")}, ${NOTICES}."payload", ${slot("entity", "text")}, ${NOTICES}."record", ${slot("clause", "text")}, ${slot("now", "timestamptz")}, ${slot("now", "timestamptz")} FROM jsonb_to_recordset(${slot("messages", "jsonb")}) AS ${NOTICES}("record" uuid, "payload" jsonb)`,
  }));
  yield* send(statement, {
    now: caller.now.toISOString(),
    call: effect.call,
    entity: writeSet.entity.name,
    clause: effect.clause.id,
    messages: JSON.stringify(messages),
  });
}
