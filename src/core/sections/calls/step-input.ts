import type { Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { FieldShape, Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { TakenField } from "../../model/endpoint.ts";
import type { Span } from "../../source-text.ts";
import { checkExpression, mentionOwnField, mentionPath, reportUnknownName } from "../linking/link-context.ts";
import { inputNames } from "./call-address.ts";
import type { StepSyntax } from "./call-syntax.ts";
import { payloadFields } from "./payload-fields.ts";
import { isExecutableInCall, type Payload } from "./payloads.ts";
import type { StepContext } from "./step-context.ts";
import type { StepKind } from "./step-verb.ts";
import { appliesShape, isPartList, linkTakenParts, type TakenParts } from "./taken-parts.ts";

/** Members that change the password of the caller's own account. */
const passwords: readonly string[] = ["password", "current_password"];

/** Members of a call about the caller's own account that are no fields. */
export const ownCredentials = (kind: StepKind): readonly string[] => {
  if (kind === "update") return [...passwords, "token"];
  return kind === "read" ? ["token"] : [];
};

/**
 * Links the values that the call sets in addition to the payload. They can read the user, the time, constants and the
 * address, but no record.
 */
export const linkSet = (
  syntax: StepSyntax,
  { entity, fields, scope, linking, notExecuted }: StepContext,
): ReadonlyMap<string, Expr> => {
  const { entity: _, ...without } = scope;
  const place: Scope = { ...without, names: inputNames(syntax.query ?? [], entity, scope, false) };
  const set = new Map<string, Expr>();
  for (const { name, key, value } of syntax.set ?? []) {
    const field = fields?.get(name);
    linking.mentions.push({ of: "field", entity, name, span: key });
    if (field === undefined) reportUnknownName(linking, key, `field of ${entity}`, name, fields?.keys() ?? []);
    const expr = checkExpression(value, place, field?.type, linking);
    if (expr === undefined || field === undefined) continue;
    if (field.column === undefined || !isExecutableInCall(expr, place, linking))
      notExecuted("reads what is not decided", value.span);
    else set.set(name, expr);
  }
  return set;
};

/**
 * Links the position of each field in the request body: `{ user: { email, name } }`. Undefined, with a finding, if it
 * is not a valid payload. `isOwn`: the step updates the account of its caller, whose password it can change.
 */
export const linkTakes = (
  payload: Payload | undefined,
  credentials: readonly string[],
  step: StepContext,
): readonly TakenField[] | null | undefined => {
  if (payload === undefined) return null;
  const { clause, entity, fields, names, scope, linking, notExecuted } = step;
  const partInputs = new Map<string, TakenParts>();
  const isCredential = (field: string): boolean => credentials.includes(field) && fields?.has(field) !== true;
  let confirmation: Span | undefined;
  const linked = payloadFields(payload, linking, ({ name, key, field: fieldName, span }) => {
    if (appliesShape(fieldName)) {
      const parts = linkTakenParts(fieldName, span ?? key, entity, step);
      if (parts !== undefined) partInputs.set(fieldName, parts);
      return parts !== undefined;
    }
    const [field = "", ...more] = fieldName.split(".");
    const shape = fields?.get(field);
    if (span === undefined) {
      if (shape !== undefined) mentionOwnField(linking, entity, field, key);
    } else mentionPath(linking, scope, entity, fieldName, span);
    if (isCredential(fieldName)) {
      if (fieldName === "current_password") confirmation = span ?? key;
      return true;
    }
    if (credentials.length === 1) {
      linking.report(
        finding("BAD_VALUE", span ?? key, "A call that reads takes only “token”.", "Remove it.", { clause }),
      );
      return false;
    }
    if (entity === "User" && shape === undefined && passwords.includes(fieldName)) {
      linking.report(
        finding(
          "BAD_VALUE",
          span ?? key,
          "A call changes only the password of its own caller.",
          "Write “update: User” with “where: this == user”, and without a path parameter.",
          { clause },
        ),
      );
      return false;
    }
    if (shape !== undefined && more.length > 0) return isKey(field, shape, more, span ?? key);
    if (shape === undefined) reportUnknownName(linking, span ?? key, `field of ${entity}`, field, fields?.keys() ?? []);
    else if (shape.column === undefined && !isPartList(shape, names)) notExecuted("reads what is not decided", key);
    else return true;
    return name === "";
  });
  if (confirmation !== undefined && linked?.every(({ field }) => field !== "password"))
    linking.report(
      finding(
        "MISSING_KEY",
        confirmation,
        "The current password is only asked for a new one.",
        "Add “password” to “takes”, or remove “current_password”.",
        { clause },
      ),
    );
  return linked?.map(({ path, field: fieldName }): TakenField => {
    if (isCredential(fieldName)) return { path, field: fieldName, isCredential: true };
    const parts = partInputs.get(fieldName);
    if (parts !== undefined) return { path, ...parts };
    const [field = "", name] = fieldName.split(".");
    const target = fields?.get(field)?.type;
    if (name === undefined || target?.kind !== "record") return { path, field };
    const at = withoutPlace(name, target.entity);
    return at === undefined
      ? { path, field }
      : { path, field, by: { name: fieldName, at, field: { entity: target.entity, name }, parent: null, fixes: null } };
  });

  function withoutPlace(name: string, of: string): Expr | undefined {
    const span = payload !== undefined && "text" in payload ? payload.span : { file: "", start: 0, end: 0 };
    const text: Scalar = { kind: "scalar", text: name, span, quoted: false, origin: () => span.start };
    return checkExpression(text, { ...scope, entity: of }, undefined, linking);
  }

  /** `section.code`: the reference, and a unique field of its entity. */
  function isKey(field: string, { type }: FieldShape, [name = "", ...more]: readonly string[], span: Span): boolean {
    const of = type.kind === "record" ? names.entities.get(type.entity) : undefined;
    const target = of?.fields.get(name);
    if (of !== undefined && more.length === 0 && target?.unique === true) return true;
    linking.report(
      finding(
        "BAD_VALUE",
        span,
        `“${[field, name, ...more].join(".")}” does not identify one record.`,
        "Write a reference and a unique field of its entity, such as section.code, or the reference alone for its id.",
      ),
    );
    return false;
  }
};

/** Links the fields that a request must have. */
export const linkAsks = (
  names: readonly Spanned<string>[],
  takes: readonly TakenField[] | null | undefined,
  { entity, fields, several, linking }: StepContext,
): readonly string[] =>
  names.flatMap(({ value, span }) => {
    linking.mentions.push({ of: "field", entity, name: value, span });
    if (fields?.has(value) !== true) {
      reportUnknownName(linking, span, `field of ${entity}`, value, fields?.keys() ?? []);
      return [];
    }
    if (takes === null ? !several : takes?.some(({ field }) => field === value) !== false) return [value];
    linking.report(
      finding("BAD_VALUE", span, `The call asks for ${value}, but does not take it.`, "Add it to “takes”."),
    );
    return [];
  });
