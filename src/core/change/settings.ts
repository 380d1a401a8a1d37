import type { Entity, HeldRole, Limit, Model, Role } from "../model/model.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp, withDifference } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import { hasSameMeaning } from "./meaning.ts";

/** Lines about the purpose and the texts of the application (point 1). */
export const compareProduct = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const line = (subject: string, text: string): ComparedLine =>
    createLine({ point: 1, subject, effect: "changes", text }, { before: undefined, after: undefined });
  const value = (text: string | null): string => (text === null ? "the default" : `“${text}”`);
  const said = (["name", "locale", "timezone", "accent", "sentence"] as const).flatMap((member) => {
    const title = { name: "name", locale: "language", timezone: "time zone", accent: "colour", sentence: "purpose" };
    return before[member] === after[member]
      ? []
      : [line(member, `The ${title[member]} is ${value(after[member])} instead of ${value(before[member])}.`)];
  });
  const languages = [...new Set([...after.translations.keys(), ...before.translations.keys()])];
  const translations = languages.flatMap((language) => {
    const [one, other] = [before, after].map((model) => model.translations.get(language));
    if (one === undefined) return [line(language, `The application can now be read in another language: ${language}.`)];
    if (other === undefined) return [line(language, `The application can no longer be read in ${language}.`)];
    return hasSameMeaning(one, other) ? [] : [line(language, `Some texts read differently in ${language}.`)];
  });
  return [...said, ...translations];
};

