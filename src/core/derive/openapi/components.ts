import type { Model } from "../../model/model.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";

const ID: JsonSchema = { type: "string", format: "uuid" };
const words: JsonSchema = { type: "string", description: "A whole sentence." };

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
  more: JsonSchema = {},
): JsonSchema => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
  additionalProperties: false,
  ...more,
});

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Components of every description: response schemas, query parameters and headers. They correspond to `core/wire`. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  Reference: object({ id: ID, label: { type: "string" } }, [], {
    description: "A reference as it is read; it is written as the id alone.",
  }),
  May: object(
    {
      update: { type: "array", items: { type: "string" }, description: "The fields that may be changed now." },
      delete: { type: "boolean" },
      transitions: { type: "array", items: { type: "string" } },
      refused: { type: "object", additionalProperties: ref("WhyNot") },
      updateRefused: ref("WhyNot"),
      deleteRefused: ref("WhyNot"),
      addRefused: { type: "object", additionalProperties: ref("WhyNot") },
    },
    ["updateRefused", "deleteRefused", "addRefused"],
    { description: "What the person may do with the record now." },
  ),
  WhyNot: object({ code: { type: "string" }, clause: { type: "string" }, because: words }),
  Written: object({ id: ID, version: { type: "integer", minimum: 1 } }, [], {
    description: "What was written, for who may not read it.",
  }),
  History: object({ items: { type: "array", items: ref("HistoryLine") } }),
  HistoryLine: object(
    {
      at: { type: "string", format: "date-time" },
      person: { anyOf: [ref("Reference"), { type: "null" }] },
      action: { type: "string", description: "`create`, `update`, `delete` or a transition's name." },
      clause: { type: "string" },
      document: { type: "integer", minimum: 1, description: "The document's version under which it happened." },
      changes: { type: "array", items: ref("HistoryChange") },
      cause: object({ entity: { type: "string" }, id: ID, label: { type: "string" }, action: { type: "string" } }, [], {
        description: "What was done to another record, from which this followed.",
      }),
      parts: {
        type: "array",
        items: object({
          list: { type: "string", description: "The list that it stands in." },
          entity: { type: "string" },
          action: { enum: ["create", "update", "delete"] },
          label: { type: "string" },
          changes: { type: "array", items: ref("HistoryChange") },
        }),
        description: "The parts that were given with it, and what came of them.",
      },
    },
    ["at", "person", "action", "clause", "document", "cause", "parts"],
    { description: "What would tell what the reader may not read is absent." },
  ),
  HistoryChange: object({ field: { type: "string" }, before: {}, after: {} }, ["before"]),
  Problem: {
    type: "object",
    description: "A refusal, as RFC 9457 has it.",
    required: ["type", "title", "status", "code", "detail"],
    properties: {
      type: { const: "about:blank" },
      title: { type: "string" },
      status: { type: "integer", minimum: 400, maximum: 599 },
      code: { type: "string" },
      detail: words,
      clause: { type: "string", description: "What decided; absent only where no document decides." },
      help: { type: "string", description: "What to do about it." },
      errors: { type: "array", minItems: 1, items: ref("ProblemAt") },
      reference: { type: "string", description: "By which an operator finds the request in the log." },
      because: { type: "string", description: "What on the record stands against it, as far as who asks may know." },
      could: { type: "string", description: "Who could: roles in the document's words." },
      undecided: { type: "string", description: "What nobody decided yet; POST /_/questions asks for that." },
    },
    additionalProperties: false,
  },
  ProblemAt: object(
    {
      at: { type: "string", description: "A JSON pointer into what was sent." },
      code: { type: "string" },
      clause: { type: "string" },
      message: words,
      help: { type: "string" },
    },
    ["help"],
  ),
};

const switchedOn = (name: string, description: string): JsonSchema => ({
  name,
  in: "query",
  description,
  schema: { type: "boolean", default: false },
});

