import type { PermissionRule } from "../../../core/derive/authorization/grants.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";

interface SentencesProps {
  readonly model: Model;
  readonly entities: readonly Entity[];
  readonly compiler: Pick<typeof import("../draft/compiler.ts"), "permissionRulesFor" | "transitionRulesFor">;
  /** Formats a condition. */
  readonly phrase: (condition: Expr) => string;
}

/** A role with its permissions as sentences. */
interface RoleSentences {
  readonly key: string;
  readonly title: string;
  readonly members: string;
  readonly sentences: readonly { readonly words: string; readonly more: string; readonly clause: string }[];
}

/** Permissions by role as sentences, with fields and conditions. */
export const PermissionSentences = (props: SentencesProps) => {
  const { say } = useWords();
  const roles = useRoles(props);
  return roles.map(({ key, title, members, sentences }) => (
    <section key={key} className="who-role" aria-label={title}>
      <h2>
        {title} <span className="small-words">{members}</span>
      </h2>
      {sentences.length === 0 ? (
        <p className="small-words">{say("who.nothing")}</p>
      ) : (
        <ul>
          {sentences.map(({ words, more, clause }) => (
            <li key={`${clause} ${words} ${more}`}>
              <span>
                {words}
                {more !== "" && <span className="who-more">{more}</span>}
              </span>
              <ClauseId of={clause} />
            </li>
          ))}
        </ul>
      )}
    </section>
  ));
};

/** "2 fields: Name, Picture; if the status is Draft" */
export const joinLimits = (limits: readonly string[], say: Words["say"]): string =>
  limits.length === 0 ? "" : limits.reduce((before, more) => say("who.words", { before, more }));

const useRoles = ({ model, entities, compiler, phrase }: SentencesProps): readonly RoleSentences[] => {
  const { say, show } = useWords();
  const more = (entity: Entity, { fields, when }: PermissionRule, conditions: readonly string[] = []): string => {
    const names =
      fields === null
        ? []
        : [
            say("who.fields", {
              count: fields.size,
              names: show.list([...fields].map((name) => entity.fields.get(name)?.title ?? name)),
            }),
          ];
    const all = [...conditions, ...(when === null ? [] : [phrase(when)])];
    return joinLimits([...names, ...(all.length === 0 ? [] : [say("who.if", { conditions: show.list(all) })])], say);
  };
  const listSentences = (entity: Entity, role: string): RoleSentences["sentences"] => {
    const things = entity.called.many;
    const doings = (
      [
        ["read", "who.may.read"],
        ["create", "who.may.create"],
        ["update", "who.may.update"],
        ["delete", "who.may.delete"],
      ] as const
    ).flatMap(([action, words]) =>
      compiler
        .permissionRulesFor(entity, action)
        .filter((allowance) => allowance.role === role)
        .map((allowance) => ({
          words: say(words, { things }),
          more: more(entity, allowance),
          clause: allowance.clause,
        })),
    );
    const { states } = entity;
    const getStateTitle = (name: string) => states?.states.find((state) => state.name === name)?.title ?? name;
    const transitions = [...(states?.transitions.values() ?? [])].flatMap((transition) =>
      compiler
        .transitionRulesFor(entity, transition)
        .filter((allowance) => allowance.role === role)
        .map((allowance) => ({
          words: say("who.may.transition", {
            transition: transition.title,
            things,
            states: show.list(transition.from.map(getStateTitle), "disjunction"),
          }),
          more: more(
            entity,
            allowance,
            transition.guardAndPreconditions === null ? [] : [phrase(transition.guardAndPreconditions)],
          ),
          clause: allowance.clause,
        })),
    );
    return [...doings, ...transitions];
  };
  const everybody = [...model.roles.values()].filter(({ members }) => members === "anyone" || members === "signed in");
  /** Roles for people who also have the permissions of everybody. */
  const membersNote = (members: string): string =>
    everybody.length === 0
      ? members
      : say("who.beside", { members, roles: show.list(everybody.map(({ title }) => title)) });
  const memberKeys = {
    anyone: "who.anyone",
    "signed in": "who.signed.in",
    granted: "who.granted",
    deputies: "who.deputies",
  } as const;
  return [
    ...[...model.roles.values()].map(
      (role): RoleSentences => ({
        key: role.name,
        title: role.title,
        members: role.members === "granted" ? membersNote(say("who.granted")) : say(memberKeys[role.members]),
        sentences: entities.flatMap((entity) => listSentences(entity, role.name)),
      }),
    ),
    // Record roles, including those inherited by parts.
    ...entities.flatMap((entity) =>
      [...entity.roles.values()]
        .filter(({ from }) => from === null)
        .map(
          (role): RoleSentences => ({
            key: `${entity.name}.${role.name}`,
            title: say("who.role.of", { role: role.title, thing: entity.called.one }),
            members: say("who.held.if", { condition: phrase(role.condition) }),
            sentences: entities
              .filter(
                (candidate) =>
                  candidate === entity ||
                  [...candidate.roles.values()].some((other) => other.from === entity.name && other.name === role.name),
              )
              .flatMap((item) => listSentences(item, role.name)),
          }),
        ),
    ),
  ];
};
