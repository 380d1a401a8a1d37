import { kindOf } from "../field/many.ts";
import { entryFor } from "../model/error-entry.ts";
import {
  type Call,
  type Entity,
  type ErrorShape,
  type Field,
  isGiven,
  isOfRecord,
  type Model,
  type Signing,
  type Step,
} from "../model/model.ts";
import { specOf } from "../model/spec.ts";
import { withArticle } from "../model/words.ts";
import type { Json, JsonSchema } from "../wire.ts";
import {
  deciderOf,
  fieldsThrough,
  type Gate,
  gatesOf,
  type Person,
  transitionGatesOf,
  writableThrough,
} from "./access.ts";
import { conditionsOf } from "./conditions.ts";
import { hasRange, hasWords, isFilteredBy, sortsOf } from "./lists.ts";
import {
  calledParameters,
  calledRefusals,
  errorSchema,
  givenSchema,
  isAdmitted,
  routeOf,
  signingRefusals,
  stepsOf,
  takenSchema,
} from "./openapi-called.ts";
import { answeredParts, partsThrough, takenParts } from "./openapi-parts.ts";
import { shared } from "./openapi-shared.ts";
import { type MayRefuse, refusalsOf } from "./refusals.ts";
import { type Route, routesOf } from "./routes.ts";

/** Whoever holds every role: for them a description leaves nothing out. */
export const everybody = (model: Model): Person => ({
  id: "everybody",
  granted: new Set(["administrator", ...model.roles.keys()]),
});

export interface DescribedAs {
  /** The document's version in its database; 0 where none has run it. */
  readonly version: number;
  /** What the cookie of a session is called. */
  readonly cookie: string;
}

/**
 * What the application serves, as OpenAPI 3.1: the calls that this person's roles may ever reach, with the fields that
 * they may ever read or give. Of everything else not even the name is told.
 */
export const openapiOf = (model: Model, person: Person, { version, cookie }: DescribedAs): JsonSchema => {
  const paths: Record<string, Record<string, Json>> = {};
  const schemas: Record<string, JsonSchema> = { ...shared.schemas };
  const tags: JsonSchema[] = [];
  const seen = new Map([...model.entities.values()].map((entity) => [entity.name, seenBy(model, entity, person)]));
  const isOpenCall = (call: Call): boolean =>
    isAdmitted(model, call, person) &&
    stepsOf(call).every((step) => {
      const own = seen.get(step.entity);
      return own !== undefined && isOpenTo(own, routeOf(call, step));
    });
  const calls = model.calls.filter(isOpenCall);
  for (const own of seen.values()) {
    const { entity } = own;
    const routes = routesOf(model).filter((route) => route.entity === entity.name && isOpenTo(own, route));
    if (routes.length === 0 && !calls.some((call) => stepsOf(call).some((step) => step.entity === entity.name)))
      continue;
    tags.push({ name: entity.name, "x-clause": entity.clause.id });
    Object.assign(schemas, schemasOf(own, routes));
    for (const route of routes) {
      const path = route.path.replace(":id", "{id}");
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(own, route) };
    }
  }
  for (const call of calls) {
    // Of two paths that differ in the names of their parameters alone, a description has one.
    const path = Object.keys(paths).find((one) => sameAddress(one, call.path)) ?? call.path;
    const names = [...path.matchAll(/\{([^}]*)\}/gu)].map((match) => match[1] ?? "");
    const operation =
      call.does.kind === "steps" ? calledOperation(model, seen, call, names) : signingOperation(model, call, call.does);
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base",
    info: {
      title: model.name,
      version: String(version),
      ...(model.sentence === null ? {} : { description: model.sentence }),
    },
    servers: [{ url: "/" }],
    security: [{ session: [] }, ...(hasTokens(model) ? [{ token: [] }] : []), {}],
    tags: [...tags, { name: "session", description: "Signing in and out." }],
    paths: { ...paths, ...shared.paths(model) },
    components: {
      schemas,
      parameters: shared.parameters,
      headers: shared.headers,
      responses: shared.responses,
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: cookie,
          description: "Given by POST /_/session.",
          "x-clause": "7.sign in",
        },
        ...(hasTokens(model)
          ? {
              token: {
                ...tokenScheme(model.callSettings.token?.scheme ?? "Bearer"),
                description: "A token that a person made for a program, on the page of their account.",
                "x-clause": "7.token",
              },
            }
          : {}),
      },
    },
  };
};

