import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { expandComputed } from "../../expression/rewrite/expand-computed.ts";
import { shiftScope } from "../../expression/rewrite/shift-scope.ts";
import { readRule } from "../../expression/type-check/type-check.ts";
import { KEY } from "../../expression/values/seed-record.ts";
import type { FieldShape, Scope, Type } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Condition } from "../../model/clause.ts";
import type { Among } from "../../model/field.ts";
import { computedExprs, type Linking, linkExpression } from "../linking/link-context.ts";
import type { FieldDraft } from "./field-drafts.ts";

/** Turns `among`, a list of records, into the condition on a record that its reference is in the list. */
export const compileAmong = (
  entity: string,
  { name, shape, syntax, clause }: FieldDraft,
  element: Type,
  scope: Scope,
  linking: Linking,
): Among | null => {
  if (syntax?.among === undefined) return amongListedRecords({ entity, shape, element }, scope, linking);
  if (element.kind !== "record") {
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.among.span,
        `Only a reference can have “among”, but ${name} is not a reference.`,
        "Remove “among”.",
        { clause: clause.id },
      ),
    );
    return null;
  }
  const list = linkExpression(syntax.among, scope, { kind: "list", of: element }, linking, clause.id);
  return list === undefined ? null : amongThese(list, { entity, shape, element }, scope, linking);
};

/** A field that refers to records; `element`: its type, or that of its elements. */
interface Reference {
  readonly entity: string;
  readonly shape: FieldShape;
  readonly element: Type;
}

/** Excludes seed records that the document no longer lists from new references. */
const amongListedRecords = (reference: Reference, scope: Scope, linking: Linking): Among | null => {
  const { shape, element } = reference;
  if (element.kind !== "record" || shape.inverse !== undefined || shape.computed === true) return null;
  const seedRecords = [...(scope.names ?? [])].flatMap(([, { seedRecord, type }]) =>
    seedRecord !== undefined && type.kind === "record" && type.entity === element.entity ? [`'${seedRecord.key}'`] : [],
  );
  if (seedRecords.length === 0) return null;
  const text = `${element.entity}.filter(one, one.${KEY} == null || one.${KEY} in [${seedRecords.join(", ")}])`;
  const { value } = readRule(text, { file: "", start: 0, end: text.length }, scope, { kind: "list", of: element }, {});
  return value === undefined ? null : amongThese(value, reference, scope, linking);
};

const amongThese = (
  list: Expr,
  { entity, shape, element }: Reference,
  scope: Scope,
  linking: Linking,
): Among | null => {
  const own = scope.entities.get(entity);
  if (own === undefined) return null;
  const { span } = list;
  const record: Expr = { kind: "this", type: { kind: "record", entity }, missing: false, span };
  const reference = { kind: "field", of: record, entity: own, field: shape, span } as const;
  const isAmong = (expr: Expr, all: Expr): Expr => ({
    kind: "call",
    row: "same in [same]",
    args: [expr, all],
    zone: scope.timezone,
    type: boolean,
    missing: false,
    span,
  });
  if (shape.type.kind !== "list")
    return { list, ...getCondition(isAmong({ ...reference, type: element, missing: true }, list), linking) };
  const variable: Expr = { kind: "variable", name: "one", level: 0, type: element, missing: false, span };
  const each: Expr = {
    kind: "each",
    row: "all",
    list: { ...reference, type: shape.type, missing: false },
    name: variable.name,
    level: variable.level,
    body: isAmong(variable, shiftScope(list)),
    type: boolean,
    missing: false,
    span,
  };
  return { list, ...getCondition(each, linking) };
};

const boolean: Type = { kind: "boolean" };

export const compileRequired = ({ syntax, clause }: FieldDraft, scope: Scope, linking: Linking): Condition | null => {
  if (syntax?.required === undefined) return null;
  const holds = linkExpression(syntax.required, scope, { kind: "boolean" }, linking, clause.id);
  return holds === undefined ? null : getCondition(holds, linking);
};

const getCondition = (holds: Expr, linking: Linking): Condition => ({
  holds,
  reads: new Set([
    ...collectReadSet(holds).fields,
    ...collectReadSet(expandComputed(holds, computedExprs(linking))).fields,
  ]),
});
