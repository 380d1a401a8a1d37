import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Compiled } from "../../core/compile.ts";
import { type StoredSentence, storedText } from "../../core/i18n/languages.ts";
import type { SourceJson } from "../../core/wire/authoring/document.ts";
import type { InPreviewJson, PreviewJson, PreviewsJson, PreviewUseJson } from "../../core/wire/authoring/previews.ts";
import type { PreviewUse } from "../../postgres/preview/preview-database.ts";
import { findAdministrator, forAdministrator } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { MAX_DRAFT_BYTES } from "./authoring-routes.ts";
import { readDraft } from "./draft/check-draft.ts";
import { negotiateLanguage } from "./planned-change.ts";

/** Set in an application that serves a preview. */
export interface InPreview {
  readonly about: InPreviewJson;
  use(): Promise<PreviewUse>;
  /** Ends the preview. */
  end(): void;
}

/** Starts and ends previews of this application. */
export interface Previews {
  /** All previews, and the reasons why the last one that this person started here failed. */
  list(person: string): Promise<{
    readonly items: PreviewsJson["items"];
    readonly failed: readonly StoredSentence[];
  }>;
  /** Compiles a draft outside the event loop; undefined if it has errors. */
  compile(files: readonly SourceJson[]): Promise<Compiled | undefined>;
  /** Starts a preview. Returns as soon as it is on the list, while the data is being copied. */
  start(draft: {
    readonly compiled: Compiled;
    readonly base: number;
    readonly person: string;
    readonly masked: boolean;
  }): Promise<PreviewJson | Refusal>;
  /** An address that signs the person in once; undefined if the preview does not exist or is not ready. */
  link(id: string, person: string): Promise<string | undefined>;
  /** The work in it that ends with it; undefined if there is no such preview, null if another process keeps its data. */
  use(id: string): Promise<PreviewUse | null | undefined>;
  /** False if there is no such preview. */
  end(id: string): Promise<boolean>;
}

const MOST_NAMES = 20;

/** The work of people other than the reader. */
const toUseJson = (use: PreviewUse | null, reader: string): PreviewUseJson => {
  const people = (use?.people ?? []).filter(({ id }) => id !== reader).map(({ name }) => name);
  return {
    people: people.slice(0, MOST_NAMES),
    more: Math.max(0, people.length - MOST_NAMES),
    changes: use?.changes ?? null,
  };
};

/** Serves the calls by which an administrator looks at the use of the preview that they are in, and ends it. */
export const serveInPreview = (app: FastifyInstance, { use, end }: InPreview, routeContext: RouteContext): void => {
  app.get(
    "/_/preview",
    forAdministrator(routeContext, async (person, _request, reply) => reply.send(toUseJson(await use(), person.id))),
  );
  app.delete(
    "/_/preview",
    forAdministrator(routeContext, (_person, _request, reply) => {
      // After the response, because ending the preview closes the connection.
      reply.raw.once("finish", end);
      return reply.code(204).send();
    }),
  );
};

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Routes of previews, for administrators. They are authenticated before the draft is read. */
export const servePreviews = async (
  app: FastifyInstance,
  previews: Previews,
  { hash, version }: { readonly hash: string; readonly version: number },
  routeContext: RouteContext,
): Promise<void> => {
  const { sendRefusal } = routeContext;
  const authors = new WeakMap<FastifyRequest, SignedIn>();
  const getAuthorName = (request: FastifyRequest): string => {
    const author = authors.get(request);
    if (author === undefined) throw new Error("a body without an author was read");
    return author.id;
  };
  const refuseNotFound = (reply: FastifyReply) => sendRefusal(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
  const idIn = (request: FastifyRequest): string | undefined => {
    const { id } = request.params as { readonly id?: unknown };
    return typeof id === "string" && ID.test(id) ? id : undefined;
  };

  await app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      const person = await findAdministrator(routeContext, request);
      if ("kind" in person) return sendRefusal(reply, person);
      authors.set(request, person);
      return undefined;
    });
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body));

    scope.get("/_/previews", async (request, reply) => {
      const { items, failed } = await previews.list(getAuthorName(request));
      const language = negotiateLanguage(request.headers["accept-language"], routeContext.service.model);
      const reason = failed.map((sentence) => storedText(sentence, language)).join(" ");
      return reply.send({ items, failed: reason === "" ? null : reason } satisfies PreviewsJson);
    });
    scope.post("/_/previews", { bodyLimit: MAX_DRAFT_BYTES }, async (request, reply) => {
      const draft = Buffer.isBuffer(request.body) ? await readDraft(request.body) : undefined;
      if (draft === undefined) return sendRefusal(reply, refuse("MALFORMED"));
      if (draft.base !== hash) return sendRefusal(reply, refuse("DOCUMENT_CHANGED"));
      const compiled = await previews.compile(draft.files);
      if (compiled?.model === undefined) return sendRefusal(reply, refuse("DOCUMENT_INVALID"));
      const { mask } = request.query as { readonly mask?: unknown };
      const started = await previews.start({
        compiled,
        base: version,
        person: getAuthorName(request),
        masked: mask === "true",
      });
      return "kind" in started ? sendRefusal(reply, started) : reply.code(202).send(started);
    });
    scope.post("/_/previews/:id/link", async (request, reply) => {
      const id = idIn(request);
      const link = id === undefined ? undefined : await previews.link(id, getAuthorName(request));
      return link === undefined ? refuseNotFound(reply) : reply.code(201).send({ link });
    });
    scope.get("/_/previews/:id/use", async (request, reply) => {
      const id = idIn(request);
      const use = id === undefined ? undefined : await previews.use(id);
      return use === undefined ? refuseNotFound(reply) : reply.send(toUseJson(use, getAuthorName(request)));
    });
    scope.delete("/_/previews/:id", async (request, reply) => {
      const id = idIn(request);
      return id !== undefined && (await previews.end(id)) ? reply.code(204).send() : refuseNotFound(reply);
    });
  });
};
