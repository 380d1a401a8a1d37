import type { FastifyInstance } from "fastify";
import { isId } from "../../../core/field/reference.ts";
import { DEPUTY } from "../../../core/model/permissions.ts";
import type { RoleHoldersJson } from "../../../core/wire/application.ts";
import { forSignedIn } from "../../auth/for-signed-in.ts";
import { executeOnly } from "../../execution/execute.ts";
import { withReasons } from "../../explain/why-answers.ts";
import { parseBody, parseKey } from "../../intent.ts";
import { type PlacedWrite, planWrites } from "../../plan/plan-writes.ts";
import { badQuery, isRefusal, refuse } from "../../refusal.ts";
import type { RouteContext } from "../../route-context.ts";
import { newId } from "../../util/uuid.ts";
import { listPeopleWithRoles } from "./people-with-roles.ts";

/** Maximum number of arrangements that one request ends. */
const MOST = 50;

/**
 * Names a deputy, and ends or removes the arrangements that are in the way, in one transaction: whatever fails, the earlier
 * ones are as they were. Each write needs the permissions of the conventional call. Also lists the people who can already do
 * the work.
 */
export const serveDeputies = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, sendRefusal, answer } = routeContext;
  if (service.model.deputies === null) return;

  const config = { isKeyed: true, entity: DEPUTY, action: "create" };
  const name = forSignedIn(routeContext, async (person, request, reply) => {
    const key = parseKey(request.headers["idempotency-key"] as string | undefined);
    if (key === undefined) return sendRefusal(reply, badQuery("KEY_LENGTH"));
    const body = parseBody(request);
    const values = parseBody({ body: body?.values });
    const ends = parseEnds(body?.ends ?? []);
    if (values === undefined || ends === undefined) return sendRefusal(reply, refuse("MALFORMED"));
    const create: PlacedWrite = {
      intent: {
        kind: "create",
        entity: DEPUTY,
        values,
        key,
        // The whole request has the key, so that another one with other arrangements to end is no repetition.
        request: [DEPUTY, values, body?.ends ?? []],
        label: true,
      },
      at: "/values",
    };
    const caller = { principal: person, now: clock(), phrases: phrasesFor(request) };
    const plan = planWrites(
      service.context,
      [...ends, create],
      service.caller(person, caller.now, caller.phrases),
      service.format,
      newId(caller.now),
    );
    const outcome = await executeOnly(service.database, plan);
    const attempt = plan.attempt();
    return answer(
      reply,
      person,
      outcome.kind === "refusal" && attempt !== null ? await withReasons(service, attempt, outcome, caller) : outcome,
    );
  });
  app.post("/_/deputies", { config }, name);

  const listHolders = forSignedIn(routeContext, async (person, request, reply) => {
    const items = await listPeopleWithRoles(service, person, clock(), phrasesFor(request));
    if (isRefusal(items)) return sendRefusal(reply, items);
    const body: RoleHoldersJson = { items };
    return reply.send(body);
  });
  app.get("/_/deputies/holders", listHolders);
};

/** The arrangements to end on another last day, or to remove; undefined if malformed. */
const parseEnds = (sent: unknown): readonly PlacedWrite[] | undefined => {
  if (!Array.isArray(sent) || sent.length > MOST) return undefined;
  const writes = sent.flatMap((item: unknown, at): readonly PlacedWrite[] => {
    const { id, version, last_day } = parseBody({ body: item }) ?? {};
    if (typeof id !== "string" || !isId(id.toLowerCase()) || !Number.isSafeInteger(version)) return [];
    const about = { entity: DEPUTY, id: id.toLowerCase(), version: Number(version) };
    const place = `/ends/${at}`;
    if (last_day === null) return [{ intent: { kind: "delete", ...about }, at: place }];
    return typeof last_day === "string"
      ? [{ intent: { kind: "update", ...about, values: { last_day }, label: false }, at: place }]
      : [];
  });
  return writes.length === sent.length ? writes : undefined;
};
