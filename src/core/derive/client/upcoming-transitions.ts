import type { Phrases } from "../../explain/language.ts";
import { plainPhrase, titleAt, valueNoun } from "../../explain/phrase.ts";
import { findHolders } from "../../explain/role-holders.ts";
import type { Expr } from "../../expression/expr.ts";
import { toFieldPath } from "../../expression/inspect/field-path.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { FieldTypeName, FollowJson, ReminderJson, TransitionJson } from "../../wire/entities.ts";
import { canNameFields } from "../authorization/access-trace.ts";
import { type Principal, readableFieldsFor } from "../authorization/grants.ts";
import { findCommentThread } from "./comment-threads.ts";
import { isEvaluableInForm } from "./form-computed-fields.ts";
import { toWording, type Wording, withoutLimits } from "./wording.ts";

/*
 * Describes upcoming events of a record: automatic transitions and their times, the holders of its roles, the effects of
 * a transition, and reminders. Each is disclosed only to callers who can know the names of all fields read.
 */

/** The time of a scheduled transition: a duration after its state was entered, or the time in a field. */
export type TransitionTime =
  | { readonly kind: "after"; readonly time: Expr }
  /** A date or datetime; with `dayAfter`, the day after the date. */
  | { readonly kind: "at"; readonly due: Expr; readonly dayAfter: boolean };

/** Null unless time alone decides the transition. */
export const findTimedTransition = ({ timeout, once }: Transition): TransitionTime | null => {
  if (timeout !== null) return { kind: "after", time: timeout };
  if (once?.kind !== "call" || !once.row.startsWith("ordered ")) return null;
  const isLess = once.row.includes("<");
  const [early, late] = isLess ? once.args : once.args.toReversed();
  if (early === undefined || (late?.kind !== "now" && late?.kind !== "today") || collectReadSet(early).clock)
    return null;
  return { kind: "at", due: early, dayAfter: late.kind === "today" && !once.row.includes("=") };
};

/** The upcoming events of a transition, as far as the caller can know them. */
export const upcomingTransition = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
  phrases: Phrases,
  /** Outgoing calls without a configured address. */
  waiting: ReadonlySet<string>,
): Pick<TransitionJson, "itself" | "guarded" | "guard" | "follows"> => {
  const phrasing = toWording(model, phrases);
  const knows = (expr: Expr): boolean => canNameFields(model, entity, person, expr);
  const { timeout, once, by, guardAndPreconditions: guard } = transition;
  const follows = (entity.after.get(transition.name) ?? []).flatMap((effect) =>
    listFollowing(effect, phrasing, knows, readableFieldsFor(model, entity.name, person), waiting).map((follow) => ({
      ...follow,
      ...(effect.kind === "create" && effect.each.length === 0
        ? nameSource(effect.set, model.entities.get(effect.entity), entity, transition, phrases)
        : {}),
    })),
  );
  return {
    ...(timeout !== null || once !== null || by?.length === 0
      ? { itself: describeTime(transition, phrasing, knows) }
      : {}),
    ...(guard !== null && !collectReadSet(guard).user ? { guarded: true } : {}),
    ...(guard !== null && isInForms(model, entity, transition, guard, person) ? { guard: serializeExpr(guard) } : {}),
    ...(follows.length === 0 ? {} : { follows }),
  };
};

/** The reminders of an entity and their effects, as far as the caller can know them. */
export const upcomingReminders = (
  model: Model,
  entity: Entity,
  person: Principal,
  phrases: Phrases,
  waiting: ReadonlySet<string>,
): readonly ReminderJson[] => {
  const phrasing = toWording(model, phrases);
  const knows = (expr: Expr): boolean => canNameFields(model, entity, person, expr);
  const readable = readableFieldsFor(model, entity.name, person);
  return [...entity.reminders.values()].flatMap(({ action, on }): readonly ReminderJson[] => {
    const effects = entity.after.get(action) ?? [];
    if (!knows(on)) return [];
    const follows = effects.flatMap((effect) => listFollowing(effect, phrasing, knows, readable, waiting));
    // The record says if the condition holds.
    return [{ action, follows: follows.map(({ when: _, ...follow }) => follow) }];
  });
};

/** True if a form for a new record can determine, while the user types, that the transition does not apply. */
const isInForms = (model: Model, entity: Entity, { from }: Transition, guard: Expr, person: Principal): boolean =>
  from.includes(entity.states?.initial ?? "") &&
  canNameFields(model, entity, person, guard) &&
  isEvaluableInForm(model, entity, guard, person);

/** The time of an automatic transition in words. */
const describeTime = (transition: Transition, phrasing: Wording, knows: (expr: Expr) => boolean): string | null => {
  const { phrases } = phrasing;
  const known = [transition.timeout, transition.once].every((expr) => expr === null || knows(expr));
  const timed = findTimedTransition(transition);
  if (!known) return null;
  if (timed?.kind === "after") {
    const time = valueNoun(withoutLimits(timed.time), phrasing);
    return time === undefined ? null : phrases.comes.after(time);
  }
  const at = timed === null ? null : findDueField(withoutLimits(timed.due), phrasing);
  if (at !== null) return at;
  const phrase = transition.once === null ? undefined : plainPhrase(withoutLimits(transition.once), phrasing);
  return phrase === undefined || phrase.length > LONGEST ? null : phrases.comes.once(phrase);
};

/** Maximum length of a description beside a name. */
const LONGEST = 90;