/** OpenAPI knows the scheme Bearer; any other is a header whose value begins with its word. */
const tokenScheme = (scheme: string): JsonSchema =>
  scheme.toLowerCase() === "bearer"
    ? { type: "http", scheme: "bearer" }
    : { type: "apiKey", in: "header", name: "Authorization", "x-prefix": scheme };

/** Whether anybody may make a token for a program. */
const hasTokens = ({ callSettings: { token } }: Model): boolean => token !== null && token.by.length > 0;

/** What every call may refuse to who bears a token: one that does not hold, tried too often, or to read alone. */
const tokenRefusals = (model: Model, reads: boolean): readonly MayRefuse[] =>
  hasTokens(model)
    ? [
        { code: "NOT_SIGNED_IN", clause: "7.token" },
        { code: "TOO_MANY_ATTEMPTS", clause: "9.sign_in_attempts" },
        ...(reads ? [] : [{ code: "FORBIDDEN", clause: "7.token" }]),
      ]
    : [];

/** What a person sees of an entity and may do with its records, before any record is looked at. */
interface Seen {
  readonly model: Model;
  readonly entity: Entity;
  readonly person: Person;
  readonly reading: readonly Gate[];
  readonly creating: readonly Gate[];
  readonly updating: readonly Gate[];
  readonly deleting: readonly Gate[];
  /** The transitions that they may make of some record. */
  readonly transitions: ReadonlyMap<string, readonly Gate[]>;
  /** The fields that they may read on some record, in document order. */
  readonly fields: readonly Field[];
  /** The clauses of the lists and tiles that are for them. */
  readonly conditions: readonly string[];
}

const seenBy = (model: Model, entity: Entity, person: Person): Seen => {
  const reading = gatesOf(model, entity, "read", person);
  const readable = fieldsThrough(entity, reading);
  return {
    model,
    entity,
    person,
    reading,
    creating: gatesOf(model, entity, "create", person),
    updating: gatesOf(model, entity, "update", person),
    deleting: gatesOf(model, entity, "delete", person),
    transitions: new Map(
      [...(entity.states?.transitions.values() ?? [])].map((transition) => [
        transition.name,
        transitionGatesOf(model, entity, transition, person),
      ]),
    ),
    fields: [...entity.fields.values()].filter((field) => readable.has(field.name) && isOfRecord(field)),
    conditions: [...conditionsOf(model, person, entity.name).keys()],
  };
};

/** The gates of what a call does. A record that one may not read cannot be changed, moved or deleted either. */
const gatesFor = (seen: Seen, { does }: Route): readonly Gate[] => {
  switch (does.kind) {
    case "list":
    case "read":
    case "history":
      return seen.reading;
    case "create":
      return seen.creating;
    case "update":
      return seen.reading.length === 0 ? [] : seen.updating;
    case "delete":
      return seen.reading.length === 0 ? [] : seen.deleting;
    case "transition":
      return seen.reading.length === 0 ? [] : (seen.transitions.get(does.transition) ?? []);
  }
};

const isOpenTo = (seen: Seen, route: Route): boolean => gatesFor(seen, route).length > 0;

/** The fields that a call's body may give, in document order. */
const givenFields = (seen: Seen, { does }: Route): readonly Field[] => {
  const { entity } = seen;
  const all = [...entity.fields.values()];
  if (does.kind === "transition") {
    const asks = entity.states?.transitions.get(does.transition)?.asks ?? [];
    return all.filter((field) => asks.includes(field.name));
  }
  if (does.kind !== "create" && does.kind !== "update") return [];
  const open = writableThrough(entity, does.kind === "create" ? seen.creating : seen.updating);
  return all.filter((field) => open.has(field.name) && !(does.kind === "update" && field.once));
};

// Schemas

