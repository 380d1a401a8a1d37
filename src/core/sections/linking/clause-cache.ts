import type { Mention } from "../../model/mention.ts";
import { deepEqual } from "../../util/deep-equal.ts";

/** The uses of names in clauses, for analyzers across points. Linking a clause adds its own. */
export interface ClauseUses {
  readonly limitsRead: Set<string>;
  readonly rolesUsed: Set<string>;
  /** Outgoing calls that at least one effect makes. */
  readonly callsMade: Set<string>;
  /** Transitions that at least one effect makes, such as `Ticket.resume`. */
  readonly transitionsByEffects: Set<string>;
  /** Fields that a transition or an effect sets, such as `Ticket.share`. */
  readonly fieldsSet: Set<string>;
  /** Clauses and fields declared to disclose data that the people concerned cannot read. */
  readonly disclosed: Set<string>;
  /** Clauses that are only partly in force. */
  readonly unsettled: Set<string>;
  /** In the order of linking. */
  readonly mentions: Mention[];
}

export const createClauseUses = (): ClauseUses => ({
  limitsRead: new Set(),
  rolesUsed: new Set(),
  callsMade: new Set(),
  transitionsByEffects: new Set(),
  fieldsSet: new Set(),
  disclosed: new Set(),
  unsettled: new Set(),
  mentions: [],
});

/** The uses of one clause as lists, because most of its sets are empty and a document has many clauses. */
interface ListedUses {
  readonly names: readonly (readonly [of: NamedUses, name: string])[];
  readonly mentions: readonly Mention[];
}

type NamedUses = Exclude<keyof ClauseUses, "mentions">;

const namedUses = Object.keys(createClauseUses()).filter((of): of is NamedUses => of !== "mentions");
const noNames: ListedUses["names"] = [];

export const listClauseUses = (uses: ClauseUses): ListedUses => {
  let names: (readonly [NamedUses, string])[] | undefined;
  for (const of of namedUses)
    for (const name of uses[of]) {
      names ??= [];
      names.push([of, name]);
    }
  return { names: names ?? noNames, mentions: uses.mentions };
};

export const addClauseUses = (to: ClauseUses, { names, mentions }: ListedUses): void => {
  for (const [of, name] of names) to[of].add(name);
  for (const mention of mentions) to.mentions.push(mention);
};

/** Clauses of the last versions of a document, by their syntax, while everything that all clauses can read is equal. */
export interface ClauseCache {
  surroundings: unknown;
  known: WeakMap<object, KnownClause>;
}

interface KnownClause {
  readonly inputs: readonly unknown[];
  readonly linked: unknown;
  readonly uses: ListedUses;
}

export const createClauseCache = (): ClauseCache => ({ surroundings: undefined, known: new WeakMap() });

/** Forgets all clauses if their surroundings have changed: names, constants, and the forms of computed fields. */
export const renewClauses = (cache: ClauseCache, surroundings: unknown): void => {
  if (deepEqual(cache.surroundings, surroundings)) return;
  cache.surroundings = surroundings;
  cache.known = new WeakMap();
};
