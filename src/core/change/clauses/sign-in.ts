import { say } from "../../i18n/message.ts";
import type { Model } from "../../model/model.ts";
import { type ComparedLine, findOtherMembers, pairUp, type WriteLine, writerFor } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";

/** Lines about the sign-in of people and the tokens of programs (point 7). */
export const compareSignIn = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = writerFor(7, { before: before.signIn, after: after.signIn });
  const [one, other] = [before.signIn, after.signIn];
  const providers = pairUp(byName(one.providers), byName(other.providers));
  const lines: ComparedLine[] = [];
  if (one.isOff !== other.isOff)
    lines.push(
      other.isOff
        ? line("sign in", "changes", say("sign.in.off", {}), { loses: "access" })
        : line("sign in", "allows", say("sign.in.on", {})),
    );
  if (one.password !== other.password)
    lines.push(
      other.password
        ? line("sign in", "allows", say("password.on", {}))
        : line("sign in", "forbids", say("password.off", {}), { loses: "access" }),
    );
  if (one.by !== other.by)
    lines.push(
      other.by === null
        ? line("sign in", "forbids", say("sign.in.by.email", {}), { loses: "access" })
        : line("sign in", one.by === null ? "allows" : "changes", say("sign.in.by", { name: other.by }), {
            loses: one.by === null ? null : "access",
          }),
    );
  if (one.basic !== other.basic)
    lines.push(
      other.basic
        ? line("sign in", "allows", say("basic.on", {}))
        : line("sign in", "forbids", say("basic.off", {}), { loses: "compatibility" }),
    );
  for (const added of providers.added)
    lines.push(line(added.name, "allows", say("provider.on", { title: added.title }), { after: added.clause.id }));
  for (const provider of providers.removed)
    lines.push(
      line(provider.name, "forbids", say("provider.off", { title: provider.title }), {
        before: provider.clause.id,
        loses: "access",
      }),
    );
  for (const { before: old, after: now } of providers.both)
    for (const member of findOtherMembers(old, now, ["name"]))
      lines.push(line(now.name, "changes", say("provider.other", { title: now.title, member })));
  lines.push(...compareSignUp(line, one.signUp, other.signUp));
  return lines;
};

const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> =>
  new Map(list.map((item) => [item.name, item]));

const compareSignUp = (
  line: WriteLine,
  before: Model["signIn"]["signUp"],
  after: Model["signIn"]["signUp"],
): readonly ComparedLine[] => {
  if (before === null && after === null) return [];
  if (before === null)
    return [
      line("sign up", "allows", say("register.on", {})),
      ...(after?.verifiesEmail === false ? [line("sign up", "allows", say("register.at.once", {}))] : []),
    ];
  if (after === null) return [line("sign up", "forbids", say("register.off", {}), { loses: "access" })];
  const lines: ComparedLine[] = [];
  const sortNames = (list: readonly string[] | null) => list?.toSorted() ?? null;
  if (!hasSameMeaning(sortNames(before.emails), sortNames(after.emails))) {
    const isWider = after.emails === null || before.emails?.every((email) => after.emails?.includes(email)) === true;
    const changes =
      after.emails === null ? say("register.any", {}) : say("register.at", { names: after.emails.join(", ") });
    lines.push(
      line("sign up", isWider ? "allows" : "forbids", changes, {
        loses: isWider ? null : "access",
      }),
    );
  }
  if (before.verifiesEmail !== after.verifiesEmail)
    lines.push(
      after.verifiesEmail
        ? line("sign up", "forbids", say("register.mailed", {}), { loses: "compatibility" })
        : line("sign up", "allows", say("register.at.once", {}), { loses: "access" }),
    );
  if (!hasSameMeaning(sortNames(before.asks), sortNames(after.asks)))
    lines.push(
      line(
        "sign up",
        after.asks.every((field) => before.asks.includes(field)) ? "allows" : "forbids",
        after.asks.length === 0
          ? say("register.asks.nothing", {})
          : say("register.asks", { names: after.asks.join(", ") }),
        { loses: after.asks.every((field) => before.asks.includes(field)) ? null : "compatibility" },
      ),
    );
  if (!hasSameMeaning(sortNames(before.roles), sortNames(after.roles)))
    lines.push(
      line(
        "sign up",
        after.roles.some((role) => !before.roles.includes(role)) ? "allows" : "forbids",
        after.roles.length === 0
          ? say("register.no.roles", {})
          : say("register.roles", { names: after.roles.join(", ") }),
      ),
    );
  return lines;
};
