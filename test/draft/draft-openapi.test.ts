import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { draft } from "../../src/cli/draft/draft.ts";
import { CommandFailed, exits } from "../../src/cli/exit-codes.ts";
import { compile } from "../../src/core/compile.ts";
import { allRoles, buildOpenapi } from "../../src/core/derive/openapi/openapi.ts";
import type { ApiObject } from "../../src/core/draft/openapi/api-schema.ts";
import { draftOpenapi } from "../../src/core/draft/openapi/draft-openapi.ts";
import { writeDocument } from "../../src/core/draft/write-document.ts";
import { format } from "../../src/core/format.ts";
import fc from "../chance.ts";
import { hardName } from "./hard-names.ts";

const pets = `
openapi: 3.0.3
info: { title: Pet store, version: "1" }
paths:
  /pets:
    get:
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: object, properties: { items: { type: array, items: { $ref: "#/components/schemas/Pet" } }, total: { type: integer } } } } } }
        default: { description: bad, content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } } }
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/NewPet" } } } }
      responses: { "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } }
  /pets/{petId}:
    parameters: [{ name: petId, in: path, required: true, schema: { type: integer } }]
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } } }
    delete: { responses: { "204": { description: gone } } }
  /pets/{petId}/adopt:
    post: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } } }
  /orders:
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } } } } }
components:
  schemas:
    Error: { type: object, properties: { message: { type: string } } }
    NewPet:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 2, maxLength: 80, example: Rex, description: "Its name: as called." }
        status: { type: string, enum: [available, "on hold", "4x4", ON-HOLD], default: available }
        born: { type: string, format: date, nullable: true }
        weight: { type: number, minimum: 0, exclusiveMinimum: true }
        tags: { type: array, items: { type: integer, default: 1 } }
        address: { $ref: "#/components/schemas/Address" }
        owner_email: { type: string, format: email }
        password: { type: string, writeOnly: true }
        photo: { type: string, format: binary }
        mother: { $ref: "#/components/schemas/Pet" }
        father: { nullable: true, oneOf: [{ type: string }, { $ref: "#/components/schemas/Pet" }] }
        friends: { type: array, items: { oneOf: [{ type: integer }, { $ref: "#/components/schemas/Pet" }] } }
        wants: { type: string, enum: [orders, food], default: orders }
        toy: { oneOf: [{ type: string }, { type: integer }] }
    Pet:
      allOf:
        - $ref: "#/components/schemas/NewPet"
        - { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, created_at: { type: string, format: date-time }, number: { type: string, readOnly: true, pattern: "^P" } } }
    Address: { type: object, required: [city], properties: { street: { type: string }, city: { type: string } } }
    Order:
      type: object
      required: [id, petId, lines]
      properties:
        id: { type: string, format: uuid }
        petId: { type: integer }
        quantity: { type: integer, minimum: 1, maximum: 100, default: 1 }
        complete: { type: boolean }
        extra: { type: object, additionalProperties: true }
        lines: { type: array, items: { type: object, required: [sku], properties: { sku: { type: string }, price: { type: number } } } }
`;

const kind = { from: "From x.", fields: "All." };
const errorsOf = (text: string) =>
  compile([{ file: "draft.md", text }]).findings.filter(({ severity }) => severity === "error");

test("schemas in responses become entities; the rest is left open", () => {
  const { title, entities, calls } = draftOpenapi(parse(pets) as ApiObject);
  const text = writeDocument(title ?? "", { ...kind, calls }, entities);
  expect(errorsOf(text)).toEqual([]);
  expect(entities.map(({ name }) => name)).toEqual(["Pet", "Order", "OrderLine"]);
  for (const line of [
    'name: { type: text, help: "Its name: as called.", min: 2, max: 80, examples: [Rex] }',
    'status: { type: choice?, values: [available, on_hold, value_4x4, ON-HOLD], default: available, source: "its enum, value_4x4 is “4x4”" }',
    "born: { type: date?, source: format date }",
    "tags: { type: integer?, many: true }",
    "address_city: text?",
    "owner_email: { type: email?, source: format email }",
    "mother: { type: Pet?, source: schema Pet }",
    "father: { type: Pet?, source: an id or schema Pet }",
    "friends: { type: Pet?, many: true, source: an id or schema Pet }",
    "toy: json?",
    "orders_by_pet: { list: Order.pet }",
    'pet: { type: Pet, source: "“petId” is named after it" }',
    "lines: { list: OrderLine.order }",
    "order: { type: Order, part of: true }",
    "extra: json?",
  ])
    expect(text).toContain(`    ${line}\n`);
  const { open } = compile([{ file: "draft.md", text }]);
  expect(open.map(({ statement }) => statement)).toEqual(
    expect.arrayContaining([
      "What POST /pets/{petId}/adopt does here is not shown.",
      "How the pattern of “number” (“^P”) applies here is not shown.",
    ]),
  );
  expect(text).toContain("- “password” is only written, such as a password.");
});

