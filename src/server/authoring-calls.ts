import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isAdministrator } from "../core/derive/access.ts";
import type { DraftJson, SourceJson } from "../core/wire/authoring.ts";
import type { Authoring } from "./authoring.ts";
import type { Door } from "./door.ts";
import { MANAGES, SIGN_IN } from "./plan/account.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { SignedIn } from "./sessions.ts";

/** A document of five million characters, as JSON. */
const LARGEST_DRAFT = 24 * 1024 * 1024;

const isSource = (given: unknown): given is SourceJson =>
  typeof given === "object" &&
  given !== null &&
  "file" in given &&
  "text" in given &&
  typeof given.file === "string" &&
  typeof given.text === "string";

const draftIn = (body: unknown): DraftJson | undefined => {
  if (typeof body !== "object" || body === null || !("base" in body) || !("files" in body)) return undefined;
  const { base, files } = body;
  if (typeof base !== "string" || !Array.isArray(files) || files.length === 0) return undefined;
  return files.every(isSource) ? { base, files: files.map(({ file, text }) => ({ file, text })) } : undefined;
};

/** The calls of the authors' pages, for administrators: the document, what a change of it would do, and the change. */
export const serveAuthoring = (app: FastifyInstance, authoring: Authoring, door: Door): void => {
  const { personOf, refuseWith } = door;

  const author =
    (then: (person: SignedIn, request: FastifyRequest) => Promise<object> | object) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const person = await personOf(request);
      if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
      if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", MANAGES));
      const answer = await then(person, request);
      return "kind" in answer ? refuseWith(reply, answer as Refusal) : reply.send(answer);
    };

  app.get(
    "/_/document",
    author(() => authoring.document()),
  );
  app.get(
    "/_/document/states",
    author(() => authoring.stateCounts()),
  );
  app.post(
    "/_/document/plan",
    { bodyLimit: LARGEST_DRAFT },
    author((_, { body }) => {
      const draft = draftIn(body);
      return draft === undefined ? refuse("MALFORMED") : authoring.plan(draft);
    }),
  );
  app.post(
    "/_/document",
    { bodyLimit: LARGEST_DRAFT },
    author((person, { body }) => {
      const draft = draftIn(body);
      return draft === undefined ? refuse("MALFORMED") : authoring.apply(draft, person.id);
    }),
  );
};
