import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { importedEntities } from "../../core/derive/http/routes.ts";
import type { ImportsJson } from "../../core/wire/imports.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { createSerializer, type Serialize } from "../util/serializer.ts";
import { beginAct, isImportAct } from "./begin-act.ts";
import {
  authenticateImporter,
  authenticateSender,
  type EntityImports,
  findOwnImport,
  listOwnImports,
  showImport,
} from "./import-access.ts";
import { refusedRows } from "./import-json.ts";
import { cancelImport, type StoredImport } from "./import-store.ts";
import { type Importing, receiveUpload } from "./receive-upload.ts";

/**
 * Serves imports of files into the records of an entity. A file is read once and its rows are stored. A runner then
 * checks, writes or undoes them, and treats each row like a request of the person.
 */
export const serveImports = async (
  app: FastifyInstance,
  context: RouteContext,
  importing: Importing,
): Promise<void> => {
  /** Files are read one after another. */
  const serialize = createSerializer();
  for (const entity of importedEntities(context.service.model))
    await serveEntityImports(app, { context, entity }, importing, serialize);
};

const serveEntityImports = async (
  app: FastifyInstance,
  imports: EntityImports,
  importing: Importing,
  serialize: Serialize,
): Promise<void> => {
  const { context, entity } = imports;
  const { sendRefusal } = context;
  const { database } = context.service;
  const base = `/api/${entity.path}/import`;
  const config = { entity: entity.name, action: "import" } as const;

  /** Finds the import in the address, for the person who sent it. */
  const forImport =
    (
      authenticate: typeof authenticateImporter,
      handle: (
        stored: StoredImport,
        person: SignedIn,
        request: FastifyRequest,
        reply: FastifyReply,
      ) => FastifyReply | Promise<FastifyReply>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const person = await authenticate(imports, request);
      if (isRefusal(person)) return sendRefusal(reply, person);
      const stored = await findOwnImport(imports, request, person);
      return isRefusal(stored) ? sendRefusal(reply, stored) : handle(stored, person, request, reply);
    };

  await app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    scope.post(base, { config }, (request, reply) => receiveUpload(imports, importing, serialize, request, reply));
    done();
  });

  app.get(base, { config }, async (request, reply) => {
    const person = await authenticateImporter(imports, request);
    if (isRefusal(person)) return sendRefusal(reply, person);
    const body: ImportsJson = { items: (await listOwnImports(imports, request, person)).map(toItem) };
    return reply.send(body);
  });

  app.get(
    `${base}/:id`,
    { config },
    forImport(authenticateSender, (stored, person, request, reply) => {
      // Its rows are written between requests.
      request.isAhead = true;
      return reply.send(showImport(imports, request, stored, person));
    }),
  );

  app.post(
    `${base}/:id/:act`,
    { config },
    forImport(authenticateImporter, async (stored, person, request, reply) => {
      const { act = "" } = request.params as { readonly act?: string };
      if (act === "cancel")
        return (await cancelImport(database, stored.id))
          ? reply.code(202).send(showImport(imports, request, { ...stored, cancelled: true }, person))
          : sendRefusal(reply, refuse("IMPORT_BUSY"));
      if (!isImportAct(act)) return sendRefusal(reply, refuse("NO_SUCH_CALL"));
      const requested = { act, settings: request.body, person, request };
      const started = await beginAct(imports, importing.runner, stored, requested);
      return isRefusal(started)
        ? sendRefusal(reply, started)
        : reply.code(202).send(showImport(imports, request, started, person));
    }),
  );

  app.get(
    `${base}/:id/refused.csv`,
    { config: { ...config, reads: "many" } },
    forImport(authenticateSender, (stored, _, request, reply) => {
      void reply.headers({
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="refused.csv"',
      });
      return reply.send(Readable.from(refusedRows(database, stored, context.phrasesFor(request).language)));
    }),
  );
};

const toItem = ({
  id,
  file,
  state,
  madeAt,
  rows,
  counts: { added, updated, refused },
  settings: { parent },
}: StoredImport): ImportsJson["items"][number] => ({
  id,
  file,
  state,
  made_at: madeAt,
  rows,
  added,
  updated,
  refused,
  ...(parent === undefined ? {} : { parent }),
});
