import { commaList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import type { Outgoing } from "../../model/effect.ts";
import type { TokenSettings } from "../../model/endpoint.ts";
import type { Entity } from "../../model/entity.ts";
import type { Limit, Model } from "../../model/model.ts";
import type { HeldRole, Role } from "../../model/permissions.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp, withDifference } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { compareConditions } from "../conditions.ts";
import { hasSameMeaning } from "../meaning.ts";
import { findLimitUses } from "./limit-uses.ts";

/** Lines about the purpose and the texts of the application (point 1). */
export const compareProduct = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = (subject: string, message: Message, clauses: Pick<Partial<ComparedLine>, "before" | "after"> = {}) =>
    createLine({ point: 1, subject, effect: "changes", message, ...clauses }, { before: undefined, after: undefined });
  const value = (text: string | null): MessageValue => (text === null ? say("the.default", {}) : quoted(text));
  const lines = (["name", "locale", "timezone", "accent", "sentence"] as const).flatMap((member) => {
    return before[member] === after[member]
      ? []
      : [
          line(
            member,
            say("product.changed", { what: member, now: value(after[member]), before: value(before[member]) }),
          ),
        ];
  });
  const languages = [...new Set([...after.translations.keys(), ...before.translations.keys()])];
  const translations = languages.flatMap((language) => {
    const [one, other] = [before, after].map((model) => model.translations.get(language));
    const name = { language: { languageName: language } };
    const clause = `1.translations.${language}`;
    if (one === undefined) return [line(language, say("language.added", name), { after: clause })];
    if (other === undefined) return [line(language, say("language.removed", name), { before: clause })];
    if (hasSameMeaning(one, other)) return [];
    return [line(language, say("language.texts", name), { before: clause, after: clause })];
  });
  const logo = before.logo === after.logo ? [] : [line("logo", say("product.logo", {}))];
  return [...lines, ...logo, ...translations];
};

/** Lines about who holds a role (point 6). */
export const compareRoles = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after, words } = comparison;
  const { both, added, removed } = pairUp(before.roles, after.roles);
  const about = ({ name }: Role) => ({ point: 6 as const, subject: name });
  return [
    ...added.map((role) =>
      createLine(
        {
          ...about(role),
          effect: "adds",
          message: say("role.added", { title: quoted(role.title), members: members(role) }),
        },
        { before: undefined, after: role },
      ),
    ),
    ...removed.map((role) =>
      createLine(
        {
          ...about(role),
          effect: "removes",
          loses: "access",
          message: say("role.removed", { title: quoted(role.title) }),
        },
        { before: role, after: undefined },
      ),
    ),
    ...both.flatMap(({ before: one, after: other }) => {
      const widens = ["granted", "signed in", "anyone"].indexOf(other.members) - rank(one);
      return [
        ...(widens === 0
          ? []
          : [
              createLine(
                {
                  ...about(other),
                  effect: widens > 0 ? "allows" : "forbids",
                  loses: widens > 0 ? null : "access",
                  message: say("role.members", { title: quoted(other.title), members: members(other) }),
                },
                { before: one, after: other },
              ),
            ]),
        ...(one.title === other.title
          ? []
          : [
              createLine(
                {
                  ...about(other),
                  effect: "changes",
                  message: say("role.was.called", { title: quoted(other.title), before: quoted(one.title) }),
                },
                { before: one, after: other },
              ),
            ]),
      ];
    }),
    ...[...after.entities.values()].flatMap((entity) => {
      const old = before.entities.get(entity.name);
      return old === undefined ? [] : compareHeldRoles(comparison, old, entity);
    }),
  ];

  function rank({ members: who }: Role): number {
    return ["granted", "signed in", "anyone"].indexOf(who);
  }

  function members({ members: who }: Role): Message {
    if (who === "anyone") return say("members.anyone", {});
    if (who === "deputies") return say("members.deputies", {});
    return say(who === "signed in" ? "members.signed.in" : "members.granted", {});
  }

  function compareHeldRoles(_: Comparison, one: Entity, other: Entity): readonly ComparedLine[] {
    const rolePairs = pairUp(one.roles, other.roles);
    const role = ({ name }: HeldRole) => ({ point: 6 as const, subject: `${other.name}.${name}` });
    const many = words.many(other);
    return [
      ...rolePairs.added.map((added) =>
        createLine(
          { ...role(added), effect: "adds", message: say("held.added", { many, title: quoted(added.title) }) },
          { before: undefined, after: added },
        ),
      ),
      ...rolePairs.removed.map((removedRole) =>
        createLine(
          {
            ...role(removedRole),
            effect: "removes",
            loses: "access",
            message: say("held.removed", { many, title: quoted(removedRole.title) }),
          },
          { before: removedRole, after: undefined },
        ),
      ),
      ...rolePairs.both.flatMap((pair) => {
        const title = quoted(pair.after.title);
        const line = (
          effect: ComparedLine["effect"],
          message: Message,
          more: Partial<ComparedLine> = {},
        ): ComparedLine => createLine({ ...role(pair.after), effect, message, ...more }, pair);
        const { wider, narrower } = hasSameMeaning(pair.before.condition, pair.after.condition)
          ? { wider: undefined, narrower: undefined }
          : compareConditions(comparison, pair.before.condition, pair.after.condition);
        return [
          ...(wider === undefined ? [] : [withDifference(line("allows", say("held.more", { title, many })), wider)]),
          ...(narrower === undefined
            ? []
            : [withDifference(line("forbids", say("held.fewer", { title, many }), { loses: "access" }), narrower)]),
          ...(pair.before.title === pair.after.title
            ? []
            : [line("changes", say("held.was.called", { title, many, before: quoted(pair.before.title) }))]),
        ];
      }),
    ];
  }
};

