import type { FastifyInstance } from "fastify";
import { signInLine } from "../../auth/sign-in-log.ts";
import { isRefusal } from "../../refusal.ts";
import type { RouteContext } from "../../route-context.ts";
import { parseTextParam } from "../../util/text-param.ts";
import { linkMailSettings, noticeSettings } from "../account-http.ts";
import { askForPassword } from "./forgotten-password.ts";
import { readLinkOwner, redeemPasswordLink } from "./password-links.ts";

/** Routes for people who cannot sign in yet. The token of a link is in the body, to keep it out of access logs. */
export const servePasswordLinks = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, completeSignIn, sendRefusal, signIns } = context;

  app.post("/_/password-link", async (request, reply) => {
    const asked = { now: clock(), phrases: context.phrasesFor(request) };
    const owner = await readLinkOwner(service, parseTextParam(request.body, "token"), asked);
    return isRefusal(owner) ? sendRefusal(reply, owner) : reply.send(owner);
  });

  app.post("/_/forgotten-password", async (request, reply) => {
    const email = parseTextParam(request.body, "email");
    const refused = await askForPassword(
      service,
      { ...linkMailSettings(context), language: context.phrasesFor(request).language, email, address: request.ip },
      clock(),
    );
    return refused === null ? reply.code(202).send() : sendRefusal(reply, refused);
  });

  app.post("/_/password", async (request, reply) => {
    const { body } = request;
    const [token, password] = [parseTextParam(body, "token"), parseTextParam(body, "password")];
    const name =
      typeof body === "object" && body !== null && Object.hasOwn(body, "name")
        ? parseTextParam(body, "name")
        : undefined;
    const asked = { now: clock(), phrases: context.phrasesFor(request) };
    const change = { token, password, name };
    const owner = await redeemPasswordLink(service, change, asked, noticeSettings(context, request));
    if (!isRefusal(owner)) return completeSignIn(request, reply, owner, "link");
    // A password or a name that is not accepted is no attempt to sign in.
    if (owner.code === "LINK_USED")
      signIns.add(signInLine(request, { way: "link", person: null, refused: owner.code }, clock()));
    return sendRefusal(reply, owner);
  });
};
