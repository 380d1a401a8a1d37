import type {
  AccessTrace,
  ConditionTrace,
  EntityOperation,
  RequirementTrace,
} from "../../../core/derive/authorization/explain-access.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Phrasing } from "../../../core/explain/phrase.ts";
import type { Through } from "../../../core/explain/who-may.ts";
import { readSetOf } from "../../../core/expression/inspect/read-set.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Field } from "../../../core/model/model.ts";
import type { PlanContext } from "../context.ts";
import type { permittedPeople } from "./people.ts";

/** A question: who would do what, with which record, and who is told. */
export interface ExplainRequest {
  readonly entity: Entity;
  readonly operation: EntityOperation;
  /** Null where it is asked without a record: what is made is none yet. */
  readonly id: string | null;
  /** The one field that it is about; null: any. */
  readonly field: Field | null;
  /** Who would do it, and what they are called; null where that is who asks. */
  readonly as: { readonly principal: Principal; readonly name: string } | null;
}

/** The clauses that decide a question, the same for all records. */
export interface DecidingClauses {
  readonly trace: AccessTrace;
  /** The fields of the record itself that the conditions read, in document order. */
  readonly fields: readonly Field[];
}

/** What saying an answer needs to know. */
export interface ExplainContext {
  readonly asked: ExplainRequest;
  readonly known: DecidingClauses;
  readonly phrasing: Phrasing;
  readonly context: PlanContext;
  readonly reader: Principal;
  readonly format: Format;
  readonly whose: Parameters<typeof permittedPeople>[0];
  /** Who could. */
  readonly through: readonly Through[];
}

/** The fields of the record that a condition reads, and that of where it is judged. */
export const fieldsReadBy = (need: ConditionTrace | RequirementTrace): ReadonlySet<string> => {
  const { fields } = readSetOf(need.condition);
  return "when" in need && need.when !== null ? new Set([...readSetOf(need.when).fields, ...fields]) : fields;
};
