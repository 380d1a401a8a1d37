import type { FastifyInstance } from "fastify";
import type { PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { Database } from "../../postgres/database.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { getResponsibleId, type SignedIn } from "../auth/sessions.ts";
import { isMailPreference } from "../mail/mail-preference.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;
/** Maximum number of preferences per person. */
const MAX_PREFERENCES = 500;

/** Characters that a preference cannot contain: lone surrogates and control characters. */
const unwritten = /[\p{Cs}\p{Cc}]/u;

const isLanguage = (value: unknown): boolean => typeof value === "string" && /^[\w-]{1,35}$/u.test(value);
const isYesOrNo = (value: unknown): boolean => typeof value === "boolean";

const own: { readonly [name: string]: (value: unknown) => boolean } = {
  theme: (value) => value === "light" || value === "dark" || value === "system",
  language: isLanguage,
  singleKeys: isYesOrNo,
  roomy: isYesOrNo,
  mail: isMailPreference,
};

/** The server does not interpret the settings of a list; it only limits their size. */
const isList = (name: string, value: unknown): boolean =>
  name.startsWith("/") && name.length <= MAX_NAME_LENGTH && !unwritten.test(name) && isObject(value);

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses the preferences in a body; null if one is invalid. */
const readChosen = (body: unknown): readonly (readonly [name: string, value: string])[] | null => {
  if (!isObject(body)) return null;
  const chosen = Object.entries(body).map(([name, value]) => [name, value, JSON.stringify(value)] as const);
  const areValid = chosen.every(
    ([name, value, text]) =>
      (Object.hasOwn(own, name) ? own[name]?.(value) : isList(name, value)) && text.length <= MAX_VALUE_LENGTH,
  );
  return areValid && chosen.length <= MAX_PREFERENCES ? chosen.map(([name, , text]) => [name, text]) : null;
};

/** Reads the user's own preferences, also while an administrator views as somebody else. */
export const readPreferences = async (database: Database, person: SignedIn): Promise<PreferencesJson> => {
  const rows = await database.query({
    name: "preferences",
    text: "select name, value from ninefold.preference where person = $1",
    values: [getResponsibleId(person)],
  });
  return Object.fromEntries(rows.map(({ name, value }) => [String(name), JSON.parse(String(value))]));
};

/** Stores preferences for the interface with the account. Only their owner can read them. */
export const servePreferences = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal } = routeContext;
  const { database } = service;

  app.get(
    "/_/preferences",
    forSignedIn(routeContext, async (person, _request, reply) => reply.send(await readPreferences(database, person))),
  );

  /** `{ "theme": "dark", "/loans": { "layout": "board" } }`: only the named preferences change. */
  app.post(
    "/_/preferences",
    forSignedIn(routeContext, async (person, request, reply) => {
      const chosen = readChosen(request.body);
      if (chosen === null) return sendRefusal(reply, refuse("MALFORMED"));
      await database.query({
        name: "preferences chosen",
        // Sorted, so that two browsers of one person cannot deadlock.
        text: `insert into ninefold.preference as p (person, name, value)
             select $1, g.name, g.value from unnest($2::text[], $3::text[]) as g (name, value)
             where (select count(*) from ninefold.preference o where o.person = $1 and o.name <> g.name) < $4
             order by g.name
             on conflict (person, name) do update set value = excluded.value where p.value <> excluded.value`,
        values: [person.id, chosen.map(([name]) => name), chosen.map(([, value]) => value), MAX_PREFERENCES],
      });
      // Notifications that wait for a mail are considered again.
      if (chosen.some(([name]) => name === "mail"))
        await database.query({
          name: "mails chosen",
          text: "update ninefold.notification set mail_at = $2 where person = $1 and mail_at > $2",
          values: [person.id, clock().toISOString()],
        });
      return reply.code(204).send();
    }),
  );
};
