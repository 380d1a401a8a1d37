import { parseCookie } from "cookie";
import type { FastifyInstance } from "fastify";
import { isAdministrator } from "../core/derive/access.ts";
import { isId } from "../core/field/reference.ts";
import type { Door } from "./door.ts";
import { MANAGES, SIGN_IN } from "./plan/account.ts";
import { refuse } from "./refusal.ts";
import { beginLooking, endSession } from "./sessions.ts";
import { textIn } from "./text-in.ts";

const LOOK = "/_/look";

/**
 * An administrator looks as somebody else: what they see is that person's, through a session of that person in which every
 * request that could change something is refused, for half an hour at most. The administrator's own session waits in a
 * cookie that is sent to this address alone, and is taken up again when the look ends.
 */
export const serveLooking = (app: FastifyInstance, door: Door): void => {
  const { service, clock, personOf, personBy, tokenOf, cookieName, cookieOf, refuseWith } = door;
  const { database, model, version } = service;
  const back = () => ({ name: `${cookieName()}.back`, path: LOOK });
  const hours = model.limits.sessionHours * 3_600;

  app.post(LOOK, async (request, reply) => {
    const person = await personOf(request);
    const own = tokenOf(request);
    if (person === null || own === undefined) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", MANAGES));
    const other = textIn(request.body, "person");
    const look = { looker: person.id, person: other, clause: MANAGES, document: version };
    const token = isId(other) ? await beginLooking(database, look, clock()) : undefined;
    if (token === undefined) return refuseWith(reply, refuse("NOT_FOUND", MANAGES));
    const cookies = [cookieOf(request, token, hours), cookieOf(request, own, hours, back())];
    return reply.header("set-cookie", cookies).code(204).send();
  });

  app.delete(LOOK, async (request, reply) => {
    const kept = parseCookie(request.headers.cookie ?? "")[back().name];
    const looking = tokenOf(request);
    const own = kept === undefined ? null : await personBy(kept);
    if (kept === undefined || own === null || own.looker !== null) await door.dismiss(request, reply);
    else {
      if (looking !== undefined && looking !== kept) await endSession(database, looking);
      reply.header("set-cookie", [cookieOf(request, kept, hours), cookieOf(request, "", 0, back())]);
    }
    return reply.code(204).send();
  });
};
