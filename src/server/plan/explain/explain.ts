import {
  type AccessTrace,
  type ConditionTrace,
  type RequirementTrace,
  traceAccess,
} from "../../../core/derive/authorization/access-trace.ts";
import { grantsFor, isAdministrator } from "../../../core/derive/authorization/grants.ts";
import type { Phrasing } from "../../../core/explain/phrase.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { WhyJson } from "../../../core/wire/why.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { TABLE } from "../aliases.ts";
import { disclosedWhere, messageValuesSql } from "../checks/rules.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../context.ts";
import { type BooleanColumn, selectAs } from "../result-columns.ts";
import { readerEnv, referenceLabelSql, referenceLabelsSql, type ShownFields } from "../row/labels.ts";
import { asCondition, readScope, visibilityColumn } from "../row/read-scope.ts";
import { referenceLabelColumn } from "../row/record-columns.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import { answerForAllRecords, explainClauses, explainOnRecord } from "./answer.ts";
import {
  collectFieldsRead,
  conditionColumn,
  type DecidingClauses,
  type ExplainRequest,
  foundColumn,
  requirementColumn,
  requirementWordsColumn,
  STATE,
  selectedRecordsColumn,
} from "./explain-context.ts";
import { peopleColumns, permittedPeople, representedColumns } from "./people.ts";
import { findSelectedRecords, selectedRecordsSql } from "./selected-records.ts";
import { dependencyText } from "./sentences.ts";

/** An explanation: the queries for the outcome of each condition and for values visible to the reader. */
export interface Explanation {
  /** Empty if no record is needed. */
  readonly queries: readonly [] | readonly [decided: Query, seen: Query];
  explain(decided: Row | undefined, seen: Row | undefined): WhyJson;
}

/**
 * Evaluates every deciding clause on the record, with the expressions that the operation itself uses. The answer is
 * limited to the reader's permissions: for an invisible record, it says only that. Without a record, the answer lists
 * the conditions.
 */