const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === "string" && schema.enum === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };

/** Of what is computed anything may come out missing. */
const isMissable = (field: Field): boolean => (field.optional || !isGiven(field)) && field.type !== "boolean";

const aboutField = (field: Field): JsonSchema => ({
  title: field.title,
  ...(field.help === null ? {} : { description: field.help }),
  ...(field.unit === null ? {} : { "x-unit": field.unit }),
  "x-clause": field.clause.id,
});

const answered = (entity: Entity, field: Field): JsonSchema => {
  const { answers } = kindOf(field).wire(specOf(entity, field));
  return { ...(isMissable(field) ? nullable(answers) : answers), ...aboutField(field), ...onlyRead(field) };
};

const onlyRead = (field: Field): JsonSchema =>
  field.type === "state" || field.set !== null || !isGiven(field) ? { readOnly: true } : {};

const takenField = (entity: Entity, field: Field, needed: boolean): JsonSchema => {
  const { takes } = kindOf(field).wire(specOf(entity, field));
  const examples = takes.type === "string" && field.examples.length > 0 ? { examples: field.examples } : {};
  return { ...(isMissable(field) && !needed ? nullable(takes) : takes), ...aboutField(field), ...examples };
};

/** What is there whoever reads: a field that every way in shows. Others are absent from the records that hide them. */
const alwaysSeen = ({ reading }: Seen, field: Field): boolean =>
  reading.every((gate) => gate.fields === null || gate.fields.has(field.name));

const bodyName = ({ entity, does }: Route): string =>
  `${entity}.${does.kind === "transition" ? does.transition : does.kind}`;

const schemasOf = (seen: Seen, routes: readonly Route[]): Readonly<Record<string, JsonSchema>> => {
  const { entity } = seen;
  const schemas: Record<string, JsonSchema> = {};
  if (seen.reading.length > 0) {
    schemas[entity.name] = {
      type: "object",
      description: `${capital(withArticle(entity.called.one))} as it is answered. What may not be read is absent.`,
      required: [
        "id",
        "version",
        "created_at",
        "updated_at",
        ...namesOf(seen.fields.filter((field) => alwaysSeen(seen, field))),
      ],
      properties: {
        id: { type: "string", format: "uuid", readOnly: true },
        version: { type: "integer", minimum: 1, readOnly: true },
        created_at: { type: "string", format: "date-time", readOnly: true },
        updated_at: { type: "string", format: "date-time", readOnly: true },
        _label: { type: "string", description: "What it is called, where `label` was asked for." },
        may: { $ref: "#/components/schemas/May" },
        ...Object.fromEntries(seen.fields.map((field) => [field.name, answered(entity, field)])),
        ...answeredParts(seen.model, entity, seen.person, seen.reading),
      },
      additionalProperties: false,
      "x-clause": entity.clause.id,
    };
    schemas[`${entity.name}.list`] = {
      type: "object",
      required: ["items", "next"],
      properties: {
        items: { type: "array", items: { $ref: `#/components/schemas/${entity.name}` } },
        next: { type: ["string", "null"], description: "Hand back as `after` for the next page; null at the end." },
        count: {
          description: "Where `count` was asked for: exact up to 10,000.",
          anyOf: [{ type: "integer", minimum: 0, maximum: 10_000 }, { const: "10,000+" }],
        },
      },
      additionalProperties: false,
    };
  }
  for (const route of routes) {
    const { kind } = route.does;
    if (kind !== "create" && kind !== "update" && kind !== "transition") continue;
    const fields = givenFields(seen, route);
    const isNeeded = (field: Field): boolean => kind === "transition" && !isIfAny(seen, route, field);
    const needed =
      kind === "transition"
        ? fields.filter(isNeeded)
        : kind === "create"
          ? fields.filter((field) => !field.optional && field.type !== "boolean" && field.default === null)
          : [];
    schemas[bodyName(route)] = {
      type: "object",
      ...(needed.length === 0 ? {} : { required: namesOf(needed) }),
      properties: {
        ...Object.fromEntries(fields.map((field) => [field.name, takenField(entity, field, isNeeded(field))])),
        ...(kind === "transition"
          ? {}
          : takenParts(
              seen.model,
              entity,
              seen.person,
              kind,
              kind === "create" ? seen.creating : seen.updating,
              (of, field) => takenField(of, field, false),
            )),
      },
      additionalProperties: false,
    };
  }
  return schemas;
};

