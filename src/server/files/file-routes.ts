import { Readable } from "node:stream";
import fastifyMultipart from "@fastify/multipart";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import parseRange from "range-parser";
import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { PICTURES } from "../../core/field/file.ts";
import { isId } from "../../core/field/reference.ts";
import type { Entity } from "../../core/model/entity.ts";
import { join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { ByteRange } from "../../storage/object-store.ts";
import type { Service } from "../execution/service.ts";
import { columnNamesFile, fileFields, isFileField } from "../plan/checks/files.ts";
import { callerParams, principalKey } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { DISCARD_MS } from "../util/discard-body.ts";
import { newId } from "../util/uuid.ts";
import { FileLost, type FilePlaces, openFile } from "./file-bytes.ts";
import { formatByteSize, toFileName } from "./file-name.ts";
import { keepFile, TooLarge } from "./file-store.ts";
import type { UploadQuota } from "./upload-quota.ts";

const UPLOADS = "/_/files";

/** True for the routes that take a file as their body. */
export const takesFile = (route: string | undefined): boolean =>
  route === UPLOADS || /^\/api\/[^/]+\/import$/u.test(route ?? "");

/** `attachment; filename="caf_.txt"; filename*=UTF-8''caf%C3%A9.txt` (RFC 6266). */
export const disposition = (type: "inline" | "attachment", name: string): string => {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/gu,
    (item) => `%${item.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`;
};

/** Sends a file, or the part of it that the request asks for, safely: images inline, everything else as a download. */
const send = async (
  reply: FastifyReply,
  request: FastifyRequest,
  places: FilePlaces,
  row: Row,
): Promise<FastifyReply> => {
  const [name, type, size] = [String(row.name), String(row.type), Number(row.size)];
  const file = { id: String(row.id), size, hash: String(row.hash), object: row.object as string | null };
  const tag = `"${file.hash}"`;
  void reply.headers({
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": disposition(PICTURES.includes(type) ? "inline" : "attachment", name),
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    etag: tag,
  });
  if (request.headers["if-none-match"] === tag) return reply.code(304).send();
  const range = findRange(request, size, tag);
  if (range === "unsatisfiable")
    return reply.code(416).removeHeader("content-disposition").header("content-range", `bytes */${size}`).send();
  const bytes = request.method === "HEAD" ? [] : await openFile(places, file, range);
  void reply.headers({
    "content-type": type.startsWith("text/") ? `${type}; charset=utf-8` : type,
    "content-length": String(range === undefined ? size : range.end - range.start + 1),
  });
  if (range !== undefined) void reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
  const body = Readable.from(bytes, { objectMode: true });
  body.once("error", (error: Error) => request.log.error({ err: error, file: file.id }, "a file could not be sent"));
  return reply.send(body);
};

/** The one range that a request asks for (RFC 9110, section 14). Undefined if the whole file answers it. */
const findRange = (request: FastifyRequest, size: number, tag: string): ByteRange | "unsatisfiable" | undefined => {
  const { range: asked, "if-range": ifRange = tag } = request.headers;
  if (asked === undefined || ifRange !== tag) return undefined;
  const ranges = parseRange(size, asked);
  if (ranges === -1) return "unsatisfiable";
  // A server can ignore the header. Several ranges at once are rare.
  if (ranges === -2 || ranges.type !== "bytes" || ranges.length !== 1) return undefined;
  return ranges[0];
};

const FILE_COLUMNS = sql`"f".id, "f".name, "f".type, "f".size, encode("f".sha256, 'hex') AS hash, "f".object`;

/** Finds the file of a record, if the person can read the record and the field that refers to the file. */
const findFileOfRecord = async (
  service: Service,
  entity: Entity,
  principal: Principal,
  { id, file }: { readonly id: string; readonly file: string },
  now: Date,
): Promise<Row | undefined> => {
  const { context } = service;
  const written = context.statements.get(["file", entity.name, principalKey(principal)], () => {
    const scope = readScope(service.model, entity, principal, "t");
    const named = scope.fields.filter(isFileField).flatMap((field): readonly Sql[] => {
      const column = scope.column(field.name);
      return column === undefined ? [] : [columnNamesFile(column, field.many)];
    });
    return {
      more: named.length > 0 && scope.grants.length > 0,
      sql: sql`SELECT ${FILE_COLUMNS} FROM ${tableSql(entity)} AS "t", ninefold.file AS "f" WHERE "t"."id" = ${slot("id", "uuid")} AND "f".id = ${slot("file", "uuid")} AND ${asCondition(scope.rows)} AND (${named.length === 0 ? sql`FALSE` : join(named, " OR ")})`,
    };
  });
  if (!written.more) return undefined;
  const [row] = await service.database.query(
    toQuery(written, { ...callerParams(service.caller(principal, now)), id, file }),
  );
  return row;
};

interface Serving {
  readonly service: Service;
  readonly clock: () => Date;
  readonly authenticate: (request: FastifyRequest) => Promise<(Principal & { readonly id: string }) | null>;
  readonly sendRefusal: (reply: FastifyReply, refusal: Refusal) => FastifyReply;
  readonly answer: (reply: FastifyReply, person: Principal, refusal: Refusal) => FastifyReply;
  readonly quota: UploadQuota;
}

/** Files are uploaded before their record is written, and read through their record. */
export const serveFiles = async (app: FastifyInstance, serving: Serving): Promise<void> => {
  const { service, clock, authenticate, sendRefusal, answer, quota } = serving;
  const { model, database } = service;
  const most = model.limits.uploadSize;
  const entities = [...model.entities.values()].filter((entity) => entity.served && fileFields(entity).length > 0);
  if (entities.length === 0) return;

  const sendOrRefuse = async (reply: FastifyReply, request: FastifyRequest, row: Row): Promise<FastifyReply> => {
    try {
      return await send(reply, request, service, row);
    } catch (error) {
      if (!(error instanceof FileLost)) throw error;
      request.log.error({ err: error }, "a file is lost");
      return sendRefusal(reply, refuse("FILE_LOST"));
    }
  };

  const refuseUpload = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply => {
    // Discards the rest for a while, because a client that is disconnected while sending never sees the response.
    const late = setTimeout(() => request.raw.destroy(), DISCARD_MS);
    request.raw.once("close", () => clearTimeout(late)).resume();
    return sendRefusal(reply, refusal);
  };
  const tooLarge = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    refuseUpload(request, reply, refuse("FILE_TOO_LARGE", "9.upload_size", { max: formatByteSize(most) }));

  const receive = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, person, isForm }: { readonly id: string; readonly person: string; readonly isForm: boolean },
  ): Promise<FastifyReply> => {
    const part = isForm ? await request.file() : undefined;
    if (isForm && part === undefined) return sendRefusal(reply, refuse("MALFORMED"));
    const { name = "" } = request.query as { readonly name?: string };
    try {
      const stored = await keepFile(service, part?.file ?? request.raw.iterator({ destroyOnReturn: false }), {
        id,
        person,
        name: toFileName(part?.filename ?? String(name)),
        most,
      });
      if (part?.file.truncated !== true)
        return await reply.code(201).header("location", `${UPLOADS}/${id}`).send(stored);
      await database.query({ text: "delete from ninefold.file where id = $1", values: [id] });
      return tooLarge(request, reply);
    } catch (error) {
      if (error instanceof TooLarge) return tooLarge(request, reply);
      // The client has disconnected.
      if (request.raw.destroyed && !request.raw.complete) return reply.hijack();
      throw error;
    }
  };

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(fastifyMultipart, {
      limits: { files: 1, fields: 0, parts: 1, fileSize: most, headerPairs: 20 },
    });
    scope.addContentTypeParser("*", (_, __, done) => done(null));
    scope.post(UPLOADS, async (request, reply) => {
      const principal = await authenticate(request);
      if (principal === null) return refuseUpload(request, reply, refuse("NOT_SIGNED_IN", "7.sign in"));
      const isForm = request.isMultipart();
      // A multipart form is slightly larger than its file.
      if (Number(request.headers["content-length"] ?? 0) > most + (isForm ? 4096 : 0)) return tooLarge(request, reply);
      const length = Math.min(Number(request.headers["content-length"] ?? most), most);
      const id = newId(clock());
      const release = await quota.reserve(principal.id, { id, bytes: length }, clock());
      if (release === undefined) return refuseUpload(request, reply, refuse("TOO_MANY_FILES", "9.upload_size"));
      return receive(request, reply, { id, person: principal.id, isForm }).finally(release);
    });
  });

  const known = (request: FastifyRequest): { readonly id: string; readonly file: string } | undefined => {
    const { id = "", file = "" } = request.params as { readonly id?: string; readonly file?: string };
    return isId(file) && (id === "" || isId(id)) ? { id: id.toLowerCase(), file: file.toLowerCase() } : undefined;
  };

  // The uploader can read a file until a record refers to it.
  app.get("/_/files/:file", async (request, reply) => {
    const principal = await authenticate(request);
    const caller = known(request);
    const [row] =
      principal === null || caller === undefined
        ? []
        : await database.query({
            name: "file-own",
            text: `select f.id, f.name, f.type, f.size, encode(f.sha256, 'hex') as hash, f.object from ninefold.file f
                   where f.id = $1 and f.person = $2 and f.size is not null and f.made_at > now() - interval '24 hours'`,
            values: [caller.file, principal.id],
          });
    return row === undefined ? sendRefusal(reply, refuse("NOT_FOUND")) : sendOrRefuse(reply, request, row);
  });

  for (const entity of entities)
    app.get(`/api/${entity.path}/:id/files/:file`, async (request, reply) => {
      const principal = (await authenticate(request)) ?? anonymousPrincipal;
      const caller = known(request);
      const row =
        caller === undefined ? undefined : await findFileOfRecord(service, entity, principal, caller, clock());
      if (row !== undefined) return sendOrRefuse(reply, request, row);
      return answer(reply, principal, refuse("NOT_FOUND", entity.clause.id));
    });
};
