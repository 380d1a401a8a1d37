import type {
  AccessTrace,
  ConditionTrace,
  EntityOperation,
  RequirementTrace,
} from "../../../core/derive/authorization/access-trace.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Phrasing } from "../../../core/explain/phrase.ts";
import type { Grantees } from "../../../core/explain/who-may.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { PlanContext } from "../context.ts";
import {
  asText,
  asValue,
  type BooleanColumn,
  booleanColumn,
  type ResultColumn,
  resultColumn,
} from "../result-columns.ts";
import type { permittedPeople } from "./people.ts";

/** A question: the operation, the person who would perform it, the record, and the reader of the answer. */
export interface ExplainRequest {
  readonly entity: Entity;
  readonly operation: EntityOperation;
  /** Null for a question without a record, such as on creation. */
  readonly id: string | null;
  /** The field in question; null for any. */
  readonly field: Field | null;
  /** The person who would perform it and their name; null for the asking person. */
  readonly as: { readonly principal: Principal; readonly name: string } | null;
}

/** The clauses that decide a question, equal for all records. */
export interface DecidingClauses {
  readonly trace: AccessTrace;
  /** The record's own fields in the conditions, in document order. */
  readonly fields: readonly Field[];
}

/** The context for wording an answer. */
export interface ExplainContext {
  readonly request: ExplainRequest;
  readonly known: DecidingClauses;
  readonly phrasing: Phrasing;
  readonly context: PlanContext;
  readonly reader: Principal;
  readonly format: Format;
  readonly peopleContext: Parameters<typeof permittedPeople>[0];
  /** The persons who have the permission. */
  readonly grantees: readonly Grantees[];
}

/** The state of the record. */
export const STATE = resultColumn("is:state", asText);
/** The condition with index `k` of the grant with index `i` holds. */
export const conditionColumn = (i: number, k: number): BooleanColumn => booleanColumn(`way:${i}:${k}`);
export const requirementColumn = (nth: number): BooleanColumn => booleanColumn(`must:${nth}`);
/** The values of the message of a violated requirement. */
export const requirementWordsColumn = (nth: number): ResultColumn<unknown> => resultColumn(`words:${nth}`, asValue);
/** The other records that a requirement selects, in the reader's scope: how many, the first ids, and their labels. */
export const selectedRecordsColumn = (nth: number): ResultColumn<SelectedRecords | undefined> =>
  resultColumn(`records:${nth}`, (value) => (value === null ? undefined : (value as SelectedRecords | undefined)));

interface SelectedRecords {
  readonly count: number;
  readonly ids: readonly string[];
  readonly labels: readonly unknown[];
}
/** The value of a field that the conditions read; undefined if the reader can never see it. */
export const foundColumn = (field: string): ResultColumn<unknown> => resultColumn(`found:${field}`, asValue);

/** The fields of the record in a condition and its `when`. */
export const collectFieldsRead = (trace: ConditionTrace | RequirementTrace): ReadonlySet<string> => {
  const { fields } = collectReadSet(trace.condition);
  return "when" in trace && trace.when !== null ? new Set([...collectReadSet(trace.when).fields, ...fields]) : fields;
};
