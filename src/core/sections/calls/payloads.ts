import { byKind, lazy, orKeyName } from "../../document/shape/combinators.ts";
import { keyed } from "../../document/shape/list-and-mapping.ts";
import { expression } from "../../document/shape/scalar.ts";
import type { Named, Shape } from "../../document/shape.ts";
import { isNone, locate, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Gives } from "../../model/endpoint.ts";
import {
  checkExpression,
  isExecutableIn,
  type Linking,
  mentionOwnField,
  mentionShape,
  reportNotExecuted,
  reportUnknownName,
} from "../linking/link-context.ts";

/**
 * The content of a response or an outgoing payload: each name stands for an expression, the field of that name, or an
 * object.
 */
export const payload: Shape<Payload> = byKind<Payload>("names with expressions", {
  scalar: expression,
  mapping: lazy("names with expressions", () => keyed("names with expressions", orKeyName(payload))),
});

export type Payload = Scalar | readonly Named<Payload | "itself">[];

/** Names that payloads can refer to. */
export interface PayloadNames {
  /** The shapes of point 7 by entity and name, with the names of their members. */
  readonly shapes: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Each shape as the document writes it, by entity and name: `Line.sent`. */
  readonly written: ReadonlyMap<string, Payload>;
  /** The calls of point 7, as written. */
  readonly calls: ReadonlySet<string>;
  /** The base path of the calls. */
  readonly base: string;
  /** True if decimals are JSON numbers. */
  readonly givesNumbers: boolean;
}

/** Links a response payload; undefined, with a finding, if a part of it is not executable. */
export const linkGives = (
  value: Payload,
  known: PayloadNames,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  const { shapes } = known;
  if (!("text" in value)) {
    const of = value.map((entry): readonly [string, Gives | undefined] => [
      entry.name,
      entry.value === "itself"
        ? linkItself(entry, known, scope, linking, clause)
        : linkGives(entry.value, known, scope, linking, clause),
    ]);
    return of.some(([, gives]) => gives === undefined)
      ? undefined
      : { kind: "names", of: of.flatMap(([name, gives]) => (gives === undefined ? [] : [[name, gives] as const])) };
  }
  const token = findGivenPayload(value.text, scope);
  if (token !== undefined) return token;
  if (isNone(value)) {
    linking.report(
      finding(
        "BAD_VALUE",
        value.span,
        "Only a call that writes can have an empty response.",
        "Remove “gives” for the usual response, or write “gives: {}” for an empty object.",
        { clause },
      ),
    );
    return undefined;
  }
  const path = /^GET (\/\S*)$/u.exec(value.text)?.[1];
  if (path !== undefined) return linkAddress(value, path, known, scope, linking, clause);
  const counted = /^size\((page|found)\)$/u.exec(value.text)?.[1];
  if (counted !== undefined && scope.names?.has(counted) === true)
    return { kind: "count", of: counted === "page" ? "page" : "found" };
  const applied = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)\((.*)\)$/su.exec(value.text);
  if (applied === null) return linkValue(value, known, scope, linking, clause);
  const [, entity = "", shape = "", argument = ""] = applied;
  const isShape = shapes.get(entity)?.has(shape) === true;
  mentionShape(linking, value.span, entity, shape);
  if (!isShape)
    reportUnknownName(
      linking,
      value.span,
      "shape",
      `${entity}.${shape}`,
      [...shapes].flatMap(([name, of]) => [...of.keys()].map((item) => `${name}.${item}`)),
    );
  const start = value.text.length - 1 - argument.length;
  const inner = { ...value, text: argument, origin: (offset: number) => locate(value, start + offset) };
  const of = checkExpression(inner, withoutTokens(scope), undefined, linking);
  if (of === undefined || !isShape) return undefined;
  const element = of.type.kind === "list" ? of.type.of : of.type;
  if (element.kind !== "record" || element.entity !== entity) {
    if (element.kind !== "unknown")
      linking.report(
        finding(
          "TYPES_DIFFER",
          value.span,
          `${entity}.${shape} is a shape of ${entity}, but this is not a record of ${entity}.`,
          "Give it a record, the page or a list of records.",
        ),
      );
    return undefined;
  }
  if (argument === "page" && of.kind === "name") return { kind: "shape", shape: `${entity}.${shape}`, of: "page" };
  return isExecutableInCall(of, scope, linking)
    ? { kind: "shape", shape: `${entity}.${shape}`, of }
    : later(value, linking, clause);
};

