import type { Entity } from "../model/entity.ts";
import { isPlainColumn } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import type { Rename } from "../model/renaming.ts";
import type { Span } from "../source-text.ts";
import { alignNames } from "./align/align-names.ts";
import { pairUp } from "./compared-line.ts";
import { hasSameMeaning } from "./meaning.ts";

/** A removed name and a new one that probably replaces it, without `was`. */
export interface LikelyRename extends Rename {
  /** The clause with the new name. */
  readonly span: Span;
}

/** A named element, and its position among its neighbours. */
interface NamedItem<T> {
  readonly name: string;
  readonly is: T;
  readonly at: number;
}

/**
 * Likely renames: names that the later version no longer has, each with a similar new name. Renamings that the later
 * version declares are left out.
 */
export const findLikelyRenames = (earlier: Model, after: Model): readonly LikelyRename[] => {
  const before = alignNames(earlier, after);
  const entities = pairLike(
    listEntities(before.entities),
    listEntities(after.entities),
    (old, now) => likeness(old.name, now.name) + 2 * countSharedFields(old.is, now.is) >= 1.2,
  );
  const roles = pairLike(
    toNamedItems(before.roles),
    toNamedItems(after.roles),
    (old, now) => old.is.members === now.is.members && isLike(old, now),
  );
  const limits = pairLike(
    toNamedItems(before.limits.all),
    toNamedItems(after.limits.all),
    (old, now) => old.is.type.kind === now.is.type.kind && (old.is.value === now.is.value || isLike(old, now)),
  );
  const in_ = { entity: null, field: null };
  return [
    ...entities.map(({ old, now }) => ({
      of: "entity" as const,
      ...in_,
      old: old.name,
      now: now.name,
      span: now.is.clause.span,
    })),
    ...pairUp(before.entities, after.entities).both.flatMap((pair) => likelyInEntity(pair.before, pair.after)),
    ...roles.map(({ old, now }) => ({
      of: "role" as const,
      ...in_,
      old: old.name,
      now: now.name,
      span: now.is.clause.span,
    })),
    ...limits.flatMap(({ old, now }) =>
      now.is.clause === null
        ? []
        : [{ of: "limit" as const, ...in_, old: old.name, now: now.name, span: now.is.clause.span }],
    ),
  ];
};

const likelyInEntity = (before: Entity, after: Entity): readonly LikelyRename[] => {
  const entity = after.name;
  const fields = pairLike(
    toNamedItems(before.fields),
    toNamedItems(after.fields),
    (old, now) =>
      old.is.storage.as === now.is.storage.as &&
      old.is.type === now.is.type &&
      old.is.many === now.is.many &&
      isLike(old, now),
  );
  const transitions = pairLike(
    toNamedItems(before.states?.transitions ?? new Map()),
    toNamedItems(after.states?.transitions ?? new Map()),
    (old, now) =>
      hasSameMeaning(old.is.to.toSorted(), now.is.to.toSorted()) &&
      hasSameMeaning(old.is.from.toSorted(), now.is.from.toSorted()),
  );
  const records = pairLike(toNamedItems(before.records), toNamedItems(after.records), (old, now) =>
    hasSameMeaning(old.is.values, now.is.values),
  );
  const states = after.states;
  const values = [...after.fields.values()].flatMap((field): readonly LikelyRename[] => {
    const old = before.fields.get(field.name);
    if (old === undefined || field.name === states?.field) return [];
    return likelyValues(old.values, field.values).map((value) => ({
      of: "value",
      entity,
      field: field.name,
      ...value,
      span: field.clause.span,
    }));
  });
  const ofStates =
    states === null
      ? []
      : pairLike(
          listNamed(before.states?.states ?? []),
          listNamed(states.states),
          isLike,
          (old, now) => old.is.title === now.is.title,
        ).map(
          ({ old, now }): LikelyRename => ({
            of: "value",
            entity,
            field: states.field,
            old: old.name,
            now: now.name,
            span: now.is.clause.span,
          }),
        );
  const of = (
    kind: "field" | "transition" | "record",
    pairs: readonly Pair<{ readonly clause: { readonly span: Span } }>[],
  ) =>
    pairs.map(
      ({ old, now }): LikelyRename => ({
        of: kind,
        entity,
        field: null,
        old: old.name,
        now: now.name,
        span: now.is.clause.span,
      }),
    );
  return [...of("field", fields), ...values, ...ofStates, ...of("transition", transitions), ...of("record", records)];
};

