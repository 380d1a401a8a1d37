import type { Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Template } from "../../expression/compile/template.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { isOfOwnRow } from "../../expression/inspect/row-local.ts";
import type { Type } from "../../expression/values/type.ts";
import { fieldKinds } from "../../field/kinds.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { type Field, isStored } from "../../model/field.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { type Linking, linkExpression, reportNotExecuted } from "../linking/link-context.ts";
import { toCrossRecordRule } from "./cross-record-rule.ts";
import { type EntityRule, ruleClause } from "./rule.ts";

/** Enforced by an index, or by a rule over the records if `where` reads other records. */
export type LinkedUniqueness = { readonly uniquenessRule: UniquenessRule } | { readonly rule: ValidationRule };

/**
 * Links `unique` and `no overlap` between the records of an entity, enforced by an index or exclusion constraint.
 * Undefined, with a finding, if the rule cannot be in force.
 */
export const linkUniqueness = (
  written: EntityRule,
  message: Template,
  linked: LinkedEntity,
  linking: Linking,
): LinkedUniqueness | undefined => {
  const { syntax, entity, scope } = written;
  const clause = ruleClause(written);
  for (const key of ["with", "when", "during", "before", "always"] as const)
    if (key in syntax.keys)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys[key] ?? syntax.span,
          `“${key}” is only for “rule”. This rule always applies.`,
          "Remove it, or use “where” to choose the records it applies to.",
          { clause: clause.id },
        ),
      );
  const stored = (name: Spanned<string>): Field | undefined => {
    const field = resolveField(linked, name, linking);
    if (field === undefined) {
      if (linked.named.has(name.value) && !linking.mistaken.has(`${entity}.${name.value}`))
        reportNotExecuted(linking, "reads what is not decided", syntax.span, clause.id);
      return undefined;
    }
    if (isStored(field) && fieldKinds[field.type].fields.comparable && field.ruleType.kind !== "list") return field;
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        `${name.value} can’t be compared in this way.`,
        "Use a stored field with a single value.",
        {
          clause: clause.id,
        },
      ),
    );
    return undefined;
  };
  const within = (syntax.within ?? []).map(stored);
  const ends = (syntax["no overlap"] ?? []).map(stored);
  const alone = (syntax.unique ?? []).map(stored);
  const where =
    syntax.where === undefined
      ? undefined
      : linkExpression(syntax.where, scope, { kind: "boolean" }, linking, clause.id);
  if (syntax["no overlap"] !== undefined && !checkEnds(syntax["no overlap"], ends, clause, syntax.span, linking))
    return undefined;
  if (syntax.missing !== undefined && syntax.unique === undefined)
    linking.report(
      finding("BAD_VALUE", syntax.missing.span, "“missing” is only for “unique”.", "Remove it.", { clause: clause.id }),
    );
  const same = [...within, ...alone];
  if (syntax.unique?.length === 0) {
    linking.report(
      finding("BAD_VALUE", syntax.span, "“unique” names no field.", "Name the fields that can’t be equal together.", {
        clause: clause.id,
      }),
    );
    return undefined;
  }
  if (same.some((field) => field === undefined) || (syntax.where !== undefined && where === undefined))
    return undefined;
  const hasColumn = (name: string): boolean => {
    const field = linked.fields.get(name);
    return field === undefined || isStored(field);
  };
  const [from, to] = ends.map((field) => field?.name);
  const names = same.map((field) => field?.name ?? "");
  const rule: UniquenessRule = {
    clause,
    error: syntax.else.value,
    message,
    same: names,
    range: from === undefined || to === undefined ? null : { from, to },
    where: where ?? null,
    countsMissing: syntax.missing !== undefined,
    reads: [
      ...names,
      ...[from, to].filter((name) => name !== undefined),
      ...(where === undefined ? [] : collectReadSet(where).fields),
    ],
  };
  const own = scope.entities.get(entity);
  if (where === undefined || own === undefined || isOfOwnRow(where, hasColumn)) return { uniquenessRule: rule };
  const { user, clock, old } = collectReadSet(where);
  const isAddress = same.some((field) => field?.type === "email");
  if (user || clock || old || isAddress) {
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.where?.span ?? syntax.span,
        isAddress
          ? "Email addresses are compared without regard to case, which works only for conditions on the record itself."
          : "This condition depends on the user or on the time, but it can depend only on records.",
        isAddress
          ? "In “where”, read only fields of the record."
          : "Read fields of the record, or of records that it refers to.",
        { clause: clause.id },
      ),
    );
    return undefined;
  }
  // An index sees one row and cannot depend on other records.
  return { rule: toCrossRecordRule(rule, where, own, scope, linking) };
};

const toTypeKey = (type: Type): string => (type.kind === "money" ? `money ${type.currency}` : type.kind);

/** The types of which a range can be. */
const ofRanges: ReadonlySet<string> = new Set(["date", "datetime", "integer", "decimal", "money"]);

/** Both ends of a range must have one type: dates, instants, or numbers. */
const checkEnds = (
  names: readonly Spanned<string>[],
  ends: readonly (Field | undefined)[],
  clause: Clause,
  span: Scalar["span"],
  linking: Linking,
): boolean => {
  const types = new Set(ends.map((field) => field && toTypeKey(field.ruleType)));
  if (ends.some((field) => field === undefined) && ends.length === 2) return false;
  if (ends.length === 2 && types.size === 1 && ofRanges.has(ends[0]?.ruleType.kind ?? "")) return true;
  linking.report(
    finding(
      "BAD_VALUE",
      names[0]?.span ?? span,
      "A range needs two fields of one type: two dates, datetimes, whole numbers, decimals, or amounts in one currency.",
      "Name the start and the end: “no overlap: [from, to]”.",
      { clause: clause.id },
    ),
  );
  return false;
};
