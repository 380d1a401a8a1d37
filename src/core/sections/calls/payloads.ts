import { byKind, expression, keyed, lazily, type Named, orItself, type Shape } from "../../document/shape.ts";
import { isNone, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Gives } from "../../model/model.ts";
import {
  checkExpression,
  type Linking,
  reportNotExecuted,
  reportUnknownName,
  runsIn,
} from "../linking/link-context.ts";

/**
 * The content of a response or an outgoing payload: each name stands for an expression, the field of that name, or an
 * object.
 */
export const payload: Shape<Payload> = byKind<Payload>("names with expressions", {
  scalar: expression,
  mapping: lazily("names with expressions", () => keyed("names with expressions", orItself(payload))),
});

export type Payload = Scalar | readonly Named<Payload | "itself">[];

/** Names of the shapes of point 7 by entity. */
export type ShapeNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Links a response payload; undefined, with a finding, if a part of it is not executable. */
export const linkGives = (
  value: Payload,
  shapes: ShapeNames,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  if (!("text" in value)) {
    const of = value.map((one): readonly [string, Gives | undefined] => [
      one.name,
      one.value === "itself"
        ? linkItself(one, scope, linking, clause)
        : linkGives(one.value, shapes, scope, linking, clause),
    ]);
    return of.some(([, gives]) => gives === undefined)
      ? undefined
      : { kind: "names", of: of.flatMap(([name, gives]) => (gives === undefined ? [] : [[name, gives] as const])) };
  }
  const given = findGivenPayload(value.text, scope);
  if (given !== undefined) return given;
  if (isNone(value)) {
    linking.report(
      finding(
        "BAD_VALUE",
        value.span,
        "Only a deletion and “sign out” can have an empty response.",
        "Remove “gives” for the usual response, or write “gives: {}” for an empty object.",
        { clause },
      ),
    );
    return undefined;
  }
  const counted = /^size\((page|found)\)$/u.exec(value.text)?.[1];
  if (counted !== undefined && scope.names?.has(counted) === true)
    return { kind: "count", of: counted === "page" ? "page" : "found" };
  const applied = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)\((.*)\)$/su.exec(value.text);
  if (applied === null) return linkValue(value, scope, linking, clause);
  const [, entity = "", shape = "", argument = ""] = applied;
  const known = shapes.get(entity)?.has(shape) === true;
  if (!known)
    reportUnknownName(
      linking,
      value.span,
      "shape",
      `${entity}.${shape}`,
      [...shapes].flatMap(([name, of]) => [...of].map((one) => `${name}.${one}`)),
    );
  const start = value.text.length - 1 - argument.length;
  const inner = { ...value, text: argument, locate: (offset: number) => value.locate(start + offset) };
  const of = checkExpression(inner, withoutTokens(scope), undefined, linking);
  if (of === undefined || !known) return undefined;
  if (argument === "page" && of.kind === "name") return { kind: "shape", shape: `${entity}.${shape}`, of: "page" };
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
  return runsInCall(of, scope, linking)
    ? { kind: "shape", shape: `${entity}.${shape}`, of }
    : later(value, linking, clause);
};

const tokens = ["next", "token"] as const;

/** Values outside every record: the token of the next page or of a session. */
const findGivenPayload = (given: string, { names }: Scope): Gives | undefined => {
  const kind = tokens.find((one) => one === given);
  return kind !== undefined && names?.has(kind) === true ? { kind } : undefined;
};

/** Expressions cannot read tokens, because a token is created with the response. */
const withoutTokens = (scope: Scope): Scope => ({
  ...scope,
  names: new Map([...(scope.names ?? [])].filter(([name]) => !tokens.some((one) => one === name))),
});

const later = (value: Scalar, linking: Linking, clause: string): undefined => {
  reportNotExecuted(linking, "reads what is not decided", value.span, clause);
  return undefined;
};

/** True if an expression is executable with the names of the call: its input, and the records of its page. */
export const runsInCall = (expr: Expr, { names }: Scope, linking: Linking): boolean =>
  runsIn(linking, new Set(names?.keys()))(expr);

const linkValue = (value: Scalar, scope: Scope, linking: Linking, clause: string): Gives | undefined => {
  const expr = checkExpression(value, withoutTokens(scope), undefined, linking);
  if (expr === undefined) return undefined;
  return runsInCall(expr, scope, linking) ? { kind: "value", value: expr } : later(value, linking, clause);
};

/** `{ name, avatar }`: each name stands for the field of that name. */
const linkItself = (
  { name, key }: Named<unknown>,
  scope: Scope,
  linking: Linking,
  clause: string,
): Gives | undefined => {
  const given = findGivenPayload(name, scope);
  if (given !== undefined) return given;
  const fields = scope.entities.get(scope.entity ?? "")?.fields;
  if (fields !== undefined && !fields.has(name)) {
    reportUnknownName(linking, key, `field of ${scope.entity}`, name, fields.keys());
    return undefined;
  }
  const at: Scalar = { kind: "scalar", text: name, span: key, quoted: false, locate: (offset) => key.start + offset };
  return linkValue(at, scope, linking, clause);
};
