import type { EntityShape, FieldShape, Scope, Type } from "../../src/core/expression/values/type.ts";

/** The leave desk of the language reference in expressions. */
const record = (entity: string): Type => ({ kind: "record", entity });
const text: Type = { kind: "text" };
const date: Type = { kind: "date" };
const integer: Type = { kind: "integer" };
const files: Type = { kind: "list", of: { kind: "file" } };
const kind: Type = { kind: "choice", of: "Request.kind", values: ["holiday", "sick", "parental"] };
const states = ["draft", "submitted", "granted", "refused", "withdrawn"];
const status: Type = { kind: "choice", of: "Request.status", values: states };

/** A field whose name ends in `?` is optional. */
const entity = (name: string, fields: Readonly<Record<string, Type>>): EntityShape => ({
  name,
  table: name.toLowerCase(),
  fields: new Map(
    Object.entries({ id: record(name), ...fields }).map(([written, type]): [string, FieldShape] => {
      const name = written.replace("?", "");
      return [name, { name, type, optional: written.endsWith("?"), column: name }];
    }),
  ),
});

const request = entity("Request", {
  employee: record("User"),
  kind,
  first_day: date,
  last_day: date,
  days: integer,
  "note?": text,
  "reason?": text,
  proof: files,
  status,
  cost: { kind: "money", currency: "EUR" },
  "score?": integer,
});

const comments: FieldShape = {
  name: "comments",
  type: { kind: "list", of: record("Comment") },
  optional: false,
  inverse: { entity: "Comment", by: "request" },
};

const entities = [
  entity("User", { name: text, "manager?": record("User"), allowance: integer }),
  { ...request, fields: new Map([...request.fields, ["comments", comments]]) },
  entity("Comment", { request: record("Request"), author: record("User"), text }),
];

export const leave: Scope = {
  entity: "Request",
  user: true,
  entities: new Map(entities.map((entity) => [entity.name, entity])),
  limits: new Map<string, { type: Type; value: string }>([
    ["yearly_allowance", { type: integer, value: "30" }],
    ["decision_time", { type: { kind: "duration" }, value: "14 days" }],
  ]),
  timezone: "Europe/Berlin",
};
