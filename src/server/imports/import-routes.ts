import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { decidingClauseId, grantsFor } from "../../core/derive/authorization/grants.ts";
import { permissionSentence } from "../../core/explain/who-may.ts";
import { isId } from "../../core/field/reference.ts";
import { findQuestions, parseSettings } from "../../core/import/settings.ts";
import type { ImportJson, ImportSettings, ImportState, ImportsJson } from "../../core/wire/imports.ts";
import { isPersonal } from "../auth/api-tokens.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { badQuery, forbid, isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { DISCARD_MS } from "../util/discard-body.ts";
import { refusedRows, toImportJson } from "./import-json.ts";
import { fieldsFor } from "./import-rows.ts";
import type { ImportRunner } from "./import-runner.ts";
import { beginState, cancelImport, deleteImport, findImport, listImports, type StoredImport } from "./import-store.ts";
import { receiveTable } from "./receive-table.ts";
import { MAX_COLUMNS, MAX_ROWS, type TableFault } from "./table-parts.ts";
import { countTouchedQuery } from "./undo-rows.ts";

/** Maximum size of a file in bytes. It is read in memory, one file at a time. */
const MAX_FILE_BYTES = 32 * 2 ** 20;

const tooLarge = (): Refusal =>
  refuse("TABLE_TOO_LARGE", undefined, {
    rows: String(MAX_ROWS),
    columns: String(MAX_COLUMNS),
    max: `${MAX_FILE_BYTES / 2 ** 20} MB`,
  });

const toRefusal = (fault: TableFault): Refusal => (fault === "too large" ? tooLarge() : refuse("NOT_A_TABLE"));

/** The states from which each action can begin. */
const before: Readonly<Record<"check" | "run" | "undo", readonly ImportState[]>> = {
  check: ["mapping", "checked"],
  run: ["mapping", "checked"],
  undo: ["done"],
};

const states = { check: "checking", run: "running", undo: "undoing" } as const;

const isAct = (text: string): text is keyof typeof states => Object.hasOwn(states, text);

/** Reads the body of an upload; undefined if it is too large. */
const readBody = async (request: FastifyRequest): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FILE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
};

/**
 * Serves imports of files into the records of an entity. A file is read once and its rows are stored. A runner then
 * checks, writes or undoes them, and treats each row like a request of the person.
 */