/** Lines about who holds a role (point 6). */
export const compareRoles = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after, words } = comparison;
  const { both, added, removed } = pairUp(before.roles, after.roles);
  const about = ({ name }: Role) => ({ point: 6 as const, subject: name });
  return [
    ...added.map((role) =>
      createLine(
        { ...about(role), effect: "adds", text: `There is a new role, “${role.title}”, ${members(role)}.` },
        { before: undefined, after: role },
      ),
    ),
    ...removed.map((role) =>
      createLine(
        { ...about(role), effect: "removes", loses: "access", text: `The role “${role.title}” is removed.` },
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
                  text: `The role “${other.title}” is now ${members(other)}.`,
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
                  text: `The role “${other.title}” was called “${one.title}”.`,
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

  function members({ members: who }: Role): string {
    if (who === "anyone") return "held by anyone, even without signing in";
    return who === "signed in" ? "held by everybody who is signed in" : "granted by an administrator";
  }

  function compareHeldRoles(_: Comparison, one: Entity, other: Entity): readonly ComparedLine[] {
    const held = pairUp(one.roles, other.roles);
    const role = ({ name }: HeldRole) => ({ point: 6 as const, subject: `${other.name}.${name}` });
    const many = words.many(other);
    return [
      ...held.added.map((added) =>
        createLine(
          { ...role(added), effect: "adds", text: `There is a new role for each of the ${many}: “${added.title}”.` },
          { before: undefined, after: added },
        ),
      ),
      ...held.removed.map((gone) =>
        createLine(
          {
            ...role(gone),
            effect: "removes",
            loses: "access",
            text: `The role “${gone.title}” of ${many} is removed.`,
          },
          { before: gone, after: undefined },
        ),
      ),
      ...held.both.flatMap((pair) => {
        const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
          createLine({ ...role(pair.after), effect, text, ...more }, pair);
        const { wider, narrower } = hasSameMeaning(pair.before.condition, pair.after.condition)
          ? { wider: undefined, narrower: undefined }
          : compareConditions(comparison, pair.before.condition, pair.after.condition);
        return [
          ...(wider === undefined
            ? []
            : [withDifference(line("allows", `More people hold the role “${pair.after.title}” of ${many}.`), wider)]),
          ...(narrower === undefined
            ? []
            : [
                withDifference(
                  line("forbids", `Fewer people hold the role “${pair.after.title}” of ${many}.`, { loses: "access" }),
                  narrower,
                ),
              ]),
          ...(pair.before.title === pair.after.title
            ? []
            : [line("changes", `The role “${pair.after.title}” of ${many} was called “${pair.before.title}”.`)]),
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
    text: string,
    more: Partial<ComparedLine> = {},
  ): ComparedLine =>
    createLine({ point: 7, subject, effect, text, ...more }, { before: before.signIn, after: after.signIn });
  const [one, other] = [before.signIn, after.signIn];
  const providers = pairUp(byName(one.providers), byName(other.providers));
  const lines: ComparedLine[] = [];
  if (one.password !== other.password)
    lines.push(
      other.password
        ? line("sign in", "allows", "People can now sign in with a password.")
        : line("sign in", "forbids", "People can no longer sign in with a password.", { loses: "access" }),
    );
  for (const added of providers.added)
    lines.push(line(added.name, "allows", `People can now sign in with ${added.title}.`, { after: added.clause.id }));
  for (const gone of providers.removed)
    lines.push(
      line(gone.name, "forbids", `People can no longer sign in with ${gone.title}.`, {
        before: gone.clause.id,
        loses: "access",
      }),
    );
  for (const { before: old, after: now } of providers.both)
    for (const member of findOtherMembers(old, now, ["name"]))
      lines.push(line(now.name, "changes", `The provider ${now.title} has another ${member}.`));
  lines.push(...compareSignUp(line, one.signUp, other.signUp));
  return lines;
};

const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> =>
  new Map(list.map((one) => [one.name, one]));

type WriteLine = (
  subject: string,
  effect: ComparedLine["effect"],
  text: string,
  more?: Partial<ComparedLine>,
) => ComparedLine;

const compareSignUp = (
  line: WriteLine,
  before: Model["signIn"]["signUp"],
  after: Model["signIn"]["signUp"],
): readonly ComparedLine[] => {
  if (before === null && after === null) return [];
  if (before === null) return [line("sign up", "allows", "People can now register by themselves.")];
  if (after === null)
    return [line("sign up", "forbids", "People can no longer register by themselves.", { loses: "access" })];
  const lines: ComparedLine[] = [];
  const sorted = (list: readonly string[] | null) => list?.toSorted() ?? null;
  if (!hasSameMeaning(sorted(before.emails), sorted(after.emails))) {
    const isWider = after.emails === null || before.emails?.every((one) => after.emails?.includes(one)) === true;
    const who = after.emails === null ? "with any address" : `with an address at ${after.emails.join(", ")}`;
    lines.push(
      line("sign up", isWider ? "allows" : "forbids", `People can now register ${who}.`, {
        loses: isWider ? null : "access",
      }),
    );
  }
  if (!hasSameMeaning(sorted(before.roles), sorted(after.roles)))
    lines.push(
      line(
        "sign up",
        "changes",
        after.roles.length === 0
          ? "People who register are granted no role."
          : `People who register are granted: ${after.roles.join(", ")}.`,
      ),
    );
  return lines;
};

/** Lines about calls to other programs, and settings shared by the calls of point 7. */
export const compareCallSettings = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.outgoing, after.outgoing);
  const settings = [before.callSettings, after.callSettings] as const;
  const line = (
    subject: string,
    effect: ComparedLine["effect"],
    text: string,
    more: Partial<ComparedLine> = {},
  ): ComparedLine => createLine({ point: 7, subject, effect, text, ...more }, { before: undefined, after: undefined });
  const [one, other] = settings;
  const [was, is] = [one.token, other.token];
  const mayMake = (roles: readonly string[] | undefined): string =>
    roles === undefined || roles.length === 0 ? "nobody" : roles.join(", ");
  return [
    ...added.map((call) =>
      line(call.name, "adds", `The program can make a new call to another program, ${call.name}.`, {
        after: call.clause.id,
      }),
    ),
    ...removed.map((call) =>
      line(call.name, "removes", `The call ${call.name} to another program is removed.`, { before: call.clause.id }),
    ),
    ...both.flatMap((pair) =>
      findOtherMembers(pair.before, pair.after, ["name"]).map((member) =>
        line(pair.name, "changes", `The call ${pair.name} to another program has other ${member}.`, {
          before: pair.before.clause.id,
          after: pair.after.clause.id,
        }),
      ),
    ),
    ...(hasSameMeaning(one.errorShape, other.errorShape)
      ? []
      : [line("errors", "changes", "The errors of the calls have another form.", { loses: "compatibility" })]),
    ...compareOrigins(line, one.cors, other.cors),
    ...(hasSameMeaning(was?.by.toSorted(), is?.by.toSorted())
      ? []
      : [
          line(
            "token",
            (is?.by ?? []).some((role) => was?.by.includes(role) !== true) ? "allows" : "forbids",
            `Tokens for programs can now be created by: ${mayMake(is?.by)}.`,
            { loses: (was?.by ?? []).some((role) => is?.by.includes(role) !== true) ? "access" : null },
          ),
        ]),
    ...(was === null || is === null || was.longestDays === is.longestDays
      ? []
      : [
          line(
            "token",
            is.longestDays > was.longestDays ? "allows" : "forbids",
            `Tokens for programs are now valid for ${is.longestDays} days at most instead of ${was.longestDays}.`,
          ),
        ]),
    ...(was === null || is === null || was.scheme === is.scheme
      ? []
      : [
          line("token", "changes", `Tokens for programs are now sent as ${is.scheme} instead of ${was.scheme}.`, {
            loses: "compatibility",
          }),
        ]),
  ];
};

const compareOrigins = (
  line: WriteLine,
  before: readonly string[],
  after: readonly string[],
): readonly ComparedLine[] => {
  const more = after.filter((one) => !before.includes(one));
  const fewer = before.filter((one) => !after.includes(one));
  return [
    ...(more.length === 0 ? [] : [line("cors", "allows", `Pages of ${more.join(", ")} can now call it.`)]),
    ...(fewer.length === 0
      ? []
      : [line("cors", "forbids", `Pages of ${fewer.join(", ")} can no longer call it.`, { loses: "compatibility" })]),
  ];
};

/** Lines about the error catalogue (point 8). */
export const compareErrors = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.errors, after.errors);
  const about = (code: string) => ({ point: 8 as const, subject: code });
  return [
    ...added.map((entry) =>
      createLine(
        { ...about(entry.code), effect: "adds", text: `There is a new error, ${entry.code}: “${entry.message}”` },
        { before: undefined, after: entry },
      ),
    ),
    ...removed.map((entry) =>
      createLine(
        { ...about(entry.code), effect: "removes", text: `The error ${entry.code} is removed.` },
        { before: entry, after: undefined },
      ),
    ),
    ...both.flatMap((pair) => {
      const line = (text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
        createLine({ ...about(pair.name), effect: "changes", text, ...more }, pair);
      const { before: one, after: other } = pair;
      return [
        ...(one.status === other.status
          ? []
          : [
              line(`The error ${pair.name} is answered with the status ${other.status} instead of ${one.status}.`, {
                loses: "compatibility",
              }),
            ]),
        ...(one.message === other.message
          ? []
          : [line(`The error ${pair.name} now says “${other.message}” instead of “${one.message}”`)]),
        ...(one.help === other.help ? [] : [line(`The error ${pair.name} has another help text.`)]),
        ...(one.at === other.at ? [] : [line(`The error ${pair.name} is shown at another field.`)]),
      ];
    }),
  ];
};

/** Lines about the constants (point 9), with the number of clauses that read each. */
export const compareLimits = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.limits.all, after.limits.all);
  const about = (limit: Limit) => ({ point: 9 as const, subject: limit.name });
  return [
    ...added.map((limit) =>
      createLine(
        { ...about(limit), effect: "adds", text: `There is a new constant, ${limit.name}: ${limit.value}.` },
        { before: undefined, after: limit },
      ),
    ),
    ...removed.map((limit) =>
      createLine(
        { ...about(limit), effect: "removes", text: `The constant ${limit.name} is removed; it was ${limit.value}.` },
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
                text: `The constant ${pair.name} is ${pair.after.value} instead of ${pair.before.value}.`,
              },
              pair,
            ),
          ],
    ),
  ];
};
