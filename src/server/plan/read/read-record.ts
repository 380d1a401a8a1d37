import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { getScreens } from "../../../core/derive/client/default-screens.ts";
import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Screen } from "../../../core/model/screen.ts";
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
import { asCondition, type ReadScope, readScope } from "../row/read-scope.ts";
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
  const screen = findRecordScreen(context.model, entity, intent.screen);
  const letters = intent.screen === null ? [] : conditionalLetters(context.model, entity, principal);
  const lists = intent.parts === true ? partListReaders(context, entity, caller, format) : [];
  const shape = [
    entity.name,
    principalKey(principal),
    intent.label,
    screen?.path ?? "",
    lists.length > 0,
    letters.length > 0,
    isChecking,
  ];
  const written = context.statements.get(["read", ...shape], () => {
    const scope = readScope(context.model, entity, principal, TABLE.alias);
    const ahead = intent.label ? upcomingColumns(context.model, principal, scope, TABLE.alias) : undefined;
    const conditions =
      screen === undefined ? new Map<string, Sql>() : contentConditions(context.model, scope, principal, screen);
    return {
      sql: sql`SELECT ${join([recordColumns(context, principal, scope, TABLE.alias, wanted), ...(ahead?.columns ?? []), ...shownColumns(conditions), ...letterColumns(context.model, entity, principal, letters, TABLE.alias), ...lists.flatMap(({ shown }) => shown(scope))], ", ")} FROM ${tableSql(entity)} AS ${identifier(TABLE.alias)} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${asCondition(scope.rows)}${isChecking ? sql` AND ${sessionHolds(context.model)}` : sql``}`,
      more: {
        isOpen: scope.grants.length > 0,
        ahead,
        reader: rowReader(context, principal, scope, wanted, format),
        conditional: [...conditions.keys()],
      },
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
      const { conditional } = written.more;
      const body = conditional.length === 0 ? withUpcoming : withHidden(withUpcoming, conditional, row);
      const absent = absentLetters(caller, entity, letters, row);
      return asFound(new JsonText(withAbsentLetters(body, absent)), Number(row.version));
    },
  );
  return markSessionChecked(plan, isChecking);
};

type RecordScreen = Extract<Screen, { kind: "record" }>;

const findRecordScreen = (model: Model, entity: Entity, path: string | null): RecordScreen | undefined => {
  const screen = path === null ? undefined : getScreens(model).find((candidate) => candidate.path === path);
  return screen?.kind === "record" && screen.entity === entity.name ? screen : undefined;
};

const shownColumn = (content: string): BooleanColumn => booleanColumn(`shown:${content}`);

/**
 * When the conditional fields of a screen, and lists that are not visible on every record, are shown. Conditions of the
 * screen are evaluated in the caller's read scope.
 */
const contentConditions = (
  model: Model,
  { entity, visibleWhen }: ReadScope,
  principal: Principal,
  { sections }: RecordScreen,
): ReadonlyMap<string, Sql> => {
  const env = readerEnv(model, entity, principal, TABLE.alias);
  return new Map(
    sections.flatMap((section): readonly (readonly [string, Sql])[] => {
      if (section.kind === "history") return [];
      if (section.kind === "fields") return [...section.when].map(([name, when]) => [name, toSql(when, env).truth]);
      const visible = visibleWhen(section.field);
      return visible === undefined ? [] : [[section.field, visible]];
    }),
  );
};

const shownColumns = (conditions: ReadonlyMap<string, Sql>): readonly Sql[] =>
  [...conditions].map(([name, condition]) => selectAs(sql`COALESCE(${condition}, FALSE)`, shownColumn(name)));

const withAhead = (text: string, ahead: { readonly [transition: string]: string }): string =>
  Object.keys(ahead).length === 0 ? text : `${text.slice(0, -1)},"_ahead":${JSON.stringify(ahead)}}`;

const withAbsentLetters = (text: string, absent: ReadonlyMap<string, WhyNot>): string =>
  absent.size === 0 ? text : `${text.slice(0, -1)},"_letters":${JSON.stringify(Object.fromEntries(absent))}}`;

const withHidden = (text: string, conditional: readonly string[], row: Row): string => {
  const hidden = conditional.filter((name) => readColumn(row, shownColumn(name)) !== true);
  return `${text.slice(0, -1)},"_hidden":${JSON.stringify(hidden)}}`;
};