const namesOf = (fields: readonly Field[]): readonly string[] => fields.map((field) => field.name);

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

// Operations

const summaryOf = ({ entity, model }: Seen, { does }: Route): string => {
  const { one, many } = entity.called;
  switch (does.kind) {
    case "list":
      return `A page of ${many}`;
    case "create":
      return `Makes ${withArticle(one)}`;
    case "read":
      return capital(withArticle(one));
    case "update":
      return `Changes ${withArticle(one)}: only the fields that are sent`;
    case "delete":
      return `Deletes ${withArticle(one)}`;
    case "history":
      return `Who did what to ${withArticle(one)}, newest first`;
    case "transition":
      return `${model.entities.get(entity.name)?.states?.transitions.get(does.transition)?.title ?? does.transition}: moves ${withArticle(one)} to another state`;
  }
};

const clauseOf = ({ entity }: Seen, { does }: Route): string => {
  switch (does.kind) {
    case "list":
    case "read":
    case "history":
      return deciderOf(entity, "read");
    case "transition":
      return entity.states?.transitions.get(does.transition)?.clause.id ?? entity.clause.id;
    default:
      return deciderOf(entity, does.kind);
  }
};

const parameter = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

const parametersOf = (seen: Seen, { does }: Route): readonly JsonSchema[] => {
  switch (does.kind) {
    case "list":
      return listParameters(seen);
    case "create":
      return [parameter("IdempotencyKey"), parameter("label")];
    case "read":
      return [parameter("id"), parameter("label"), ...(hasParts(seen) ? [parameter("parts")] : [])];
    case "history":
      return [parameter("id")];
    case "delete":
      return [parameter("id"), parameter("IfMatch")];
    default:
      return [parameter("id"), parameter("IfMatch"), parameter("label")];
  }
};

const hasParts = ({ model, entity, person, reading }: Seen): boolean =>
  Object.keys(answeredParts(model, entity, person, reading)).length > 0;

const listParameters = ({ model, entity, fields, conditions }: Seen): readonly JsonSchema[] => [
  {
    name: "limit",
    in: "query",
    description: "How many records.",
    schema: { type: "integer", minimum: 1, maximum: model.limits.pageSizeMax, default: model.limits.pageSize },
    "x-clause": "9.page_size_max",
  },
  {
    name: "sort",
    in: "query",
    description:
      "In which order; `-` before a field runs downwards. Missing values come last. Without it the newest come first.",
    style: "form",
    explode: false,
    schema: { type: "array", items: { type: "string", enum: sortsOf(fields) } },
  },
  ...["after", "count", "search", "label", "may", "among"].map(parameter),
  ...(conditions.length === 0
    ? []
    : [
        {
          name: "where",
          in: "query",
          description: "The clause of a list or a tile whose condition the records meet; of several, all of them.",
          style: "form",
          explode: true,
          schema: { type: "array", maxItems: 5, items: { type: "string", enum: conditions } },
        },
      ]),
  ...fields.filter(isFilteredBy).map((field) => ({
    name: field.name,
    in: "query",
    description: `Only those whose ${field.title.toLowerCase()} is this, or one of these; an empty value stands for missing.`,
    style: "form",
    explode: true,
    schema: { type: "array", maxItems: 100, items: filtered(entity, field) },
    "x-clause": field.clause.id,
  })),
  ...fields.flatMap((field) => narrowing(entity, field)),
];

