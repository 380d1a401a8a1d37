import type { FastifyReply, FastifyRequest } from "fastify";
import type { SignedIn } from "../auth/sessions.ts";
import { badQuery, isRefusal, type Refusal, refuse } from "../refusal.ts";
import { DISCARD_MS } from "../util/discard-body.ts";
import { beginAct } from "./begin-act.ts";
import { authenticateImporter, type EntityImports, rolesOfToken, showImport } from "./import-access.ts";
import type { ImportRunner } from "./import-runner.ts";
import { deleteImport, type StoredImport } from "./import-store.ts";
import { receiveTable } from "./receive-table.ts";
import { MAX_COLUMNS, MAX_ROWS, type TableFault } from "./table-parts.ts";

/** Maximum size of a file in bytes. It is read in memory, one file at a time. */
const MAX_FILE_BYTES = 32 * 2 ** 20;

/** Runs work after all work that was passed to it earlier. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Receives a file, stores its rows as an import, and begins the act that the address names, if any. */
export const receiveUpload = async (
  imports: EntityImports,
  runner: ImportRunner,
  inTurn: InTurn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { context, entity } = imports;
  const refuseUpload = (refusal: Refusal): FastifyReply => {
    discardBody(request);
    return context.sendRefusal(reply, refusal);
  };
  const person = await authenticateImporter(imports, request);
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
  if (then !== "" && then !== "check" && then !== "run") return refuseUpload(badQuery("IMPORT_ACT", { word: then }));

  const stored = await inTurn(() => storeUpload(imports, request, person, String(name)));
  if (isRefusal(stored)) return refuseUpload(stored);
  const send = (created: StoredImport): FastifyReply =>
    reply
      .code(201)
      .header("location", `/api/${entity.path}/import/${created.id}`)
      .send(showImport(imports, request, created, person));
  if (then === "") return send(stored);

  const settings = { match: typeof match === "string" ? [match] : match, mode };
  const begun = await beginAct(imports, runner, stored, then, settings, person, request);
  if (!isRefusal(begun)) return send(begun);
  await deleteImport(context.service.database, stored.id);
  return context.sendRefusal(reply, begun);
};

const storeUpload = async (
  { context, entity }: EntityImports,
  request: FastifyRequest,
  person: SignedIn,
  name: string,
): Promise<StoredImport | Refusal> => {
  const bytes = await readBody(request);
  if (bytes === undefined) return tooLarge();
  const roles = rolesOfToken(context, request, person);
  const language = request.headers["accept-language"] ?? "";
  const upload = { name, bytes, person, roles, language };
  const received = await receiveTable(context.service, entity, upload, context.clock());
  return typeof received === "string" ? toRefusal(received) : received;
};

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

/** Discards the rest for a while, because a client that is disconnected while sending never sees the response. */
const discardBody = ({ raw }: FastifyRequest): void => {
  const late = setTimeout(() => raw.destroy(), DISCARD_MS);
  raw.once("close", () => clearTimeout(late)).resume();
};

const tooLarge = (): Refusal =>
  refuse("TABLE_TOO_LARGE", undefined, {
    rows: String(MAX_ROWS),
    columns: String(MAX_COLUMNS),
    max: `${MAX_FILE_BYTES / 2 ** 20} MB`,
  });

const toRefusal = (fault: TableFault): Refusal => (fault === "too large" ? tooLarge() : refuse("NOT_A_TABLE"));
