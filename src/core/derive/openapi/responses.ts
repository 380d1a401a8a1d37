import type { Call, ErrorShape } from "../../model/endpoint.ts";
import { entryFor } from "../../model/error-entry.ts";
import type { Model } from "../../model/model.ts";
import type { JsonSchema } from "../../wire/json.ts";
import type { PossibleRefusal } from "../http/possible-errors.ts";
import { addressOfRecord, type Route } from "../http/routes.ts";
import { errorSchema } from "./custom-schemas.ts";
import type { EntityView } from "./entity-view.ts";

export const successResponse = (view: EntityView, { does }: Route): JsonSchema => {
  const { entity } = view;
  const version = { "Ninefold-Version": header("Version") };
  const record: JsonSchema = { $ref: `#/components/schemas/${entity.name}` };
  // A writer can lack read permission on the written record.
  const written: JsonSchema =
    view.reading.length === 0
      ? { $ref: "#/components/schemas/Written" }
      : { anyOf: [record, { $ref: "#/components/schemas/Written" }] };
  switch (does.kind) {
    case "list":
      return {
        "200": {
          description: "A page of the list.",
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
          description: "The newest 200 entries.",
          headers: version,
          content: content({ $ref: "#/components/schemas/History" }),
        },
      };
    case "create":
      return {
        "201": {
          description: "The new record, or the current record if an earlier request with the same key created it.",
          headers: {
            ...version,
            ETag: header("ETag"),
            // A record without a read call has no address.
            ...(addressOfRecord(view.model, entity, "id") === undefined ? {} : { Location: header("Location") }),
          },
          content: content(written),
        },
      };
    case "delete":
      return { "204": { description: "Deleted.", headers: version } };
    default:
      return {
        "200": {
          description: "The updated record.",
          headers: { ...version, ETag: header("ETagWhereRead") },
          content: content(written),
        },
      };
  }
};

export const header = (name: string): JsonSchema => ({ $ref: `#/components/headers/${name}` });

export const content = (schema: JsonSchema): JsonSchema => ({ "application/json": { schema } });

/** The body of a response: plain text if it is a single text, otherwise JSON. */
export const answerContent = (schema: JsonSchema): JsonSchema => {
  const forms = Array.isArray(schema.anyOf) ? (schema.anyOf as readonly JsonSchema[]) : [schema];
  const isText = forms.some(({ type }) => type === "string" || (Array.isArray(type) && type.includes("string")));
  return isText ? { "text/plain": { schema: { type: "string" } }, ...content({ type: "null" }) } : content(schema);
};

/** Refusals by status; each is a problem document with one of the codes possible for that status. */
export const errorResponses = (
  model: Model,
  refusals: readonly PossibleRefusal[],
  call?: Pick<Call, "errors">,
): Readonly<Record<string, JsonSchema>> => {
  const byStatus = new Map<number, PossibleRefusal[]>();
  for (const built of refusals) {
    // Without sign-in, nobody is asked to sign in.
    const code = built.code === "NOT_SIGNED_IN" && model.signIn.isOff ? "FORBIDDEN" : built.code;
    const refusal = { ...built, code: call?.errors.get(code) ?? code };
    const status = entryFor(model, refusal.code, refusal)?.status ?? 422;
    const refusals = byStatus.get(status) ?? [];
    if (
      !refusals.some(
        (other) => other.code === refusal.code && other.clause === refusal.clause && other.at === refusal.at,
      )
    )
      refusals.push(refusal);
    byStatus.set(status, refusals);
  }
  // Several validation errors are returned together, with the status of the first.
  const severalAtOnce = new Set(["UNKNOWN_FIELD", "NOT_YOURS_TO_WRITE", ...(call === undefined ? [] : ["BAD_QUERY"])]);
  const isOfSeveral = ({ at, code }: PossibleRefusal) => at !== undefined || severalAtOnce.has(code);
  const together = [
    ...new Set(
      [...byStatus.values()]
        .flat()
        .filter(isOfSeveral)
        .map(({ code }) => code),
    ),
  ];
  return Object.fromEntries(
    [...byStatus].map(([status, refusals]) => {
      const codes = [...new Set(refusals.map((refusal) => refusal.code))];
      const several = refusals.some(isOfSeveral);
      return [
        String(status),
        {
          description: codes.join(", "),
          headers: {
            "Ninefold-Version": header("Version"),
            ...(asksForPassword(model, status) ? challengeHeader : {}),
          },
          ...errorContent(
            status,
            [...refusals, ...(several ? [{ code: "INVALID" }] : [])].map((refusal) => ({
              code: refusal.code,
              shape:
                call === undefined
                  ? null
                  : (entryFor(model, refusal.code, refusal)?.shape ?? model.callSettings.errorShape),
            })),
            several ? together : [],
          ),
          "x-refusals": refusals.map(({ code, clause, at }) => ({
            code,
            ...(clause === undefined ? {} : { "x-clause": clause }),
            ...(at === undefined ? {} : { at }),
          })),
        },
      ];
    }),
  );
};

/** True if a response with this status can ask for a password with each request. */
const asksForPassword = ({ signIn }: Model, status: number): boolean => signIn.basic && status === 401;

const challengeHeader = {
  "WWW-Authenticate": {
    description: "Asks for HTTP Basic, except in requests by scripts of a page.",
    schema: { type: "string" },
  },
};

/**
 * The bodies of the errors of a status: each form with its codes. Absent if none of them has a body. `together`: the codes of
 * errors that can follow the first one in a list.
 */
const errorContent = (
  status: number,
  errors: readonly { readonly code: string; readonly shape: ErrorShape | "none" | null }[],
  together: readonly string[],
): JsonSchema => {
  const codesByShape = new Map<ErrorShape | "none" | null, string[]>();
  for (const { code, shape } of errors) {
    const codes = codesByShape.get(shape) ?? [];
    if (!codes.includes(code)) codesByShape.set(shape, [...codes, code]);
  }
  const codes = codesByShape.get(null);
  const shaped = [...codesByShape].flatMap(([shape, those]) =>
    shape === null || shape === "none"
      ? []
      : [errorSchema(shape, status, those, [...new Set([...those, ...together])])],
  );
  const texts = shaped.filter(({ type, const: fixed }) => type === "string" || typeof fixed === "string");
  const objects = shaped.filter((schema) => !texts.includes(schema));
  const [only] = objects;
  const bodies = {
    ...(codes === undefined
      ? {}
      : {
          "application/problem+json": {
            schema: {
              allOf: [
                { $ref: "#/components/schemas/Problem" },
                { properties: { status: { const: status }, code: { enum: codes } } },
              ],
            },
          },
        }),
    ...(texts.length === 0 ? {} : { "text/plain": { schema: { type: "string" } } }),
    ...(only === undefined ? {} : content(objects.length === 1 ? only : { anyOf: objects })),
  };
  return Object.keys(bodies).length === 0 ? {} : { content: bodies };
};

/** True if the document lets anyone create tokens for programs. */
export const hasTokens = ({ callSettings: { token } }: Model): boolean => token !== null && token.by.length > 0;

/** Refusals of a call with a token: an invalid token, too many attempts, or a read-only token. */
export const tokenRefusals = (model: Model, reads: boolean): readonly PossibleRefusal[] =>
  hasTokens(model)
    ? [
        { code: "NOT_SIGNED_IN", clause: "7.token" },
        { code: "TOO_MANY_ATTEMPTS", clause: "9.sign_in_attempts" },
        ...(reads ? [] : [{ code: "FORBIDDEN", clause: "7.token" }]),
      ]
    : [];
