import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { storedText } from "../../core/i18n/languages.ts";
import type { DocumentJson, DraftJson, PlannedRecordsJson } from "../../core/wire/authoring/document.ts";
import type { RetiredKey } from "../../core/wire/authoring/retired.ts";
import type { RestoreJson } from "../../core/wire/authoring/versions.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { loadLabels } from "../execution/load-labels.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { type Authoring, changesClause } from "./authoring.ts";
import { readDraft } from "./draft/check-draft.ts";
import { parseRestore, parseSmallJson } from "./draft/parse-draft.ts";
import { inLanguage, negotiateLanguage } from "./planned-change.ts";
import type { PlannedRecords } from "./planned-records.ts";
import { parseRetiredKey } from "./retired.ts";

/** A document of five million characters as JSON. */
export const MAX_DRAFT_BYTES = 24 * 1024 * 1024;

/** The number of a version in an address; undefined if it cannot be one. */
export const toNumber = (text: unknown): number | undefined =>
  typeof text === "string" && /^[1-9]\d{0,8}$/u.test(text) ? Number(text) : undefined;

/** `Thing.place.jsonl`. Replaces characters that a header or a file system might not allow. */
const getFileName = ({ name }: RetiredKey): string => `${name.replaceAll(/[^\w.#-]/gu, "_")}.jsonl`;

/** Nobody reads this status, because the client has closed its connection. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Runs work with a signal that is aborted if the client disconnects before the response. Undefined if it disconnected.
 */
const whileConnected = async (
  { raw }: FastifyReply,
  ask: (signal: AbortSignal) => Promise<object>,
): Promise<object | undefined> => {
  const disconnected = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) disconnected.abort();
  });
  try {
    return await ask(disconnected.signal);
  } catch (error) {
    if (disconnected.signal.aborted) return undefined;
    throw error;
  }
};

/** Replies to a request of the workbench. */
interface WorkbenchRequests {
  readonly authoring: Authoring;
  /** The user of a request, authenticated before its body was read. */
  readonly getAuthor: (request: FastifyRequest) => SignedIn;
  readonly languageIn: (request: FastifyRequest) => string;
  readonly phrasesFor: RouteContext["phrasesFor"];
  /** Loads the labels of records that the author can read, by id. */
  readonly nameRecords: (author: SignedIn, named: PlannedRecords["found"]) => Promise<ReadonlyMap<string, string>>;
  /** Sends an outcome, or its refusal. */
  readonly answer: (reply: FastifyReply, outcome: object) => FastifyReply;
}

/**
 * Routes of the workbench, for administrators and people who can propose or approve: the document, the plan of a change,
 * its application, and earlier versions. Drafts are large, so the author is authenticated before the body is read.
 */
export const serveAuthoring = async (
  app: FastifyInstance,
  authoring: Authoring,
  routeContext: RouteContext,
): Promise<void> => {
  const { authenticate, phrasesFor, sendRefusal } = routeContext;
  const authors = new WeakMap<FastifyRequest, SignedIn>();

  const getAuthor = (request: FastifyRequest): SignedIn => {
    const author = authors.get(request);
    if (author === undefined) throw new Error("a body without an author was read");
    return author;
  };

  const languageIn = ({ headers }: FastifyRequest): string =>
    negotiateLanguage(headers["accept-language"], routeContext.service.model);

  const answer = (reply: FastifyReply, outcome: object): FastifyReply =>
    isRefusal(outcome)
      ? sendRefusal(reply, outcome)
      : reply
          .code("job" in outcome && reply.request.method === "POST" ? 202 : 200)
          .send(inLanguage(outcome, languageIn(reply.request)));

  await app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      const person = await authenticate(request);
      if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
      const { model } = routeContext.service;
      if (!changeRights(model, person).read) return sendRefusal(reply, refuse("FORBIDDEN", changesClause(model)));
      authors.set(request, person);
      return undefined;
    });
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body));

    const nameRecords: WorkbenchRequests["nameRecords"] = (author, named) =>
      loadLabels(routeContext.service, author, routeContext.clock(), named);
    const requests: WorkbenchRequests = { authoring, getAuthor, languageIn, phrasesFor, nameRecords, answer };
    serveDocument(scope, requests);
    serveJob(scope, requests);
    serveRetired(scope, requests);
    serveVersions(scope, requests);
  });
};

