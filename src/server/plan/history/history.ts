import { discloseLines, type LineDisclosure } from "../../../core/analysis/disclosure/history-disclosure.ts";
import type { Grant } from "../../../core/derive/authorization/grants.ts";
import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { transitionSince } from "../../../core/model/renaming.ts";
import { addsRecord, BRING_BACK } from "../../../core/model/write-actions.ts";
import { join, slot, sql } from "../../../core/sql.ts";
import type { FieldChange, HistoryJson, HistoryLine, PartLine } from "../../../core/wire/history.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { LINES, TABLE } from "../aliases.ts";

import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { labelText, referenceLabelSql } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import { causeColumns, type DisclosedCause } from "./causes.ts";
import {
  decodeLineChanges,
  isSince,
  type LineReader,
  labelQueriesOfLines,
  labelsFromRows,
  listHistoryFields,
  newestLinesSql,
} from "./lines.ts";
import { partHistories } from "./parts.ts";
import { selectPastVisibility } from "./visible-then.ts";

/**
 * Plans the history of a record. Each line is limited to fields that the caller can read now and could read then. The
 * operation is shown only as far as that reveals nothing else.
 */
export const planHistory = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "history" }>,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model, past } = context;
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  const scope = readScope(model, entity, principal, TABLE.alias);
  const notFound = refuseCall(recordRefusal(entity));
  if (scope.grants.length === 0) return notFound;
  const user = getEntity(context, "User");
  const key = [entity.name, principalKey(principal)];

  const following = causeColumns(context, entity, caller);
  const then = context.statements.find(["history then", key], () =>
    selectPastVisibility(context, entity, scope.grants, TABLE.alias, "lines"),
  );
  const lines = context.statements.get(["history", key], () => ({
    more: undefined,
    sql: sql`WITH "lines" AS MATERIALIZED (${newestLinesSql(context, entity, sql`*`, sql`${slot("id", "uuid")}`)})
      SELECT ${join([sql`${LINES}.id, ${LINES}.at, ${LINES}.person, ${LINES}.action, ${LINES}.clause, ${LINES}.document, ${LINES}.changes, ${LINES}.cause, ${LINES}.acting_for, ${LINES}.via, (SELECT file FROM ninefold.import WHERE id = ${LINES}.import) AS "imported"`, ...following.columns, sql`${referenceLabelSql(model, user, principal, sql`${LINES}.person`)} AS "by"`, ...(model.deputies === null ? [] : [sql`${referenceLabelSql(model, user, principal, sql`${LINES}.acting_for`)} AS "for"`]), ...then.columns], ", ")}
      FROM ${tableSql(entity)} AS ${TABLE} LEFT JOIN "lines" AS ${LINES} ON TRUE ${then.joined}
      WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${asCondition(scope.rows)} ORDER BY ${LINES}.id DESC`,
  }));
  const labels = labelQueriesOfLines(
    context,
    scope,
    caller,
    ["history labels", ...key],
    sql`record = ${slot("id", "uuid")} AND ${isSince(sql`id`, sql`${slot("id", "uuid")}`)}`,
  );
  const parts = partHistories(context, entity, caller, format);
  const slots = { ...callerParams(caller), id: intent.id };
  const ofParts = parts.flatMap(({ queries }) => queries);
  return planBatch<Found>(
    [lines, ...labels.map(({ written }) => written), ...ofParts].map((item) => toQuery(item, slots)),
    ([rows = [], ...found]) => {
      if (rows.length === 0) return notFound;
      const fields = listHistoryFields(scope);
      const reading: LineReader = { entity, fields, words: labelsFromRows(labels, found, format), past };
      let at = labels.length;
      const byLine = parts.map(({ queries, read }) => {
        const own = found.slice(at, at + queries.length);
        at += queries.length;
        return read(own);
      });
      const disclosures = context.statements.find(["history told", key], () => discloseLines(model, entity, principal));
      const visibleLines = rows.map((row): Opened => ({ row, ...then.read(row) }));
      // A deletion is shown to those who could read the record before it.
      const seen = visibleLines.map((line, i) =>
        line.row.action === "delete" ? { ...line, after: visibleLines[i + 1]?.after ?? line.after } : line,
      );
      const items = seen.flatMap((line, i) => {
        const before = addsRecord(String(line.row.action)) ? undefined : seen[i + 1]?.after;
        const visibility: Sight = {
          sees: (open, field) => scope.grants.some((grant, k) => open[k] === true && shows(grant, field)),
          before,
          cause: following.read(line.row, line.after, format),
          disclosure: disclosures(
            transitionSince(past, Number(line.row.document), entity.name, String(line.row.action)),
          ),
          parts: byLine.flatMap((item) => item.get(String(line.row.id)) ?? []),
        };
        return line.row.action === null ? [] : decodeLine(line, visibility, reading, user, format);
      });
      return asFound({ items } satisfies HistoryJson);
    },
  );
};

