import type { Field, Model, UniquenessRule, ValidationRule } from "../../model/model.ts";
import type { AffectedRule } from "./read-sets.ts";
import { uniquenessPointer } from "./uniqueness.ts";

/*
 * The refusal for each check of a write. The server gives these refusals when a check fails, and OpenAPI lists them as the
 * possible errors of a call.
 */

/** A refusal: its code, its clause, and its JSON pointer in the request body (`""` for the record as a whole). */
export interface CheckRefusal {
  readonly code: string;
  readonly clause: string;
  readonly at: string;
}

const atField = (code: string, { name, clause }: Field): CheckRefusal => ({ code, clause: clause.id, at: `/${name}` });

/** A required field has no value. */
export const requiredRefusal = (field: Field): CheckRefusal => atField("REQUIRED", field);

/** A value is not among those that its field allows. */
export const amongRefusal = (field: Field): CheckRefusal => atField("NOT_AMONG", field);

/** A reference names no record that the caller can read. */
export const referenceRefusal = (field: Field): CheckRefusal => atField("NO_SUCH_REFERENCE", field);

/** A field names no file that the caller can give. */
export const fileRefusal = (field: Field): CheckRefusal =>
  atField(field.type === "image" ? "NO_SUCH_PICTURE" : "NO_SUCH_FILE", field);

/** A unique field has the value of another record. */
export const takenRefusal = (field: Field): CheckRefusal => atField("TAKEN", field);

/** A rule of the record does not hold. Its error says at which field; else it is the last field that the rule reads. */
export const ruleRefusal = (model: Model, { error, clause, reads }: ValidationRule): CheckRefusal => {
  const at = model.errors.get(error)?.at ?? reads.at(-1);
  return { code: error, clause: clause.id, at: at === undefined ? "" : `/${at}` };
};

/** Another record has the values that must be unique, or overlaps. */
export const uniquenessRefusal = (model: Model, rule: UniquenessRule): CheckRefusal => ({
  code: rule.error,
  clause: rule.clause.id,
  at: uniquenessPointer(model, rule),
});

/** A rule of another record does not hold any more. */
export const affectedRuleRefusal = ({ rule }: Pick<AffectedRule, "rule">): CheckRefusal => ({
  code: rule.error,
  clause: rule.clause.id,
  at: "",
});
