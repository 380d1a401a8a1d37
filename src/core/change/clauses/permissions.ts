import { witnessRecord } from "../../analysis/witness-text.ts";
import {
  isAutomatic,
  mayApply,
  type PermissionRule,
  type Principal,
  permissionRulesFor,
  transitionRulesFor,
  withoutUser,
} from "../../derive/authorization/grants.ts";
import type { Expr } from "../../expression/expr.ts";
import { alternatives, andList, type Message, type MessageValue, say } from "../../i18n/message.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { type Action, ADMINISTRATOR, actions } from "../../model/permissions.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import { type ComparedLine, createLine, type Difference, withDifference } from "../compared-line.ts";
import { type Comparison, covers } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** An entity that both versions have, or the later one only. */
export interface EntityPair {
  readonly before: Entity | undefined;
  readonly after: Entity;
}

/** Lines about the permissions of point 6, each with the persons who gain or lose it. */
export const comparePermissions = (comparison: Comparison, pair: EntityPair): readonly ComparedLine[] =>
  actions.flatMap((action) => {
    const at = { action, transition: null } as const;
    const rules = (entity: Entity | undefined): readonly PermissionRule[] =>
      entity === undefined ? [] : permissionRulesFor({ ...entity, records: new Map() }, action);
    return compareRules(comparison, pair, at, rules(pair.before), rules(pair.after));
  });

/** Lines about the roles that can make a transition of both versions. */
export const compareTransitionRoles = (
  comparison: Comparison,
  before: Entity,
  after: Entity,
  one: Transition,
  other: Transition,
): readonly ComparedLine[] =>
  compareRules(
    comparison,
    { before, after },
    { action: "update", transition: other.name },
    transitionRulesFor(before, one),
    transitionRulesFor(after, other),
  );

/** An action of point 6, or a transition. */
interface Act {
  readonly action: Action;
  readonly transition: string | null;
}

/** The rules of one version, and conditions of it made comparable. */
interface Side {
  readonly model: Model;
  readonly rules: readonly PermissionRule[];
  readonly prepare: (condition: Expr) => Expr;
}

/** The question which records and fields the rules of one version cover and those of the other do not. */
interface Coverage {
  readonly comparison: Comparison;
  readonly pair: EntityPair;
  readonly act: Act;
  readonly own: Side;
  readonly other: Side;
  /** The effect if they do: the later version allows more, or forbids a part of the earlier one. */
  readonly effect: "allows" | "forbids";
}

/** A rule with one of the persons to whom it applies. */
interface Holder {
  readonly rule: PermissionRule;
  readonly person: Principal;
}

const compareRules = (
  comparison: Comparison,
  pair: EntityPair,
  act: Act,
  before: readonly PermissionRule[],
  after: readonly PermissionRule[],
): readonly ComparedLine[] => {
  const earlier: Side = { model: comparison.before, rules: before, prepare: comparison.earlier };
  const later: Side = { model: comparison.after, rules: after, prepare: comparison.later };
  return [
    ...compareCoverage({ comparison, pair, act, own: later, other: earlier, effect: "allows" }),
    ...compareCoverage({ comparison, pair, act, own: earlier, other: later, effect: "forbids" }),
  ];
};

/** The lines of each rule for the first person for whom the versions differ. */
const compareCoverage = (coverage: Coverage): readonly ComparedLine[] =>
  coverage.own.rules.flatMap((rule) => {
    for (const person of leastPrincipals(coverage.own.model, rule)) {
      const lines = newlyCovered(coverage, { rule, person });
      if (lines.length > 0) return lines;
    }
    return [];
  });

const SOMEBODY = "00000000-0000-4000-8000-000000000000";
const anonymous: Principal = { id: null, granted: new Set() };
const signedIn: Principal = { id: SOMEBODY, granted: new Set() };

/**
 * The persons with the fewest roles to whom a rule applies. All others to whom it applies have at least the same
 * permissions, so a difference for anybody is a difference for one of these.
 */
const leastPrincipals = ({ roles }: Model, { role, roleCondition }: PermissionRule): readonly Principal[] => {
  if (roleCondition !== null) return [signedIn];
  const members = roles.get(role)?.members;
  if (members === "anyone") return [anonymous, signedIn];
  if (members === "signed in") return [signedIn];
  return [{ id: SOMEBODY, granted: new Set([role === ADMINISTRATOR ? ADMINISTRATOR : role]) }];
};

/** Fields that both versions have and that this action can concern; null stands for the record itself. */
const comparedFields = ({ before, after }: EntityPair, { action, transition }: Act): readonly (string | null)[] => {
  if (transition !== null || action === "delete") return [null];
  const isOpen = (entity: Entity, name: string): boolean =>
    action === "read" || entity.fields.get(name)?.storage.as === "inverse" || !isAutomatic(entity, name);
  return [...after.fields.keys()].filter(
    (name) => (before === undefined || (before.fields.has(name) && isOpen(before, name))) && isOpen(after, name),
  );
};

