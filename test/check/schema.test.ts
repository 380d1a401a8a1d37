import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { exportCommand } from "../../src/cli/export.ts";
import { type PointNumber, pointNumbers, readDocument } from "../../src/core/document/read.ts";
import { type Schema, toJsonSchema } from "../../src/core/document/schema.ts";
import { lazy, orKeyName } from "../../src/core/document/shape/combinators.ts";
import { keyed, list, named } from "../../src/core/document/shape/list-and-mapping.ts";
import { optional, record, required } from "../../src/core/document/shape/record.ts";
import { plainText, word } from "../../src/core/document/shape/scalar.ts";
import type { Shape } from "../../src/core/document/shape.ts";
import { pointShapes } from "../../src/core/sections/syntax.ts";
import { type Json, jsonOf, takes } from "./json-schema.ts";

const point = (number: PointNumber): Schema => toJsonSchema(`Point ${number}`, [pointShapes[number]]);
const every = toJsonSchema(
  "Any point",
  pointNumbers.map((number) => pointShapes[number]),
);

const examples = ["../../examples", "../specs"].flatMap((folder) => {
  const url = new URL(`${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => [file, readFileSync(new URL(file, url), "utf8")] as const);
});

describe("accepts every block of the examples", () => {
  test.each(examples)("%s", (file, source) => {
    const { value } = readDocument([{ file, text: source }]);
    for (const { number, blocks } of value.points.values())
      for (const block of blocks)
        for (const json of [jsonOf(block, true), jsonOf(block, false)]) {
          expect(takes(point(number), json), `point ${number}`).toBe(true);
          expect(takes(every, json)).toBe(true);
        }
  });
});

describe("refuses keys and values that the language does not know", () => {
  const blocks: { readonly [N in PointNumber]?: readonly [good: Json, ...bad: readonly Json[]] } = {
    1: [{ name: "Desk", ninefold: 1 }, { nmae: "Desk" }, { name: ["Desk"] }],
    2: [
      { "/cases": { list: "Case", columns: ["title"] } },
      { "/cases": { list: "Case", column: ["title"] } },
      { "/cases": { list: "case" } },
      { "/cases": "Case" },
    ],
    3: [
      { Case: { fields: { title: "text", size: { type: "integer", min: 1 } } } },
      { Case: { field: {} } },
      { case: {} },
      { Case: { fields: { Title: "text" } } },
      { Case: { fields: { title: { typ: "text" } } } },
    ],
    4: [
      { Case: { states: ["open", { done: { tone: "good" } }], transitions: { end: { from: "open", to: "done" } } } },
      { Case: { states: [{ done: { tone: "green" } }] } },
      { Case: { states: [{ open: {}, done: {} }] } },
      { Case: { transitions: { end: { from: "open" } } } },
    ],
    5: [
      { Case: [{ rule: "size > 1", else: "WRONG" }] },
      { Case: { rule: "size > 1", else: "WRONG" } },
      { Case: [{ rule: "true" }] },
    ],
    6: [
      {
        roles: { clerk: "granted", Case: { author: "author == user" } },
        permissions: { Case: { read: ["clerk", { like: { case: "read" } }] } },
      },
      { roles: { clerk: "some" } },
      { permissions: { Case: { view: ["clerk"] } } },
      { permissions: { Case: { read: [{ like: { case: "see" } }] } } },
    ],
    7: [
      { shapes: { Case: { entry: { title: null, by: { name: "author.name" } } } }, conventional: ["Case"] },
      { shapes: { Case: { entry: { by: { name: ["x"] } } } } },
      { calls: { "GET /cases": { lists: "Case" } } },
    ],
    8: [
      { WRONG: "It is wrong.", OTHER: { status: 409, message: "No." } },
      { WRONG: { status: 409 } },
      { WRONG: { status: "some", message: "No." } },
    ],
    9: [
      { page_size: 50, name: "desk", on: true, cold: ["blue", "green"] },
      { fee: { value: 5, type: "price" } },
      ["page_size"],
    ],
  };

  test.each(pointNumbers.map((number) => [number, blocks[number]] as const))(
    "point %i",
    (number, [good, ...bad] = [{}]) => {
      expect(takes(point(number), good)).toBe(true);
      for (const json of bad) expect(takes(point(number), json), JSON.stringify(json)).toBe(false);
    },
  );

  test("accepts “not shown” for any value and for a whole block", () => {
    expect(
      takes(point(3), { Case: { fields: { title: "not shown", size: { type: "integer", max: "not shown" } } } }),
    ).toBe(true);
    expect(takes(point(4), { Case: "not shown" })).toBe(true);
    expect(takes(point(6), "not shown")).toBe(true);
  });
});

describe("a schema", () => {
  test("uses draft 2020-12, and all its references exist", () => {
    expect(every.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    for (const [, name = ""] of JSON.stringify(every).matchAll(/"#\/\$defs\/([^"]*)"/gu))
      expect(every.$defs).toHaveProperty([name]);
  });

  test("defines repeated and recursive shapes once", () => {
    const tree: Shape<unknown> = lazy("a tree", () => keyed("a tree", orKeyName(tree)));
    const schema = toJsonSchema("Trees", [named("field", tree), list(tree)]);
    expect(Object.keys(schema.$defs ?? {})).toEqual(["a-tree"]);
    expect(takes(schema, { oak: { leaf: null, branch: { leaf: null } } })).toBe(true);
    expect(takes(schema, [{ branch: 3 }])).toBe(false);
  });

  test("has the keys of a record, its required keys and its short form", () => {
    const shape = record("a light", { colour: required(word("red", "green")), place: optional(plainText) }, "colour");
    expect(toJsonSchema("Light", [shape])).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Light",
      description: "a light",
      anyOf: [
        {
          type: "object",
          description: "a light",
          properties: {
            colour: { enum: ["red", "green", "not shown"], description: "“red” or “green”" },
            place: { type: ["string", "number", "boolean"], description: "text" },
            source: { type: ["string", "number", "boolean"], description: "text" },
            basis: { type: ["string", "number", "boolean"], description: "text" },
          },
          additionalProperties: false,
          required: ["colour"],
        },
        { enum: ["red", "green", "not shown"] },
      ],
    });
  });
});

describe("ninefold export schema", () => {
  const exported = async (...args: readonly string[]): Promise<Schema> => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      expect(await exportCommand(args)).toBe(0);
      return JSON.parse(String(write.mock.calls[0]?.[0])) as Schema;
    } finally {
      write.mockRestore();
    }
  };

  test("writes the schema of all points or of one point", async () => {
    expect((await exported("schema")).anyOf).toEqual(every.anyOf);
    expect(await exported("schema", "--point", "9")).toEqual({ ...point(9), title: "Ninefold, point 9" });
  });

  test.each([[[]], [["model"]], [["schema", "more"]], [["schema", "--point", "0"]]])("refuses %j", (args) =>
    expect(exportCommand(args)).rejects.toMatchObject({ exit: 2 }),
  );
});
