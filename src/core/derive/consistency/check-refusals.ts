import type { Expr } from "../../expression/expr.ts";
import type { Precondition } from "../../model/effect.ts";
import type { Call } from "../../model/endpoint.ts";
import type { Entity, Transition, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { placeInQuery } from "../../model/error-entry.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { decidingClauseId } from "../authorization/grants.ts";
import { limitsCharacters } from "../sql/field-bounds.ts";
import type { AffectedRule } from "./read-sets.ts";
import { uniquenessPointer } from "./uniqueness.ts";

/*
 * The refusal for each check of a call (`call-checks.ts`). The server gives these refusals when a check fails, and OpenAPI
 * lists them as the possible errors of a call.
 */

/** A refusal of a call as a whole: its code and its clause. */
export interface CallRefusal {
  /** A built-in error, or one that a rule raises before a transition. */
  readonly code: string;
  readonly clause: string;
}

/** No record with this id that the caller can read. */
export const recordRefusal = (entity: Entity): CallRefusal => ({
  code: "NOT_FOUND",
  clause: decidingClauseId(entity, "read"),
});

/** No permission of the caller covers the action, or none on this record. */
export const permissionRefusal = (clause: string): CallRefusal => ({ code: "FORBIDDEN", clause });

/** The permission depends on the caller's identity, and nobody is signed in. */
export const signInRefusal = (clause: string): CallRefusal => ({ code: "NOT_SIGNED_IN", clause });

/** The page token belongs to another list or another order. */
export const cursorRefusal: Pick<CallRefusal, "code"> = { code: "BAD_CURSOR" };

/** The idempotency key was used with another request. */
export const keyRefusal: Pick<CallRefusal, "code"> = { code: "KEY_REUSED" };

/** The record was changed since the caller read it. */
export const versionRefusal = ({ clause }: Entity): CallRefusal => ({ code: "CHANGED_MEANWHILE", clause: clause.id });

/** The transition does not start from the record's current state. */
export const stateRefusal = ({ clause }: Pick<Transition, "clause">): CallRefusal => ({
  code: "WRONG_STATE",
  clause: clause.id,
});

/** The condition of a transition or of a letter is false. */
export const guardRefusal = ({ clause }: Pick<Transition, "clause">): CallRefusal => ({
  code: "GUARD",
  clause: clause.id,
});

/** A precondition of the transition is false. */
const preconditionRefusal = ({ clause, error }: Precondition): CallRefusal => ({
  code: error,
  clause: clause.id,
});

/**
 * The conditions of a transition on the record before it, each with its refusal, in the order in which they are
 * checked.
 */
export const guardChecks = (
  transition: Pick<Transition, "clause" | "guard" | "preconditions">,
): readonly { readonly holds: Expr; readonly refusal: CallRefusal }[] => [
  ...transition.preconditions.map((precondition) => ({
    holds: precondition.holds,
    refusal: preconditionRefusal(precondition),
  })),
  ...(transition.guard === null ? [] : [{ holds: transition.guard, refusal: guardRefusal(transition) }]),
];

/** The record cannot be deleted, because other records refer to it. `clause`: that of the record's entity. */
export const referringRefusal = (clause: string): CallRefusal => ({ code: "IN_USE", clause });

/** The caller may know the field but may not write it here. `clause`: that of the action. */
export const closedFieldRefusal = (clause: string): CallRefusal => ({ code: "NOT_YOURS_TO_WRITE", clause });

/** The body has a field that does not exist, or that the caller may not know. */
export const unknownFieldRefusal = ({ clause }: Entity): CallRefusal => ({ code: "UNKNOWN_FIELD", clause: clause.id });

/** A refusal: its code, its clause, and its JSON pointer in the request body (`""` for the record as a whole). */
export interface CheckRefusal {
  readonly code: string;
  readonly clause: string;
  readonly at: string;
}

const atField = (code: string, { name, clause }: Field): CheckRefusal => ({ code, clause: clause.id, at: `/${name}` });

/** A value below the smallest that its field accepts, or too short. */
export const minRefusal = (field: Field): CheckRefusal =>
  atField(limitsCharacters(field) ? "TOO_SHORT" : "TOO_SMALL", field);

/** A value above the largest that its field accepts, or too long. */
export const maxRefusal = (field: Field): CheckRefusal =>
  atField(limitsCharacters(field) ? "TOO_LONG" : "TOO_LARGE", field);

/** The refusals of values that the document computes for fields with bounds. */
export const boundRefusals = (fields: readonly Field[]): readonly CheckRefusal[] =>
  fields.flatMap((field) => [
    ...(field.min === null ? [] : [minRefusal(field)]),
    ...(field.max === null ? [] : [maxRefusal(field)]),
  ]);

/** The address of a custom endpoint does not match any value of its fields. */
export const addressRefusal = ({ clause }: Pick<Call, "clause">): CallRefusal => ({
  code: "NOT_FOUND",
  clause: clause.id,
});

/** A parameter of an address is malformed for its field. Without an entry for this error, the record is not found. */
export const pathRefusal = (entity: Entity): CallRefusal => ({ ...recordRefusal(entity), code: "BAD_PATH" });

/** A query parameter takes an id, and its value is none. Without an entry for this error, no record has this id. */
export const malformedIdRefusal = ({ clause }: Pick<Call, "clause">, parameter: string) =>
  ({ code: "BAD_PATH", clause: clause.id, at: placeInQuery(parameter) }) as const;

/** Two parameters of an address give different values for one field of a new record. */
export const twoValuesRefusal = (entity: Entity): CallRefusal => ({
  code: "NOT_FOUND",
  clause: decidingClauseId(entity, "create"),
});

/** A custom endpoint would delete more records than one request may. */
export const tooManyDeletedRefusal = ({ clause }: Pick<Call, "clause">): CallRefusal => ({
  code: "TOO_MUCH",
  clause: clause.id,
});

/** The body has a member that the custom endpoint does not declare. */
export const unknownMemberRefusal = ({ clause }: Pick<Call, "clause">): CallRefusal => ({
  code: "UNKNOWN_FIELD",
  clause: clause.id,
});

/** A value has the wrong type. `clause`: that of its field. */
export const typeRefusal = (clause: string): CallRefusal => ({ code: "WRONG_TYPE", clause });

/** A list has more parts than one request can write. */
export const tooManyPartsRefusal = ({ clause }: Pick<Field, "clause">): CallRefusal => ({
  code: "TOO_MANY_PARTS",
  clause: clause.id,
});

/** The record has no part with this id. `field`: the reference of the part to its parent. */
export const unknownPartRefusal = (field: Field): CallRefusal => ({ code: "NO_SUCH_PART", clause: field.clause.id });

/** A part is sent twice. `field`: the reference of the part to its parent. */
export const repeatedPartRefusal = (field: Field): CallRefusal => ({ code: "PART_TWICE", clause: field.clause.id });

/** A required field has no value. A transition can require a field that is optional otherwise. */
export const requiredRefusal = (field: Field, transition?: Transition): CheckRefusal => ({
  ...atField("REQUIRED", field),
  ...(transition === undefined ? {} : { clause: transition.clause.id }),
});

/** The body lacks a member that the call asks for, or the member has no value. `at`: a JSON pointer to it. */
export const missingMemberRefusal = ({ clause }: Pick<Call, "clause">, at: string): CheckRefusal => ({
  code: "REQUIRED",
  clause: clause.id,
  at,
});

/** A registration lacks the password. `at`: a JSON pointer to it. */
export const missingCredentialRefusal = (at: string): CheckRefusal => ({ code: "REQUIRED", clause: "7.sign in", at });

/** A value is not one of those that its field allows. */
export const amongRefusal = (field: Field): CheckRefusal => atField("NOT_AMONG", field);

/** A reference names no record that the caller can read. */
export const referenceRefusal = (field: Field): CheckRefusal => atField("NO_SUCH_REFERENCE", field);

/** No file with this id that the caller can use. */
export const fileRefusal = (field: Field): CheckRefusal =>
  atField(field.type === "image" ? "NO_SUCH_PICTURE" : "NO_SUCH_FILE", field);

/** A cell of an import names a file of a ZIP file that cannot be used. */
export const zippedFileRefusal = (
  field: Field,
  fault: "missing" | "several" | "too large" | "unreadable",
): CheckRefusal => {
  if (fault === "too large") return { ...atField("FILE_TOO_LARGE", field), clause: "9.upload_size" };
  const codes = { missing: "NOT_IN_ZIP", several: "SEVERAL_IN_ZIP", unreadable: "UNREADABLE_IN_ZIP" } as const;
  return atField(codes[fault], field);
};

/** Another record has the value of a unique field. */
export const takenRefusal = (field: Field): CheckRefusal => atField("TAKEN", field);

/**
 * A rule of the record is violated. Its error determines the field; otherwise it is the last field that the rule reads.
 */
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

/** A rule of another record would be violated. */
export const affectedRuleRefusal = ({ rule }: Pick<AffectedRule, "rule">): CheckRefusal => ({
  code: rule.error,
  clause: rule.clause.id,
  at: "",
});