/** `GET /articles/{slug}`: the address of that call, with the values of the record for its parameters. */
const linkAddress = (
  at: Scalar,
  path: string,
  { calls, base }: PayloadNames,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  if (!calls.has(at.text)) {
    reportUnknownName(linking, at.span, "call", at.text, calls, {
      hint: "Write a call of point 7 as it is there, such as “GET /articles/{slug}”.",
    });
    return undefined;
  }
  const own = `${scope.entity?.toLowerCase()}.`;
  const fields = scope.entities.get(scope.entity ?? "")?.fields;
  const values = [...path.matchAll(/\{([^}]*)\}/gu)].map(([, parameter = ""]) => {
    const [first = ""] = parameter.split(".");
    const text = fields?.has(first) !== true && parameter.startsWith(own) ? parameter.slice(own.length) : parameter;
    const read = (text: string) =>
      checkExpression({ ...at, text, origin: () => at.span.start }, withoutTokens(scope), undefined, linking);
    const named = read(text);
    // A reference stands for its id in an address.
    const value = named?.type.kind === "record" ? read(`${text}.id`) : named;
    if (value === undefined || isExecutableInCall(value, scope, linking)) return value;
    return later(at, linking, clause);
  });
  const items = values.flatMap((value) => value ?? []);
  return items.length === values.length
    ? { kind: "address", path: `${base.replace(/\/$/u, "")}${path}`, values: items }
    : undefined;
};

const tokens = ["next", "token"] as const;

/** Values outside every record: the token of the next page, or of a session, which can follow a text (`'Bearer ' + token`). */
const findGivenPayload = (text: string, { names }: Scope): Gives | undefined => {
  const [, before = "", after] = /^'([^'\\]*)' *\+ *(token)$/u.exec(text) ?? [];
  const kind = tokens.find((token) => token === (after ?? text));
  const name = kind === undefined ? undefined : names?.get(kind);
  if (kind === undefined || name === undefined) return undefined;
  return kind === "next" ? { kind } : { kind, of: name.optional ? "request" : "new session", before };
};

/** Expressions cannot read tokens, because a token is created with the response. */
const withoutTokens = (scope: Scope): Scope => ({
  ...scope,
  names: new Map([...(scope.names ?? [])].filter(([name]) => !tokens.some((token) => token === name))),
});

const later = (value: Scalar, linking: Linking, clause: string): undefined => {
  reportNotExecuted(linking, "reads what is not decided", value.span, clause);
  return undefined;
};

/** True if an expression is executable with the names of the call: its input, and the records of its page. */
export const isExecutableInCall = (expr: Expr, { names }: Scope, linking: Linking): boolean =>
  isExecutableIn(linking, new Set(names?.keys()))(expr);

const linkValue = (
  value: Scalar,
  known: PayloadNames,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  const expr = checkExpression(value, withoutTokens(scope), undefined, linking);
  if (expr === undefined) return undefined;
  return isExecutableInCall(expr, scope, linking) ? toGivenValue(expr, known) : later(value, linking, clause);
};

const toGivenValue = (value: Expr, { givesNumbers }: PayloadNames): Gives => {
  const { kind } = value.type.kind === "list" ? value.type.of : value.type;
  return {
    kind: "value",
    value,
    ...(givesNumbers && (kind === "decimal" || kind === "money") ? { asNumber: true } : {}),
  };
};

/** `{ name, avatar }`: each name stands for the field of that name. */
const linkItself = (
  { name, key }: Named<unknown>,
  known: PayloadNames,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  const token = findGivenPayload(name, scope);
  if (token !== undefined) return token;
  const fields = scope.entities.get(scope.entity ?? "")?.fields;
  if (fields !== undefined && !fields.has(name)) {
    reportUnknownName(linking, key, `field of ${scope.entity}`, name, fields.keys());
    return undefined;
  }
  if (fields !== undefined) mentionOwnField(linking, scope.entity, name, key);
  const at: Scalar = { kind: "scalar", text: name, span: key, quoted: false, origin: key.start };
  return linkValue(at, known, scope, linking, clause);
};
