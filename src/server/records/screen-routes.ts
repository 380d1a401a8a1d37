import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import pLimit from "p-limit";
import { anonymousPrincipal, grantsFor, type Principal } from "../../core/derive/authorization/grants.ts";
import { parseGroupKey } from "../../core/model/facts/date-steps.ts";
import { isOfRecord } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import type { ChangesJson } from "../../core/wire/changes.ts";
import type { GroupsJson, PivotJson } from "../../core/wire/groups.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import { findDependents, findSilentDependents } from "../execution/dependents.ts";
import type { MinPosition } from "../execution/read.ts";
import type { Service } from "../execution/service.ts";
import { readJsonBody } from "../http/reply.ts";
import { type ListIntent, parseIntent } from "../intent.ts";
import { getMails } from "../mail/email-templates.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { csvLine, csvRow, formatHead, toCsvFormat } from "./csv.ts";
import { type GroupTable, groupsCsv, pivotCsv } from "./groups-csv.ts";

/** Milliseconds after which a long poll ends without a change: at random, so that pages that began together return apart. */
const LONG_POLL_MS = { from: 17_500, to: 25_000 };

/** Long polls that read their session at once. Others wait, so that thousands of pages leave the database to requests. */
const SESSIONS_AT_ONCE = 40;
const ROWS_AT_ONCE = 500;
/** Without a name: the page knows what the rows are called, and other callers have the last part of the address. */
const ATTACHMENT = "attachment";
/** Maximum number of exported rows, so that an export ends even if the list grows meanwhile. */
const MAX_ROWS = 1_000_000;

type ListParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parameters of a list in the address of another call. */
const parseList = (entity: string, query: ListParameters, model: Model): ListIntent | Refusal => {
  const parsed = parseIntent(
    { method: "GET", path: "", entity, does: { kind: "list" } },
    { params: {}, query, body: undefined, ifMatch: undefined, idempotencyKey: undefined },
    model,
  );
  return parsed.kind === "list" || parsed.kind === "refusal" ? parsed : refuse("BAD_QUERY");
};

/** Further calls of screens: overviews, groups, exports, and the change feed. */
export const serveScreens = (app: FastifyInstance, context: RouteContext, program: string): void => {
  const { service, clock, authenticate, findMinPosition, answer } = context;
  app.get("/_/overview", { config: { reads: "many" } }, async (request, reply) => {
    const { screen } = request.query as { readonly screen?: unknown };
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const intent = { kind: "overview", screen: typeof screen === "string" ? screen : "" } as const;
    const outcome = await service.perform(intent, principal, clock(), undefined, findMinPosition(request));
    return answer(reply, principal, outcome);
  });
  serveGroups(app, context);
  serveExport(app, context);
  serveChanges(app, context, program);
};

/** Serves lists in groups and as pivots. */
const serveGroups = (
  app: FastifyInstance,
  { service, clock, phrasesFor, authenticate, findMinPosition, sendRefusal, answer }: RouteContext,
): void => {
  const { model } = service;
  /** Reads groups or a pivot, and sends them as JSON, or as a file if the address ends in `.csv`. */
  const sendGroups = async (
    request: FastifyRequest,
    reply: FastifyReply,
    kind: "groups" | "pivot",
    toCsv: (table: GroupTable, body: unknown) => string,
  ) => {
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    // Field names contain no dot.
    const { "groups.by": by, "groups.sums": sums, ...query } = request.query as ListParameters;
    const { entity: name } = request.params as { readonly entity: string };
    const path = name.replace(/\.csv$/u, "");
    const entity = [...model.entities.values()].find((candidate) => candidate.served && candidate.path === path);
    if (entity === undefined) return sendRefusal(reply, refuse("NO_SUCH_CALL"));
    const list = parseList(entity.name, query, model);
    if (list.kind !== "list") return sendRefusal(reply, list);
    const split = (text: unknown) => (typeof text === "string" && text !== "" ? text.split(",") : []);
    const intent = { kind, list, by: split(by), sums: split(sums) } as const;
    const outcome = await service.perform(intent, principal, clock(), phrasesFor(request), findMinPosition(request));
    if (path === name || outcome.kind !== "found") return answer(reply, principal, outcome);
    const fieldsOf = (names: readonly string[]) =>
      names.flatMap((item) => entity.fields.get(parseGroupKey(item).field) ?? []);
    const table = {
      entity,
      by: fieldsOf(intent.by),
      sums: fieldsOf(intent.sums),
      format: toCsvFormat(model),
    };
    return reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", ATTACHMENT)
      .send(`\uFEFF${toCsv(table, outcome.body)}`);
  };
  app.get("/_/groups/:entity", { config: { reads: "many" } }, (request, reply) =>
    sendGroups(request, reply, "groups", (table, body) => groupsCsv(table, (body as GroupsJson).groups)),
  );
  app.get("/_/pivot/:entity", { config: { reads: "many" } }, (request, reply) =>
    sendGroups(request, reply, "pivot", (table, body) =>
      pivotCsv(table, body as PivotJson, getMails(model.locale).report.pivot),
    ),
  );
};