/** The live document, and drafts: planned, replayed and applied. */
const serveDocument = (
  scope: FastifyInstance,
  { authoring, getAuthor, phrasesFor, languageIn, nameRecords, answer }: WorkbenchRequests,
): void => {
  /** Adds the labels of records, and their sentence in the language of a request. */
  const withLabels = async (
    { sentence, found, ...page }: PlannedRecords,
    author: SignedIn,
    request: FastifyRequest,
  ): Promise<PlannedRecordsJson> => {
    const labels = await nameRecords(author, found);
    return {
      ...page,
      says: sentence === null ? null : storedText(sentence, languageIn(request)),
      records: found.map(({ entity, record }) => ({ entity, id: record, label: labels.get(record) ?? record })),
    };
  };
  const withDraft =
    (handle: (draft: DraftJson, author: SignedIn, reply: FastifyReply) => Promise<object | undefined>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const draft = Buffer.isBuffer(request.body) ? await readDraft(request.body) : undefined;
      if (draft === undefined) return answer(reply, refuse("MALFORMED"));
      const outcome = await handle(draft, getAuthor(request), reply);
      return outcome === undefined ? reply.code(CLIENT_CLOSED_REQUEST).send() : answer(reply, outcome);
    };
  const large = { bodyLimit: MAX_DRAFT_BYTES };

  scope.get("/_/document", (request, reply) => {
    const { errors, format } = phrasesFor(request);
    const { fixed, ...document } = authoring.document();
    const why = fixed === null ? null : format(errors.reasons[fixed.reason], { word: fixed.word });
    return answer(reply, { ...document, fixed: why } satisfies DocumentJson);
  });
  scope.get("/_/document/states", async (_, reply) => answer(reply, await authoring.stateCounts()));
  scope.post(
    "/_/document/plan",
    large,
    withDraft((draft, author, reply) => whileConnected(reply, (signal) => authoring.plan(draft, author, signal))),
  );
  scope.post("/_/document/plan/records", large, async (request: FastifyRequest, reply: FastifyReply) => {
    const { at, after = null } = request.query as { readonly at?: unknown; readonly after?: unknown };
    if (typeof at !== "string") return answer(reply, refuse("MALFORMED"));
    if (after !== null && (typeof after !== "string" || !isId(after))) return answer(reply, refuse("BAD_CURSOR"));
    return withDraft((draft, author) =>
      whileConnected(reply, async (signal) => {
        const page = await authoring.planRecords(draft, { point: at, after }, author, signal);
        return isRefusal(page) ? page : withLabels(page, author, request);
      }),
    )(request, reply);
  });
  scope.post(
    "/_/document/replay",
    large,
    withDraft((draft, author, reply) => whileConnected(reply, (signal) => authoring.replay(draft, author, signal))),
  );
  scope.post(
    "/_/document",
    large,
    withDraft((draft, author) => authoring.apply(draft, author)),
  );
};

/** The job that makes a version live. */
const serveJob = (scope: FastifyInstance, { authoring, getAuthor, answer }: WorkbenchRequests): void => {
  const forAdministrator = (change: () => Promise<object>) => async (request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, isAdministrator(getAuthor(request)) ? await change() : refuse("FORBIDDEN", MANAGES_CLAUSE));

  scope.get("/_/job", async (request, reply) => answer(reply, await authoring.job(getAuthor(request))));
  scope.post("/_/job/pause", forAdministrator(authoring.pause));
  scope.post("/_/job/resume", forAdministrator(authoring.resume));
  scope.post("/_/job/abandon", forAdministrator(authoring.abandon));
};

/** Data of fields and entities that the document no longer has. */
const serveRetired = (
  scope: FastifyInstance,
  { authoring: { retired }, getAuthor, answer }: WorkbenchRequests,
): void => {
  const forAdministrator =
    (handle: (author: SignedIn, request: FastifyRequest, reply: FastifyReply) => Promise<object>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const author = getAuthor(request);
      return answer(
        reply,
        isAdministrator(author) ? await handle(author, request, reply) : refuse("FORBIDDEN", MANAGES_CLAUSE),
      );
    };

  scope.get(
    "/_/retired",
    forAdministrator((author) => retired.list(author)),
  );
  scope.get(
    "/_/retired/sample",
    forAdministrator((author, request) => {
      const key = parseRetiredKey(request.query);
      return key === undefined ? Promise.resolve(refuse("NOT_FOUND", MANAGES_CLAUSE)) : retired.sample(key, author);
    }),
  );
  scope.get(
    "/_/retired/export",
    forAdministrator(async (author, request, reply) => {
      const key = parseRetiredKey(request.query);
      if (key === undefined) return refuse("NOT_FOUND", MANAGES_CLAUSE);
      const lines = await retired.export(key, author);
      if (!isRefusal(lines))
        reply.type("application/x-ndjson").header("content-disposition", `attachment; filename="${getFileName(key)}"`);
      return lines;
    }),
  );
  scope.post(
    "/_/retired/delete",
    forAdministrator(async (author, request) => {
      const key = Buffer.isBuffer(request.body) ? parseRetiredKey(parseSmallJson(request.body)) : undefined;
      return key === undefined ? refuse("MALFORMED") : retired.delete(key, author);
    }),
  );
};

/** Earlier versions: read, and restored as the newest one. */
const serveVersions = (
  scope: FastifyInstance,
  { authoring, getAuthor, languageIn, answer }: WorkbenchRequests,
): void => {
  const withNumber =
    (handle: (number: number, request: FastifyRequest) => Promise<object>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const number = toNumber((request.params as { readonly number?: unknown }).number);
      return answer(reply, number === undefined ? refuse("NOT_FOUND", MANAGES_CLAUSE) : await handle(number, request));
    };
  const withRestore = (handle: (number: number, request: RestoreJson, author: SignedIn) => Promise<object>) =>
    withNumber(async (number, request) => {
      const restore = Buffer.isBuffer(request.body) ? parseRestore(request.body) : undefined;
      return restore === undefined ? refuse("MALFORMED") : handle(number, restore, getAuthor(request));
    });

  scope.get("/_/versions", async (request, reply) => {
    const { before } = request.query as { readonly before?: unknown };
    const number = before === undefined ? null : toNumber(before);
    return answer(
      reply,
      number === undefined ? refuse("BAD_CURSOR") : await authoring.versions(number, languageIn(request)),
    );
  });
  scope.get(
    "/_/versions/:number",
    withNumber((number, request) => authoring.version(number, languageIn(request))),
  );
  scope.post(
    "/_/versions/:number/plan",
    withRestore((number, restore, author) => authoring.planRestore(number, restore, author)),
  );
  scope.post(
    "/_/versions/:number/restore",
    withRestore((number, restore, author) => authoring.restore(number, restore, author)),
  );
};