const parameters: Readonly<Record<string, JsonSchema>> = {
  id: { name: "id", in: "path", required: true, schema: ID },
  parts: switchedOn("parts", "Whether a record bears the lists of its parts."),
  label: switchedOn("label", "Whether a record bears `_label`, what it is called."),
  may: switchedOn("may", "Whether each record bears `may`."),
  count: switchedOn("count", "Whether to count what is found."),
  among: {
    name: "among",
    in: "query",
    description:
      "A reference, or one of a record that is there: the records that it may name. `given.FIELD` says what was entered beside it.",
    schema: { type: "string", examples: ["Request.kind"] },
  },
  search: {
    name: "search",
    in: "query",
    description:
      "Words, each of which must stand somewhere in the record as the caller sees it, in any case: in a text, in the label of a record that it refers to, or as the title of a value. Words in quotation marks are one.",
    schema: { type: "string", pattern: "^[^\\u0000]*$" },
  },
  after: {
    name: "after",
    in: "query",
    description: "The `next` of the page before, with the same filters and the same order.",
    schema: { type: "string" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The version that was read: refused with 412 when the record has another one.",
    schema: { type: "string", pattern: '^("\\d{1,9}"|\\*)$' },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "One record is made however often the request is sent with this key.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
};

const etag = { description: "The record's version, in quotes.", schema: { type: "string", pattern: '^"\\d+"$' } };

const headers: Readonly<Record<string, JsonSchema>> = {
  ETag: { ...etag, required: true },
  ETagWhereRead: { ...etag, description: "The record's version, in quotes, where the record may be read." },
  Location: { description: "Where the record is.", required: true, schema: { type: "string" } },
  Version: {
    description: "Counts the versions of the document that this database has run.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

const problem = (status: number, codes: readonly string[]): JsonSchema => ({
  "application/problem+json": {
    schema: { allOf: [ref("Problem"), { properties: { status: { const: status }, code: { enum: codes } } }] },
  },
});

const responses: Readonly<Record<string, JsonSchema>> = {
  Away: {
    description: "STORE_AWAY, TOO_BUSY, TOOK_TOO_LONG: nothing was acknowledged; try again.",
    headers: { "Retry-After": { schema: { type: "integer" } } },
    content: problem(503, ["STORE_AWAY", "TOO_BUSY", "TOOK_TOO_LONG"]),
  },
  Fault: { description: "FAULT: a mistake of the program's.", content: problem(500, ["FAULT"]) },
};

/** The platform's own calls for programs. */
const paths = (model: Model): Readonly<Record<string, Json>> => {
  const status = (code: string) => String(model.errors.get(code)?.status ?? 400);
  const refusedWith = (...codes: readonly string[]): JsonSchema => {
    const byStatus = new Map<string, string[]>();
    for (const code of codes) byStatus.set(status(code), [...(byStatus.get(status(code)) ?? []), code]);
    return Object.fromEntries(
      [...byStatus].map(([one, here]) => [
        one,
        {
          description: here.join(", "),
          content: problem(Number(one), here),
          "x-refusals": here.map((code) => ({ code })),
        },
      ]),
    );
  };
  const faults = { "503": { $ref: "#/components/responses/Away" }, default: { $ref: "#/components/responses/Fault" } };
  const unsafe = ["FOREIGN_ORIGIN", "MALFORMED", "TOO_MUCH", "UNSUPPORTED"];
  return {
    "/_/session": {
      post: {
        operationId: "session.begin",
        tags: ["session"],
        summary: "Signs in",
        "x-clause": "7.sign in",
        security: [],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["email", "password"],
                properties: { email: { type: "string" }, password: { type: "string" } },
              },
            },
          },
        },
        responses: {
          "204": {
            description: "Signed in.",
            headers: { "Set-Cookie": { required: true, schema: { type: "string" } } },
          },
          ...refusedWith("BAD_CREDENTIALS", "TOO_MANY_ATTEMPTS", ...unsafe),
          ...faults,
        },
      },
      delete: {
        operationId: "session.end",
        tags: ["session"],
        summary: "Signs out",
        "x-clause": "7.sign in",
        responses: { "204": { description: "Nobody is signed in." }, ...refusedWith(...unsafe), ...faults },
      },
    },
  };
};

export const shared = { schemas, parameters, headers, responses, paths };
