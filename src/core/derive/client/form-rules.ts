import type { Phrases } from "../../explain/language.ts";
import { plainPhrase } from "../../explain/phrase.ts";
import { templateExpressions } from "../../expression/compile/template.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import { findBraces } from "../../expression/syntax/braces.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import type { BuiltInError } from "../../model/errors.ts";
import { comparesWithOld } from "../../model/facts/applicable-rules.ts";
import { keptUntil } from "../../model/facts/kept-fields.ts";
import { includesEnd } from "../../model/facts/ranges.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { EntityJson, OverlapRuleJson, RuleJson, UniquenessRuleJson } from "../../wire/entities.ts";
import { canNameFields } from "../authorization/access-trace.ts";
import { mayApply, type Principal, transitionRulesFor, writableFieldsFor } from "../authorization/grants.ts";
import { uniquenessPointer } from "../consistency/uniqueness.ts";
import { filterKind } from "../http/list-capabilities.ts";
import { findConcurrentStates } from "./decision-facts.ts";
import { isEvaluableInForm } from "./form-computed-fields.ts";
import { toWording, type Wording, withoutLimits } from "./wording.ts";

/**
 * The rules that a form or the dialog of a transition checks: their conditions and messages read only data there that the
 * caller can know, and the caller can set some of it or make a transition that they concern. The server alone checks all
 * other rules.
 */
export const rulesInForms = (
  model: Model,
  entity: Entity,
  person: Principal,
  phrases: Phrases,
): readonly RuleJson[] => {
  const writable = writableFieldsFor(model, entity, person);
  const known = (expr: Expr): boolean => isEvaluableInForm(model, entity, expr, person, { old: true, user: true });
  const makes = (name: string): boolean => {
    const transition = entity.states?.transitions.get(name);
    return (
      transition !== undefined &&
      transitionRulesFor(entity, transition).some((permission) => mayApply(model, permission, person))
    );
  };
  const isConcerned = (rule: ValidationRule): boolean =>
    rule.reads.some((name) => writable.has(name)) ||
    (rule.during !== null && transitionsWith(entity, rule).some(makes));
  return entity.rules
    .filter((validationRule) => {
      const { rule, when, message } = validationRule;
      return (
        isConcerned(validationRule) &&
        [rule, ...(when === null ? [] : [when]), ...templateExpressions(message)].every(known) &&
        templateExpressions(message).every(isPlain)
      );
    })
    .map((rule) => ruleJson(model, entity, rule, phrases));
};

/** Effects that change no record. */
const informs: ReadonlySet<Effect["kind"]> = new Set(["notify", "call", "chat"]);

/** Transitions that check the rule and whose changes to the record the form can predict. */
const transitionsWith = (entity: Entity, { during, reads }: ValidationRule): readonly string[] =>
  [...(entity.states?.transitions.values() ?? [])]
    .filter(({ name, asks, set }) => {
      const isRelevant = during === null ? reads.some((item) => asks.includes(item)) : during.includes(name);
      const writes = (entity.after.get(name) ?? []).some(({ kind }) => !informs.has(kind));
      const computes = (item: string): boolean =>
        keptUntil(entity.fields.get(item))?.transitions.includes(name) === true;
      return isRelevant && !writes && !reads.some((item) => set.has(item) || computes(item));
    })
    .map(({ name }) => name);

/** True for types whose display needs no other data; records need their label, states and choices their title. */
const isPlain = ({ type }: Expr): boolean => type.kind !== "record" && type.kind !== "list" && type.kind !== "choice";

/**
 * The conditions of the rules that only the server checks, as phrases by clause: those with a short phrase whose fields
 * the caller may know by name.
 */
export const requirementsOf = (
  model: Model,
  entity: Entity,
  person: Principal,
  phrases: Phrases,
  inForms: readonly RuleJson[],
): { readonly [clause: string]: string } => {
  const isNamed = ({ rule, when }: ValidationRule): boolean =>
    [rule, ...(when === null ? [] : [when])].every((condition) => canNameFields(model, entity, person, condition));
  return Object.fromEntries(
    entity.rules
      .filter((rule) => inForms.every(({ clause }) => clause !== rule.clause.id) && isNamed(rule))
      .flatMap((rule) => {
        const says = phraseRule(rule, toWording(model, phrases), phrases);
        return says === undefined ? [] : [[rule.clause.id, says] as const];
      }),
  );
};

/** "if the kind is “Special”, the note is set"; undefined if a part has no short phrase. */
export const phraseRule = (written: ValidationRule, wording: Wording, { where }: Phrases): string | undefined => {
  const { rule, when } = written.words ?? written;
  const phrase = plainPhrase(withoutLimits(rule), wording);
  if (phrase === undefined || when === null) return phrase;
  const condition = plainPhrase(withoutLimits(when), wording);
  return condition === undefined ? undefined : where(condition, phrase);
};

