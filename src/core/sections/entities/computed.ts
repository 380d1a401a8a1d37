import type { Named } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { heaviest, sqlWeight } from "../../expression/inspect/complexity.ts";
import { missesOtherwise } from "../../expression/inspect/exactly-one.ts";
import { isOfOwnRow } from "../../expression/inspect/row-local.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { FieldStorage } from "../../model/field.ts";
import { checkExpression, isExecutableIn, type Linking, reportNotExecuted, weightIn } from "../linking/link-context.ts";
import { scopeOn } from "../linking/scope-on.ts";
import type { EntityDraft } from "./entity-draft.ts";
import type { FieldDraft } from "./field-drafts.ts";
import { asksToKeep, toKeptUntil } from "./kept-syntax.ts";

/** A typed computed field before it is known if its inputs are executable. */
interface Reading {
  readonly name: string;
  readonly entity: EntityDraft;
  readonly field: FieldDraft;
  readonly expr: Expr;
}

/**
 * Types the expressions of computed fields before anything else reads these fields, in order of dependency, since their
 * execution and their form (stored or virtual) depend on their inputs.
 */
export const linkComputed = (drafts: ReadonlyMap<string, EntityDraft>, scope: Scope, linking: Linking): void => {
  const readings = new Map<string, Reading>();
  for (const entity of drafts.values())
    for (const field of entity.fields.values()) {
      const computed = field.syntax?.computed;
      if (computed === undefined) continue;
      const expr = readComputed(field, computed, scopeOn(scope, entity.name), linking);
      const name = `${entity.name}.${field.name}`;
      if (expr !== undefined) readings.set(name, { name, entity, field, expr });
      else linking.mistaken.add(name);
    }
  const visited = new Set<string>();
  const done = new Set<string>();
  /** A field in a dependency cycle is never settled; an analyzer reports the cycle. */
  const settle = (reading: Reading): boolean => {
    if (visited.has(reading.name)) return done.has(reading.name);
    visited.add(reading.name);
    const read = getFields(reading.expr).flatMap((name) => readings.get(name) ?? []);
    if (!read.map(settle).every((settled) => settled)) return false;
    settleOne(reading, linking);
    done.add(reading.name);
    return true;
  };
  for (const reading of readings.values()) if (!settle(reading)) linking.mistaken.add(reading.name);
};

const getFields = (expr: Expr): readonly string[] => [
  ...(expr.kind === "field" ? [`${expr.entity.name}.${expr.field.name}`] : []),
  ...subexpressions(expr).flatMap(getFields),
];

const settleOne = ({ name, entity, field, expr }: Reading, linking: Linking): void => {
  const { clause, syntax } = field;
  if (!isExecutableIn(linking)(expr)) {
    reportNotExecuted(linking, "reads what is not decided", expr.span, clause.id);
    return;
  }
  const storage = getHolding(entity, field, expr, linking);
  // A generated column inlines other computed columns of its row, because Postgres does not let one read another.
  const weight = sqlWeight(
    expr,
    weightIn(linking, ({ as }) => storage.as !== "virtual" || as === "virtual"),
  );
  if (weight > heaviest)
    linking.report(
      finding(
        "BAD_EXPRESSION",
        expr.span,
        "This formula is too complex, together with the computed fields that it reads.",
        "Add “kept: true” to one of those fields, or read fewer of them.",
        { clause: clause.id },
      ),
    );
  if (storage.as === "virtual" && syntax?.unique?.value === true)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.unique.span,
        `${field.name} is not stored, so the database can’t keep it unique.`,
        "Remove “unique”, or add “kept: true”.",
        { clause: clause.id },
      ),
    );
  linking.computedForms.set(name, { storage, weight });
};

