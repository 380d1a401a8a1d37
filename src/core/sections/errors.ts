import { noneAsEmpty, orNone } from "../document/shape/combinators.ts";
import { keyed } from "../document/shape/list-and-mapping.ts";
import { optional, record, required } from "../document/shape/record.ts";
import { plainText, template, wholeNumber } from "../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import type { Scope } from "../expression/values/type.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import { type BuiltInError, builtInErrors, isBuiltInError } from "../model/errors.ts";
import type { ErrorEntry } from "../model/model.ts";
import type { Span } from "../source-text.ts";
import { type LinkedEntity, resolveField } from "./entities/entities.ts";
import { checkBraces, type LinkedErrors } from "./linking/error-catalogue.ts";
import { errorPayload, linkErrorShape } from "./linking/error-shape.ts";
import { clauseAt, type Linking, mentionEntity, reportUnknownName } from "./linking/link-context.ts";

/** Point 8: the error catalogue. */
const entry = record(
  "an error",
  {
    status: optional(wholeNumber),
    message: required(template),
    help: optional(plainText),
    at: optional(plainText),
    shape: optional(orNone(errorPayload)),
  },
  "message",
);

export const errorsShape = noneAsEmpty(keyed("a mapping from codes to errors", entry));

export type ErrorsSyntax = readonly Named<ShapeValue<typeof entry>>[];

export const linkErrors = (
  syntax: ErrorsSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  scope: Scope,
  linking: Linking,
): LinkedErrors => {
  const errors = new Map<string, ErrorEntry>(
    Object.entries(builtInErrors).map(([code, row]) => [
      code,
      { code, help: null, at: null, shape: null, clause: null, ...row },
    ]),
  );
  const messages = new Map<string, Scalar>();
  const places = new Map<string, Spanned<string>>();
  for (const { name, key, value } of syntax ?? []) {
    const clause = clauseAt(`8.${name}`, key);
    const known = errors.get(name);
    const scoped = name.split(".");
    const general = scoped.length > 1 ? resolveScoped(scoped, key, value.message, entities, linking) : undefined;
    if (scoped.length > 1 && general === undefined) continue;
    if (general === undefined && !/^[A-Z][A-Z0-9_]*$/u.test(name)) {
      linking.report(
        finding(
          "BAD_NAME",
          key,
          `“${name}” is not the code of an error.`,
          "Codes consist of capitals, digits and underscores, for example DATES_REVERSED.",
        ),
      );
      continue;
    }
    const status = value.status?.value ?? (known ?? general)?.status ?? 422;
    if (status < 400 || status > 499) {
      linking.report(
        finding(
          "BAD_VALUE",
          value.status?.span ?? key,
          `The status of an error is from 400 to 499, not ${status}.`,
          "Use 422 for invalid input and 409 for a conflict with stored data.",
        ),
      );
      continue;
    }
    if (general === undefined) messages.set(name, value.message);
    if (value.at !== undefined) places.set(name, value.at);
    errors.set(name, {
      code: general?.code ?? name,
      status,
      message: value.message.text,
      help: value.help?.value ?? null,
      at: value.at?.value ?? null,
      shape:
        value.shape === undefined || value.shape === "none"
          ? (value.shape ?? null)
          : linkErrorShape(value.shape, clause.id, scope, linking),
      clause,
    });
  }
  return { errors, messages, places };
};

/** Resolves `User.NOT_FOUND` or `User.email.TAKEN`: a built-in error with a message for one entity or field. */
const resolveScoped = (
  [entity = "", ...rest]: readonly string[],
  key: Span,
  message: Scalar,
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): { readonly code: string; readonly status: number } | undefined => {
  const linked = entities.get(entity);
  const code = rest.at(-1) ?? "";
  const field = rest.length === 2 ? rest[0] : undefined;
  const isKnown = Object.hasOwn(builtInErrors, code) && rest.length <= 2;
  mentionEntity(linking, key, entity);
  if (linked === undefined) reportUnknownName(linking, key, "entity", entity, entities.keys());
  else if (field !== undefined) resolveField(linked, { value: field, span: key }, linking, { acts: true });
  if (!isKnown) reportUnknownName(linking, key, "built-in error", code, Object.keys(builtInErrors));
  if (
    linked === undefined ||
    !isKnown ||
    (field !== undefined && !linked.named.has(field) && !linked.fields.has(field))
  )
    return undefined;
  const { status } = builtInErrors[code as BuiltInError];
  return checkBraces(code as BuiltInError, message, undefined, linking) ? { code, status } : undefined;
};

export const listErrorDefaults = (syntax: ErrorsSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["BUILT_IN_ERRORS"];
  return syntax.some((entry) => entry.value.status === undefined && !isBuiltInError(entry.name)) ? ["STATUS_422"] : [];
};
