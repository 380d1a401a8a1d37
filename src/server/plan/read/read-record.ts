import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { WhyNot } from "../../../core/wire/records.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found, JsonText } from "../outcome.ts";
import { type BatchPlan, markSessionChecked, planBatch } from "../plan.ts";
import { type BooleanColumn, booleanColumn, readColumn, selectAs } from "../result-columns.ts";
import { readerEnv } from "../row/labels.ts";
import { absentLetters, conditionalLetters, letterColumns } from "../row/letter-conditions.ts";
import { type OwnSession, ownSessionParams, sessionHolds } from "../row/own-session.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { recordColumns, rowReader } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { upcomingColumns } from "../row/upcoming-transitions.ts";
import { toQuery } from "../statements.ts";
import { partListReaders } from "./read-parts.ts";

/** Plans to read one record, with permissions in the WHERE clause. An unreadable record counts as not found. */
export const planRead = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "read" }>,
  caller: Caller,
  format: Format,
  session?: OwnSession,
): BatchPlan<Found> | Refusal => {
  const entity = getEntity(context, intent.entity);
  const { principal } = caller;
  const isChecking = session !== undefined;
  const notFound = refuseCall(recordRefusal(entity));
  const wanted = { may: true, label: intent.label };
  const conditions = collectConditions(context.model, entity, intent.screen);
  const screen = conditions.size === 0 ? "" : intent.screen;
  const letters = intent.screen === null ? [] : conditionalLetters(context.model, entity, principal);
  const lists = intent.parts === true ? partListReaders(context, entity, caller, format) : [];
  const shape = [
    entity.name,
    principalKey(principal),
    intent.label,
    screen,
    lists.length > 0,
    letters.length > 0,
    isChecking,
  ];
  const written = context.statements.get(["read", ...shape], () => {
    const scope = readScope(context.model, entity, principal, TABLE.alias);
    const ahead = intent.label ? upcomingColumns(context.model, principal, scope, TABLE.alias) : undefined;
    return {
      sql: sql`SELECT ${join([recordColumns(context, principal, scope, TABLE.alias, wanted), ...(ahead?.columns ?? []), ...shownColumns(context.model, entity, principal, conditions), ...letterColumns(context.model, entity, principal, letters, TABLE.alias), ...lists.flatMap(({ shown }) => shown(scope))], ", ")} FROM ${tableSql(entity)} AS ${identifier(TABLE.alias)} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${asCondition(scope.rows)}${isChecking ? sql` AND ${sessionHolds(context.model)}` : sql``}`,
      more: { isOpen: scope.grants.length > 0, ahead, reader: rowReader(context, principal, scope, wanted, format) },
    };
  });
  if (!written.more.isOpen) return notFound;
  const slots = { ...callerParams(caller), id: intent.id, ...ownSessionParams(session) };
  const plan = planBatch<Found>(
    [written, ...lists.flatMap((list) => list.written)].map((item) => toQuery(item, slots)),
    ([rows, ...parts]) => {
      const row = rows?.[0];
      if (row === undefined) return notFound;
      const own = written.more.reader.text(row, caller.phrases);
      let from = 0;
      const text = lists.reduce((text, list) => {
        const ownRows = parts.slice(from, from + list.written.length);
        from += list.written.length;
        return list.into(text, row, ownRows);
      }, own);
      const withUpcoming = withAhead(text, written.more.ahead?.of(row) ?? {});
      const body = conditions.size === 0 ? withUpcoming : withHidden(withUpcoming, conditions, row);
      const absent = absentLetters(caller, entity, letters, row);
      return asFound(new JsonText(withAbsentLetters(body, absent)), Number(row.version));
    },
  );
  return markSessionChecked(plan, isChecking);
};

/** The conditions of conditional content on a screen of the record. */
const collectConditions = (model: Model, entity: Entity, path: string | null): ReadonlyMap<string, Expr> => {
  const screen =
    path === null
      ? undefined
      : model.screens.find((candidate) => candidate.kind === "record" && candidate.path === path);
  if (screen?.kind !== "record" || screen.entity !== entity.name) return new Map();
  return new Map(screen.sections.flatMap((section) => (section.kind === "fields" ? [...section.when] : [])));
};

const shownColumn = (content: string): BooleanColumn => booleanColumn(`shown:${content}`);

/** Conditions of a screen are evaluated in the caller's read scope. */
const shownColumns = (
  model: Model,
  entity: Entity,
  principal: Principal,
  conditions: ReadonlyMap<string, Expr>,
): readonly Sql[] => {
  const env = readerEnv(model, entity, principal, TABLE.alias);
  return [...conditions].map(([name, condition]) =>
    selectAs(sql`COALESCE(${toSql(condition, env).truth}, FALSE)`, shownColumn(name)),
  );
};

const withAhead = (text: string, ahead: { readonly [transition: string]: string }): string =>
  Object.keys(ahead).length === 0 ? text : `${text.slice(0, -1)},"_ahead":${JSON.stringify(ahead)}}`;

const withAbsentLetters = (text: string, absent: ReadonlyMap<string, WhyNot>): string =>
  absent.size === 0 ? text : `${text.slice(0, -1)},"_letters":${JSON.stringify(Object.fromEntries(absent))}}`;

const withHidden = (text: string, conditions: ReadonlyMap<string, Expr>, row: Row): string => {
  const hidden = [...conditions.keys()].filter((name) => readColumn(row, shownColumn(name)) !== true);
  return `${text.slice(0, -1)},"_hidden":${JSON.stringify(hidden)}}`;
};
