import { fieldKinds } from "../../field/kinds.ts";
import { type Call, type CallStep, renewsSession, type Signing, type TakenField } from "../../model/endpoint.ts";
import type { Entity } from "../../model/entity.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import type { Model } from "../../model/model.ts";
import type { JsonSchema } from "../../wire/json.ts";
import { findReadCall } from "../http/routes.ts";
import { endpointRefusals, endpointSteps, possibleWrites, signInRefusals, stepRoute } from "./custom-errors.ts";
import {
  endpointParameters,
  errorSchema,
  fieldsParameter,
  partsSchema,
  requestSchema,
  responseSchema,
  sortParameters,
  withTexts,
} from "./custom-schemas.ts";
import { acceptedPartLists, type EntityView, grantsForRoute, settableFields } from "./entity-view.ts";
import { operationSummary } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { answerContent, content, errorResponses, header, successResponse, tokenRefusals } from "./responses.ts";
import { bodyName, buildSchemas, schemaNames } from "./schemas.ts";

/** The OpenAPI operation of a custom endpoint. `names`: the parameter names in the path of the description. */
export const endpointOperation = (
  model: Model,
  seen: ReadonlyMap<string, EntityView>,
  call: Call,
  names: readonly string[],
  withRefusals: boolean,
): JsonSchema => {
  const steps = endpointSteps(call)
    .flatMap(possibleWrites)
    .flatMap((step) => {
      const own = seen.get(step.entity);
      return own === undefined ? [] : [{ step, seen: own, route: stepRoute(call, step) }];
    });
  const last = steps.at(-1);
  if (last === undefined) throw new Error(`${call.name} does nothing`);
  const isAlone = endpointSteps(call).length === 1;
  const shown = endpointSteps(call).at(-1) ?? last.step;
  const { kind } = shown.does;
  const taken = steps.flatMap(({ step, route, seen: own }) => {
    const body = buildSchemas(own, [route])[bodyName(route)];
    const properties = (body?.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    return (step.takes ?? []).flatMap((field) => {
      if (field.isCredential === true) return [{ ...field, schema: passwordSchema, required: false }];
      const schema =
        properties[field.field] === undefined
          ? undefined
          : (keySchema(model, field) ?? partsSchema(field, properties[field.field] ?? {}));
      return schema === undefined ? [] : [{ ...field, schema, required: isRequired(own, step, field.field) }];
    });
  });
  const usual =
    last.step.takes === null && kind !== "list" && kind !== "read"
      ? buildSchemas(last.seen, [last.route])[bodyName(last.route)]
      : undefined;
  const inputFields = last.step.asks;
  const body =
    usual === undefined
      ? requestSchema(taken, call.ignoresUnknown)
      : { ...usual, ...(inputFields.length === 0 ? {} : { required: [...inputFields] }) };
  return {
    operationId: call.name,
    tags: [last.step.entity],
    summary: steps.map(({ seen: own, route }) => operationSummary(own, route)).join("; "),
    "x-clause": call.clause.id,
    "x-permitted-by": [
      ...new Set(steps.flatMap(({ seen: own, route }) => grantsForRoute(own, route).map((grant) => grant.clause))),
    ],
    parameters: [
      ...endpointParameters(model, call).map((parameter, i) =>
        i < names.length ? { ...parameter, name: names[i] ?? "" } : parameter,
      ),
      ...(steps.map(({ step, seen: own }) => sortParameters(step, own)).find(({ length }) => length > 0) ?? []),
      ...steps.flatMap(({ step, seen: own }) => fieldsParameter(step, own)).slice(0, 1),
      ...(isAlone && (kind === "create" || kind === "put" || kind === "transition")
        ? [parameter("IdempotencyKey")]
        : []),
      ...(isAlone && (kind === "update" || kind === "put" || kind === "transition" || kind === "delete")
        ? [parameter("IfMatch")]
        : []),
    ],
    ...(body === undefined ? {} : { requestBody: { content: bodyContent(call, body) } }),
    responses: {
      ...getAnswers(call, shown, last.seen),
      ...(withRefusals
        ? errorResponses(
            model,
            [
              ...endpointRefusals(model, call, (step) => {
                const own = steps.find(
                  ({ step: { entity, does } }) => entity === step.entity && does.kind === step.does.kind,
                );
                if (own === undefined) return new Set();
                return new Set([
                  ...schemaNames(settableFields(own.seen, own.route)),
                  ...acceptedPartLists(own.seen, own.route),
                ]);
              }),
              ...tokenRefusals(model, call.method === "GET"),
            ],
            call,
          )
        : {}),
      ...faults(model),
    },
  };
};

/** A body in the forms that the call accepts. */
const bodyContent = ({ accepts }: Call, body: JsonSchema): JsonSchema => {
  const json = content(accepts.texts ? withTexts(body, accepts) : body);
  return accepts.forms ? { ...json, "application/x-www-form-urlencoded": { schema: withTexts(body, accepts) } } : json;
};

/** The successful responses of an endpoint: those of its last step, with the declared schema and status. */
const getAnswers = (call: Call, step: CallStep, seen: EntityView): JsonSchema => {
  const { model, entity } = seen;
  const { gives, does, selectable } = step;
  const lacking = { omitsMissing: call.omitsMissing, selectable };
  const usual = successResponse(seen, stepRoute(call, step));
  const [conventional = "200"] = Object.keys(usual);
  const answer = (usual[conventional] ?? {}) as JsonSchema;
  const at = (status: string) => String(call.status ?? status);
  const version = { "Ninefold-Version": header("Version") };
  if (does.kind === "list")
    return {
      [at("200")]: {
        ...answer,
        content: gives === null ? content(getPage(entity)) : answerContent(responseSchema(model, gives, lacking)),
      },
    };
  if ((does.kind === "delete" || does.kind === "delete all") && gives !== null)
    return {
      [at("200")]: {
        description: does.kind === "delete" ? "The deleted record." : "The deleted records.",
        headers: version,
        content: answerContent(responseSchema(model, gives, lacking)),
      },
    };
  if (gives?.kind === "none") {
    const done = { description: "Done.", headers: { ...version, ...location(model, entity) } };
    if (call.status !== null) return { [at("")]: done };
    return createsOrFinds(does.kind)
      ? { "201": done, "204": { description: foundExisting(does.kind), headers: version } }
      : { [does.kind === "create" ? "201" : "204"]: done };
  }
  const own = gives === null ? {} : { content: answerContent(responseSchema(model, gives, lacking)) };
  const headers = makes(does.kind)
    ? { headers: { ...(answer.headers as JsonSchema), ...location(model, entity) } }
    : {};
  const answered = { ...answer, ...headers, ...own };
  if (!createsOrFinds(does.kind)) return { [at(conventional)]: answered };
  const existing = { ...answered, description: foundExisting(does.kind), headers: version };
  return call.status === null ? { "200": existing, "201": answered } : { [at("200")]: existing };
};

/** The schema of a reference that is written by a unique field; undefined for one that is written by its id. */
const keySchema = (model: Model, { by }: TakenField): JsonSchema | undefined => {
  const entity = model.entities.get(by?.field.entity ?? "");
  const field = entity?.fields.get(by?.field.name ?? "");
  if (entity === undefined || field === undefined) return undefined;
  return { anyOf: [fieldKinds[field.type].wire(toFieldSpec(entity, field)).request, { type: "null" }] };
};

/** True if a request must have the field: the call asks for it, or replaces a value that a record needs. */
const isRequired = ({ entity }: EntityView, { asks, replaces }: CallStep, name: string): boolean => {
  const field = entity.fields.get(name);
  if (asks.includes(name)) return true;
  return replaces && field !== undefined && !field.optional && !field.many && field.type !== "boolean";
};

const createsOrFinds = (kind: CallStep["does"]["kind"]): boolean => kind === "ensure" || kind === "put";

const makes = (kind: CallStep["does"]["kind"]): boolean => kind === "create" || createsOrFinds(kind);

const foundExisting = (kind: CallStep["does"]["kind"]): string =>
  kind === "put" ? "The record was replaced." : "The record already existed.";

/** The header with the address at which a call of the document reads the record, if its creator can read it. */
const location = (model: Model, entity: Entity): JsonSchema =>
  findReadCall(model, entity) === undefined
    ? {}
    : { Location: { description: "The address of the record.", schema: { type: "string" } } };

/** The schema of a page of records, for an endpoint that declares no response. */
const getPage = (entity: Entity): JsonSchema => ({
  type: "object",
  required: ["items", "next"],
  properties: {
    items: { type: "array", items: { $ref: `#/components/schemas/${entity.name}` } },
    next: { type: ["string", "null"] },
  },
  additionalProperties: false,
});

/** The schema of a field in the body of a call that signs in or registers. */
const fieldSchema = (model: Model, { kind }: Signing, name: string): JsonSchema => {
  const entity = model.entities.get("User");
  const field = entity?.fields.get(name);
  if (kind !== "sign up" || entity === undefined || field === undefined) return { type: "string" };
  return fieldKinds[field.type].wire(toFieldSpec(entity, field)).request;
};

const passwordSchema: JsonSchema = { type: "string", format: "password" };

/** The OpenAPI operation of signing in or out. */
export const signInOperation = (model: Model, call: Call, does: Signing): JsonSchema => {
  const isAtOnce = model.signIn.signUp?.verifiesEmail === false;
  const takes = does.takes.map((field) => ({
    ...field,
    schema: field.field === "password" ? passwordSchema : fieldSchema(model, does, field.field),
    required:
      does.kind === "forgot password" ||
      does.kind === "reset password" ||
      (does.kind === "sign up" &&
        isAtOnce &&
        ["email", "password", ...(model.signIn.signUp?.asks ?? [])].includes(field.field)),
  }));
  const body = requestSchema(takes, call.ignoresUnknown);
  const { gives } = does;
  const isMailed = does.kind === "forgot password" || (does.kind === "sign up" && !isAtOnce);
  const usual = isMailed ? 202 : gives === null ? 204 : does.kind === "sign up" ? 201 : 200;
  return {
    operationId: call.name,
    tags: ["session"],
    summary: {
      "sign in": renewsSession(does) ? "Replace a session by another, with a new token" : "Sign in",
      "sign up": isAtOnce ? "Register and sign in" : "Register: sends a link to the email address",
      "sign out": "Sign out",
      "forgot password": "Ask for a link to set a new password",
      "reset password": "Set a new password and sign in",
      close: "Close one’s own account",
    }[does.kind],
    "x-clause": call.clause.id,
    security: [],
    ...(does.query.length === 0 ? {} : { parameters: endpointParameters(model, call) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyContent(call, body) } }),
    responses: {
      [String(call.status ?? usual)]:
        gives === null
          ? { description: "Done." }
          : {
              description: isMailed ? "Accepted." : does.takes.length === 0 ? "Done." : "Signed in.",
              content: answerContent(responseSchema(model, gives, call)),
            },
      ...errorResponses(model, [...signInRefusals(model, call), ...tokenRefusals(model, call.method === "GET")], call),
      ...faults(model),
    },
  };
};

/** The responses of a custom endpoint after a fault or without the database. */
const faults = ({ callSettings: { errorShape } }: Model): JsonSchema =>
  errorShape === null
    ? { "503": { $ref: "#/components/responses/Away" }, default: { $ref: "#/components/responses/Fault" } }
    : {
        "503": {
          description: "Nothing was confirmed. Try again.",
          headers: { "Retry-After": { schema: { type: "integer" } } },
          content: content(errorSchema(errorShape, 503, ["STORE_AWAY", "TOO_BUSY", "TOOK_TOO_LONG"])),
        },
        default: {
          description: "A defect in Ninefold.",
          content: content(errorSchema(errorShape, 500, ["FAULT"])),
        },
      };