/** Lines about the sign-in of people and the tokens of programs (point 7). */
export const compareSignIn = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = (
    subject: string,
    effect: ComparedLine["effect"],
    message: Message,
    more: Partial<ComparedLine> = {},
  ): ComparedLine =>
    createLine({ point: 7, subject, effect, message, ...more }, { before: before.signIn, after: after.signIn });
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

type WriteLine = (
  subject: string,
  effect: ComparedLine["effect"],
  message: Message,
  more?: Partial<ComparedLine>,
) => ComparedLine;

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

/** Lines about calls to other programs, and settings shared by the calls of point 7. */
export const compareCallSettings = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after } = comparison;
  const { both, added, removed } = pairUp(before.outgoing, after.outgoing);
  const settings = [before.callSettings, after.callSettings] as const;
  const line = (
    subject: string,
    effect: ComparedLine["effect"],
    message: Message,
    more: Partial<ComparedLine> = {},
  ): ComparedLine =>
    createLine({ point: 7, subject, effect, message, ...more }, { before: undefined, after: undefined });
  const [one, other] = settings;
  const [was, is] = [one.token, other.token];
  return [
    ...added.map((call) =>
      line(call.name, "adds", say("outgoing.added", { name: call.name }), {
        after: call.clause.id,
      }),
    ),
    ...removed.map((call) =>
      line(call.name, "removes", say("outgoing.removed", { name: call.name }), { before: call.clause.id }),
    ),
    ...both.flatMap((pair) =>
      describeOutgoing(comparison, pair.before, pair.after).map((message) =>
        line(pair.name, "changes", message, { before: pair.before.clause.id, after: pair.after.clause.id }),
      ),
    ),
    ...(hasSameMeaning(one.errorShape, other.errorShape)
      ? []
      : [line("errors", "changes", say("errors.form", {}), { loses: "compatibility" })]),
    ...compareOrigins(line, one.cors, other.cors),
    ...(hasSameMeaning(was?.by.toSorted(), is?.by.toSorted())
      ? []
      : [
          line(
            "token",
            (is?.by ?? []).some((role) => was?.by.includes(role) !== true) ? "allows" : "forbids",
            is === null || is.by.length === 0
              ? say("tokens.by.nobody", {})
              : say("tokens.by", { names: is.by.join(", ") }),
            { loses: (was?.by ?? []).some((role) => is?.by.includes(role) !== true) ? "access" : null },
          ),
        ]),
    ...(was === null || is === null || was.longestDays === is.longestDays
      ? []
      : [
          line(
            "token",
            is.longestDays > was.longestDays ? "allows" : "forbids",
            say("tokens.days", { now: is.longestDays, before: was.longestDays }),
          ),
        ]),
    ...(writeTokenHeader(was) === writeTokenHeader(is)
      ? []
      : [
          line("token", "changes", say("tokens.scheme", { now: writeTokenHeader(is), before: writeTokenHeader(was) }), {
            loses: "compatibility",
          }),
        ]),
  ];
};

const describeOutgoing = (
  { before: former, after: later }: Comparison,
  before: Outgoing,
  after: Outgoing,
): readonly Message[] => {
  const { name } = after;
  const lines = findOtherMembers(before, after, ["name", "chat"]).map((member) =>
    describeOutgoingMember(member, before, after),
  );
  const [was, is] = [before.chat, after.chat];
  const service = was?.service === is?.service ? [] : [say("outgoing.other", { name, member: "chat" })];
  if (was === null || is === null) return [...lines, ...service];
  const readers = ({ roles }: Model, role: string | null): MessageValue =>
    role === null
      ? say("readers.visitors", {})
      : { inside: say("holders.group.foreign", { title: roles.get(role)?.title ?? role }) };
  return [
    ...service,
    ...(was.readers === is.readers
      ? []
      : [say("outgoing.readers", { name, now: readers(later, is.readers), before: readers(former, was.readers) })]),
    ...lines,
  ];
};

const describeOutgoingMember = (member: string, before: Outgoing, after: Outgoing): Message => {
  const { name } = after;
  switch (member) {
    case "method":
      return say("outgoing.method", { name, now: after.method, before: before.method });
    case "address":
      return say("outgoing.address", { name, now: after.address, before: before.address });
    case "retries":
      return say("outgoing.retries", { name, now: after.retries, before: before.retries });
    default:
      return say("outgoing.other", { name, member });
  }
};

