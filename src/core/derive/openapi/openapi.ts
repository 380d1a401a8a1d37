import type { Call, TokenSettings } from "../../model/endpoint.ts";
import type { Model } from "../../model/model.ts";
import { STANDS_IN } from "../../model/permissions.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";
import type { Principal } from "../authorization/grants.ts";
import { conventionalRoutes, type Route } from "../http/routes.ts";
import { sharedComponents } from "./components.ts";
import { endpointSteps, isAdmitted, stepRoute } from "./custom-errors.ts";
import { endpointOperation, signInOperation } from "./custom-operation.ts";
import { entityViewFor, isPermitted } from "./entity-view.ts";
import { importPaths, importSchemas } from "./imports.ts";
import { conventionalOperation } from "./operation.ts";
import { hasTokens } from "./responses.ts";
import { buildSchemas } from "./schemas.ts";

/** A caller with all roles, for whom a description is complete. */
export const allRoles = (model: Model): Principal => ({
  id: "everybody",
  granted: new Set(["administrator", STANDS_IN, ...model.roles.keys()]),
});

export interface DescribedAs {
  /** Version of the document in its database; 0 if it has not run. */
  readonly version: number;
  /** Name of the session cookie. */
  readonly cookie: string;
  /** If false, the responses to refused requests are left out, because finding them takes most of the time. */
  readonly refusals?: boolean;
  /** If false, the calls for imports are left out, because they follow from the permissions alone. */
  readonly imports?: boolean;
}

/**
 * The application as OpenAPI 3.1: the calls that the caller's roles can reach, with the fields that they can read or
 * set. Even the names of everything else are left out.
 */
export const buildOpenapi = (
  model: Model,
  person: Principal,
  { version, cookie, refusals: withRefusals = true, imports: withImports = true }: DescribedAs,
): JsonSchema => {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Record<string, JsonSchema> = { ...sharedComponents.schemas };
  const tags: JsonSchema[] = [];
  const seen = new Map(
    [...model.entities.values()].map((entity) => [entity.name, entityViewFor(model, entity, person)]),
  );
  const isOpenCall = (call: Call): boolean =>
    isAdmitted(model, call, person) &&
    endpointSteps(call).every((step) => {
      const own = seen.get(step.entity);
      return own !== undefined && isPermitted(own, stepRoute(call, step));
    });
  const calls = model.calls.filter(isOpenCall);
  const routesOf = new Map<string, Route[]>();
  for (const route of conventionalRoutes(model))
    routesOf.set(route.entity, [...(routesOf.get(route.entity) ?? []), route]);
  for (const own of seen.values()) {
    const { entity } = own;
    const routes = (routesOf.get(entity.name) ?? []).filter((route) => isPermitted(own, route));
    if (routes.length === 0 && !calls.some((call) => endpointSteps(call).some((step) => step.entity === entity.name)))
      continue;
    tags.push({ name: entity.name, "x-clause": entity.clause.id });
    Object.assign(schemas, buildSchemas(own, routes));
    for (const route of routes) {
      const path = route.path.replace(":id", "{id}");
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: conventionalOperation(own, route, withRefusals) };
    }
  }
  for (const call of calls) {
    // A description has one path for all paths that differ only in parameter names.
    const path = Object.keys(paths).find((item) => sameAddress(item, call.path)) ?? call.path;
    const names = [...path.matchAll(/\{([^}]*)\}/gu)].map((match) => match[1] ?? "");
    const operation =
      call.does.kind === "steps"
        ? endpointOperation(model, seen, call, names, withRefusals)
        : signInOperation(model, call, call.does);
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation };
  }
  const imports = withImports ? importPaths(model, seen.values()) : {};
  if (Object.keys(imports).length > 0) {
    tags.push({ name: "import", description: "Import the rows of a file into a list." });
    Object.assign(schemas, importSchemas);
  }
  const cookieOfTokens = model.callSettings.token?.cookie ?? null;
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: model.name,
      version: String(version),
      ...(model.sentence === null ? {} : { description: model.sentence }),
    },
    servers: [{ url: "/" }],
    security: [
      { session: [] },
      ...(hasTokens(model) ? [{ token: [] }] : []),
      ...(cookieOfTokens === null ? [] : [{ tokenCookie: [] }]),
      ...(model.signIn.basic ? [{ basic: [] }] : []),
      {},
    ],
    tags: [...tags, { name: "session", description: "Sign in and sign out." }],
    paths: { ...paths, ...imports, ...sharedComponents.paths(model) },
    components: {
      schemas,
      parameters: sharedComponents.parameters,
      headers: sharedComponents.headers,
      responses: sharedComponents.responses,
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: cookie,
          description: "The session cookie from POST /_/session.",
          "x-clause": "7.sign in",
        },
        ...(hasTokens(model)
          ? {
              token: {
                ...tokenScheme(model.callSettings.token),
                description: "An API token that a person created on their account page.",
                "x-clause": "7.token",
              },
            }
          : {}),
        ...(cookieOfTokens === null
          ? {}
          : {
              tokenCookie: {
                type: "apiKey",
                in: "cookie",
                name: cookieOfTokens,
                description: "A token in a cookie, in the document's own calls.",
                "x-clause": "7.token",
              },
            }),
        ...(model.signIn.basic
          ? {
              basic: {
                type: "http",
                scheme: "basic",
                description: `A person's ${model.signIn.by ?? "email address"} and password, with each request.`,
                "x-clause": "7.sign in",
              },
            }
          : {}),
      },
    },
  };
};

/** OpenAPI defines the scheme Bearer; any other is a header whose value begins with the scheme's name. */
const tokenScheme = (token: TokenSettings | null): JsonSchema => {
  const { header, scheme } = token ?? { header: "Authorization", scheme: "Bearer" };
  return header.toLowerCase() === "authorization" && scheme?.toLowerCase() === "bearer"
    ? { type: "http", scheme: "bearer" }
    : { type: "apiKey", in: "header", name: header, ...(scheme === null ? {} : { "x-prefix": scheme }) };
};

const sameAddress = (one: string, other: string): boolean =>
  one.replace(/\{[^}]*\}/gu, "{}") === other.replace(/\{[^}]*\}/gu, "{}");
