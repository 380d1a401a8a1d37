import type { Considered, Doing, Must, Need } from "../../../core/derive/authorization/explain-access.ts";
import type { Person } from "../../../core/derive/authorization/grants.ts";
import type { Phrasing } from "../../../core/explain/phrase.ts";
import type { Through } from "../../../core/explain/who-may.ts";
import { readsOf } from "../../../core/expression/inspect/read-set.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Field } from "../../../core/model/model.ts";
import type { Context } from "../context.ts";
import type { throughsOf } from "./people.ts";

/** A question: who would do what, with which record, and who is told. */
export interface WhyAsked {
  readonly entity: Entity;
  readonly doing: Doing;
  /** Null where it is asked without a record: what is made is none yet. */
  readonly id: string | null;
  /** The one field that it is about; null: any. */
  readonly field: Field | null;
  /** Who would do it, and what they are called; null where that is who asks. */
  readonly as: { readonly person: Person; readonly name: string } | null;
}

/** The clauses that decide a question, the same for all records. */
export interface Known {
  readonly considered: Considered;
  /** The fields of the record itself that the conditions read, in document order. */
  readonly fields: readonly Field[];
}

/** What saying an answer needs to know. */
export interface Telling {
  readonly asked: WhyAsked;
  readonly known: Known;
  readonly phrasing: Phrasing;
  readonly context: Context;
  readonly reader: Person;
  readonly format: Format;
  readonly whose: Parameters<typeof throughsOf>[0];
  /** Who could. */
  readonly through: readonly Through[];
}

/** The fields of the record that a condition reads, and that of where it is judged. */
export const fieldsOf = (need: Need | Must): ReadonlySet<string> => {
  const { fields } = readsOf(need.condition);
  return "when" in need && need.when !== null ? new Set([...readsOf(need.when).fields, ...fields]) : fields;
};