/** The conditions of a rule for a person, comparable with those of the other version. */
const conditionsFor = ({ pair, act }: Coverage, side: Side, { rule, person }: Holder): readonly Expr[] => {
  const conditions = [rule.roleCondition, rule.when]
    .filter((condition) => condition !== null)
    .map((condition) => (person.id === null ? withoutUser(condition) : condition))
    .map(side.prepare);
  const initial = pair.after.states?.initial;
  return act.action === "create" && initial !== undefined ? inState(conditions, pair.after, initial) : conditions;
};

/** The records and fields that a rule covers for a person and that no rule of the other version covers. */
const newlyCovered = (coverage: Coverage, holder: Holder): readonly ComparedLine[] => {
  const { comparison, pair, act, own, other } = coverage;
  const { rule, person } = holder;
  if (!mayApply(own.model, rule, person)) return [];
  const alternatives = other.rules
    .filter((rule) => mayApply(other.model, rule, person))
    .map((rule) => ({ fields: rule.fields, conditions: conditionsFor(coverage, other, { rule, person }) }));
  const wanted = conditionsFor(coverage, own, holder);
  // Fast path: most rules are unchanged.
  const isSame = alternatives.some(
    ({ fields, conditions }) =>
      (fields === null || (rule.fields !== null && [...rule.fields].every((field) => fields.has(field)))) &&
      covers(conditions, wanted),
  );
  if (isSame) return [];
  const differenceAt = (field: string | null): Difference =>
    comparison.findDifference(
      wanted,
      alternatives
        .filter(({ fields }) => field === null || fields === null || fields.has(field))
        .map(({ conditions }) => conditions),
    );
  const fields = comparedFields(pair, act).filter(
    (field) => field === null || rule.fields === null || rule.fields.has(field),
  );
  // A rule for fields of one version only still covers the record itself.
  const found = (fields.length === 0 ? [null] : fields).flatMap((field) => {
    const difference = differenceAt(field);
    return difference === undefined ? [] : [{ field, difference }];
  });
  const groups = groupByWitness(found);
  const isWhole = found.length === fields.length && other.rules.every(({ role }) => role !== rule.role);
  const whole = isWhole ? joinGroups(groups) : undefined;
  if (whole !== undefined) return [toLine(coverage, holder, whole, { covered: fields, isRest: false })];
  const rest = findRest(groups, fields);
  return [...groups.filter((group) => group !== rest), ...(rest === undefined ? [] : [rest])].map((group) =>
    toLine(coverage, holder, group, { covered: fields, isRest: group === rest }),
  );
};

/** Fields whose difference one example shows. */
interface FieldGroup {
  readonly difference: NonNullable<Difference>;
  readonly fields: readonly string[];
  /** The conditions of the records that are counted, if they are not those of the difference. */
  readonly counted?: readonly Expr[];
}

/**
 * The groups of a role that gains or loses an action altogether, as one: “Staff can now read tickets”, although others
 * could read some fields of their own tickets before. The example is the one with the most conditions, so that it holds
 * for every field; the records are counted with the fewest. Undefined if something is not decided.
 */
const joinGroups = (groups: readonly FieldGroup[]): FieldGroup | undefined => {
  if (groups.length < 2 || groups.some(({ difference }) => difference.example === null)) return undefined;
  const byConditions = groups.toSorted(
    (one, other) => one.difference.conditions.length - other.difference.conditions.length,
  );
  const [widest, narrowest] = [byConditions[0], byConditions.at(-1)];
  if (widest === undefined || narrowest === undefined) return undefined;
  return {
    difference: narrowest.difference,
    fields: groups.flatMap(({ fields }) => fields),
    counted: widest.difference.conditions,
  };
};

/** More fields of one line are not all named, if there is a shorter way to say which ones they are. */
const MOST_NAMED = 6;

/** The largest group, if it is long and the lines of the others name all fields that it lacks. */
const findRest = (groups: readonly FieldGroup[], covered: readonly (string | null)[]): FieldGroup | undefined => {
  const [largest, ...others] = groups.toSorted((one, other) => other.fields.length - one.fields.length);
  if (largest === undefined || others.length === 0 || largest.fields.length <= MOST_NAMED) return undefined;
  const named = new Set(groups.flatMap(({ fields }) => fields));
  return covered.every((field) => field === null || named.has(field)) ? largest : undefined;
};

