import { type Message, quoted, say } from "../../i18n/message.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";

/**
 * Lines about the roles that people can hand to a deputy (point 6). Other lines cover what deputies can do (the
 * permissions of their roles) and for how long (the rules of `Deputy`).
 */
export const compareDeputies = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], message: Message, loses: ComparedLine["loses"] = null): ComparedLine =>
    createLine(
      { point: 6, subject: "deputies", effect, message, loses },
      { before: before.deputies ?? undefined, after: after.deputies ?? undefined },
    );
  const [one, other] = [before, after].map(({ deputies }) => [...(deputies?.roles ?? [])]);
  return [
    ...(other ?? [])
      .filter((role) => one?.includes(role) !== true)
      .map((role) => line("allows", say("deputies.can", { title: quoted(findTitle(after, role)) }))),
    ...(one ?? [])
      .filter((role) => other?.includes(role) !== true)
      .map((role) => line("forbids", say("deputies.cannot", { title: quoted(findTitle(before, role)) }), "access")),
  ];
};

/** The title of a global role, or of a role held on records of an entity. */
const findTitle = ({ roles, entities }: Model, role: string): string =>
  roles.get(role)?.title ??
  [...entities.values()].flatMap((entity) => entity.roles.get(role)?.title ?? [])[0] ??
  toTitle(role);
