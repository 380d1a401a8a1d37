import { memoized, orNone } from "../../document/shape/combinators.ts";
import { list, named } from "../../document/shape/list-and-mapping.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import { conditionForOne } from "../../expression/inspect/exactly-one.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Precondition } from "../../model/effect.ts";
import type { States, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { isBuiltInError, isWithoutField } from "../../model/errors.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import type { LinkedErrors } from "../linking/error-catalogue.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";
import { linkOnce } from "../linking/link-once.ts";
import { scopeOn } from "../linking/scope-on.ts";
import { linkRule, linkUniquenessRule, onlyOne } from "./link-rule.ts";
import { linkPrecondition, type Preconditions } from "./preconditions.ts";
import { type EntityRule, type RuleSyntax, rule } from "./rule.ts";

/** Point 5: validation rules. */
export const rulesShape = orNone(named("entity", memoized(list(rule))));

export type RulesSyntax = ShapeValue<typeof rulesShape>;
export interface LinkedRules {
  readonly rules: ReadonlyMap<string, readonly ValidationRule[]>;
  readonly uniquenessRules: ReadonlyMap<string, readonly UniquenessRule[]>;
  /** By entity, then by transition. */
  readonly preconditions: ReadonlyMap<string, Preconditions>;
  /** Error codes that rules raise, including rules that are not in force. */
  readonly raised: ReadonlySet<string>;
}

const NOTHING: readonly string[] = [];

/** The fields that have a value in each of these transitions, because it asks for them. */
const askedFields = (during: RuleSyntax["during"], states: States | undefined): readonly string[] => {
  const [first = NOTHING, ...others] = (during ?? []).map(({ value }) => {
    const transition = states?.transitions.get(value);
    return transition?.asks.filter((name) => !transition.asksIfAny.has(name)) ?? NOTHING;
  });
  const shared = first.filter((name) => others.every((fields) => fields.includes(name)));
  return shared.length === 0 ? NOTHING : shared;
};

/** The scope of a rule: values of an act exist if it is checked only during transitions that ask for them. */
const scopeOfRule = ({ during }: RuleSyntax, scope: Scope, entity: string): Scope => {
  const own = scopeOn(scope, entity);
  return during === undefined ? own : { ...own, during: during.map(({ value }) => value) };
};

/** The names that rules refer to. */
interface RuleNames {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  readonly states: ReadonlyMap<string, States>;
  readonly errorCatalogue: LinkedErrors;
}

export const linkRules = (
  syntax: RulesSyntax | undefined,
  { entities, states, errorCatalogue }: RuleNames,
  scope: Scope,
  linking: Linking,
): LinkedRules => {
  const rules = new Map<string, readonly ValidationRule[]>();
  const uniquenessRules = new Map<string, readonly UniquenessRule[]>();
  const preconditions = new Map<string, Preconditions>();
  const raised = new Set<string>();
  const misplaced = new Set<string>();
  const declared: readonly Named<readonly RuleSyntax[]>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  for (const { name: entity, key, value } of declared) {
    const linked = entities.get(entity);
    if (linked === undefined) {
      reportUnknownName(linking, key, "entity", entity, entities.keys());
      continue;
    }
    const transitions = [...(states.get(entity)?.transitions.keys() ?? [])];
    const found = value.map((syntax): LinkedRule => {
      const completed = withCompletions(syntax, states.get(entity));
      const code = completed.else.value;
      if (completed.discloses?.value === true) linking.disclosed.add(`5.${entity}.${completed.name?.value ?? code}`);
      raised.add(code);
      checkError(completed.else, errorCatalogue, linking);
      if (!misplaced.has(code) && isMisplaced(errorCatalogue.places.get(code), entity, linked, linking))
        misplaced.add(code);
      checkDuring(completed, entity, transitions, linking);
      const message = errorCatalogue.messages.get(code);
      // When the people are enough, each of them has given what the transition asks for.
      const asked = askedFields(syntax.during, states.get(entity));
      return linkOnce(linking, completed, [message, linked, asked, transitions], (linking) => {
        const rule = { syntax: completed, entity, message, scope: scopeOfRule(syntax, scope, entity) };
        return linkOne(rule, linked, asked, transitions, linking);
      });
    });
    rules.set(
      entity,
      found.flatMap(({ rules = [] }) => rules),
    );
    uniquenessRules.set(
      entity,
      found.flatMap(({ uniquenessRules = [] }) => uniquenessRules),
    );
    const before = found.flatMap(({ before = [] }) => before);
    if (before.length > 0) preconditions.set(entity, byTransition(before));
  }
  for (const [entity, linked] of entities) {
    const found = rulesOfComputed(linked, states.get(entity), linking);
    if (found.length > 0) rules.set(entity, [...found, ...(rules.get(entity) ?? [])]);
  }
  // A form place has no effect for a built-in error that no rule raises and that names its own field.
  for (const [code, place] of errorCatalogue.places)
    if (!raised.has(code) && isBuiltInError(code) && !isWithoutField(code))
      linking.report(
        finding("BAD_VALUE", place.span, `No rule raises ${code}, so “at” has no effect.`, "Remove “at”.", {
          clause: `8.${code}`,
        }),
      );
  return { rules, uniquenessRules, preconditions, raised };
};

/** The result of one rule of the document. */
interface LinkedRule {
  readonly rules?: readonly ValidationRule[];
  readonly uniquenessRules?: readonly UniquenessRule[];
  readonly before?: readonly Before[];
}

/** A precondition of a transition. */
interface Before {
  readonly transition: string;
  readonly precondition: Precondition;
}

const linkOne = (
  rule: EntityRule,
  linked: LinkedEntity,
  asked: readonly string[],
  transitions: readonly string[],
  linking: Linking,
): LinkedRule => {
  const { syntax, entity } = rule;
  if (!("rule" in syntax.keys) && ("unique" in syntax.keys || "no overlap" in syntax.keys)) {
    const own = linkUniquenessRule(rule, linked, linking);
    if (own === undefined) return {};
    return "rule" in own ? { rules: [own.rule] } : { uniquenessRules: [own.uniquenessRule] };
  }
  if (syntax.before === undefined) return { rules: linkRule(rule, linking, asked) };
  const precondition = linkPrecondition(rule, linking);
  return {
    before: syntax.before.flatMap(({ value: transition, span }) => {
      if (!transitions.includes(transition)) {
        reportUnknownName(linking, span, `transition of ${entity}`, transition, transitions);
        return [];
      }
      return precondition === undefined ? [] : [{ transition, precondition }];
    }),
  };
};

const byTransition = (found: readonly Before[]): Preconditions => {
  const grouped = new Map<string, readonly Precondition[]>();
  for (const { transition, precondition } of found)
    grouped.set(transition, [...(grouped.get(transition) ?? []), precondition]);
  return grouped;
};

const checkError = ({ value, span }: RuleSyntax["else"], { errors }: LinkedErrors, linking: Linking): void => {
  if (errors.has(value)) return;
  reportUnknownName(linking, span, "error in point 8 called", value, errors.keys(), { code: "NO_ERROR_ENTRY" });
};

/** True, with a finding, if the form place of an error is no field of the entity whose rule raises it. */
const isMisplaced = (
  place: Spanned<string> | undefined,
  entity: string,
  { named, fields }: LinkedEntity,
  linking: Linking,
): boolean => {
  if (place === undefined) return false;
  linking.mentions.push({ of: "field", entity, name: place.value, span: place.span });
  if (named.has(place.value) || fields.has(place.value)) return false;
  reportUnknownName(linking, place.span, `field of ${entity}`, place.value, named);
  return true;
};

const checkDuring = (
  { during }: RuleSyntax,
  entity: string,
  transitions: readonly string[],
  linking: Linking,
): void => {
  if (during === undefined) return;
  const actions = ["create", "update", ...transitions];
  for (const { value, span } of during)
    if (!actions.includes(value)) reportUnknownName(linking, span, `transition of ${entity}`, value, actions);
};

/** Stored computed fields that look for exactly one record need it on each action on which they are computed. */
const rulesOfComputed = (
  { fields, rows }: LinkedEntity,
  states: States | undefined,
  linking: Linking,
): readonly ValidationRule[] => {
  if (rows !== null) return [];
  const during = ["create", "update", ...(states?.transitions.keys() ?? [])];
  return [...fields.values()].flatMap(({ clause, storage }) => {
    if (storage.as !== "stored") return [];
    const { from, until } = storage;
    const found = conditionForOne(from);
    const actions =
      until === null ? during : ["create", ...(until.fields.length === 0 ? [] : ["update"]), ...until.transitions];
    return found === undefined
      ? []
      : [onlyOne(clause, { found, of: [from] }, linking, { during: actions, always: false })];
  });
};

/** A rule during a transition that needs several people is also checked when they are enough. */
const withCompletions = (syntax: RuleSyntax, states: States | undefined): RuleSyntax => {
  const completed = (syntax.during ?? []).flatMap(({ value, span }) => {
    const completion = states?.transitions.get(value)?.needs?.completion;
    return completion === undefined ? [] : [{ value: completion, span }];
  });
  return completed.length === 0 ? syntax : { ...syntax, during: [...(syntax.during ?? []), ...completed] };
};

export const listRuleDefaults = (syntax: RulesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["TYPES_ALONE"] : [];
