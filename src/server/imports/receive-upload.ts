import type { FastifyReply, FastifyRequest } from "fastify";
import { isId } from "../../core/field/reference.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { ImportSettings } from "../../core/wire/imports.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { UploadQuota } from "../files/upload-quota.ts";
import { badQuery, isRefusal, type Refusal, refuse } from "../refusal.ts";
import { DISCARD_MS } from "../util/discard-body.ts";
import type { Serialize } from "../util/serializer.ts";
import { beginAct } from "./begin-act.ts";
import { authenticateImporter, type EntityImports, rolesOfToken, showImport } from "./import-access.ts";
import type { ImportRunner } from "./import-runner.ts";
import { deleteImport, type StoredImport } from "./import-store.ts";
import { isReceiveFault, MAX_TABLE_BYTES, type ReceiveFault, receiveTable } from "./receive-table.ts";
import { refuseTable } from "./refuse-table.ts";
import { excess } from "./table-parts.ts";
import type { Content } from "./zip/open-zip.ts";
import { receiveZip } from "./zip/receive-zip.ts";

/** Carries imports out, and limits what one person can send. */
export interface Importing {
  readonly runner: ImportRunner;
  readonly quota: UploadQuota;
}

/** Receives a file, stores its rows as an import, and begins the act that the address names, if any. */
export const receiveUpload = async (
  imports: EntityImports,
  { runner, quota }: Importing,
  serialize: Serialize,
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
  const {
    name = "",
    then = "",
    match = [],
    mode = "fitting",
    parent: parentText,
  } = request.query as Readonly<Record<string, string | undefined>> & {
    readonly match?: string | readonly string[];
  };
  if (then !== "" && then !== "check" && then !== "run") return refuseUpload(badQuery("IMPORT_ACT", { word: then }));
  const parent = parentText === undefined ? undefined : parseParent(entity, String(parentText));
  if (parentText !== undefined && parent === undefined) return refuseUpload(badQuery("VALUE", { word: "parent" }));

  const isZip = /\.zip$/iu.test(String(name));
  const most = isZip ? MAX_TABLE_BYTES + quota.bytes : MAX_TABLE_BYTES;
  const announced = Number(request.headers["content-length"] ?? 0);
  const tooManyBytes = () => (isZip ? tooMuch() : refuseTable(excess("BYTES", Math.max(announced, most + 1)), most));
  if (announced > most) return refuseUpload(tooManyBytes());

  const store = (content: Content | undefined) =>
    content === undefined
      ? Promise.resolve(tooManyBytes())
      : serialize(() => storeUpload(imports, request, { person, name: String(name), content, quota, parent }));
  const stored = await (isZip ? receiveZip(readBody(request, most), store) : readTableBytes(request).then(store));
  if (isRefusal(stored)) return refuseUpload(stored);
  const send = (created: StoredImport): FastifyReply =>
    reply
      .code(201)
      .header("location", `/api/${entity.path}/import/${created.id}`)
      .send(showImport(imports, request, created, person));
  if (then === "") return send(stored);

  const settings = { match: typeof match === "string" ? [match] : match, mode };
  const started = await beginAct(imports, runner, stored, { act: then, settings, person, request });
  if (!isRefusal(started)) return send(started);
  await deleteImport(context.service.database, stored.id);
  return context.sendRefusal(reply, started);
};

interface Upload {
  readonly person: SignedIn;
  readonly name: string;
  readonly content: Content;
  readonly quota: UploadQuota;
  readonly parent: ImportSettings["parent"];
}

/** Reads `order/ID`: the reference of a part to its parent, and the parent. */
const parseParent = ({ fields }: Entity, text: string): ImportSettings["parent"] => {
  const [field = "", id = "", ...rest] = text.split("/");
  return fields.get(field)?.partOf === true && isId(id) && rest.length === 0 ? { field, id } : undefined;
};

const storeUpload = async (
  { context, entity }: EntityImports,
  request: FastifyRequest,
  { person, name, content, quota, parent }: Upload,
): Promise<StoredImport | Refusal> => {
  const roles = rolesOfToken(context, request, person);
  const language = request.headers["accept-language"] ?? "";
  const sent = { name, content, person, roles, language, ...(parent === undefined ? {} : { parent }) };
  const received = await receiveTable(context.service, entity, sent, { quota, now: context.clock() });
  return isReceiveFault(received) ? toRefusal(received) : received;
};

/** The body of an upload. Ends early, with `undefined`, if it is too large. */
async function* readBody(request: FastifyRequest, most: number): AsyncGenerator<Buffer | undefined> {
  let size = 0;
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) return yield undefined;
    yield chunk;
  }
}

/** Reads a table into memory; undefined if it is too large. */
const readTableBytes = async (request: FastifyRequest): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  for await (const chunk of readBody(request, MAX_TABLE_BYTES)) {
    if (chunk === undefined) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Discards the rest for a while, because a client that is disconnected while sending never sees the response. */
const discardBody = ({ raw }: FastifyRequest): void => {
  const late = setTimeout(() => raw.destroy(), DISCARD_MS);
  raw.once("close", () => clearTimeout(late)).resume();
};

const tooMuch = (): Refusal => refuse("TOO_MUCH_IN_ZIP", "9.upload_size");

const toRefusal = (fault: ReceiveFault): Refusal => {
  if (fault.reason === "too many files") return tooMuch();
  if (fault.reason === "not one table") return refuse("NOT_ONE_TABLE");
  return refuseTable(fault, MAX_TABLE_BYTES);
};
