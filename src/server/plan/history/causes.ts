import { discloseCauses, type LineDisclosure } from "../../../core/analysis/disclosure/history-disclosure.ts";
import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { automaticTransitions } from "../../../core/derive/consistency/read-sets.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { namesOfEntity, transitionSince } from "../../../core/model/renaming.ts";
import { constant, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { LineCause } from "../../../core/wire/history.ts";
import type { Row } from "../../../postgres/database.ts";
import { CAUSES, LINES, OTHER } from "../aliases.ts";
import { type Caller, type PlanContext, principalKey } from "../context.ts";
import { type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { labelSql, labelText } from "../row/labels.ts";
import { asCondition, readScope, rowFilterSql } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { isSince } from "./lines.ts";

/*
 * Links the history line of a consequence to its cause, for readers of the causing record who can know the causing
 * operation.
 */

/** The entities whose writes can cause writes of this one, limited to those with readable records. */
const findCausingEntities = (model: Model, entity: Entity, { principal }: Caller): readonly Entity[] => {
  const parents = new Set(findParents(model, entity).map(({ entity: parent }) => parent));
  const conditions = automaticTransitions(model).filter(({ owner }) => owner === entity);
  // An automatic transition can follow a write of its own record, or of the records that its condition reads.
  const waitedFor = new Set([
    ...(conditions.length === 0 ? [] : [entity.name]),
    ...conditions.flatMap(({ reads }) => reads.flatMap(({ recordReads }) => recordReads.map((read) => read.entity))),
  ]);
  return [...model.entities.values()].filter(
    (other) =>
      (parents.has(other) ||
        waitedFor.has(other.name) ||
        [...other.after.values()].flat().some((effect) => "entity" in effect && effect.entity === entity.name)) &&
      grantsFor(model, other, "read", principal).length > 0,
  );
};

/** The disclosed part of a line's cause. */
export interface DisclosedCause {
  /** Undefined for a deleted record, which has no label. */
  readonly cause: LineCause | undefined;
  readonly person: boolean;
  readonly time: boolean;
}

export interface CauseReader {
  readonly columns: readonly Sql[];
  /** `isOpen` tells for each read grant of the line's own record if it covers the record. */
  readonly read: (row: Row, isOpen: readonly boolean[], format: Format) => DisclosedCause | undefined;
}

const causeColumn = ({ name }: Entity): ResultColumn<Row | null> =>
  resultColumn(`cause:${name}`, (value) => (value ?? null) as Row | null);

/** Columns of the causing line `c` of a line `a`, and their decoder. */
export const causeColumns = (context: PlanContext, entity: Entity, caller: Caller): CauseReader => {
  const { model, past, statements } = context;
  const { principal } = caller;
  const from = findCausingEntities(model, entity, caller);
  const columns = from.map((other) => {
    const names = namesOfEntity(past, other.name).map((name) => constant(name));
    const scope = readScope(model, other, principal, OTHER.alias);
    const open = scope.grants.map((grant) => sql`COALESCE(${asCondition(rowFilterSql([grant], scope.env))}, FALSE)`);
    const line = sql`jsonb_build_object('id', ${OTHER}."id", 'label', ${labelSql(model, other, principal, OTHER.alias)}, 'action', ${CAUSES}.action, 'document', ${CAUSES}.document, 'open', jsonb_build_array(${join(open, ", ")}))`;
    return selectAs(
      sql`(SELECT ${line} FROM ninefold.audit AS ${CAUSES} LEFT JOIN ${tableSql(other)} AS ${OTHER} ON ${OTHER}."id" = ${CAUSES}.record WHERE ${CAUSES}.id = ${LINES}.cause AND ${isSince(sql`${CAUSES}.id`, sql`${slot("id", "uuid")}`)} AND ${CAUSES}.entity IN (${join(names, ", ")}) AND (${OTHER}."id" IS NULL OR ${asCondition(scope.rows)}))`,
      causeColumn(other),
    );
  });
  return {
    columns,
    read: (row, isOpen, format) => {
      for (const other of from) {
        const found = readColumn(row, causeColumn(other));
        if (found === null) continue;
        const action = transitionSince(past, Number(found.document), other.name, String(found.action));
        const disclosure = statements.find(
          ["cause", entity.name, other.name, action, principalKey(principal)],
          (): {
            readonly byCausingRecord: readonly LineDisclosure[];
            readonly byOwnRecord: readonly LineDisclosure[];
          } => {
            const { ofOtherRecord, ofOwnRecord } = discloseCauses(model, other, entity, principal);
            return { byCausingRecord: ofOtherRecord(action), byOwnRecord: ofOwnRecord(action) };
          },
        );
        const openThere = Array.isArray(found.open) ? found.open : [];
        const isDisclosed = (part: keyof LineDisclosure): boolean =>
          disclosure.byCausingRecord.some((candidate, i) => openThere[i] === true && candidate[part]) &&
          disclosure.byOwnRecord.some((candidate, i) => isOpen[i] === true && candidate[part]);
        if (!isDisclosed("action")) return undefined;
        const exists = typeof found.id === "string";
        return {
          cause: exists
            ? { entity: other.name, id: String(found.id), label: labelText(other.label, found.label, format), action }
            : undefined,
          person: isDisclosed("person"),
          time: isDisclosed("time"),
        };
      }
      return undefined;
    },
  };
};