type Open = readonly boolean[];

/** A line with the read grants that cover the record now, and those that covered it after the line. */
interface Opened {
  readonly row: Row;
  readonly now: Open;
  readonly after: Open;
}

interface Sight {
  readonly sees: (open: Open, field: string) => boolean;
  /** The grants that covered the record before the line. Undefined if the record did not exist or that is unknown. */
  readonly before: Open | undefined;
  readonly cause: DisclosedCause | undefined;
  /** For each grant, the disclosed parts of the operation. */
  readonly disclosure: readonly LineDisclosure[];
  readonly parts: readonly PartLine[];
}

const isOfWhole = (action: string): boolean => action === "delete" || action === BRING_BACK;

const shows = ({ fields }: Grant, field: string): boolean => fields === null || fields.has(field);

/**
 * Decodes a line, whose names are those of its time, into current names. Undefined for changes at a time when the
 * caller could not have read the record.
 */
const decodeLine = (
  { row, now, after }: Opened,
  visibility: Sight,
  reading: LineReader,
  user: Entity,
  format: Format,
): readonly HistoryLine[] => {
  if (!after.includes(true)) return [];
  const { before, cause, disclosure } = visibility;
  const document = Number(row.document);
  const isSeen = (field: string) => visibility.sees(now, field) && visibility.sees(after, field);
  const wasThere = !addsRecord(String(row.action));
  // A restored record has the values that it had when it was deleted, so neither line lists them.
  const changes = (isOfWhole(String(row.action)) ? [] : decodeLineChanges(row, reading))
    .filter(({ field }) => isSeen(field))
    .map((fieldChange): FieldChange => {
      if (!wasThere || (before !== undefined && visibility.sees(before, fieldChange.field))) return fieldChange;
      return { field: fieldChange.field, after: fieldChange.after };
    });
  const parts = visibility.parts.filter(({ list }) => isSeen(list));

  const says = (part: keyof LineDisclosure): boolean =>
    [now, after].every((open) => disclosure.some((candidate, i) => open[i] === true && candidate[part]));
  const state = reading.entity.states?.field;
  const wasSeen = before !== undefined && (state === undefined || visibility.sees(before, state));
  const isDisclosed = says(wasSeen ? "action" : "actionFromUnseen");
  const isPlain = row.action === "update" || !isDisclosed;
  if (isPlain && changes.length === 0 && parts.length === 0) return [];
  // A consequence is shown only as far as its cause is.
  const follows = row.cause !== null;
  const isBy = isDisclosed && (follows ? cause?.person === true : says("person"));
  const isWhen = isDisclosed && (row.action === "create" || (says("time") && (!follows || cause?.time === true)));
  const person =
    row.person === null
      ? null
      : { id: String(row.person), label: row.by === null ? "…" : labelText(user.label, row.by, format) };
  const represented =
    row.acting_for === null || row.acting_for === undefined
      ? undefined
      : { id: String(row.acting_for), label: row.for == null ? "…" : labelText(user.label, row.for, format) };
  return [
    {
      ...(isWhen ? { at: String(row.at) } : {}),
      ...(isBy ? { person } : {}),
      ...(isBy && represented !== undefined ? { for: represented } : {}),
      ...(isDisclosed
        ? { action: transitionSince(reading.past, document, reading.entity.name, String(row.action)) }
        : {}),
      ...(isDisclosed && (!follows || cause !== undefined) ? { clause: String(row.clause) } : {}),
      ...(isWhen ? { document } : {}),
      changes,
      ...(isDisclosed && cause?.cause !== undefined ? { cause: cause.cause } : {}),
      ...(isBy && row.via === "mail" ? { via: "mail" as const } : {}),
      ...(isBy && row.imported !== null ? { imported: String(row.imported) } : {}),
      ...(parts.length === 0 ? {} : { parts }),
    },
  ];
};