/** `day>=2026-01-01&day<=2026-12-31` and `fault~=wheel`: the name of the parameter ends before the `=`. */
const narrowing = (entity: Entity, field: Field): readonly JsonSchema[] => {
  const title = field.title.toLowerCase();
  const about = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
    name,
    in: "query",
    description,
    schema,
    "x-clause": field.clause.id,
  });
  if (hasRange(field))
    return [
      about(`${field.name}>`, `Only those whose ${title} is this or more.`, filtered(entity, field)),
      about(`${field.name}<`, `Only those whose ${title} is this or less.`, filtered(entity, field)),
    ];
  return hasWords(field)
    ? [about(`${field.name}~`, `Only those whose ${title} holds this, in any case.`, { type: "string" })]
    : [];
};

/** In an address a value stands as text, without its bounds: what no record can have is not found. */
const filtered = (entity: Entity, field: Field): JsonSchema =>
  kindOf(field).wire(specOf(entity, { ...field, min: null, max: null })).takes;

const operationOf = (seen: Seen, route: Route): JsonSchema => {
  const { model, entity } = seen;
  const { kind } = route.does;
  const body = kind === "create" || kind === "update" || kind === "transition";
  const fields = givenFields(seen, route);
  const required = body && kind !== "update" && fields.some((field) => isAsked(seen, route, field));
  return {
    operationId: `${entity.name}.${kind === "transition" ? (route.does as { transition: string }).transition : kind}`,
    tags: [entity.name],
    summary: summaryOf(seen, route),
    "x-clause": clauseOf(seen, route),
    "x-permitted-by": [...new Set(gatesFor(seen, route).map((gate) => gate.clause))],
    parameters: parametersOf(seen, route),
    ...(body
      ? {
          requestBody: {
            required,
            content: { "application/json": { schema: { $ref: `#/components/schemas/${bodyName(route)}` } } },
          },
        }
      : {}),
    responses: {
      ...successOf(seen, route),
      ...refused(model, [
        ...refusalsOf(model, route, new Set([...namesOf(fields), ...listsTaken(seen, route)])),
        ...tokenRefusals(model, route.method === "GET"),
      ]),
      "503": { $ref: "#/components/responses/Away" },
      default: { $ref: "#/components/responses/Fault" },
    },
  };
};

/** The lists of parts that a call's body may give. */
const listsTaken = ({ model, entity, creating, updating }: Seen, { does }: Route): readonly string[] =>
  does.kind === "create" || does.kind === "update"
    ? partsThrough(model, entity, does.kind === "create" ? creating : updating).map(({ list }) => list.name)
    : [];

/** What a transition asks, and whoever makes it may leave out. */
const isIfAny = ({ entity }: Seen, { does }: Route, field: Field): boolean =>
  does.kind === "transition" && entity.states?.transitions.get(does.transition)?.asksIfAny.has(field.name) === true;

const isAsked = (seen: Seen, route: Route, field: Field): boolean =>
  route.does.kind === "transition"
    ? !isIfAny(seen, route, field)
    : !field.optional && field.type !== "boolean" && field.default === null;

const sameAddress = (one: string, other: string): boolean =>
  one.replace(/\{[^}]*\}/gu, "{}") === other.replace(/\{[^}]*\}/gu, "{}");