/** `Bearer` for a token that is sent as usual, or `X-Auth-Token: …`. */
const writeTokenHeader = (token: TokenSettings | null): string => {
  const { header, scheme, cookie } = token ?? { header: "Authorization", scheme: "Bearer", cookie: null };
  const sent =
    scheme === null ? `${header}: …` : header.toLowerCase() === "authorization" ? scheme : `${header}: ${scheme} …`;
  return cookie === null ? sent : `${sent} / Cookie: ${cookie}=…`;
};

const compareOrigins = (
  line: WriteLine,
  before: readonly string[],
  after: readonly string[],
): readonly ComparedLine[] => {
  const more = after.filter((item) => !before.includes(item));
  const fewer = before.filter((item) => !after.includes(item));
  return [
    ...(more.length === 0 ? [] : [line("cors", "allows", say("origins.added", { names: more.join(", ") }))]),
    ...(fewer.length === 0
      ? []
      : [line("cors", "forbids", say("origins.removed", { names: fewer.join(", ") }), { loses: "compatibility" })]),
  ];
};

/** Lines about the error catalogue (point 8). */
export const compareErrors = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both } = pairUp(before.errors, after.errors);
  const about = (code: string) => ({ point: 8 as const, subject: code });
  return [
    ...[...after.errors].flatMap(([code, entry]) =>
      before.errors.has(code)
        ? []
        : [
            createLine(
              {
                ...about(code),
                effect: "adds",
                message: say("error.added", { code, message: quoted(entry.message) }),
              },
              { before: undefined, after: entry },
            ),
          ],
    ),
    ...[...before.errors].flatMap(([code, entry]) =>
      after.errors.has(code)
        ? []
        : [
            createLine(
              { ...about(code), effect: "removes", message: say("error.removed", { code }) },
              { before: entry, after: undefined },
            ),
          ],
    ),
    ...both.flatMap((pair) => {
      const line = (message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
        createLine({ ...about(pair.name), effect: "changes", message, ...more }, pair);
      const { before: one, after: other } = pair;
      return [
        ...(one.status === other.status
          ? []
          : [
              line(say("error.status", { code: pair.name, now: other.status, before: one.status }), {
                loses: "compatibility",
              }),
            ]),
        ...(one.message === other.message
          ? []
          : [line(say("error.message", { code: pair.name, now: quoted(other.message), before: quoted(one.message) }))]),
        ...(one.help === other.help ? [] : [line(say("error.help", { code: pair.name }))]),
        ...(one.at === other.at ? [] : [line(say("error.at", { code: pair.name }))]),
        ...(hasSameMeaning(one.shape, other.shape)
          ? []
          : [line(say("error.shape", { code: pair.name }), { loses: "compatibility" })]),
      ];
    }),
  ];
};

/** Lines about the constants (point 9), with the clauses that read each. */
export const compareLimits = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.limits.all, after.limits.all);
  const about = (limit: Limit) => ({ point: 9 as const, subject: limit.name });
  return [
    ...added.map((limit) =>
      createLine(
        {
          ...about(limit),
          effect: "adds",
          message: say("constant.added", { name: limit.name, value: String(limit.value) }),
        },
        { before: undefined, after: limit },
      ),
    ),
    ...removed.map((limit) =>
      createLine(
        {
          ...about(limit),
          effect: "removes",
          message: say("constant.removed", { name: limit.name, value: String(limit.value) }),
        },
        { before: limit, after: undefined },
      ),
    ),
    ...both.flatMap((pair) =>
      pair.before.value === pair.after.value && hasSameMeaning(pair.before.type, pair.after.type)
        ? []
        : [
            createLine(
              {
                ...about(pair.after),
                effect: "changes",
                message: describeLimitChange(after, pair.before, pair.after),
              },
              pair,
            ),
          ],
    ),
  ];
};

/** The value as written, with its type or currency where only these differ: "900 EUR". */
const describeLimit = ({ value, type }: Limit, other: Limit): string => {
  if (value !== other.value) return value;
  return `${value} ${type.kind === "money" ? type.currency : type.kind}`;
};

/** More clauses are counted. */
const MOST_CLAUSES = 5;

const describeLimitChange = (model: Model, before: Limit, after: Limit): Message => {
  const values = { name: after.name, now: describeLimit(after, before), before: describeLimit(before, after) };
  const clauses = findLimitUses(model, after.name);
  // Ninefold itself reads some constants.
  if (clauses.length === 0) return say("constant.changed", values);
  const more = clauses.length - MOST_CLAUSES;
  const used =
    more <= 0
      ? say("constant.used", { clauses: commaList(clauses) })
      : say("constant.used.more", { clauses: commaList(clauses.slice(0, MOST_CLAUSES)), count: more });
  return say("constant.changed.used", { ...values, used });
};
