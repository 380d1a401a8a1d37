import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import type { DraftJson } from "../../core/wire/authoring.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import type { Authoring } from "./authoring.ts";
import { readDraft } from "./check-draft.ts";

/** A document of five million characters as JSON. */
const LARGEST_DRAFT = 24 * 1024 * 1024;

/**
 * Routes of the workbench, for administrators: the document, the plan of a change, and its application. Drafts are
 * large, so the author is authenticated before the body is read.
 */
export const serveAuthoring = async (app: FastifyInstance, authoring: Authoring, door: RouteContext): Promise<void> => {
  const { personOf, refuseWith } = door;
  const authors = new WeakMap<FastifyRequest, SignedIn>();

  const answer = (reply: FastifyReply, outcome: object): FastifyReply =>
    "kind" in outcome ? refuseWith(reply, outcome as Refusal) : reply.send(outcome);

  await app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      const person = await personOf(request);
      if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
      if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", MANAGES_CLAUSE));
      authors.set(request, person);
      return undefined;
    });
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body));

    scope.get("/_/document", (_, reply) => answer(reply, authoring.document()));
    scope.get("/_/document/states", async (_, reply) => answer(reply, await authoring.stateCounts()));
    const drafted =
      (then: (draft: DraftJson, author: SignedIn) => Promise<object>) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const author = authors.get(request);
        if (author === undefined) throw new Error("a draft without an author was read");
        const draft = Buffer.isBuffer(request.body) ? await readDraft(request.body) : undefined;
        return answer(reply, draft === undefined ? refuse("MALFORMED") : await then(draft, author));
      };
    const large = { bodyLimit: LARGEST_DRAFT };
    scope.post(
      "/_/document/plan",
      large,
      drafted((draft) => authoring.plan(draft)),
    );
    scope.post(
      "/_/document",
      large,
      drafted((draft, { id }) => authoring.apply(draft, id)),
    );
  });
};