export const serveImports = async (
  app: FastifyInstance,
  routeContext: RouteContext,
  runner: ImportRunner,
): Promise<void> => {
  const { service, clock, authenticate, readToken, phrasesFor, sendRefusal } = routeContext;
  const { model, database } = service;
  /** The roles of the request's API token; null for a session. */
  const rolesOfToken = (request: FastifyRequest, person: SignedIn): readonly string[] | null => {
    const token = readToken(request);
    return token !== undefined && isPersonal(token) ? [...person.granted] : null;
  };
  /**
   * A token cannot open an import of a session, or of a token with more roles, because it would act and read with their
   * roles.
   */
  const canOpen = (roles: readonly string[] | null, stored: StoredImport): boolean =>
    roles === null || stored.roles?.every((role) => roles.includes(role)) === true;
  /** Files are read one after another. */
  let reading: Promise<unknown> = Promise.resolve();

  const entities = [...model.entities.values()].filter(
    ({ served, rows, path }) =>
      served && rows === null && !model.calls.some((call) => call.path.startsWith(`/api/${path}/import`)),
  );
  for (const entity of entities) {
    const base = `/api/${entity.path}/import`;

    /** Returns the person if they can add or change records of the entity. */
    const importer = async (request: FastifyRequest): Promise<SignedIn | Refusal> => {
      const person = await authenticate(request);
      if (person === null) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
      const may = (["create", "update"] as const).some((action) => grantsFor(model, entity, action, person).length > 0);
      return may
        ? person
        : forbid(decidingClauseId(entity, "create"), permissionSentence(phrasesFor(request), entity, "create"));
    };

    const show = (request: FastifyRequest, stored: StoredImport, person: SignedIn): ImportJson =>
      toImportJson(stored, entity, fieldsFor(model, entity, person), phrasesFor(request));

    const find = async (request: FastifyRequest, person: SignedIn): Promise<StoredImport | Refusal> => {
      const { id = "" } = request.params as { readonly id?: string };
      const stored = isId(id) ? await findImport(database, id, { person: person.id, entity: entity.name }) : undefined;
      return stored !== undefined && canOpen(rolesOfToken(request, person), stored)
        ? stored
        : refuse("NOT_FOUND", entity.clause.id);
    };

    /** Begins an action with these settings. */
    const begin = async (
      stored: StoredImport,
      act: keyof typeof states,
      settings: ImportSettings,
      person: SignedIn,
      request: FastifyRequest,
    ): Promise<StoredImport | Refusal> => {
      const fields = fieldsFor(model, entity, person);
      if (act !== "undo" && findQuestions(fields, stored.columns, settings).length > 0) return badQuery("IMPORT_OPEN");
      if (act === "undo") {
        if (stored.counts.added > 0 && grantsFor(model, entity, "delete", person).length === 0)
          return forbid(decidingClauseId(entity, "delete"), permissionSentence(phrasesFor(request), entity, "delete"));
        const [touched] = await database.query(countTouchedQuery(entity, stored.id));
        if (Number(touched?.count) > 0) return refuse("IMPORT_TOUCHED", undefined, { count: String(touched?.count) });
      }
      const begun = await beginState(database, stored.id, states[act], before[act], settings, clock());
      if (begun === undefined) return refuse("IMPORT_BUSY");
      runner.poll();
      return begun;
    };

    const receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const refuseUpload = (refusal: Refusal): FastifyReply => {
        // Discards the rest for a while, because a client that is disconnected while sending never sees the response.
        const late = setTimeout(() => request.raw.destroy(), DISCARD_MS);
        request.raw.once("close", () => clearTimeout(late)).resume();
        return sendRefusal(reply, refusal);
      };
      const person = await importer(request);
      if (isRefusal(person)) return refuseUpload(person);
      if (Number(request.headers["content-length"] ?? 0) > MAX_FILE_BYTES) return refuseUpload(tooLarge());
      const {
        name = "",
        then = "",
        match = [],
        mode = "fitting",
      } = request.query as Readonly<Record<string, string | undefined>> & {
        readonly match?: string | readonly string[];
      };
      if (then !== "" && then !== "check" && then !== "run")
        return refuseUpload(badQuery("IMPORT_ACT", { word: then }));
      const turn = reading.then(async () => {
        const bytes = await readBody(request);
        return bytes === undefined ? tooLarge() : read(request, person, String(name), bytes);
      });
      reading = turn.catch(() => undefined);
      const stored = await turn;
      if (isRefusal(stored)) return refuseUpload(stored);
      if (then === "")
        return reply
          .code(201)
          .header("location", `${base}/${stored.id}`)
          .send(show(request, stored, person));
      const settings = parseSettings(
        { match: typeof match === "string" ? [match] : match, mode },
        fieldsFor(model, entity, person),
        stored.columns,
        stored.settings,
      );
      const begun =
        settings === undefined ? badQuery("IMPORT_SETTINGS") : await begin(stored, then, settings, person, request);
      if (isRefusal(begun)) {
        await deleteImport(database, stored.id);
        return sendRefusal(reply, begun);
      }
      return reply
        .code(201)
        .header("location", `${base}/${stored.id}`)
        .send(show(request, begun, person));
    };

    const read = async (
      request: FastifyRequest,
      person: SignedIn,
      name: string,
      bytes: Buffer,
    ): Promise<StoredImport | Refusal> => {
      const roles = rolesOfToken(request, person);
      const language = request.headers["accept-language"] ?? "";
      const received = await receiveTable(service, entity, { name, bytes, person, roles, language }, clock());
      return typeof received === "string" ? toRefusal(received) : received;
    };

    await app.register((scope, _, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
      scope.post(base, { config: { entity: entity.name, action: "import" } }, receive);
      done();
    });

    app.get(base, { config: { entity: entity.name, action: "import" } }, async (request, reply) => {
      const person = await importer(request);
      if (isRefusal(person)) return sendRefusal(reply, person);
      const roles = rolesOfToken(request, person);
      const items = await listImports(database, { person: person.id, entity: entity.name });
      const body: ImportsJson = {
        items: items
          .filter((one) => canOpen(roles, one))
          .map(({ id, file, state, madeAt, rows, counts: { added, updated, refused } }) => ({
            id,
            file,
            state,
            made_at: madeAt,
            rows,
            added,
            updated,
            refused,
          })),
      };
      return reply.send(body);
    });

    app.get(`${base}/:id`, { config: { entity: entity.name, action: "import" } }, async (request, reply) => {
      const person = await importer(request);
      if (isRefusal(person)) return sendRefusal(reply, person);
      const stored = await find(request, person);
      // Its rows are written between requests.
      request.isAhead = true;
      return isRefusal(stored) ? sendRefusal(reply, stored) : reply.send(show(request, stored, person));
    });

    app.post(`${base}/:id/:act`, { config: { entity: entity.name, action: "import" } }, async (request, reply) => {
      const person = await importer(request);
      if (isRefusal(person)) return sendRefusal(reply, person);
      const stored = await find(request, person);
      if (isRefusal(stored)) return sendRefusal(reply, stored);
      const { act = "" } = request.params as { readonly act?: string };
      if (act === "cancel")
        return (await cancelImport(database, stored.id))
          ? reply.code(202).send(show(request, { ...stored, cancelled: true }, person))
          : sendRefusal(reply, refuse("IMPORT_BUSY"));
      if (!isAct(act)) return sendRefusal(reply, refuse("NO_SUCH_CALL"));
      const settings = parseSettings(request.body, fieldsFor(model, entity, person), stored.columns, stored.settings);
      const begun =
        settings === undefined ? badQuery("IMPORT_SETTINGS") : await begin(stored, act, settings, person, request);
      return isRefusal(begun) ? sendRefusal(reply, begun) : reply.code(202).send(show(request, begun, person));
    });

    app.get(
      `${base}/:id/refused.csv`,
      { config: { entity: entity.name, action: "import", reads: "many" } },
      async (request, reply) => {
        const person = await importer(request);
        if (isRefusal(person)) return sendRefusal(reply, person);
        const stored = await find(request, person);
        if (isRefusal(stored)) return sendRefusal(reply, stored);
        void reply.headers({
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": 'attachment; filename="refused.csv"',
        });
        return reply.send(Readable.from(refusedRows(database, stored, phrasesFor(request).language)));
      },
    );
  }
};