/** A call that the document shows. `names`: what its parameters are called in the description's path. */
const calledOperation = (
  model: Model,
  seen: ReadonlyMap<string, Seen>,
  call: Call,
  names: readonly string[],
): JsonSchema => {
  const steps = stepsOf(call).flatMap((step) => {
    const own = seen.get(step.entity);
    return own === undefined ? [] : [{ step, seen: own, route: routeOf(call, step) }];
  });
  const last = steps.at(-1);
  if (last === undefined) throw new Error(`${call.name} does nothing`);
  const isAlone = steps.length === 1;
  const { kind } = last.step.does;
  const taken = steps.flatMap(({ step, route, seen: own }) => {
    const body = schemasOf(own, [route])[bodyName(route)];
    const properties = (body?.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    return (step.takes ?? []).flatMap((one) => {
      const schema = properties[one.field];
      return schema === undefined ? [] : [{ ...one, schema }];
    });
  });
  const usual = last.step.takes === null ? schemasOf(last.seen, [last.route])[bodyName(last.route)] : undefined;
  const body = usual ?? takenSchema(taken);
  return {
    operationId: call.name,
    tags: [last.step.entity],
    summary: steps.map(({ seen: own, route }) => summaryOf(own, route)).join("; "),
    "x-clause": call.clause.id,
    "x-permitted-by": [
      ...new Set(steps.flatMap(({ seen: own, route }) => gatesFor(own, route).map((gate) => gate.clause))),
    ],
    parameters: [
      ...calledParameters(model, call).map((one, i) => (i < names.length ? { ...one, name: names[i] ?? "" } : one)),
      ...(isAlone && kind === "create" ? [parameter("IdempotencyKey")] : []),
      ...(isAlone && (kind === "update" || kind === "transition" || kind === "delete") ? [parameter("IfMatch")] : []),
    ],
    ...(body === undefined ? {} : { requestBody: { content: content(body) } }),
    responses: {
      ...answersOf(call, last.step, last.seen),
      ...refused(
        model,
        [
          ...calledRefusals(model, call, (step) => {
            const own = steps.find((one) => one.step === step);
            if (own === undefined) return new Set();
            return new Set([...namesOf(givenFields(own.seen, own.route)), ...listsTaken(own.seen, own.route)]);
          }),
          ...tokenRefusals(model, call.method === "GET"),
        ],
        model.callSettings.errorShape,
      ),
      ...faults(model),
    },
  };
};

/** What a call answers where it is not refused: what its last step does, in the form and with the status that it shows. */
const answersOf = (call: Call, step: Step, seen: Seen): JsonSchema => {
  const { model, entity } = seen;
  const { gives, does } = step;
  const usual = successOf(seen, routeOf(call, step));
  const [conventional = "200"] = Object.keys(usual);
  const answer = (usual[conventional] ?? {}) as JsonSchema;
  const at = (status: string) => String(call.status ?? status);
  const version = { "Ninefold-Version": header("Version") };
  if (does.kind === "list")
    return {
      [at("200")]: { ...answer, content: content(gives === null ? pageOf(entity) : givenSchema(model, gives)) },
    };
  if (does.kind === "delete" && gives !== null)
    return {
      [at("200")]: { description: "What it was.", headers: version, content: content(givenSchema(model, gives)) },
    };
  const written = { $ref: "#/components/schemas/Written" };
  const own =
    gives === null
      ? {}
      : {
          content: content(
            does.kind === "read" ? givenSchema(model, gives) : { anyOf: [givenSchema(model, gives), written] },
          ),
        };
  const answered = { ...answer, ...own };
  if (does.kind !== "ensure") return { [at(conventional)]: answered };
  const there = { ...answered, description: "It is there already.", headers: version };
  return call.status === null ? { "200": there, "201": answered } : { [at("200")]: there };
};

/** Signing in or out, as the document shows it. */
const signingOperation = (model: Model, call: Call, does: Signing): JsonSchema => {
  const takes =
    does.kind === "sign out"
      ? []
      : does.takes.map((one) => ({
          ...one,
          schema: { type: "string", ...(one.field === "password" ? { format: "password" } : {}) },
        }));
  const body = takenSchema(takes);
  const gives = does.kind === "sign in" ? does.gives : null;
  const usual = does.kind === "sign up" ? 202 : gives === null ? 204 : 200;
  return {
    operationId: call.name,
    tags: ["session"],
    summary: {
      "sign in": "Signs in",
      "sign up": "Asks for an account: a link goes to the address",
      "sign out": "Signs out",
    }[does.kind],
    "x-clause": call.clause.id,
    security: [],
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body) } }),
    responses: {
      [String(call.status ?? usual)]:
        gives === null
          ? { description: "Done." }
          : { description: "Signed in.", content: content(givenSchema(model, gives)) },
      ...refused(
        model,
        [...signingRefusals(model, call), ...tokenRefusals(model, call.method === "GET")],
        model.callSettings.errorShape,
      ),
      ...faults(model),
    },
  };
};