/** Groups the fields whose difference one example shows; null stands for the record itself. */
const groupByWitness = (
  found: readonly { readonly field: string | null; readonly difference: NonNullable<Difference> }[],
): readonly FieldGroup[] => {
  const groups = new Map<string, { readonly difference: NonNullable<Difference>; readonly fields: string[] }>();
  for (const { field, difference } of found) {
    const { example } = difference;
    const key = example === null ? "possible" : JSON.stringify(witnessRecord(example));
    const group = groups.get(key) ?? { difference, fields: [] };
    if (field !== null) group.fields.push(field);
    groups.set(key, group);
  }
  return [...groups.values()];
};

/** German negates the object: "können keine Anträge mehr löschen". */
type ObjectForm = "all" | "some" | "none";

/** The place of a group among those of a rule. */
interface GroupPlace {
  /** All fields of the rule that the action can concern. */
  readonly covered: readonly (string | null)[];
  /** True if other lines name all fields of the rule that the group lacks. */
  readonly isRest: boolean;
}

const toLine = (
  coverage: Coverage,
  { rule, person }: Holder,
  { difference, fields, counted }: FieldGroup,
  { covered, isRest }: GroupPlace,
): ComparedLine => {
  const { comparison, pair, act, own, other, effect } = coverage;
  const { words } = comparison;
  const { after: entity } = pair;
  const counterpart = other.rules.filter(
    (other) =>
      other.role === rule.role &&
      (fields.length === 0 || other.fields === null || fields.some((field) => other.fields?.has(field))),
  );
  const remains = counterpart.length > 0 || other.rules.some((rule) => mayApply(other.model, rule, person));
  const holders = words.holders(rule.role, entity, rule.roleCondition !== null);
  const is = (condition: Expr | null | undefined): MessageValue | undefined =>
    condition === null || condition === undefined ? undefined : words.condition(condition, rule.roleCondition !== null);
  const isGone =
    effect === "forbids" && fields.length === covered.length && other.rules.every(({ role }) => role !== rule.role);
  const isAll = isGone || coversAll(pair, act, fields);
  const many = words.many(entity);
  const object = (form: ObjectForm): MessageValue => {
    if (isAll) return say(`object.${form}`, { many });
    // Records are created as a whole: a permission for some fields is one to enter them.
    const names = isRest ? say("fields.other", {}) : words.fields(entity, fields);
    if (act.action === "create")
      return say(form === "none" ? "object.new.none" : "object.new.some", { fields: names, many });
    const others = listOthers(pair, act, fields);
    if (!isRest && fields.length > MOST_NAMED && others.length <= MOST_NAMED)
      return say(`object.except.${form}`, { fields: words.fields(entity, others), many });
    return say(`object.fields.${form}`, { fields: names, many });
  };
  const acts = (form: ObjectForm = "some"): Message => {
    if (act.transition === null)
      return say("act", { action: act.action === "create" && !isAll ? "enter" : act.action, object: object(form) });
    return say(`act.transition.${form}`, { transition: words.transition(entity, act.transition), many });
  };
  // Other people have the role, and the rule itself has not changed.
  const isOfOthers = rule.roleCondition !== null && counterpart.some(({ when }) => hasSameMeaning(when, rule.when));
  const message = ((): Message => {
    const anonymous = person.id === null;
    if (isOfOthers) return say(effect === "allows" ? "can.more" : "cannot.always", { who: holders, act: acts() });
    if (effect === "allows") {
      const condition = is(rule.when);
      const widens = counterpart.some(({ when, roleCondition }) => when !== null || roleCondition !== null);
      const isAlways = widens && rule.when === null;
      // A role at a record never covers all records.
      if (isAlways && rule.roleCondition !== null) return say("can.always", { who: holders, act: acts() });
      const args = { who: holders, act: acts(isAlways ? "all" : "some"), anonymous };
      return condition === undefined ? say("can", args) : say("can.where", { ...args, condition });
    }
    const only = counterpart.length === 1 ? is(counterpart[0]?.when) : undefined;
    if (only !== undefined) return say("can.only", { who: holders, act: acts(), condition: only });
    if (remains && counterpart.length > 0) return say("cannot.always", { who: holders, act: acts() });
    const condition = is(rule.when);
    const args = { who: holders, act: acts("none"), anonymous };
    return condition === undefined ? say("cannot", args) : say("cannot.where", { ...args, condition });
  })();
  const [deciding] = counterpart;
  const [before, after] = effect === "allows" ? [deciding, rule] : [rule, deciding];
  const line: ComparedLine = {
    point: act.transition === null ? 6 : 4,
    subject: `${entity.name}.${act.transition ?? act.action}`,
    effect,
    before: before?.clause ?? other.rules[0]?.clause ?? null,
    after: after?.clause ?? other.rules[0]?.clause ?? null,
    spans: { before: before?.span ?? null, after: after?.span ?? null },
    hasSharedId: act.transition === null && (own.rules.length > 1 || other.rules.length > 1),
    certainty: "decided",
    witness: null,
    loses: effect === "forbids" ? "access" : null,
    message,
    proof: null,
    basis: null,
  };
  const compared = withDifference(line, difference, rule.role);
  return counted === undefined ? compared : { ...compared, basis: { conditions: counted, role: rule.role } };
};