/** The least number of characters, if a rule asks for nothing else. */
const findLeastLength = ({ rule, when }: ValidationRule): Pick<RuleJson, "least"> => {
  if (when !== null || rule.kind !== "call") return {};
  const [size, bound] = rule.args;
  if (size?.kind !== "call" || size.row !== "size(text)" || bound?.kind !== "constant") return {};
  const [text] = size.args;
  const characters =
    rule.row === "ordered >= ordered"
      ? Number(bound.value)
      : rule.row === "ordered > ordered"
        ? Number(bound.value) + 1
        : 0;
  return text?.kind === "field" && text.of.kind === "this" && characters > 1
    ? { least: { field: text.field.name, characters } }
    : {};
};

const ruleJson = (model: Model, entity: Entity, rule: ValidationRule, phrases: Phrases): RuleJson => {
  const { say } = phrases;
  const says = phraseRule(rule, toWording(model, phrases), phrases);
  const entry = model.errors.get(rule.error);
  const text = entry?.message ?? "";
  const places = findBraces(text);
  // A built-in error that the document does not word has words of its own in each language.
  const message = entry?.clause === null ? phrases.errors.texts[rule.error as BuiltInError] : say(text);
  return {
    clause: rule.clause.id,
    at: entry?.at ?? null,
    rule: serializeExpr(rule.rule),
    when: rule.when === null ? null : serializeExpr(rule.when),
    during: rule.during,
    ...(comparesWithOld(rule) ? { old: true } : {}),
    ...([rule.rule, rule.when].some((expr) => expr !== null && collectReadSet(expr).user) ? { user: true } : {}),
    with: transitionsWith(entity, rule),
    reads: rule.reads,
    ...(says === undefined ? {} : { says }),
    ...findLeastLength(rule),
    message,
    help: entry?.help == null ? null : say(entry.help),
    values: Object.fromEntries(
      templateExpressions(rule.message).map((expr, i) => [places[i] ?? "", serializeExpr(expr)]),
    ),
  };
};

/**
 * The rules of uniqueness and against overlaps of dates, datetimes or whole numbers that read only stored fields that the
 * person can read and by which lists can be filtered. With them, a browser finds the records in the way of another with an
 * ordinary list, which discloses nothing that the person could not read before.
 */
export const uniquenessRulesFor = (
  model: Model,
  entity: Entity,
  readable: ReadonlySet<string>,
): Pick<EntityJson, "overlaps" | "unique"> => {
  const rules = entity.uniquenessRules.filter(
    (rule) => rule.reads.every((name) => readable.has(name)) && canLookUp(entity, rule),
  );
  const toJson = (rule: UniquenessRule): UniquenessRuleJson => ({
    clause: rule.clause.id,
    at: uniquenessPointer(model, rule).slice(1) || null,
    same: rule.same,
    where: rule.where && serializeExpr(rule.where),
  });
  const overlaps = rules.flatMap((rule): readonly OverlapRuleJson[] => {
    const kind = entity.fields.get(rule.range?.from ?? "")?.ruleType;
    if (rule.range === null || kind === undefined || !["date", "datetime", "integer"].includes(kind.kind)) return [];
    return [{ ...toJson(rule), ...rule.range, closed: includesEnd(kind), ...findConcurrentStates(entity, rule) }];
  });
  const unique = [
    ...[...entity.fields.values()]
      .filter((field) => field.unique && readable.has(field.name) && isFilteredIn(field))
      .map(({ name, clause }): UniquenessRuleJson => ({ clause: clause.id, at: name, same: [name], where: null })),
    ...rules.filter(({ range }) => range === null).map(toJson),
  ];
  return {
    ...(overlaps.length === 0 ? {} : { overlaps }),
    ...(unique.length === 0 ? {} : { unique }),
  };
};

const canLookUp = (entity: Entity, { range, same, where }: UniquenessRule): boolean => {
  const find = (name: string) => {
    const field = entity.fields.get(name);
    return field === undefined || field.many ? undefined : field;
  };
  const isRange = range === null || [range.from, range.to].every((name) => hasRangeIn(find(name)));
  return isRange && same.every((name) => isFilteredIn(find(name))) && (where === null || isOfRecord(entity, where));
};

const hasRangeIn = (field: Field | undefined): boolean => field !== undefined && filterKind(field) === "range";

/** Of one value. A number of a series is never taken by another record. */
const isFilteredIn = (field: Field | undefined): boolean =>
  field !== undefined &&
  !field.many &&
  field.storage.as === "column" &&
  field.series === null &&
  filterKind(field) !== null;

/** True if the condition reads only stored fields of the record. */
const isOfRecord = (entity: Entity, where: NonNullable<UniquenessRule["where"]>): boolean => {
  const { paths, fields, names, recordReads, user, old } = collectReadSet(where);
  return (
    !user &&
    !old &&
    names.size === 0 &&
    recordReads.length === 0 &&
    ![...paths].some((path) => path.includes(".")) &&
    [...fields].every((name) => entity.fields.get(name)?.storage.as === "column")
  );
};