export const planExplanation = (
  context: PlanContext,
  request: ExplainRequest,
  caller: Caller,
  format: Format,
): Explanation => {
  const { model } = context;
  const { entity, operation, id, field, as: other } = request;
  const actor = other?.principal ?? caller.principal;
  const reader = caller.principal;
  const questionKey = [
    entity.name,
    operation.kind,
    operation.kind === "action" ? operation.action : operation.transition.name,
    field?.name ?? null,
  ];
  const principals = [principalKey(actor), principalKey(reader)];
  const known = context.statements.find(["considered", questionKey, principals], (): DecidingClauses => {
    const all = traceAccess(model, entity, operation, actor, reader);
    const grants = all.grants.filter(({ fields }) => field === null || fields === null || fields.has(field.name));
    const trace = { ...all, grants };
    return { trace, fields: fieldsRead(entity, trace) };
  });
  const phrasing: Phrasing = {
    model,
    phrases: caller.phrases,
    format,
    who: other?.name ?? null,
    source: isAdministrator(reader) ? context.source : null,
  };
  const peopleContext = { model, entity, reader, phrases: caller.phrases, format };
  const grantees = permittedPeople(peopleContext, known.trace, undefined);
  const explanation = { request, known, phrasing, context, reader, format, peopleContext, grantees };
  const constantAnswer = answerForAllRecords(explanation);
  // If the person lacks the role, the record decides if anybody else has the permission.
  const asksWhoCould = constantAnswer !== undefined && constantAnswer.could !== null && id !== null;
  if ((constantAnswer !== undefined && !asksWhoCould) || id === null)
    return {
      queries: [],
      explain: () => constantAnswer ?? explainClauses(explanation, "depends", dependencyText(explanation)),
    };

  const { trace } = known;
  const where = sql`FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")}`;
  const decided = context.statements.get(["why", questionKey, principals], () => {
    const row = rowEnv(model, entity, TABLE.alias);
    // A rule can be decided here only if the transition changes nothing that it reads.
    const env = { ...row, old: row.field };
    const truth = ({ condition }: ConditionTrace): Sql => sql`(${toSql(condition, env).truth})`;
    const requirementSql = (requirement: RequirementTrace): Sql =>
      requirement.when === null
        ? truth(requirement)
        : sql`(${toSql(requirement.when, env).falsehood}) OR ${truth(requirement)}`;
    const verdict = (holds: Sql, column: BooleanColumn): Sql => selectAs(sql`COALESCE(${holds}, FALSE)`, column);
    const columns = [
      sql`${TABLE}."id" AS "id"`,
      ...(entity.states === null ? [] : [selectAs(env.field(entity.states.field).sql, STATE)]),
      ...trace.grants.flatMap((grant, i) =>
        grant.conditions.map((condition, k) => verdict(truth(condition), conditionColumn(i, k))),
      ),
      ...trace.requirements.flatMap((requirement, i) =>
        requirement.isDecidable ? [verdict(requirementSql(requirement), requirementColumn(i))] : [],
      ),
    ];
    return { more: undefined, sql: sql`SELECT ${join(columns, ", ")} ${where}` };
  });
  const seen = context.statements.get(["why seen", questionKey, principals], () => {
    const scope = readScope(model, entity, reader, TABLE.alias);
    const readable = readerEnv(model, entity, reader, TABLE.alias);
    const seenBy = { ...readable, old: readable.field };
    const seenIn = (shown: ShownFields) => {
      const env = readerEnv(model, entity, reader, TABLE.alias, undefined, shown);
      return { ...env, old: env.field };
    };
    const disclosure = () =>
      disclosedWhere(model, reader, entity, { grants: [grantsFor(model, entity, "read", reader)] });
    const words = trace.requirements.flatMap(({ rule, isDecidable }, i) =>
      rule === null || !isDecidable
        ? []
        : [selectAs(messageValuesSql(rule.message, seenBy, disclosure), requirementWordsColumn(i))],
    );
    const records = trace.requirements.flatMap((requirement, i) => {
      const selected = findSelectedRecords(model, request, reader, requirement);
      return selected === undefined ? [] : [selectAs(selectedRecordsSql(selected, seenIn), selectedRecordsColumn(i))];
    });
    const people = [...peopleColumns(trace, reader, seenBy), ...representedColumns(peopleContext, trace, seenBy)];
    const visibility = [...findPartlyReadable(trace)].flatMap((name) => {
      const visibleWhen = scope.visibleWhen(name);
      return visibleWhen === undefined ? [] : [selectAs(sql`COALESCE(${visibleWhen}, FALSE)`, visibilityColumn(name))];
    });
    const columns = known.fields.flatMap((item) => {
      const column = scope.column(item.name);
      if (column === undefined) return [];
      const target = item.type === "reference" ? model.entities.get(item.entity ?? "") : undefined;
      return [
        selectAs(column, foundColumn(item.name)),
        ...(target === undefined
          ? []
          : [
              selectAs(
                (item.many ? referenceLabelsSql : referenceLabelSql)(model, target, reader, column),
                referenceLabelColumn(item.name),
              ),
            ]),
      ];
    });
    return {
      more: undefined,
      sql: sql`SELECT ${join([sql`${TABLE}."id" AS "id"`, ...columns, ...visibility, ...words, ...records, ...people], ", ")} ${where} AND ${asCondition(scope.rows)}`,
    };
  });
  return {
    queries: [
      toQuery(decided, { ...callerParams({ ...caller, principal: actor }), id }),
      toQuery(seen, { ...callerParams(caller), id }),
    ],
    explain: (row, shown) => {
      if (row === undefined || shown === undefined)
        return constantAnswer ?? explainClauses(explanation, "unseen", caller.phrases.sentences.unseen);
      const found = explainOnRecord(explanation, row, shown);
      return constantAnswer === undefined ? found : { ...constantAnswer, could: found.could };
    },
  };
};

/** Fields that are readable on some records only. */
const findPartlyReadable = ({ grants, from, requirements }: AccessTrace): ReadonlySet<string> =>
  new Set(
    [...grants.flatMap(({ conditions }) => conditions), ...(from === null ? [] : [from]), ...requirements].flatMap(
      (item) => item.sometimesReadable,
    ),
  );

const fieldsRead = (entity: Entity, { grants, requirements }: AccessTrace): readonly Field[] => {
  const read = new Set(
    [...grants.flatMap(({ conditions }) => conditions), ...requirements].flatMap((trace) => [
      ...collectFieldsRead(trace),
    ]),
  );
  return [...entity.fields.values()].filter(({ name, storage }) => read.has(name) && storage.as !== "inverse");
};
