import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DraftJson } from "../../core/wire/authoring/document.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { type Authoring, changesClause } from "../authoring/authoring.ts";
import { MAX_DRAFT_BYTES, toNumber } from "../authoring/authoring-routes.ts";
import { readDraft } from "../authoring/draft/check-draft.ts";
import { parseComment } from "../authoring/draft/parse-draft.ts";
import { inLanguage, negotiateLanguage } from "../authoring/planned-change.ts";
import { loadLabels } from "../execution/load-labels.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { createProposals, type ProposalAct } from "./proposals.ts";

/** Routes of proposals, for people who can propose or approve, and for administrators. */
export const serveProposals = async (
  app: FastifyInstance,
  authoring: Authoring,
  { authenticate, sendRefusal, service, clock }: RouteContext,
): Promise<void> => {
  const { database, model } = service;
  const proposals = createProposals({
    database,
    authoring,
    model,
    now: clock,
    nameRecords: (by, named) => loadLabels(service, by, clock(), named),
  });
  const people = new WeakMap<FastifyRequest, SignedIn>();

  const answer = (reply: FastifyReply, outcome: object): FastifyReply =>
    "kind" in outcome
      ? sendRefusal(reply, outcome as Refusal)
      : reply.send(inLanguage(outcome, negotiateLanguage(reply.request.headers["accept-language"], model)));
  const personIn = (request: FastifyRequest): SignedIn => {
    const person = people.get(request);
    if (person === undefined) throw new Error("a body without a person was read");
    return person;
  };
  const draftIn = (request: FastifyRequest): Promise<DraftJson | undefined> =>
    Buffer.isBuffer(request.body) ? readDraft(request.body) : Promise.resolve(undefined);
  const parseAct = (request: FastifyRequest): ProposalAct | undefined =>
    Buffer.isBuffer(request.body) ? parseComment(request.body) : undefined;

  await app.register((scope) => {
    // Drafts are large, so the person is authenticated before the body is read.
    scope.addHook("onRequest", async (request, reply) => {
      const person = await authenticate(request);
      if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
      people.set(request, person);
      return undefined;
    });
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body));
    const large = { bodyLimit: MAX_DRAFT_BYTES };

    scope.get("/_/proposals", async (request, reply) => {
      const { before } = request.query as { readonly before?: unknown };
      const number = before === undefined ? null : toNumber(before);
      return answer(
        reply,
        number === undefined ? refuse("BAD_CURSOR") : await proposals.list(personIn(request), number),
      );
    });
    scope.post("/_/proposals", large, async (request, reply) => {
      const draft = await draftIn(request);
      const outcome = draft === undefined ? refuse("MALFORMED") : await proposals.propose(personIn(request), draft);
      return answer(reply.code("kind" in outcome ? 200 : 201), outcome);
    });
    const withNumber =
      (then: (by: SignedIn, number: number, request: FastifyRequest) => Promise<object>) =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const number = toNumber((request.params as { readonly number?: unknown }).number);
        return answer(
          reply,
          number === undefined
            ? refuse("NOT_FOUND", changesClause(model))
            : await then(personIn(request), number, request),
        );
      };
    scope.get(
      "/_/proposals/:number",
      withNumber((by, number) => proposals.read(by, number)),
    );
    scope.post(
      "/_/proposals/:number",
      large,
      withNumber(async (by, number, request) => {
        const revision = toNumber((request.query as { readonly revision?: unknown }).revision);
        const draft = await draftIn(request);
        return draft === undefined || revision === undefined
          ? refuse("MALFORMED")
          : proposals.edit(by, number, revision, draft);
      }),
    );
    scope.post(
      "/_/proposals/:number/plan",
      withNumber((by, number) => proposals.plan(by, number)),
    );
    for (const act of ["comment", "approve", "reject", "withdraw", "reopen"] as const)
      scope.post(
        `/_/proposals/:number/${act}`,
        withNumber(async (by, number, request) => {
          const body = parseAct(request);
          return body === undefined ? refuse("MALFORMED") : proposals[act](by, number, body);
        }),
      );
    return Promise.resolve();
  });
};