/** Serves lists as files, page by page. */
const serveExport = (
  app: FastifyInstance,
  { service, clock, authenticate, findMinPosition, sendRefusal, answer, takeTurn }: RouteContext,
): void => {
  const { model } = service;
  app.get("/_/export/:entity", { config: { reads: "many" } }, async (request, reply) => {
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const { columns, ...query } = request.query as ListParameters;
    const { entity: path } = request.params as { readonly entity: string };
    const entity = [...model.entities.values()].find(
      (candidate) => candidate.served && `${candidate.path}.csv` === path,
    );
    if (entity === undefined) return sendRefusal(reply, refuse("NO_SUCH_CALL"));
    const parsed = parseList(entity.name, query, model);
    if (parsed.kind !== "list") return sendRefusal(reply, parsed);
    const intent: ListIntent = { ...parsed, limit: ROWS_AT_ONCE, after: null, count: false, may: false, label: false };
    const minPosition = findMinPosition(request);
    const first = await loadPage(service, intent, principal, clock(), minPosition);
    if ("kind" in first) return answer(reply, principal, first);
    const getFields = (names: readonly string[]) =>
      names.flatMap((name) => {
        const field = entity.fields.get(name);
        // A column without any value may be hidden from the person, so its name is left out too.
        return field !== undefined && isOfRecord(field) && readable(first, field.name) ? [field] : [];
      });
    const asksFor = getFields(typeof columns === "string" ? columns.split(",") : []);
    // If none of the requested columns exists any more, all of them are more useful than none.
    const fields = asksFor.length > 0 ? asksFor : getFields([...entity.fields.keys()]);
    const format = toCsvFormat(model);
    const lines = async function* () {
      // Spreadsheets need the byte order mark to recognise UTF-8.
      yield `\uFEFF${csvLine(fields.map(formatHead))}`;
      let page = first;
      for (let rows = 0; rows < MAX_ROWS; rows += ROWS_AT_ONCE) {
        yield page.items.map((record) => csvRow(entity, fields, record, format)).join("");
        if (page.next === null) return;
        const endTurn = await takeTurn(request);
        const following = { ...intent, after: page.next };
        const next = await loadPage(service, following, principal, clock(), minPosition).finally(endTurn);
        if ("kind" in next) throw new Error("a list that was open is refused in the middle of its export");
        page = next;
      }
    };
    return reply.type("text/csv; charset=utf-8").header("content-disposition", ATTACHMENT).send(Readable.from(lines()));
  });
};

/** Serves the change feed, by which open pages learn what to read again. `program`: the version of the browser's program. */
const serveChanges = (app: FastifyInstance, { service, clock, authenticate }: RouteContext, program: string): void => {
  const { changes } = service;
  const takeTurn = pLimit(SESSIONS_AT_ONCE);
  app.addHook("preClose", (done) => {
    changes.release();
    done();
  });
  app.get("/_/changes", { config: { waits: true } }, async (request, reply) => {
    const { after } = request.query as { readonly after?: unknown };
    const readPrincipal = async (): Promise<Principal> =>
      (await takeTurn(() => authenticate(request))) ?? anonymousPrincipal;
    const asked = await readPrincipal();
    const disconnected = new AbortController();
    reply.raw.on("close", () => disconnected.abort());
    const begunAt = clock();
    const begun = typeof after === "string" ? await changes.open(after, asked) : null;
    const wait = LONG_POLL_MS.from + (LONG_POLL_MS.to - LONG_POLL_MS.from) * Math.random();
    const { entities, place } =
      begun === null
        ? { entities: after === undefined ? new Set<string>() : null, place: await changes.place() }
        : await changes.follow(begun, service.caller(asked, clock()), wait, disconnected.signal);
    // The roles may have changed while the page waited.
    const principal = begun !== null && entities === null ? await readPrincipal() : asked;
    // By the time alone, whatever others do: an announcement would disclose that they change what the person cannot see.
    const mayDiffer =
      begun !== null && isInAnotherPeriod(begunAt, clock()) ? findSilentDependents(service.model, principal) : [];
    const changed =
      entities === null
        ? null
        : [...new Set([...findDependents(service.model, entities), ...mayDiffer])].filter((name) =>
            mayRead(service, name, principal),
          );
    // The page asks elsewhere, or a new version here, instead of at once over the same connection.
    if (changes.released) reply.header("connection", "close");
    // Clients read again what has changed.
    request.isAhead = after === undefined || changed?.length !== 0;
    const body: ChangesJson = { at: await changes.seal(place, principal), changed, program };
    return reply.send(body);
  });
};

/** Period in ms after which pages read again what follows from hidden records: each open page pays for it, changed or not. */
const PERIOD_MS = 5 * 60_000;

/** True once in each period for a page that waits again and again. */
const isInAnotherPeriod = (begun: Date, ended: Date): boolean =>
  Math.floor(begun.getTime() / PERIOD_MS) !== Math.floor(ended.getTime() / PERIOD_MS);

const mayRead = ({ model }: Service, name: string, principal: Principal): boolean => {
  const entity = model.entities.get(name);
  return entity !== undefined && grantsFor(model, entity, "read", principal).length > 0;
};

const readable = (page: ListJson, field: string): boolean =>
  page.items.length === 0 || page.items.some((record) => field in record);

const loadPage = async (
  service: Service,
  intent: ListIntent,
  principal: Principal,
  now: Date,
  minPosition: MinPosition,
): Promise<ListJson | Refusal> => {
  const outcome = await service.perform(intent, principal, now, undefined, minPosition);
  if (outcome.kind === "refusal") return outcome;
  if (outcome.kind !== "found") throw new Error(`a list ends in ${outcome.kind}`);
  return readJsonBody(outcome) as ListJson;
};