/** True if these are all fields that the action can concern, so that naming them would add nothing. */
const coversAll = (pair: EntityPair, act: Act, fields: readonly string[]): boolean =>
  fields.length === 0 || listOthers(pair, act, fields).length === 0;

/** The fields that the action can concern, without these. */
const listOthers = (pair: EntityPair, act: Act, fields: readonly string[]): readonly string[] =>
  comparedFields(pair, act).flatMap((field) => (field === null || fields.includes(field) ? [] : [field]));

/**
 * The end of the default that only administrators have permissions is one decision, so it is one line instead of one for
 * each action of each entity.
 */
export const foldDefaultPermissions = (
  comparison: Comparison,
  lines: readonly ComparedLine[],
): readonly ComparedLine[] => {
  const { after, words } = comparison;
  const ends = ({ before, effect, message }: ComparedLine): boolean =>
    before === ("ADMINISTRATORS_ONLY" satisfies DefaultCode) && effect === "forbids" && message.id === "cannot";
  const lost = new Map<string, Action[]>();
  for (const { subject } of lines.filter(ends)) {
    const [entity = "", action] = subject.split(".");
    lost.set(entity, [...(lost.get(entity) ?? []), ...actions.filter((known) => known === action)]);
  }
  const ofPeople = lost.get("User");
  lost.delete("User");
  const groups = new Map<string, { readonly acts: readonly Action[]; readonly many: MessageValue[] }>();
  for (const [name, acts] of lost) {
    const group = groups.get(acts.join()) ?? { acts, many: [] };
    groups.set(acts.join(), group);
    const entity = after.entities.get(name);
    if (entity !== undefined) group.many.push(words.many(entity));
  }
  const folded = [...groups.values()].map(({ acts, many }) =>
    createLine(
      {
        point: 6,
        subject: "permissions",
        effect: "forbids",
        loses: "access",
        before: "ADMINISTRATORS_ONLY" satisfies DefaultCode,
        message: say("administrators.end", {
          acts: alternatives(acts.map((action) => say("act.name", { action }))),
          many: andList(many),
        }),
      },
      { before: undefined, after: undefined },
    ),
  );
  return [
    ...lines.filter((line) => !ends(line)),
    ...folded,
    ...(ofPeople === undefined ? [] : [endForPeople(comparison, ofPeople)]),
  ];
};

/**
 * The end of that default for people. Accounts and invitations need no permission of point 6. If no screen or call of
 * the earlier version is about people, administrators lose only the sight of them in records.
 */
const endForPeople = ({ before, after, words }: Comparison, acts: readonly Action[]): ComparedLine => {
  const user = after.entities.get("User");
  const many = user === undefined ? "" : words.many(user);
  const loses = isShown(before, "User") || (acts.includes("read") && !doAllReadNames(after));
  const message = isShown(before, "User")
    ? say("administrators.people.end", { acts: alternatives(acts.map((action) => say("act.name", { action }))), many })
    : say(loses ? "administrators.names.end" : "administrators.accounts", { many });
  return createLine(
    {
      point: 6,
      subject: "permissions",
      effect: loses ? "forbids" : "changes",
      loses: loses ? "access" : null,
      before: "ADMINISTRATORS_ONLY" satisfies DefaultCode,
      message,
    },
    { before: undefined, after: user === undefined ? undefined : { clause: user.permissions?.clause ?? null } },
  );
};

/** True if everyone who is signed in can read the names of all people. */
const doAllReadNames = ({ entities, roles }: Model): boolean => {
  const user = entities.get("User");
  return (
    user !== undefined &&
    permissionRulesFor({ ...user, records: new Map() }, "read").some(
      ({ role, roleCondition, when, fields }) =>
        roleCondition === null &&
        when === null &&
        fields?.has("name") !== false &&
        ["signed in", "anyone"].includes(roles.get(role)?.members ?? ""),
    )
  );
};

/** True if a conventional call, a call of the document or a screen is about the entity. */
const isShown = ({ entities, calls, screens }: Model, name: string): boolean =>
  entities.get(name)?.served === true ||
  calls.some(({ does }) => does.kind === "steps" && does.steps.some(({ entity }) => entity === name)) ||
  [...screens.values()].some((screen) =>
    screen.kind === "tiles" ? screen.tiles.some(({ entity }) => entity === name) : screen.entity === name,
  );
