import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

const withCalls = (calls: string, more = "") => ({
  2: "/cases: { list: Case }\n/cases/{id}: { record: Case }\n/: { title: Overview, tiles: [{ count: Case }] }",
  3: "Case:\n  fields: { title: text, owner: User, code: { type: text, unique: true } }",
  7: `${more}\ncalls:\n${calls}`,
});

describe("CALL_TWICE", () => {
  test("two calls with one method and path, whatever their parameters are called", () => {
    const document = withCalls("  GET /all/{id}: { read: Case }\n  GET /all/{code}: { read: Case }");
    expect(found(document)).toEqual(["CALL_TWICE 7.GET /all/{code} «GET /all/{code}»"]);
    expect(found(withCalls("  GET /all/{id}: { read: Case }\n  DELETE /all/{id}: { delete: Case }"))).toEqual([]);
  });

  test("a call at the address of a screen", () => {
    const document = withCalls("  GET /cases/{code}: { read: Case }", "base: /");
    expect(found(document)).toEqual(["CALL_TWICE 7.GET /cases/{code} «GET /cases/{code}»"]);
    expect(foundOne(document).message).toBe("GET /cases/{code} is at the address of the screen /cases/{id}.");
    expect(found(withCalls("  GET /: { list: Case }", 'base: ""'))).toEqual(["CALL_TWICE 7.GET / «GET /»"]);
  });

  test("not below another base, nor by another method", () => {
    expect(found(withCalls("  GET /cases: { list: Case }"))).toEqual([]);
    expect(found(withCalls("  POST /cases: { create: Case }", "base: /"))).toEqual([]);
  });
});

test("NO_SUCH_PARAMETER: a parameter that matches no field", () => {
  expect(found(withCalls("  GET /by/{name}: { read: Case }")).map((one) => one.split(" ")[0])).toEqual([
    "NO_SUCH_PARAMETER",
  ]);
  expect(found(withCalls("  GET /by/{owner.name}: { list: Case }"))).toEqual([]);
});