test("messages, and requests in place for a record that the answer has, are no records of their own", () => {
  const answer = (schema: string) =>
    `{ "200": { description: ok, content: { application/json: { schema: ${schema} } } } }`;
  const text = `
openapi: 3.0.3
info: { title: Desk, version: "1" }
paths:
  /notes:
    get: { responses: ${answer('{ type: object, properties: { data: { type: array, items: { $ref: "#/components/schemas/Notes" } }, meta: { type: object, properties: { count: { type: integer } } } } }')} }
    post:
      requestBody: { content: { application/json: { schema: { type: object, properties: { text: { type: string }, tone: { type: string } } } } } }
      responses: ${answer('{ type: object, properties: { data: { $ref: "#/components/schemas/Notes" } } }')}
  /server/info: { get: { responses: ${answer("{ type: object, properties: { data: { type: object } } }")} } }
  /random: { get: { responses: ${answer("{ type: object, properties: { value: { type: string } } }")} } }
  /tags: { get: { responses: ${answer("{ type: array, items: { type: object, properties: { tag: { type: string } } } }")} } }
components:
  schemas:
    Notes:
      type: object
      properties:
        id: { type: integer }
        text: { type: string }
        comment: { type: string }
        kind: { type: string, enum: ["", red, blue] }
        api_secret: { type: string }
        dateCreated: { type: string, format: date-time }
`;
  const { entities } = draftOpenapi(parse(text) as ApiObject);
  expect(
    entities.map(({ name, label, fields, questions }) => ({
      name,
      label,
      fields: fields.map(({ name: field, type, keys }) => `${field}: ${type}${String(keys.values ?? "")}`),
      questions,
    })),
  ).toEqual([
    {
      name: "Note",
      label: undefined,
      fields: ["text: text?", "comment: long text?", "kind: choice?red,blue"],
      questions: ["POST /notes also takes “tone”, which no answer has, so the field for it is not shown."],
    },
    { name: "Tag", label: "{tag}", fields: ["tag: text?"], questions: [] },
  ]);
});

test("version 2 is read as well, and schemas can contain themselves", () => {
  const { entities, calls } = draftOpenapi({
    swagger: "2.0",
    paths: {
      "/nodes": { get: { responses: { 200: { schema: { $ref: "#/definitions/Node" } } } } },
      // Credentials are only sent, and a token only answers them.
      "/tokens": {
        post: {
          parameters: [{ in: "body", schema: { $ref: "#/definitions/Credentials" } }],
          responses: { 200: { schema: { $ref: "#/definitions/Token" } } },
        },
      },
      "/loops": { get: { responses: { 200: { schema: { $ref: "#/definitions/Loop" } } } } },
    },
    definitions: {
      Node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/definitions/Node" } } },
      Credentials: { type: "object", properties: { email: { type: "string" } } },
      Token: { type: "object", properties: { token: { type: "string" } } },
      Loop: { $ref: "#/definitions/Loop" },
    },
  });
  expect(entities.map(({ name, fields }) => [name, fields.map((field) => `${field.name} ${field.type}`)])).toEqual([
    ["Node", ["name text?", "next Node?", "nodes "]],
  ]);
  expect(calls.join(" ")).toContain("POST /tokens");
});

