import type { FastifyInstance } from "fastify";
import { localeAmong } from "../../core/explain/language.ts";
import type { Sentences } from "../../core/explain/sentences.ts";
import { isId } from "../../core/field/reference.ts";
import type { Format } from "../../core/model/format.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { NotificationJson, NotificationsJson } from "../../core/wire/notifications.ts";
import type { Row } from "../../postgres/database.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { loadLabels } from "../execution/load-labels.ts";
import { loadParents, type ParentRecord } from "../execution/load-parents.ts";
import { loadStates } from "../execution/load-states.ts";
import { fillPlaceholders, readerFormat } from "../plan/row/labels.ts";
import { pageRecord } from "../plan/row/page-record.ts";
import { fromSaidValues } from "../plan/row/said-values.ts";
import { numberOfProposal, PROPOSAL_ENTITY } from "../proposals/proposal-notices.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

const PAGE_SIZE = 50;

const isIdText = (value: unknown): value is string => typeof value === "string" && isId(value);

/** Maximum number of notifications that one call lists. */
const MOST_LISTED = 500;

/** The list `notifications` of a body; null without one, undefined if it is empty, too long, or has what is no id. */
const parseIds = (body: unknown): readonly string[] | null | undefined => {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "notifications")) return null;
  const listed = (body as Readonly<Record<string, unknown>>).notifications;
  return Array.isArray(listed) && listed.length > 0 && listed.length <= MOST_LISTED && listed.every(isIdText)
    ? listed
    : undefined;
};

/**
 * The time that a notification shows. The list is sorted by it: one that is written later can be about an earlier act. A
 * notification that is deleted meanwhile has the time of its id.
 */
const timeOf = (id: string): string =>
  `coalesce((select at from ninefold.notification where id = ${id}::uuid and person = $1), uuid_extract_timestamp(${id}::uuid))`;

