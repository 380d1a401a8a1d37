import type { FastifyInstance, FastifyRequest } from "fastify";
import { fieldsOfRegistering, fieldsOfRegistration } from "../../core/derive/client/app-manifest.ts";
import { isId } from "../../core/field/reference.ts";
import { forAdministrator } from "../auth/for-signed-in.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { parseMoreFields } from "./account-http.ts";
import {
  askToRegister,
  findRegistration,
  linkFor,
  listRegistrations,
  register,
  registerAtOnce,
  rejectRegistration,
} from "./registration.ts";

/** Routes for creating one's own account. */
const serveRegistering = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal } = routeContext;
  app.post("/_/sign-up", async (request, reply) => {
    const refused = await askToRegister(
      service,
      getRegistrationContext(routeContext, request, parseTextParam(request.body, "email")),
      clock(),
    );
    return refused === null ? reply.code(202).send() : sendRefusal(reply, refused);
  });
  app.post("/_/sign-up/link", async ({ body }, reply) => {
    const found = await findRegistration(service, parseTextParam(body, "token"), clock());
    if ("kind" in found) return sendRefusal(reply, found);
    const fields = fieldsOfRegistering(service.model).filter(({ name }) => name !== "email");
    return reply.send({ email: found.email, fields });
  });
  app.post("/_/sign-up/account", async (request, reply) => {
    const { body } = request;
    if (service.model.signIn.signUp?.verifiesEmail === false) {
      const more = parseMoreFields(body);
      const open = fieldsOfRegistration(service.model).map(({ name }) => name);
      const sent = {
        ...Object.fromEntries(open.flatMap((name) => (name in more ? [[name, more[name] ?? null]] : []))),
        ...Object.fromEntries(["name", "email", "password"].map((name) => [name, parseTextParam(body, name)])),
      };
      const person = await registerAtOnce(service, sent, request.ip, clock(), { unknown: [], takesPassword: true });
      return typeof person === "string"
        ? routeContext.completeSignIn(request, reply, person, "registration")
        : sendRefusal(reply, person);
    }
    const newPerson = {
      name: parseTextParam(body, "name"),
      password: parseTextParam(body, "password"),
      more: parseMoreFields(body),
    };
    const person = await register(service, parseTextParam(body, "token"), newPerson, clock());
    return typeof person === "string"
      ? routeContext.completeSignIn(request, reply, person, "registration")
      : sendRefusal(reply, person);
  });
};

/** Registration, if the document allows it, and the routes by which administrators see pending ones. */
export const serveSignUp = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal } = routeContext;
  if (service.model.signIn.signUp !== null) serveRegistering(app, routeContext);

  app.get(
    "/_/sign-ups",
    forAdministrator(routeContext, async (_person, _request, reply) =>
      reply.send({ items: await listRegistrations(service, clock()) }),
    ),
  );
  app.post(
    "/_/sign-ups/:id/link",
    forAdministrator(routeContext, async (_person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      const link = isId(id) ? await linkFor(service, id, clock()) : refuse("NOT_FOUND", MANAGES_CLAUSE);
      return "kind" in link ? sendRefusal(reply, link) : reply.code(201).send(link);
    }),
  );
  app.delete(
    "/_/sign-ups/:id",
    forAdministrator(routeContext, async (_person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      if (isId(id)) await rejectRegistration(service, id);
      return reply.code(204).send();
    }),
  );
};

/** Details of a registration request. Links in mails use the configured origin, never one from the request. */
export const getRegistrationContext = (
  { phrasesFor, mailOrigin }: RouteContext,
  request: FastifyRequest,
  email: string,
) => ({
  email,
  address: request.ip,
  language: phrasesFor(request).language,
  origin: mailOrigin,
});
