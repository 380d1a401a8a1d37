import {
  count,
  keyed,
  type Named,
  optional,
  orEmpty,
  type Read,
  record,
  required,
  template,
  text,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import { builtInErrors } from "../model/errors.ts";
import type { ErrorEntry } from "../model/model.ts";
import type { Span } from "../text.ts";
import { fieldNamed, type LinkedEntity } from "./entities.ts";
import { clauseAt, type Linking, reportNotExecuted, unknownName } from "./linking.ts";

/** Point 8: the error catalogue. */
const entry = record(
  "an error",
  {
    status: optional(count),
    message: required(template),
    help: optional(text),
    at: optional(text),
  },
  "message",
);

export const errorsShape = orEmpty(keyed("a mapping from codes to errors", entry));

export type ErrorsSyntax = readonly Named<Read<typeof entry>>[];

export interface LinkedErrors {
  readonly errors: ReadonlyMap<string, ErrorEntry>;
  /** The messages of the document as written, to be read where a rule raises them. */
  readonly messages: ReadonlyMap<string, Scalar>;
}

export const linkErrors = (
  syntax: ErrorsSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): LinkedErrors => {
  const errors = new Map<string, ErrorEntry>(
    Object.entries(builtInErrors).map(([code, row]) => [code, { code, help: null, at: null, clause: null, ...row }]),
  );
  const messages = new Map<string, Scalar>();
  for (const { name, key, value } of syntax ?? []) {
    const clause = clauseAt(`8.${name}`, key);
    const known = errors.get(name);
    const scoped = name.split(".");
    if (scoped.length > 1) {
      checkScoped(name, scoped, key, entities, errors, linking);
      continue;
    }
    if (!/^[A-Z][A-Z0-9_]*$/u.test(name)) {
      linking.report(
        finding(
          "BAD_NAME",
          key,
          `“${name}” is not an error's code.`,
          "Codes are capitals, digits and underscores: DATES_REVERSED.",
        ),
      );
      continue;
    }
    const status = value.status?.value ?? known?.status ?? 422;
    if (status < 400 || status > 499) {
      linking.report(
        finding(
          "BAD_VALUE",
          value.status?.span ?? key,
          `An error's status is from 400 to 499, not ${status}.`,
          "422 says that what was sent is not valid, 409 that it does not fit what is there.",
        ),
      );
      continue;
    }
    messages.set(name, value.message);
    errors.set(name, {
      code: name,
      status,
      message: value.message.text,
      help: value.help?.value ?? null,
      at: value.at?.value ?? null,
      clause,
    });
  }
  return { errors, messages };
};

/** `User.NOT_FOUND`, `User.email.TAKEN`: a built-in error said otherwise for one entity or field. */
const checkScoped = (
  name: string,
  [entity = "", ...rest]: readonly string[],
  key: Span,
  entities: ReadonlyMap<string, LinkedEntity>,
  errors: ReadonlyMap<string, ErrorEntry>,
  linking: Linking,
): void => {
  const linked = entities.get(entity);
  const code = rest.at(-1) ?? "";
  const field = rest.length === 2 ? rest[0] : undefined;
  reportNotExecuted(linking, "error for one", key, `8.${name}`);
  if (linked === undefined) unknownName(linking, key, "entity", entity, entities.keys());
  else if (field !== undefined) fieldNamed(entity, linked, { value: field, span: key }, linking);
  if (!errors.has(code)) unknownName(linking, key, "built-in error", code, errors.keys());
};

export const silentErrors = (syntax: ErrorsSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["BUILT_IN_ERRORS"];
  return syntax.some((one) => one.value.status === undefined && !Object.hasOwn(builtInErrors, one.name))
    ? ["STATUS_422"]
    : [];
};
