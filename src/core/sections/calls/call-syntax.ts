import { byKind, map, orKeyName } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, flag, plainText, word } from "../../document/shape/scalar.ts";
import type { Shape, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { bodyForms } from "../../model/endpoint.ts";
import type { Paging } from "../../model/paging.ts";
import type { Span } from "../../source-text.ts";
import { payload } from "./payloads.ts";
import { sortingSyntax } from "./step-sort.ts";

/** The verbs of a call in point 7; each call has exactly one. */
export const callVerbs = [
  "list",
  "read",
  "create",
  "update",
  "replace",
  "put",
  "delete",
  "delete all",
  "ensure",
  "transition",
  "sign in",
  "sign up",
  "sign out",
  "forgot password",
  "reset password",
  "do",
] as const;
export type CallVerb = (typeof callVerbs)[number];

/** The verbs that are about the account or the session of a person. */
export const signingVerbs = ["sign in", "sign up", "sign out", "forgot password", "reset password"] as const;
export type SigningVerb = (typeof signingVerbs)[number];
export const isSigning = (verb: CallVerb): verb is SigningVerb => signingVerbs.some((signing) => signing === verb);

/** A query parameter as written. */
export interface QueryParameter {
  readonly where?: Scalar | undefined;
  readonly type?: Spanned<string> | undefined;
  readonly default?: Spanned<string> | undefined;
  readonly header?: Spanned<string> | undefined;
  readonly rule?: Scalar | undefined;
  readonly else?: Spanned<string> | undefined;
}

const queryParameter = byKind<QueryParameter>("a condition, or its type and condition", {
  scalar: map(expression, (where) => ({ where })),
  mapping: record("a query parameter", {
    type: optional(plainText),
    where: optional(expression),
    default: optional(plainText),
    header: optional(plainText),
    rule: optional(expression),
    else: optional(name("error")),
  }),
});

/** A name alone stands for the field of that name. */
const getParameter = (parameter: QueryParameter | "itself"): QueryParameter =>
  parameter === "itself" ? {} : parameter;

/** The pages of a list as written: a word, or the names of the query parameters. */
export interface PagingSyntax {
  readonly kind?: Spanned<Paging["by"]> | undefined;
  readonly page?: Spanned<string> | undefined;
  readonly offset?: Spanned<string> | undefined;
  readonly after?: Spanned<string> | undefined;
  readonly limit?: Spanned<string> | undefined;
  readonly size?: Spanned<string> | undefined;
  readonly span?: Span | undefined;
}

const pagingSyntax: Shape<PagingSyntax> = byKind<PagingSyntax>("pages, offset, cursor, none or a mapping", {
  scalar: map(word("pages", "offset", "cursor", "none"), (kind) => ({ kind })),
  mapping: record("the pages of a list", {
    page: optional(plainText),
    offset: optional(plainText),
    after: optional(plainText),
    limit: optional(plainText),
    size: optional(plainText),
  }),
});

const verbs = {
  list: optional(name("entity")),
  read: optional(name("entity")),
  create: optional(name("entity")),
  update: optional(name("entity")),
  replace: optional(name("entity")),
  put: optional(name("entity")),
  delete: optional(name("entity")),
  "delete all": optional(name("entity")),
  ensure: optional(name("entity")),
  transition: optional(plainText),
};

const details = {
  where: optional(expression),
  when: optional(expression),
  query: optional(keyed("a mapping from names to conditions", map(orKeyName(queryParameter), getParameter))),
  distinct: optional(expression),
  sort: optional(list(plainText)),
  sortable: optional(sortingSyntax),
  paging: optional(pagingSyntax),
  takes: optional(payload),
  asks: optional(listOrOne(name("field"))),
  gives: optional(payload),
  selectable: optional(listOrOne(plainText)),
};

const set = optional(keyed("a mapping from fields to expressions", expression));

export const callSyntax = record("a call", {
  ...verbs,
  "sign in": optional(flag),
  "sign up": optional(flag),
  "sign out": optional(flag),
  "forgot password": optional(flag),
  "reset password": optional(flag),
  do: optional(list(record("a step of a call", { ...verbs, ...details, set }))),
  ...details,
  unknown: optional(word("refused", "ignored")),
  missing: optional(word("null", "omitted")),
  accepts: optional(listOrOne(word("json", ...bodyForms))),
  status: optional(plainText),
  by: optional(listOrOne(name("role"))),
  headers: optional(keyed("names with values", plainText)),
  errors: optional(keyed("a mapping from built-in errors to errors of point 8", plainText)),
  link: optional(plainText),
  set,
});

export type CallSyntax = ShapeValue<typeof callSyntax>;

/** A step of `do`, or a call with a single step; without sign-in, sign-out and settings of the whole call. */
export type StepSyntax = NonNullable<CallSyntax["do"]>[number];
