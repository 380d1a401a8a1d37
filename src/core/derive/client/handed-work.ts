import type { Phrases } from "../../explain/language.ts";
import { roleTitle } from "../../explain/roles.ts";
import { entityNoun } from "../../explain/who-may.ts";
import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import type { HeldRole } from "../../model/permissions.ts";
import type { HandedWorkJson } from "../../wire/application.ts";
import { type PermissionRule, permissionRulesFor } from "../authorization/grants.ts";
import { phrasesOfTitles, titlesOfActs } from "./role-work.ts";

/** The roles that a person has, as far as it is known. */
export interface RolesOfPerson {
  readonly granted: ReadonlySet<string>;
  /** Roles on records that the person holds on no record. */
  readonly unheld: ReadonlySet<HeldRole>;
}

/** Maximum number of lines. */
const MOST = 6;

/**
 * Describes the work that a person hands to a deputy: for each kind of record the transitions and writes, otherwise the
 * values that only holders of the roles see. That the parts of a record belong to it goes without saying. Null for somebody
 * with none of the roles.
 */
export const describeHandedWork = (
  model: Model,
  person: RolesOfPerson,
  phrases: Phrases,
  language: string,
): HandedWorkJson | null => {
  const words = phrasesOfTitles(phrases, language);
  const entities = [...model.entities.values()];
  const handed = [...(model.deputies?.roles ?? [])].filter((role) =>
    model.roles.has(role)
      ? person.granted.has(role)
      : entities.some(({ roles }) => isHeld(roles.get(role), person.unheld)),
  );
  if (handed.length === 0) return null;
  const lines = entities
    .filter(({ served, fields }) => served && [...fields.values()].every(({ partOf }) => !partOf))
    .flatMap((entity) => {
      const own = handed.filter((role) => !entity.roles.has(role) || isHeld(entity.roles.get(role), person.unheld));
      return describeWorkOn(model, entity, new Set(own), words);
    })
    .toSorted((one, other) => one.rank - other.rank);
  const acts = lines.slice(0, MOST);
  return {
    acts:
      acts.length > 0
        ? acts.map(({ text }) => text)
        : [...new Set(handed.map((role) => words.sentences.roleIs(words.say(roleTitle(model, role, null)))))],
    ...(lines.length > MOST ? { more: true } : {}),
    roles: handed.filter((role) => model.roles.has(role)),
  };
};

/** True for a role that the person has on records themselves, which their parts only inherit. */
const isHeld = (role: HeldRole | undefined, unheld: ReadonlySet<HeldRole>): boolean =>
  role?.from === null && !unheld.has(role);

interface Line {
  readonly text: string;
  /** Transitions come first, then other writes, then reading. */
  readonly rank: number;
}

const describeWorkOn = (model: Model, entity: Entity, handed: ReadonlySet<string>, words: Phrases): readonly Line[] => {
  const isTheirs = ({ role }: Pick<PermissionRule, "role">): boolean => handed.has(role);
  const isEverybodys = ({ role, when }: PermissionRule): boolean => {
    const members = model.roles.get(role)?.members;
    return when === null && (members === "anyone" || members === "signed in");
  };
  const { sentences, say } = words;
  const { many } = entityNoun(words, entity);
  const titles = titlesOfActs(entity, isTheirs);
  const writes = (["create", "update", "delete"] as const).filter((action) => {
    const rules = permissionRulesFor(entity, action);
    return rules.some(isTheirs) && !rules.some((rule) => isEverybodys(rule) && rule.fields === null);
  });
  if (titles.length > 0 || writes.length > 0) {
    const { text, rest } = sentences.roleActs(titles.map(say), many, writes);
    const rank = titles.length > 0 ? 0 : 1;
    return [{ text, rank }, ...(rest.length > 0 ? [{ text: sentences.roleRest(rest, many), rank }] : [])];
  }
  const reads = permissionRulesFor(entity, "read");
  const fieldsOf = (rules: readonly PermissionRule[]) =>
    new Set(rules.flatMap(({ fields }) => [...(fields ?? entity.fields.keys())]));
  const [theirs, everybodys] = [reads.filter(isTheirs), reads.filter(isEverybodys)].map(fieldsOf);
  const more = [...(theirs ?? [])].filter((field) => everybodys?.has(field) !== true);
  if (more.length === 0) return [];
  const text =
    everybodys?.size === 0
      ? sentences.roleSees([many])
      : sentences.roleSeesMore(
          many,
          more.map((field) => say(entity.fields.get(field)?.title ?? field)),
        );
  return [{ text, rank: 2 }];
};
