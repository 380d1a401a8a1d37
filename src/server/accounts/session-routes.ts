import type { FastifyInstance } from "fastify";
import type { Demonstration } from "../auth/demo-sign-in.ts";
import { checkPassword } from "../auth/password-sign-in.ts";
import { signInLine } from "../auth/sign-in-log.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { createFirstAdministrator } from "./first-administrator.ts";
import { enterByPreviewLink } from "./preview-link.ts";

/** Routes for signing in and out, and for the link of the first administrator. */
export const serveSessions = (
  app: FastifyInstance,
  routeContext: RouteContext,
  demonstration: Demonstration | null,
  isPreview: boolean,
): void => {
  const { service, clock, completeSignIn, findDevice, signOut, sendRefusal, signIns } = routeContext;
  const { model } = service;

  app.post("/_/session", async (request, reply) => {
    const shown = parseTextParam(request.body, "demonstration");
    if (shown !== "") {
      const person = demonstration?.personBy(shown);
      return person === undefined
        ? sendRefusal(reply, refuse("BAD_CREDENTIALS", "7.sign in"))
        : completeSignIn(request, reply, person, "demonstration");
    }
    const link = parseTextParam(request.body, "preview");
    if (isPreview && link !== "") {
      const person = await enterByPreviewLink(service.database, link, clock());
      return isRefusal(person) ? sendRefusal(reply, person) : completeSignIn(request, reply, person, "link");
    }
    if (!model.signIn.password) return sendRefusal(reply, refuse("BAD_CREDENTIALS", "7.sign in"));
    const email = parseTextParam(request.body, "email");
    const by = email === "" ? (model.signIn.by ?? "email") : "email";
    const account = parseTextParam(request.body, by);
    const person = await checkPassword(
      service.database,
      {
        by,
        account,
        password: parseTextParam(request.body, "password"),
        address: request.ip,
        device: await findDevice(request),
      },
      model.limits.signInAttempts,
      clock(),
    );
    if (!isRefusal(person)) return completeSignIn(request, reply, person, "password");
    signIns.add(signInLine(request, { way: "password", person: null, account, refused: person.code }, clock()));
    return sendRefusal(reply, person);
  });

  app.delete("/_/session", async (request, reply) => {
    await signOut(request, reply);
    return reply.code(204).send();
  });

  app.post("/_/first-administrator", async (request, reply) => {
    const { body } = request;
    const result = await createFirstAdministrator(
      service,
      { token: parseTextParam(body, "token"), address: request.ip },
      {
        name: parseTextParam(body, "name"),
        email: parseTextParam(body, "email"),
        password: parseTextParam(body, "password"),
      },
      clock(),
    );
    return isRefusal(result)
      ? sendRefusal(reply, result)
      : completeSignIn(request, reply, result, "first administrator");
  });
};
