import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import { messageText } from "../../core/i18n/languages.ts";
import type { Message } from "../../core/i18n/message.ts";
import type { DraftedFileJson } from "../../core/wire/authoring/drafted-file.ts";
import { changesClause } from "../authoring/authoring.ts";
import { askThread } from "../authoring/draft/ask-thread.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { discardBody } from "../util/discard-body.ts";
import { createSerializer } from "../util/serializer.ts";
import { type DraftedContent, type DraftedFile, draftFile, type FileToDraft } from "./draft-file.ts";
import { refuseTable } from "./refuse-table.ts";
import { excess, unpackedTooLarge } from "./table-parts.ts";

/** Maximum size of a file in bytes. Its rows are sent back as text. */
const MAX_DRAFT_FILE_BYTES = 8 * 2 ** 20;

/** Drafts in a thread; in the calling one when the program runs from its sources, which Node cannot load in a thread. */
const draftInThread = async (file: FileToDraft): Promise<DraftedFile> => {
  if (extname(import.meta.url) === ".ts") return draftFile(file);
  try {
    return await askThread<DraftedFile>("draft-file-worker", file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY") return { fault: unpackedTooLarge };
    throw error;
  }
};

/** The draft with its sentences in a language. */
const toJson = ({ tables, remarks, ...drafted }: DraftedContent, language: string): DraftedFileJson => {
  const toText = (message: Message): string => messageText(message, language);
  return {
    ...drafted,
    tables: tables.map(({ leftOut, ...table }) => ({ ...table, leftOut: leftOut.map(toText) })),
    remarks: remarks.map(toText),
  };
};

/**
 * Serves the draft of a document from a spreadsheet, to people who can change the document. Nothing is stored: the draft is
 * published like any other, and its rows are imported like any others.
 */
export const serveDrafts = async (app: FastifyInstance, routeContext: RouteContext): Promise<void> => {
  const { authenticate, phrasesFor, sendRefusal } = routeContext;
  /** Files are read one after another. */
  const serialize = createSerializer();
  await app.register((scope, _, done) => {
    scope.addHook("onRequest", async (request, reply) => {
      const person = await authenticate(request);
      if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
      const { model } = routeContext.service;
      if (!changeRights(model, person).read) return sendRefusal(reply, refuse("FORBIDDEN", changesClause(model)));
      const size = Number(request.headers["content-length"] ?? 0);
      if (size <= MAX_DRAFT_FILE_BYTES) return undefined;
      await discardBody(request.raw);
      return sendRefusal(reply, refuseTable(excess("BYTES", size), MAX_DRAFT_FILE_BYTES));
    });
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, parsed) => parsed(null, body));
    scope.post("/_/draft", { bodyLimit: MAX_DRAFT_FILE_BYTES }, async (request, reply) => {
      const { name = "" } = request.query as Readonly<Record<string, string | undefined>>;
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const file = [...String(name).replaceAll(/\p{Cc}/gu, "")].slice(-200).join("") || "table.csv";
      const { fault, ...found } = await serialize(() =>
        draftInThread({ file, name: "draft.md", bytes: new Uint8Array(bytes) }),
      );
      if (fault !== undefined) return sendRefusal(reply, refuseTable(fault, MAX_DRAFT_FILE_BYTES));
      return reply.send("drafted" in found ? toJson(found.drafted, phrasesFor(request).language) : {});
    });
    done();
  });
};
