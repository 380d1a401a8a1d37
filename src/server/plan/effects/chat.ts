import { toReaders } from "../../../core/derive/authorization/chat-readers.ts";
import { createSentences } from "../../../core/i18n/icu-message.ts";
import { catalogueFor } from "../../../core/i18n/languages.ts";
import type { ChatMessage } from "../../../core/model/effect.ts";
import { recordPath } from "../../../core/model/facts/record-path.ts";
import { slot, sql } from "../../../core/sql.ts";
import { groupBy } from "../../util/group-by.ts";
import { NOTICES, TABLE } from "../aliases.ts";
import { callerParams } from "../context.ts";
import { fillTemplate } from "../row/labels.ts";
import { pageRecord } from "../row/page-record.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { ACTOR, type ChatEffect, noticeValuesShape, noticeWords } from "./notice-words.ts";
import { findRuns, runsParam, sourceRowsParam } from "./targets.ts";

/** Maximum number of parts that a message names after the first one; the others are counted. */
const MAX_NAMED = 9;

/**
 * Queues messages to a channel, one for all parts of a record that a write tells of, such as the lines of a delivery. In
 * words that each of its readers can read. They are sent after the commit.
 */
export function* enqueueChatMessages(tx: WriteTransaction, writeSet: WriteSet, effect: ChatEffect): Steps<void> {
  const { context, caller, format } = tx;
  const effectRuns = yield* findRuns(tx, writeSet, effect, null);
  if (effectRuns.length === 0) return;
  const readers = toReaders(context.model, effect.call);
  const rows = yield* send(noticeWords(context, writeSet, effect, readers), {
    ...callerParams(caller),
    [ACTOR]: callerParams(caller).user,
    wave: sourceRowsParam(writeSet),
    pairs: runsParam(effectRuns),
  });
  const { model } = context;
  const { language, grammar, mail } = catalogueFor(model.locale);
  const sayMore = (count: number): string =>
    createSentences(language, grammar)<unknown>(mail["notice.others"], { count }).join("");
  const pages = model.entities.get(pageRecord(model, writeSet.entity, readers, TABLE.alias)?.entity ?? "");
  const told = rows.map(noticeValuesShape.read).flatMap(({ nth, words, page }) => {
    const source = effectRuns[nth]?.source;
    return source === undefined ? [] : [{ source, page, text: fillTemplate(effect.text, words, format) }];
  });
  const gathered = groupBy(told, ({ source, page }) => page ?? source).values();
  const messages = [...gathered].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const named = others.slice(0, MAX_NAMED).map(({ text }) => text);
    const rest = others.length - named.length;
    const { page, source } = first;
    const payload: ChatMessage = {
      text: first.text,
      ...(others.length === 0 ? {} : { more: rest === 0 ? named : [...named, sayMore(rest)] }),
      path:
        writeSet.action === "delete"
          ? null
          : page === null || pages === undefined
            ? recordPath(model, writeSet.entity, source)
            : recordPath(model, pages, page),
      open: mail["notice.open"],
    };
    return [{ record: first.source, payload }];
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