test("the API of another application of Ninefold becomes its entities, without what each application has", () => {
  const lending = readFileSync(new URL("../../examples/lending.md", import.meta.url), "utf8");
  const { model } = compile([{ file: "lending.md", text: lending }]);
  if (model === undefined) throw new Error("the example has errors");
  const { entities, calls } = draftOpenapi(
    JSON.parse(JSON.stringify(buildOpenapi(model, allRoles(model), { version: 0, cookie: "session" }))),
  );
  expect(entities.map(({ name, fields }) => [name, fields.map((field) => `${field.name}: ${field.type}`)])).toEqual([
    ["Thing", ["name: text", "kind: choice", "place: text?", "note: text?", "availability: choice?", "loans: "]],
    [
      "Loan",
      [
        "thing: Thing",
        "borrower: User",
        "from_day: date",
        "due_day: date",
        "remark: text?",
        "reason: text?",
        "status: choice",
        "comments: Comment",
        "comments_by_loan: ",
      ],
    ],
    ["Comment", ["loan: Loan", "author: User", "text: text"]],
  ]);
  expect(calls).toEqual(
    ["hand_over", "decline", "take_back"].map((name) => `What POST /api/loans/{id}/${name} does here is not shown.`),
  );
});

test("any schemas become a document without an error", () => {
  const word = fc.oneof(hardName, fc.constantFrom("petId", ""), fc.string({ maxLength: 8 }));
  const schema = fc.letrec<{ one: object; object: object }>((tie) => ({
    one: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({
        type: fc.constantFrom("string", "integer", "number", "boolean", ["string", "null"], "nothing", 3),
        format: fc.constantFrom("date", "email", "uuid", "binary", "x"),
        enum: fc.constantFrom(undefined, ["a", "a b", null, ""], [1, 2]),
        minLength: fc.constantFrom(undefined, 0, 5),
        maximum: fc.constantFrom(undefined, 1e30, 3.5, -2),
        default: fc.constantFrom(undefined, 1, "a", true, null),
        example: fc.constantFrom(undefined, 'it\'s: "x"', 4, "a\u0000"),
        description: word,
      }),
      fc.constantFrom(
        { $ref: "#/components/schemas/One" },
        { $ref: "#/nowhere" },
        { oneOf: [{ type: "string" }, { type: "null" }] },
      ),
      fc.record({ type: fc.constant("array"), items: tie("one") }),
      tie("object"),
    ),
    object: fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(word, tie("one"), { maxKeys: 4 }),
      required: fc.constantFrom(["id", "a b"], 4, undefined),
    }),
  }));
  fc.assert(
    fc.property(schema.object, schema.object, word, word, (one, two, path, called) => {
      const operation = (body: object) => ({
        responses: { 200: { content: { "application/json": { schema: body } } } },
      });
      const { entities, calls } = draftOpenapi({
        openapi: "3.1.0",
        paths: {
          [`/${path}s`]: { get: operation({ $ref: `#/components/schemas/${called}` }) },
          [`/${path}`]: { get: operation(two), post: operation({ $ref: "#/components/schemas/One" }) },
          "/x": null,
        },
        components: { schemas: { One: one, [called]: one } },
      } as unknown as ApiObject);
      fc.pre(entities.length > 0);
      const once = format([{ file: "draft.md", text: writeDocument("x", { ...kind, calls }, entities) }]);
      expect(once.findings).toEqual([]);
      expect(errorsOf(once.sources[0]?.text ?? ""), once.sources[0]?.text).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-openapi-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the command reads JSON and YAML, and refuses everything else with a sentence", async () => {
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  expect(await draft([await file("pets.yaml", pets)])).toBe(exits.done);
  expect(printed).toContain("# Pet store\n");
  for (const [name, text, message] of [
    ["other.json", "{}", "is no OpenAPI description"],
    ["broken.json", "{", "can’t be read"],
    ["bomb.yaml", "a: &a [x, x]\nb: &b [*a, *a]\nopenapi: 3\nc: [*d]\n", "can’t be read"],
    ["empty.yml", "openapi: 3.1.0\npaths: {}\n", "has no call that gives or takes a record"],
  ] as const) {
    const failed = await draft([await file(name, text)]).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CommandFailed);
    expect((failed as CommandFailed).message).toContain(message);
  }
  vi.restoreAllMocks();
});
