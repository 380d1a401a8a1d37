import { decidingClauseId, type Principal } from "../../../core/derive/authorization/grants.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { type Action, JsonText, reply } from "../action.ts";
import { type Asker, type Context, entityOf, signatureOf, slotsOf } from "../context.ts";
import { seenEnv } from "../row/labels.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { columnsOf, readerOf } from "../row/record-columns.ts";
import { tableOf } from "../row/sql-env.ts";
import { aheadFor } from "../row/upcoming-transitions.ts";
import { queryOf } from "../statements.ts";
import { partsRead } from "./read-parts.ts";

/** One record, with the permission in the WHERE: what may not be read is not there. */
export const planRead = (
  context: Context,
  intent: Extract<Intent, { kind: "read" }>,
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { person } = asker;
  const notFound = refuse("NOT_FOUND", decidingClauseId(entity, "read"));
  const wanted = { may: true, label: intent.label };
  const conditions = conditionsOn(context.model, entity, intent.screen);
  const screen = conditions.size === 0 ? "" : intent.screen;
  const lists = intent.parts === true ? partsRead(context, entity, asker, format) : [];
  const shape = [entity.name, signatureOf(person), intent.label, screen, lists.length > 0];
  const written = context.statements.get(["read", ...shape], () => {
    const eyes = eyesOf(context.model, entity, person, "t");
    const ahead = intent.label ? aheadFor(context.model, person, eyes, "t") : undefined;
    return {
      sql: sql`SELECT ${join([columnsOf(context, person, eyes, "t", wanted), ...(ahead?.columns ?? []), ...shownColumns(context.model, entity, person, conditions), ...lists.flatMap(({ shown }) => shown(eyes))], ", ")} FROM ${tableOf(entity)} AS ${identifier("t")} WHERE "t"."id" = ${slot("id", "uuid")} AND ${asCondition(eyes.rows)}`,
      more: { isOpen: eyes.gates.length > 0, ahead, reader: readerOf(context, person, eyes, wanted, format) },
    };
  });
  if (!written.more.isOpen) return notFound;
  const slots = { ...slotsOf(asker), id: intent.id };
  return {
    kind: "action",
    queries: [written, ...lists.flatMap((one) => one.written)].map((one) => queryOf(one, slots)),
    settle: ([rows, ...parts]) => {
      const row = rows?.[0];
      if (row === undefined) return notFound;
      const own = written.more.reader.text(row, asker.tongue);
      let from = 0;
      const text = lists.reduce((text, list) => {
        const these = parts.slice(from, from + list.written.length);
        from += list.written.length;
        return list.into(text, row, these);
      }, own);
      const coming = withAhead(text, written.more.ahead?.of(row) ?? {});
      return reply(200, new JsonText(conditions.size === 0 ? coming : withHidden(coming, conditions, row)), {
        etag: `"${row.version}"`,
      });
    },
    constraint: () => undefined,
  };
};

/** What a screen of the record shows on a condition. */
const conditionsOn = (model: Model, entity: Entity, path: string | null): ReadonlyMap<string, Expr> => {
  const screen = path === null ? undefined : model.screens.find((one) => one.kind === "record" && one.path === path);
  if (screen?.kind !== "record" || screen.entity !== entity.name) return new Map();
  return new Map(screen.sections.flatMap((section) => (section.kind === "fields" ? [...section.when] : [])));
};

/** Conditions of a screen see what the person may read. */
const shownColumns = (
  model: Model,
  entity: Entity,
  person: Principal,
  conditions: ReadonlyMap<string, Expr>,
): readonly Sql[] => {
  const env = seenEnv(model, entity, person, "t");
  return [...conditions].map(
    ([name, condition]) => sql`COALESCE(${toSql(condition, env).truth}, FALSE) AS ${identifier(`shown:${name}`)}`,
  );
};

const withAhead = (text: string, ahead: { readonly [transition: string]: string }): string =>
  Object.keys(ahead).length === 0 ? text : `${text.slice(0, -1)},"_ahead":${JSON.stringify(ahead)}}`;

const withHidden = (text: string, conditions: ReadonlyMap<string, Expr>, row: Row): string => {
  const hidden = [...conditions.keys()].filter((name) => row[`shown:${name}`] !== true);
  return `${text.slice(0, -1)},"_hidden":${JSON.stringify(hidden)}}`;
};