const getHolding = (entity: EntityDraft, field: FieldDraft, from: Expr, { computedForms }: Linking): FieldStorage => {
  const keptSyntax = field.syntax?.kept;
  if (asksToKeep(keptSyntax))
    return { as: "stored", from, until: toKeptUntil(keptSyntax, (name) => entity.fields.has(name)) };
  const hasColumn = (name: string): boolean => {
    if (name === entity.state?.field) return true;
    const other = entity.fields.get(name);
    if (other?.syntax?.computed === undefined) return true;
    return computedForms.get(`${entity.name}.${name}`)?.storage.as !== "virtual";
  };
  return isOfOwnRow(from, hasColumn) ? { as: "generated", from } : { as: "virtual", from };
};

/** Reads one expression, or choices with conditions, of which the first true one decides. */
const readComputed = (
  field: FieldDraft,
  computed: NonNullable<NonNullable<FieldDraft["syntax"]>["computed"]>,
  scope: Scope,
  linking: Linking,
): Expr | undefined => {
  const choices =
    "text" in computed
      ? [checkExpression(computed, scope, field.shape.type, linking)]
      : readChoices(computed as readonly Named<Scalar>[], field, scope, linking);
  const exprs = choices.filter((expr) => expr !== undefined);
  linking.computed.set(`${scope.entity}.${field.name}`, exprs);
  if (exprs.length < choices.length) return undefined;
  if ("text" in computed) for (const expr of exprs) reportMissing(field, expr, linking);
  return "text" in computed ? exprs[0] : chosen(computed as readonly Named<Scalar>[], exprs, field, scope);
};

/** Reports an expression that can be missing for a required field, since readers, rules and calls rely on a value. */
const reportMissing = ({ name, shape, clause, syntax }: FieldDraft, expr: Expr, linking: Linking): void => {
  const type = syntax?.type;
  // A write that does not find the only record is refused, so a kept value is there.
  const isMissing = asksToKeep(syntax?.kept) ? missesOtherwise(expr) : expr.missing;
  if (!isMissing || shape.optional || type === undefined) return;
  if (shape.type.kind === "boolean" || shape.type.kind === "list") return;
  linking.report(
    finding(
      "MAY_BE_MISSING",
      type.span,
      `The type of ${name} says that it always has a value, but its formula can give none.`,
      `Write “${type.value}?”, or give a value for that case with “condition ? one : other”.`,
      { clause: clause.id, fix: [{ span: type.span, text: `${type.value}?` }] },
    ),
  );
};

/**
 * Reads choices with conditions, of which the first true one decides. The last condition must always hold, so that the
 * field has a value.
 */
const readChoices = (
  choices: readonly Named<Scalar>[],
  field: FieldDraft,
  scope: Scope,
  linking: Linking,
): readonly (Expr | undefined)[] => {
  const conditions = choices.map((choice) => checkExpression(choice.value, scope, { kind: "boolean" }, linking));
  for (const choice of choices) {
    if (!field.values.includes(choice.name))
      linking.report(
        finding(
          "UNKNOWN_NAME",
          choice.key,
          `${field.name} has no value “${choice.name}”.`,
          "Add it to “values”, or remove “values”.",
          { clause: field.clause.id },
        ),
      );
  }
  const last = choices.at(-1);
  if (last !== undefined && last.value.text.trim() !== "true")
    linking.report(
      finding(
        "BAD_VALUE",
        last.value.span,
        `The last choice of ${field.name} must always be true.`,
        `Write “${last.name}: true”.`,
        { clause: field.clause.id },
      ),
    );
  return conditions;
};

/** Builds `a ? 'x' : b ? 'y' : 'z'`; the last choice is the fallback. */
const chosen = (
  choices: readonly Named<Scalar>[],
  conditions: readonly Expr[],
  { shape: { type } }: FieldDraft,
  { timezone: zone }: Scope,
): Expr | undefined =>
  choices.reduceRight<Expr | undefined>((otherwise, { name, value: { span } }, i) => {
    const condition = conditions[i];
    const value: Expr = { kind: "constant", value: name, type, missing: false, span };
    if (otherwise === undefined || condition === undefined) return value;
    const args = [condition, value, otherwise];
    return { kind: "call", row: "boolean ? any : any", args, zone, type, missing: false, span };
  }, undefined);