/** What a shown call answers where the program or the database fails. */
const faults = ({ callSettings: { errorShape } }: Model): JsonSchema =>
  errorShape === null
    ? { "503": { $ref: "#/components/responses/Away" }, default: { $ref: "#/components/responses/Fault" } }
    : {
        "503": {
          description: "Nothing was acknowledged; try again.",
          headers: { "Retry-After": { schema: { type: "integer" } } },
          content: content(errorSchema(errorShape, 503, ["STORE_AWAY", "TOO_BUSY", "TOOK_TOO_LONG"])),
        },
        default: {
          description: "A mistake of the program's.",
          content: content(errorSchema(errorShape, 500, ["FAULT"])),
        },
      };

/** A page of records as a call answers it that shows no answer of its own. */
const pageOf = (entity: Entity): JsonSchema => ({
  type: "object",
  required: ["items", "next"],
  properties: {
    items: { type: "array", items: { $ref: `#/components/schemas/${entity.name}` } },
    next: { type: ["string", "null"] },
  },
  additionalProperties: false,
});

const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });
const content = (schema: JsonSchema): JsonSchema => ({ "application/json": { schema } });

const successOf = (seen: Seen, { does }: Route): JsonSchema => {
  const { entity } = seen;
  const version = { "Ninefold-Version": header("Version") };
  const record: JsonSchema = { $ref: `#/components/schemas/${entity.name}` };
  // What was written may not be readable by who wrote it.
  const written: JsonSchema =
    seen.reading.length === 0
      ? { $ref: "#/components/schemas/Written" }
      : { anyOf: [record, { $ref: "#/components/schemas/Written" }] };
  switch (does.kind) {
    case "list":
      return {
        "200": {
          description: "A page.",
          headers: version,
          content: content({ $ref: `#/components/schemas/${entity.name}.list` }),
        },
      };
    case "read":
      return {
        "200": { description: "The record.", headers: { ...version, ETag: header("ETag") }, content: content(record) },
      };
    case "history":
      return {
        "200": {
          description: "Its newest 200 lines.",
          headers: version,
          content: content({ $ref: "#/components/schemas/History" }),
        },
      };
    case "create":
      return {
        "201": {
          description: "The record as it was made, or as it is where the same key made it before.",
          headers: { ...version, ETag: header("ETag"), Location: header("Location") },
          content: content(written),
        },
      };
    case "delete":
      return { "204": { description: "It is deleted.", headers: version } };
    default:
      return {
        "200": {
          description: "The record as it is now.",
          headers: { ...version, ETag: header("ETagWhereRead") },
          content: content(written),
        },
      };
  }
};

/** Refusals by status, each a problem detail with one of the codes that it may bear there. */
const refused = (
  model: Model,
  refusals: readonly MayRefuse[],
  shape: ErrorShape | null = null,
): Readonly<Record<string, JsonSchema>> => {
  const byStatus = new Map<number, MayRefuse[]>();
  for (const refusal of refusals) {
    const status = entryFor(model, refusal.code, refusal)?.status ?? 422;
    const here = byStatus.get(status) ?? [];
    if (!here.some((one) => one.code === refusal.code && one.clause === refusal.clause && one.at === refusal.at))
      here.push(refusal);
    byStatus.set(status, here);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, here]) => {
      const codes = [...new Set(here.map((one) => one.code))];
      // Several things to put right at once are answered together, with the status of the first.
      const several = here.some(
        (one) => one.at !== undefined || one.code === "UNKNOWN_FIELD" || one.code === "NOT_YOURS_TO_WRITE",
      );
      return [
        String(status),
        {
          description: codes.join(", "),
          headers: { "Ninefold-Version": header("Version") },
          content:
            shape === null
              ? {
                  "application/problem+json": {
                    schema: {
                      allOf: [
                        { $ref: "#/components/schemas/Problem" },
                        {
                          properties: {
                            status: { const: status },
                            code: { enum: [...codes, ...(several ? ["INVALID"] : [])] },
                          },
                        },
                      ],
                    },
                  },
                }
              : content(errorSchema(shape, status, [...codes, ...(several ? ["INVALID"] : [])])),
          "x-refusals": here.map(({ code, clause, at }) => ({
            code,
            ...(clause === undefined ? {} : { "x-clause": clause }),
            ...(at === undefined ? {} : { at }),
          })),
        },
      ];
    }),
  );
};
