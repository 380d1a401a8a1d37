import { specless } from "../../core/field/kind.ts";
import { fieldKinds } from "../../core/field/kinds.ts";
import type { TakenField } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import type { Values } from "../intent.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type RefusalAt, typeMismatch } from "../refusal.ts";

/**
 * The errors of a request about signing in, or about a forgotten password, that no account could answer: a missing value,
 * or one that is no text or no email address. They depend on the request alone, so they tell nothing about any account.
 */
export const findSignInErrors = (model: Model, takes: readonly TakenField[], sent: Values): readonly RefusalAt[] =>
  takes.flatMap(({ field }): readonly RefusalAt[] => {
    const at = `/${field}`;
    const value = sent[field];
    const own = model.entities.get("User")?.fields.get(field);
    const title = own?.title ?? field;
    const clause = own?.clause.id ?? SIGN_IN_CLAUSE;
    if (value === undefined || value === null || value === "")
      return [{ at, code: "REQUIRED", clause, values: { field: title } }];
    const kind = field === "email" ? "email" : "text";
    const isEmail = typeof value === "string" && fieldKinds.email.read(value.trim(), specless).ok;
    return (kind === "email" ? isEmail : typeof value === "string")
      ? []
      : [typeMismatch(at, clause, { field: title, type: kind })];
  });
