import { memoized, orNone } from "../document/shape/combinators.ts";
import { list, named } from "../document/shape/list-and-mapping.ts";
import type { Named, ShapeValue } from "../document/shape.ts";
import { conditionForOne } from "../expression/inspect/exactly-one.ts";
import type { Scope } from "../expression/values/type.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Precondition } from "../model/effect.ts";
import type { States, UniquenessRule, ValidationRule } from "../model/entity.ts";
import { isWithoutField } from "../model/errors.ts";
import type { LinkedEntity } from "./entities/entities.ts";
import { isBuiltIn } from "./errors.ts";
import { linkBetween, linkRule, onlyOne } from "./link-rule.ts";
import type { LinkedErrors } from "./linking/error-catalogue.ts";
import { type Linking, reportUnknownName } from "./linking/link-context.ts";
import { linkPrecondition, type Preconditions } from "./preconditions.ts";
import { type RuleSyntax, rule } from "./rule.ts";

/** Point 5: validation rules. */
export const rulesShape = orNone(named("entity", memoized(list(rule))));

export type RulesSyntax = ShapeValue<typeof rulesShape>;
export interface LinkedRules {
  readonly rules: ReadonlyMap<string, readonly ValidationRule[]>;
  readonly together: ReadonlyMap<string, readonly UniquenessRule[]>;
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

export const linkRules = (
  syntax: RulesSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  states: ReadonlyMap<string, States>,
  { errors, messages, places }: LinkedErrors,
  scope: Scope,
  linking: Linking,
): LinkedRules => {
  const rules = new Map<string, readonly ValidationRule[]>();
  const together = new Map<string, UniquenessRule[]>();
  const preconditions = new Map<string, Map<string, readonly Precondition[]>>();
  const raised = new Set<string>();
  const misplaced = new Set<string>();
  const declared: readonly Named<readonly RuleSyntax[]>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  for (const { name: entity, key, value } of declared) {
    const linked = entities.get(entity);
    if (linked === undefined) {
      reportUnknownName(linking, key, "entity", entity, entities.keys());
      continue;
    }
    const moments = ["create", "update", ...(states.get(entity)?.transitions.keys() ?? [])];
    rules.set(
      entity,
      value.flatMap((written) => {
        const completed = withCompletions(written, states.get(entity));
        if (completed.discloses?.value === true)
          linking.disclosed.add(`5.${entity}.${completed.name?.value ?? completed.else.value}`);
        raised.add(completed.else.value);
        if (!errors.has(completed.else.value))
          reportUnknownName(
            linking,
            completed.else.span,
            "error in point 8 called",
            completed.else.value,
            errors.keys(),
            "NO_ERROR_ENTRY",
          );
        const place = places.get(completed.else.value);
        if (place !== undefined && !misplaced.has(completed.else.value)) {
          linking.mentions.push({ of: "field", entity, name: place.value, span: place.span });
          if (!linked.named.has(place.value)) {
            misplaced.add(completed.else.value);
            reportUnknownName(linking, place.span, `field of ${entity}`, place.value, linked.named);
          }
        }
        for (const moment of completed.during ?? [])
          if (!moments.includes(moment.value))
            reportUnknownName(linking, moment.span, `transition of ${entity}`, moment.value, moments);
        const message = messages.get(completed.else.value);
        const inRecord = { ...scope, entity };
        if (!("rule" in completed.keys) && ("unique" in completed.keys || "no overlap" in completed.keys)) {
          const own = linkBetween(completed, entity, message, inRecord, linked, linking);
          if (own === undefined || "rule" in own) return own === undefined ? [] : [own.rule];
          together.set(entity, [...(together.get(entity) ?? []), own.together]);
          return [];
        }
        if (completed.before !== undefined) {
          const found = linkPrecondition(completed, entity, message, inRecord, linking);
          const known = preconditions.get(entity) ?? new Map<string, readonly Precondition[]>();
          preconditions.set(entity, known);
          const transitions = moments.filter((moment) => !conventional.has(moment));
          for (const { value, span } of completed.before)
            if (!transitions.includes(value))
              reportUnknownName(linking, span, `transition of ${entity}`, value, transitions);
            else if (found !== undefined) known.set(value, [...(known.get(value) ?? []), found]);
          return [];
        }
        // When the people are enough, each of them has given what the transition asks for.
        const asked = askedFields(written.during, states.get(entity));
        return linkRule(completed, entity, message, inRecord, linking, asked);
      }),
    );
  }
  for (const [entity, { fields, rows }] of entities) {
    if (rows !== null) continue;
    const during = ["create", "update", ...(states.get(entity)?.transitions.keys() ?? [])];
    const storedComputed = [...fields.values()].flatMap(({ clause, storage }) => {
      if (storage.as !== "stored") return [];
      const { from, until } = storage;
      const found = conditionForOne(from);
      const moments =
        until === null ? during : ["create", ...(until.fields.length === 0 ? [] : ["update"]), ...until.transitions];
      return found === undefined
        ? []
        : [onlyOne(clause, { found, of: [from] }, linking, { during: moments, always: false })];
    });
    if (storedComputed.length > 0) rules.set(entity, [...storedComputed, ...(rules.get(entity) ?? [])]);
  }
  // A form place has no effect for a built-in error that no rule raises and that names its own field.
  for (const [code, place] of places)
    if (!raised.has(code) && isBuiltIn(code) && !isWithoutField(code))
      linking.report(
        finding("BAD_VALUE", place.span, `No rule raises ${code}, so “at” has no effect.`, "Remove “at”.", {
          clause: `8.${code}`,
        }),
      );
  return { rules, together, preconditions, raised };
};

const conventional: ReadonlySet<string> = new Set(["create", "update"]);

/** A rule during a transition that needs several people is also checked when they are enough. */
const withCompletions = (syntax: RuleSyntax, states: States | undefined): RuleSyntax => {
  const completed = (syntax.during ?? []).flatMap(({ value, span }) => {
    const completion = states?.transitions.get(value)?.needs?.completion;
    return completion === undefined ? [] : [{ value: completion, span }];
  });
  return completed.length === 0 ? syntax : { ...syntax, during: [...(syntax.during ?? []), ...completed] };
};

export const silentRules = (syntax: RulesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["TYPES_ALONE"] : [];
