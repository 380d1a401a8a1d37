import { daysPattern, namedPeriods } from "../../expression/values/periods.ts";
import type { Model } from "../../model/model.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";

export const ID: JsonSchema = { type: "string", format: "uuid" };
const words: JsonSchema = { type: "string", description: "A complete sentence." };

export const object = (
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

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Components of every description: response schemas, query parameters and headers. They correspond to `core/wire`. */
const schemas: Readonly<Record<string, JsonSchema>> = {
  Reference: object({ id: ID, label: { type: "string" } }, [], {
    description: "A reference in a response. In a request, write only the id.",
  }),
  May: object(
    {
      update: { type: "array", items: { type: "string" }, description: "The fields that the caller can change now." },
      delete: { type: "boolean" },
      transitions: { type: "array", items: { type: "string" } },
      refused: { type: "object", additionalProperties: ref("WhyNot") },
      needed: {
        type: "object",
        additionalProperties: { type: "integer", minimum: 0 },
        description: "How many people must make a transition, if that depends on the record.",
      },
      updateRefused: ref("WhyNot"),
      deleteRefused: ref("WhyNot"),
      addRefused: { type: "object", additionalProperties: ref("WhyNot") },
    },
    ["needed", "updateRefused", "deleteRefused", "addRefused"],
    { description: "The actions that the caller can take on the record now." },
  ),
  WhyNot: object({ code: { type: "string" }, clause: { type: "string" }, because: words }),
  Written: object({ id: ID, version: { type: "integer", minimum: 1 } }, [], {
    description: "The result of a write, for a caller who can’t read the record.",
  }),
  History: object({ items: { type: "array", items: ref("HistoryLine") } }),
  HistoryLine: object(
    {
      at: { type: "string", format: "date-time" },
      person: { anyOf: [ref("Reference"), { type: "null" }] },
      action: { type: "string", description: "`create`, `update`, `delete` or the name of a transition." },
      clause: { type: "string" },
      document: { type: "integer", minimum: 1, description: "The version of the specification at that time." },
      changes: { type: "array", items: ref("HistoryChange") },
      cause: object({ entity: { type: "string" }, id: ID, label: { type: "string" }, action: { type: "string" } }, [], {
        description: "The action on another record that caused this one.",
      }),
      parts: {
        type: "array",
        items: object({
          list: { type: "string", description: "The list that contains it." },
          entity: { type: "string" },
          action: { enum: ["create", "update", "delete"] },
          label: { type: "string" },
          changes: { type: "array", items: ref("HistoryChange") },
        }),
        description: "The parts that were sent with it, and their results.",
      },
    },
    ["at", "person", "action", "clause", "document", "cause", "parts"],
    { description: "Data that the caller can’t read is omitted." },
  ),
  HistoryChange: object({ field: { type: "string" }, before: {}, after: {} }, ["before"]),
  Problem: {
    type: "object",
    description: "An error in the format of RFC 9457.",
    required: ["type", "title", "status", "code", "detail"],
    properties: {
      type: { const: "about:blank" },
      title: { type: "string" },
      status: { type: "integer", minimum: 400, maximum: 599 },
      code: { type: "string" },
      detail: words,
      clause: {
        type: "string",
        description: "The clause or default that decided. Omitted only if the specification decides nothing.",
      },
      help: { type: "string", description: "How to fix it." },
      errors: { type: "array", minItems: 1, items: ref("ProblemAt") },
      reference: { type: "string", description: "An id that finds the request in the log." },
      because: { type: "string", description: "The reason on the record, as far as the caller can know it." },
      could: { type: "string", description: "Who could do it: roles with their titles." },
      undecided: {
        type: "string",
        description: "The open point that nobody has decided. POST /_/questions asks for a decision.",
      },
    },
    additionalProperties: false,
  },
  Period: {
    description:
      "A period relative to the time of the request, in the time zone of the specification. Weeks begin on Monday. `last_7_days` are today and the 6 days before, `next_7_days` today and the 6 days after it.",
    anyOf: [
      { type: "string", enum: namedPeriods.filter((name) => name !== "overdue") },
      { type: "string", pattern: daysPattern, examples: ["last_7_days", "next_30_days"] },
    ],
  },
  ProblemAt: object(
    {
      at: {
        type: "string",
        description: "A JSON pointer into the request body, or a question mark and the name of a query parameter.",
      },
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
  parts: switchedOn("parts", "If true, a record contains the lists of its parts."),
  label: switchedOn("label", "If true, a record contains `_label`, its label."),
  may: switchedOn("may", "If true, each record contains `may`."),
  count: {
    name: "count",
    in: "query",
    description:
      "If true, the response contains the number of records found, up to 10,000. If exact, it contains the whole number, which can take seconds.",
    schema: { type: "string", enum: ["true", "false", "exact"], default: "false" },
  },
  among: {
    name: "among",
    in: "query",
    description:
      "A reference field: returns the records that it can refer to. `given.FIELD` passes other values of the form.",
    schema: { type: "string", examples: ["Request.kind"] },
  },
  search: {
    name: "search",
    in: "query",
    description:
      "Words that must all occur in the record as the caller sees it, in upper or lower case: in a text, in the label of a referenced record, or in the title of a value. Words in quotation marks count as one.",
    schema: { type: "string", pattern: "^[^\\u0000]*$" },
  },
  after: {
    name: "after",
    in: "query",
    description: "The `next` of the previous page, with the same filters and the same order.",
    schema: { type: "string" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The version that was read. If the record has another version, the response is 412.",
    schema: { type: "string", pattern: '^("\\d{1,9}"|\\*)$' },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "Repeated requests with the same key create only one record, or make a transition only once.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
};

const etag = { description: "The version of the record, in quotes.", schema: { type: "string", pattern: '^"\\d+"$' } };

const headers: Readonly<Record<string, JsonSchema>> = {
  ETag: { ...etag, required: true },
  ETagWhereRead: { ...etag, description: "The version of the record, in quotes, if the caller can read it." },
  Location: { description: "The address of the record.", required: true, schema: { type: "string" } },
  Version: {
    description: "The number of the specification’s version in this database.",
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
    description: "STORE_AWAY, TOO_BUSY, TOOK_TOO_LONG: nothing was confirmed. Try again.",
    headers: { "Retry-After": { schema: { type: "integer" } } },
    content: problem(503, ["STORE_AWAY", "TOO_BUSY", "TOOK_TOO_LONG"]),
  },
  Fault: { description: "FAULT: a defect in Ninefold.", content: problem(500, ["FAULT"]) },
};

/** The platform's own calls for programs. */
const paths = (model: Model): Readonly<Record<string, Json>> => {
  const status = (code: string) => String(model.errors.get(code)?.status ?? 400);
  const refusedWith = (...codes: readonly string[]): JsonSchema => {
    const byStatus = new Map<string, string[]>();
    for (const code of codes) byStatus.set(status(code), [...(byStatus.get(status(code)) ?? []), code]);
    return Object.fromEntries(
      [...byStatus].map(([value, refusals]) => [
        value,
        {
          description: refusals.join(", "),
          content: problem(Number(value), refusals),
          "x-refusals": refusals.map((code) => ({ code })),
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
        summary: "Sign in",
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
        summary: "Sign out",
        "x-clause": "7.sign in",
        responses: { "204": { description: "Signed out." }, ...refusedWith(...unsafe), ...faults },
      },
    },
  };
};

export const sharedComponents = { schemas, parameters, headers, responses, paths };
