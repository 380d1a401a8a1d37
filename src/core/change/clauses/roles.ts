import { type Message, quoted, say } from "../../i18n/message.ts";
import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import type { HeldRole, Role } from "../../model/permissions.ts";
import { type ComparedLine, createLine, pairUp, withDifference, writerFor } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { compareConditions } from "../conditions.ts";
import { hasSameMeaning } from "../meaning.ts";

interface Pair<T> {
  readonly before: T;
  readonly after: T;
}

/** Lines about who holds a role (point 6): roles of the application, and roles that a record gives. */
export const compareRoles = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after } = comparison;
  const { both, added, removed } = pairUp(before.roles, after.roles);
  return [
    ...added.map((role) =>
      createLine(
        {
          point: 6,
          subject: role.name,
          effect: "adds",
          message: say("role.added", { title: quoted(role.title), members: describeMembers(role) }),
        },
        { before: undefined, after: role },
      ),
    ),
    ...removed.map((role) =>
      createLine(
        {
          point: 6,
          subject: role.name,
          effect: "removes",
          loses: "access",
          message: say("role.removed", { title: quoted(role.title) }),
        },
        { before: role, after: undefined },
      ),
    ),
    ...both.flatMap(compareRole),
    ...[...after.entities.values()].flatMap((entity) => {
      const old = before.entities.get(entity.name);
      return old === undefined ? [] : compareHeldRoles(comparison, { before: old, after: entity });
    }),
  ];
};

const compareRole = (pair: Pair<Role>): readonly ComparedLine[] => {
  const { before, after } = pair;
  const line = writerFor(6, pair);
  const title = quoted(after.title);
  const widens = countMembers(after) - countMembers(before);
  const members = say("role.members", { title, members: describeMembers(after) });
  return [
    ...(widens > 0 ? [line(after.name, "allows", members)] : []),
    ...(widens < 0 ? [line(after.name, "forbids", members, { loses: "access" })] : []),
    ...(before.title === after.title
      ? []
      : [line(after.name, "changes", say("role.was.called", { title, before: quoted(before.title) }))]),
  ];
};

/** Greater if more persons hold the role. */
const countMembers = ({ members }: Role): number => ["granted", "signed in", "anyone"].indexOf(members);

const describeMembers = ({ members }: Role): Message => {
  if (members === "anyone") return say("members.anyone", {});
  if (members === "deputies") return say("members.deputies", {});
  return say(members === "signed in" ? "members.signed.in" : "members.granted", {});
};

const compareHeldRoles = (comparison: Comparison, { before, after }: Pair<Entity>): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.roles, after.roles);
  const many = comparison.words.many(after);
  return [
    ...withoutInherited(added, comparison.before).map((role) =>
      createLine(
        {
          point: 6,
          subject: `${after.name}.${role.name}`,
          effect: "adds",
          message: say("held.added", { many, title: quoted(role.title) }),
        },
        { before: undefined, after: role },
      ),
    ),
    ...withoutInherited(removed, comparison.after).map((role) =>
      createLine(
        {
          point: 6,
          subject: `${after.name}.${role.name}`,
          effect: "removes",
          loses: "access",
          message: say("held.removed", { many, title: quoted(role.title) }),
        },
        { before: role, after: undefined },
      ),
    ),
    ...both
      .filter((pair) => pair.before.from === null || pair.before.from !== pair.after.from)
      .flatMap((pair) => compareHeldRole(comparison, after, pair)),
  ];
};

/**
 * Roles of one version without those that parts inherit from a record whose role the other version does not have: the
 * line about that record's role covers its parts.
 */
const withoutInherited = (roles: readonly HeldRole[], other: Model): readonly HeldRole[] =>
  roles.filter(({ name, from }) => from === null || other.entities.get(from)?.roles.has(name) === true);

const compareHeldRole = (comparison: Comparison, entity: Entity, pair: Pair<HeldRole>): readonly ComparedLine[] => {
  const { before, after } = pair;
  const line = writerFor(6, pair);
  const subject = `${entity.name}.${after.name}`;
  const names = { title: quoted(after.title), many: comparison.words.many(entity) };
  const { wider, narrower } = hasSameMeaning(before.condition, after.condition)
    ? { wider: undefined, narrower: undefined }
    : compareConditions(comparison, before.condition, after.condition);
  return [
    ...(wider === undefined ? [] : [withDifference(line(subject, "allows", say("held.more", names)), wider)]),
    ...(narrower === undefined
      ? []
      : [withDifference(line(subject, "forbids", say("held.fewer", names), { loses: "access" }), narrower)]),
    ...(before.title === after.title
      ? []
      : [line(subject, "changes", say("held.was.called", { ...names, before: quoted(before.title) }))]),
  ];
};