/** Serves a person's notifications, newest first, and marks them as read. */
export const serveNotifications = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal, phrasesFor } = routeContext;
  const { database, model } = service;
  const formatIn = memoizeByKey((locale) => readerFormat({ ...model, locale }));

  app.get(
    "/_/notifications",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { after, unread, label, whole } = request.query as Readonly<
        Record<"after" | "unread" | "label" | "whole", unknown>
      >;
      if (after !== undefined && !isIdText(after)) return sendRefusal(reply, refuse("BAD_CURSOR"));
      const [rows = [], counted] = await database.batch([
        {
          name: "notifications",
          text: `select id, at, text, message, said, others, entity, record, clause, read_at from ninefold.notification
               where person = $1 and ($2::uuid is null or (at, id) < (${timeOf("$2")}, $2)) and (not $4 or read_at is null)
               order by at desc, id desc limit $3`,
          values: [person.id, after ?? null, PAGE_SIZE + 1, unread === "true"],
        },
        {
          name: "notifications unread",
          text: "select count(*)::int as unread from ninefold.notification where person = $1 and read_at is null",
          values: [person.id],
        },
      ]);
      const page = rows.slice(0, PAGE_SIZE);
      const named = page.map(({ entity, record }) => ({ entity: String(entity), record: String(record) }));
      const parents = await loadParents(service, person, clock(), named);
      const places = named.map((own, i) => parents.get(own.record) ?? findGatheredPage(page[i], person) ?? own);
      const labelled = places.filter((_, i) => label === "true" || page[i]?.others != null);
      const labels = await loadLabels(service, person, clock(), labelled);
      const states = await loadStates(service, person, clock(), label === "true" ? places : []);
      const cut = (text: string): string => (whole === "true" ? text : cutText(text));
      const phrases = phrasesFor(request);
      const { say, sentences } = phrases;
      const format = formatIn(localeAmong(phrases, model.locale));
      const body: NotificationsJson = {
        items: page.map(
          (row, i): NotificationJson => ({
            id: String(row.id),
            at: String(row.at),
            text: cut(
              row.entity === PROPOSAL_ENTITY ? proposalWords(row, sentences) : translateNotification(row, say, format),
            ),
            entity: String(row.entity),
            // The record's address, if it has one. The call at that address checks permission.
            path: recordPath(String(row.entity), String(row.record)),
            ...toShown(places[i], named[i], labels, parents),
            ...(label === "true" ? { label: labels.get(places[i]?.record ?? "") ?? null } : {}),
            ...toState(states.get(places[i]?.record ?? "")),
            ...toOthers(row, labels.get(places[i]?.record ?? "") ?? null, say, format),
            clause: String(row.clause),
            read: row.read_at !== null,
          }),
        ),
        next: rows.length > PAGE_SIZE ? String(page.at(-1)?.id) : null,
        unread: Number(counted?.[0]?.unread ?? 0),
      };
      return reply.send(body);
    }),
  );

  /**
   * `{ "until": id }` marks that one and all earlier ones as read, `{ "record": id }` those of one record, and
   * `{ "notifications": [id] }` the listed ones. The last two can be sent together.
   */
  app.post(
    "/_/notifications/read",
    forSignedIn(routeContext, async (person, request, reply) => {
      const [until, record] = [parseTextParam(request.body, "until"), parseTextParam(request.body, "record")];
      const listed = parseIds(request.body);
      if (listed === undefined) return sendRefusal(reply, refuse("MALFORMED"));
      if (isIdText(until))
        await database.query({
          name: "notifications read",
          text: `update ninefold.notification set read_at = $3 where person = $1 and (at, id) <= (${timeOf("$2")}, $2) and read_at is null`,
          values: [person.id, until, clock().toISOString()],
        });
      else if (isIdText(record) || listed !== null)
        await database.query({
          name: "notifications of a record read",
          text: `update ninefold.notification set read_at = $4
               where person = $1 and (record = $2 or id = any($3::uuid[])) and read_at is null`,
          values: [person.id, isIdText(record) ? record : null, listed ?? [], clock().toISOString()],
        });
      else return sendRefusal(reply, refuse("MALFORMED"));
      return reply.code(204).send();
    }),
  );

  /** The record whose parts a notification is about. Its page remains, although the parts may be deleted. */
  const findGatheredPage = ({ entity: name, others }: Row = {}, person: SignedIn): ParentRecord | undefined => {
    const entity = model.entities.get(String(name));
    const { page: record } = (others ?? {}) as { readonly page?: string | null };
    const to = entity && record ? pageRecord(model, entity, person, "t")?.entity : undefined;
    return to === undefined || !record ? undefined : { entity: to, record };
  };

  /** `place`: the record on whose page a notification about `own` is shown. */
  const toShown = (
    place: ParentRecord | undefined,
    own: ParentRecord | undefined,
    labels: ReadonlyMap<string, string>,
    parents: ReadonlyMap<string, ParentRecord>,
  ): Pick<NotificationJson, "shown"> =>
    place === undefined || own === undefined || place === own
      ? {}
      : parents.has(own.record) || labels.has(place.record)
        ? { shown: place }
        : {};

  const recordPath = (name: string, record: string): string | null => {
    if (name === PROPOSAL_ENTITY) return `/workbench/proposals/${numberOfProposal(record)}`;
    const entity = model.entities.get(name);
    return entity === undefined || !entity.served ? null : `/${entity.path}/${record}`;
  };
};

/** Characters of a text that the panel of notifications shows, in three lines. */
const SHOWN = 240;

const cutText = (text: string): string => {
  const characters = [...text];
  return characters.length > SHOWN
    ? `${characters
        .slice(0, SHOWN - 1)
        .join("")
        .trimEnd()}…`
    : text;
};

const toState = (state: string | undefined): Pick<NotificationJson, "state"> => (state === undefined ? {} : { state });

const proposalWords = ({ message, said }: Row, { operator, proposal }: Sentences): string => {
  const { name, number } = said as { readonly name: string | null; readonly number: number };
  return proposal[String(message)]?.(name ?? operator, String(number)) ?? "";
};

/** The further parts that a notification is about. `label`: that of the record whose parts they are. */
const toOthers = (
  { others, message }: Row,
  label: string | null,
  say: (text: string) => string,
  format: Format,
): Pick<NotificationJson, "others"> => {
  if (others === null) return {};
  const { count, named } = others as { readonly count: number; readonly named: readonly Row[] };
  if (count === 0) return {};
  return {
    others: { count, texts: named.map((row) => translateNotification({ ...row, message }, say, format)), label },
  };
};

/** Translates a notification into the reader's language, if the document has a translation. */
const translateNotification = ({ text, message, said }: Row, say: (text: string) => string, format: Format): string => {
  if (typeof message !== "string" || typeof said !== "object" || said === null) return String(text);
  const translation = say(message);
  return translation === message ? String(text) : fillPlaceholders(translation, fromSaidValues(said), format);
};