interface Pair<T> {
  readonly old: NamedItem<T>;
  readonly now: NamedItem<T>;
}

const likelyValues = (before: readonly string[], after: readonly string[]) => {
  const list = (names: readonly string[]) => names.map((name, at) => ({ name, is: name, at }));
  return pairLike(list(before), list(after), isLike).map(({ old, now }) => ({ old: old.name, now: now.name }));
};

const listNamed = <T extends { readonly name: string }>(all: readonly T[]): readonly NamedItem<T>[] =>
  all.map((is, at) => ({ name: is.name, is, at }));

const toNamedItems = <T>(all: ReadonlyMap<string, T>): readonly NamedItem<T>[] =>
  [...all].map(([name, is], at) => ({ name, is, at }));

/** Entities of the document, without those of the platform. */
const listEntities = (all: ReadonlyMap<string, Entity>): readonly NamedItem<Entity>[] =>
  toNamedItems(all).filter(({ is }) => is.clause.span.file !== "");

/**
 * Pairs each name that only the earlier list has with the most similar name that only the later list has. Pairs that
 * are `isSame` by other features than their names come first.
 */
const pairLike = <T>(
  before: readonly NamedItem<T>[],
  after: readonly NamedItem<T>[],
  isCandidate: (old: NamedItem<T>, now: NamedItem<T>) => boolean,
  isSame: (old: NamedItem<T>, now: NamedItem<T>) => boolean = () => false,
): readonly Pair<T>[] => {
  const [olds, news] = [before.map(({ name }) => name), after.map(({ name }) => name)];
  const removed = before.filter(({ name }) => !news.includes(name));
  const added = after.filter(({ name }) => !olds.includes(name));
  const candidates = removed
    .flatMap((old) =>
      added.flatMap((now) => {
        const like = isSame(old, now) ? 2 : likeness(old.name, now.name);
        return like === 2 || isCandidate(old, now) ? [{ old, now, like }] : [];
      }),
    )
    .toSorted((a, b) => b.like - a.like || Math.abs(a.old.at - a.now.at) - Math.abs(b.old.at - b.now.at));
  const taken = new Set<string>();
  return candidates.filter(({ old, now }) => {
    if (taken.has(`old ${old.name}`) || taken.has(`now ${now.name}`)) return false;
    taken.add(`old ${old.name}`).add(`now ${now.name}`);
    return true;
  });
};

/** Similar names, or a name at the position of the other. */
const isLike = (old: NamedItem<unknown>, now: NamedItem<unknown>): boolean =>
  old.at === now.at || likeness(old.name, now.name) >= 0.4;

/** Pairs of letters that two names share: 1 for equal names, 0 for names without a common pair. */
const likeness = (a: string, b: string): number => {
  const [one, other] = [getLetterPairs(a), getLetterPairs(b)];
  if (one.size + other.size === 0) return 0;
  return (2 * [...one].filter((pair) => other.has(pair)).length) / (one.size + other.size);
};

const getLetterPairs = (name: string): ReadonlySet<string> => {
  const letters = name.toLowerCase().replaceAll("_", "");
  return new Set(Array.from({ length: Math.max(letters.length - 1, 0) }, (_, i) => letters.slice(i, i + 2)));
};

/** The share of the fields of two entities that both have, with the same type. */
const countSharedFields = (old: Entity, now: Entity): number => {
  const [one, other] = [fieldSignatures(old), fieldSignatures(now)];
  const shared = [...one].filter((field) => other.has(field)).length;
  return one.size + other.size === 0 ? 0 : (2 * shared) / (one.size + other.size);
};

const fieldSignatures = ({ fields }: Entity): ReadonlySet<string> =>
  new Set([...fields.values()].filter(isPlainColumn).map(({ name, type }) => `${name} ${type}`));
