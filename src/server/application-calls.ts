import type { FastifyInstance, FastifyRequest } from "fastify";
import { isAdministrator, nobody } from "../core/derive/access.ts";
import { applicationOf } from "../core/derive/application.ts";
import { languageFor, languagesOf, sayingIn, translated } from "../core/derive/translated.ts";
import { languagesAsked } from "../core/explain/tongue.ts";
import { defaults } from "../core/model/defaults.ts";
import type { Model } from "../core/model/model.ts";
import type { Application, PersonJson, SignInJson } from "../core/wire/application.ts";
import type { Demonstration } from "./demonstration.ts";
import type { Door } from "./door.ts";
import type { Providers } from "./providers.ts";
import type { SignedIn } from "./sessions.ts";

const signInOf = (model: Model, providers: Providers, demonstration: Demonstration | null): SignInJson => {
  const { password, signUp } = model.signIn;
  return {
    password,
    signUp: {
      open: signUp !== null,
      clause: signUp?.clause.id ?? "SIGN_UP_CLOSED",
      because: defaults.SIGN_UP_CLOSED.inForce,
      emails: signUp?.emails ?? null,
    },
    providers: providers.offered().map(({ name, title }) => ({ name, label: title })),
    ...(demonstration === null ? {} : { demonstration: demonstration.people }),
  };
};

const personJson = (model: Model, person: SignedIn): PersonJson => ({
  id: person.id,
  name: person.name,
  roles: [...person.granted],
  everybody: [...model.roles.values()].filter(({ members }) => members !== "granted").map(({ name }) => name),
  administrator: isAdministrator(person),
  ...(person.looker === null ? {} : { looked: true as const }),
});

/** What the browser draws everything from, for who asks, in the language of the document that they read. */
export const serveApplication = (
  app: FastifyInstance,
  { service: { model, version }, tongueIn, personOf }: Door,
  providers: Providers,
  demonstration: Demonstration | null,
): void => {
  const languageIn = ({ headers }: FastifyRequest) => languageFor(model, languagesAsked(headers["accept-language"]));
  app.get("/_/application", async (request, reply) => {
    const person = await personOf(request);
    const language = languageIn(request);
    const drawn = applicationOf(model, person ?? nobody, tongueIn(request));
    const body: Application = {
      ...(language === model.locale ? drawn : translated(drawn, language, sayingIn(model, language))),
      languages: languagesOf(model),
      version,
      person: person === null ? null : personJson(model, person),
      signIn: signInOf(model, providers, demonstration),
    };
    return reply.send(body);
  });
};
