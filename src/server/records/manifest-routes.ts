import type { FastifyInstance } from "fastify";
import { type ChangeRights, changeRights } from "../../core/derive/authorization/change-rights.ts";
import { anonymousPrincipal, isAdministrator } from "../../core/derive/authorization/grants.ts";
import { buildManifest, fieldsOfRegistration } from "../../core/derive/client/app-manifest.ts";
import {
  chooseLanguage,
  choosePhrases,
  createTranslator,
  documentLanguages,
  localizeApplication,
} from "../../core/derive/client/localize.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { parseAcceptLanguage } from "../../core/explain/language.ts";
import { defaults } from "../../core/model/defaults.ts";
import { callsThatWait, type Environment } from "../../core/model/environment.ts";
import type { Model } from "../../core/model/model.ts";
import { STANDS_IN } from "../../core/model/permissions.ts";
import { renamedFields } from "../../core/model/renaming.ts";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { Application, PersonJson, SignInJson } from "../../core/wire/application.ts";
import type { InPreviewJson } from "../../core/wire/authoring/previews.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Providers } from "../accounts/oidc.ts";
import { readPreferences } from "../accounts/preference-routes.ts";
import { type Demonstration, toSamplePersonJson } from "../auth/demo-sign-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { findHandedWork, loadStandIns } from "../execution/stand-ins.ts";
import type { RouteContext } from "../route-context.ts";
import { groupBy } from "../util/group-by.ts";

const toSignInJson = ({
  model,
  providers,
  demonstration,
  hasMail,
  phrases,
  language,
}: {
  readonly model: Model;
  readonly providers: Providers;
  readonly demonstration: Demonstration | null;
  readonly hasMail: boolean;
  readonly phrases: Phrases;
  readonly language: string;
}): SignInJson => {
  const { isOff, password, by, signUp } = model.signIn;
  const field = model.entities.get("User")?.fields.get(by ?? "");
  return {
    off: isOff,
    password,
    passwordLength: model.limits.passwordLength.least,
    forgotten: password && hasMail,
    by: field === undefined ? null : { name: field.name, label: field.title },
    signUp: {
      open: signUp !== null,
      fields: signUp === null || signUp.verifiesEmail ? null : fieldsOfRegistration(model),
      clause: signUp?.clause.id ?? "SIGN_UP_CLOSED",
      because: defaults.SIGN_UP_CLOSED.inForce,
      emails: signUp?.emails ?? null,
    },
    providers: providers.offered().map(({ name, title }) => ({ name, label: title })),
    ...(demonstration === null
      ? {}
      : {
          demonstration: demonstration.people.map((person) =>
            toSamplePersonJson(demonstration, model, person, phrases, language),
          ),
        }),
  };
};

const rightsJson = ({ read, ...changes }: ChangeRights): Pick<PersonJson, "changes"> => (read ? { changes } : {});

const personJson = (model: Model, person: SignedIn, preferences: PreferencesJson): PersonJson => ({
  id: person.id,
  name: person.name,
  // The roles of a deputy count like the person’s own while the person stands in for others.
  roles: [...person.granted].filter((role) => role !== STANDS_IN),
  everybody: [...model.roles.values()]
    .filter(({ members }) => members === "anyone" || members === "signed in")
    .map(({ name }) => name),
  administrator: isAdministrator(person),
  ...rightsJson(changeRights(model, person)),
  preferences,
  ...(person.impersonator === null ? {} : { looked: true as const }),
});

/** Serves the manifest for the caller, in their language. */
export const serveApplication = (
  app: FastifyInstance,
  { service, authenticate, clock, mailOrigin }: RouteContext,
  providers: Providers,
  {
    demonstration,
    environment,
    preview,
  }: {
    readonly demonstration: Demonstration | null;
    readonly environment: Environment;
    readonly preview?: InPreviewJson | undefined;
  },
): void => {
  const { database, model, version } = service;
  const waiting = new Set(callsThatWait(model, environment).keys());
  const withFormerNames = createFormerNames(service);
  app.get("/_/application", async (request, reply) => {
    const person = await authenticate(request);
    const preferences = person === null ? {} : await readPreferences(database, person);
    // A language that an administrator chooses while viewing as somebody else applies to the page only.
    const chosen = person?.impersonator === null ? preferences.language : undefined;
    const accepted = [chosen, request.headers["accept-language"]].filter((item) => item !== undefined).join(",");
    const language = chooseLanguage(model, parseAcceptLanguage(accepted));
    const phrases = choosePhrases(model, accepted);
    const built = buildManifest(model, person ?? anonymousPrincipal, phrases, waiting);
    const manifest = { ...built, entities: withFormerNames(built.entities) };
    const translate = createTranslator(model, language);
    const body: Application = {
      ...(language === model.locale ? manifest : localizeApplication(manifest, language, translate)),
      languages: documentLanguages(model),
      version,
      person: person === null ? null : personJson(model, person, preferences),
      ...(model.deputies === null || person === null
        ? {}
        : {
            deputies: await findHandedWork(service, person, clock(), phrases, language),
            standIns: await loadStandIns(service, person, clock(), phrases, language),
          }),
      signIn: toSignInJson({
        model,
        providers,
        demonstration,
        hasMail: mailOrigin !== null,
        phrases,
        language,
      }),
      ...(preview === undefined ? {} : { preview }),
    };
    return reply.send(body);
  });
};

/** Adds the former names of fields that the person knows, by which open forms and drafts find their input. */
const createFormerNames = ({ model, context: { past } }: Service) => {
  // Documents can have many renamings, and each page asks for the manifest.
  const namesIn = memoizeByKey((name) => {
    const fields = model.entities.get(name)?.fields;
    const renamed = renamedFields(past, name, (field) => fields?.has(field) === true);
    return groupBy([...renamed.keys()], (old) => renamed.get(old) ?? old);
  });
  const addTo = (entity: EntityJson): EntityJson => {
    const names = namesIn(entity.name);
    if (names.size === 0) return entity;
    const withNames = (field: FieldJson): FieldJson => {
      const was = names.get(field.name);
      return was === undefined ? field : { ...field, was };
    };
    return { ...entity, fields: entity.fields.map(withNames) };
  };
  return (entities: Application["entities"]): Application["entities"] =>
    past.every(({ of }) => of !== "field")
      ? entities
      : Object.fromEntries(Object.entries(entities).map(([name, entity]) => [name, addTo(entity)]));
};