/** Phrases the time of a field, or a duration before or after it. */
const findDueField = (due: Expr, phrasing: Wording): string | null => {
  const { comes } = phrasing.phrases;
  if (due.kind === "field" && due.of.kind === "this") return comes.at(titleAt(due, phrasing), null);
  if (due.kind !== "call") return null;
  const [from, away] = due.args;
  const time = away?.type.kind === "duration" ? valueNoun(away, phrasing) : undefined;
  if (from?.kind !== "field" || from.of.kind !== "this" || time === undefined) return null;
  return comes.at(titleAt(from, phrasing), { time, side: due.row.includes(" - ") ? "before" : "after" });
};

const listFollowing = (
  effect: Effect,
  phrasing: Wording,
  knows: (expr: Expr) => boolean,
  readable: ReadonlySet<string>,
  waiting: ReadonlySet<string>,
): readonly FollowJson[] => {
  const { model, phrases } = phrasing;
  const { when } = effect;
  const condition = when === null ? null : knows(when) ? plainPhrase(withoutLimits(when), phrasing) : undefined;
  if (condition === undefined) return [];
  const whenPhrase = condition === null ? {} : { when: condition };
  const entityNoun = (name: string): string => phrases.say(model.entities.get(name)?.called.one ?? name);
  const manyOf = (name: string): string => phrases.say(model.entities.get(name)?.called.many ?? name);
  switch (effect.kind) {
    case "notify":
      return getRecipients(effect.to).flatMap((to): readonly FollowJson[] => {
        if (!knows(to)) return [];
        const role = findNamedRole(to);
        const what = role === null ? valueNoun(to, phrasing) : phrases.groupAll(phrases.role(role, null));
        if (what === undefined) return [];
        const field = to.kind === "field" && to.of.kind === "this" ? to.field.name : null;
        return [{ kind: "tell", what, ...(field !== null && readable.has(field) ? { field } : {}), ...whenPhrase }];
      });
    case "call":
    case "chat":
      return [
        {
          kind: "call",
          what: phrases.say(toTitle(effect.call)),
          ...whenPhrase,
          ...(waiting.has(effect.call) ? { waits: true as const } : {}),
        },
      ];
    case "create":
    case "put":
      return [
        {
          kind: "create",
          ...(effect.each.length === 0
            ? { what: entityNoun(effect.entity) }
            : { what: manyOf(effect.entity), several: true as const }),
          ...whenPhrase,
        },
      ];
    case "update":
      return [{ kind: "change", what: entityNoun(effect.entity), ...whenPhrase }];
    case "delete":
      return [{ kind: "delete", what: entityNoun(effect.entity), ...whenPhrase }];
    case "make": {
      if (effect.of === null) return [];
      const transition = model.entities.get(effect.entity)?.states?.transitions.get(effect.transition);
      return transition === undefined
        ? []
        : [{ kind: "move", what: phrases.of(entityNoun(effect.entity), phrases.say(transition.title)), ...whenPhrase }];
    }
  }
  return [];
};

/** The title of the first text that the transition asks for and that a new record consists of. */
const nameSource = (
  set: ReadonlyMap<string, Expr>,
  created: Entity | undefined,
  { fields }: Entity,
  { asks }: Transition,
  { say }: Phrases,
): Pick<FollowJson, "from"> => {
  if (created === undefined) return {};
  const words = fieldsOfWords(created);
  const name = [...set]
    .flatMap(([field, value]) => (words.has(field) ? (toFieldPath(value) ?? []) : []))
    .find((path) => asks.includes(path) && textTypes.has(fields.get(path)?.type ?? "reference"));
  const title = fields.get(name ?? "")?.title;
  return title === undefined ? {} : { from: say(title) };
};

const textTypes: ReadonlySet<FieldTypeName> = new Set(["text", "long text", "rich text"]);

/** The fields whose text people take for the record itself: the text of a comment, and those in the label. */
const fieldsOfWords = (entity: Entity): ReadonlySet<string> => {
  const comments = [...entity.fields.keys()].flatMap((by) => findCommentThread(entity, by)?.text.name ?? []);
  const inLabel = entity.label.parts.flatMap((part) =>
    typeof part !== "string" && part.kind === "field" && part.of.kind === "this" ? [part.field.name] : [],
  );
  return new Set([...comments, ...inLabel]);
};

const getRecipients = (to: Expr): readonly Expr[] => (to.kind === "list" ? to.items : [to]);

/** The role in `User.filter(u, 'payroll' in u.roles)`, which selects everybody with that role. */
const findNamedRole = (to: Expr): string | null => {
  if (to.kind !== "each" || to.row !== "filter" || to.list.kind !== "all") return null;
  const { body } = to;
  if (body.kind !== "call" || body.row !== "same in [same]") return null;
  const [role, roles] = body.args;
  const ofTheirs = roles?.kind === "field" && roles.of.kind === "variable" && roles.field.name === "roles";
  return ofTheirs && role?.kind === "constant" && typeof role.value === "string" ? role.value : null;
};

/** The roles that the person in a field holds on the record, for fields that the caller can read. */
export const heldByField = (model: Model, entity: Entity, person: Principal): ReadonlyMap<string, string> => {
  const readable = readableFieldsFor(model, entity.name, person);
  return new Map(
    [...entity.roles.values()].flatMap(({ name, condition, from }): readonly (readonly [string, string])[] => {
      const [person, ...others] = findHolders(condition);
      const isOwn = from === null && person?.kind === "field" && person.of.kind === "this" && others.length === 0;
      return isOwn && readable.has(person.field.name) ? [[name, person.field.name]] : [];
    }),
  );
};

/** False if a field for people offers only those with a granted role that this person lacks. */
export const canBeChosen = ({ fields }: Entity, name: string, { granted }: Principal): boolean => {
  const among = fields.get(name)?.among;
  const role = among ? findNamedRole(among.list) : null;
  return role === null || granted.has(role);
};
