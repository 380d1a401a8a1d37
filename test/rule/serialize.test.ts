import { readFileSync } from "node:fs";
import Big from "big.js";
import { describe, expect, test } from "vitest";
import { buildManifest } from "../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { deserializeExpr, serializeExpr } from "../../src/core/expression/rewrite/serialize.ts";
import { computedExpr } from "../../src/core/model/field.ts";
import { compiled, example } from "../app/program.ts";

/* A serialized expression gives equal results in the browser, and is serialized only if that discloses nothing. */

const { model } = compiled(readFileSync(example("purchasing"), "utf8"));
const fieldsFor = (granted: readonly string[]) => {
  const person = { id: "00000000-0000-7000-8000-000000000001", granted: new Set(granted) };
  return buildManifest(model, granted.includes("all") ? allRoles(model) : person, getPhrasesFor("en")).entities;
};
const reckonedBy = (granted: readonly string[], entity: string) =>
  fieldsFor(granted)[entity]?.fields.flatMap(({ name, reckoned }) => (reckoned === undefined ? [] : [name])) ?? [];

describe("an expression that is sent to the browser", () => {
  test("evaluates to exactly the same value", () => {
    const line = model.entities.get("Line");
    const request = model.entities.get("PurchaseRequest");
    const env = { now: "2026-11-21T12:00:00.000Z", today: "2026-11-21", rows: () => [] };
    const row = {
      id: "1",
      quantity: Big("3"),
      unit_price: Big("0.335"),
      taxed: "reduced",
      rate: Big(7),
      net: Big("1.00"),
    };
    let compared = 0;
    for (const [entity, name, record] of [
      [line, "rate", row],
      [line, "net", row],
      [line, "tax", row],
      [request, "net", { id: "2", lines: [row, { ...row, net: Big("2.50") }] }],
      [request, "gross", { id: "2", net: Big("3.50"), tax: Big("0.25") }],
    ] as const) {
      const field = entity?.fields.get(name);
      const expr = field === undefined ? null : computedExpr(field);
      if (expr === null) throw new Error(`${name} is not computed`);
      const restored = deserializeExpr(JSON.parse(JSON.stringify(serializeExpr(expr))));
      expect(String(toJs(restored)(record, env)), name).toBe(String(toJs(expr)(record, env)));
      compared += 1;
    }
    expect(compared).toBe(5);
  });

  test("reads only fields of the form", () => {
    expect(reckonedBy(["all"], "Line")).toEqual(["rate", "net", "tax"]);
    expect(reckonedBy(["all"], "PurchaseRequest")).toEqual(["net", "tax", "gross"]);
    // Arrivals depend on other records, and so does the rest of a budget.
    expect(reckonedBy(["all"], "Department")).toEqual([]);
  });

  test("names the entities whose records it reads, if the person can read all of them", () => {
    const daysFor = (read: string) => {
      const { model: leave } = compiled(`
## 3. Entities
\`\`\`yaml
Holiday: { fields: { day: date, local: boolean } }
Trip:
  fields:
    first: date
    last: date
    days: { type: integer, computed: "working_days(first, last, Holiday.map(h, h.day))" }
    half: { type: decimal, computed: "days / 2" }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { guest: { members: signed in } }
permissions:
  Holiday: { read: [${read}] }
  Trip: { read: guest, create: guest, update: guest, delete: none }
\`\`\`
`);
      const fields = buildManifest(leave, { id: "p", granted: new Set() }, getPhrasesFor("en")).entities.Trip?.fields;
      return (fields ?? []).map(({ name, reckoned, rows }) => [name, reckoned !== undefined, rows ?? []]);
    };
    const plain = [
      ["first", false, []],
      ["last", false, []],
    ];
    expect(daysFor("guest")).toEqual([...plain, ["days", true, ["Holiday"]], ["half", true, ["Holiday"]]]);
    for (const part of ['{ role: guest, when: "local" }', "{ role: guest, fields: [local] }"])
      expect(daysFor(part), part).toEqual([...plain, ["days", false, []], ["half", false, []]]);
  });

  test("is sent only to people who can read all its fields", () => {
    const { model: secret } = compiled(`
## 3. Entities
\`\`\`yaml
Thing: { fields: { cost: integer, margin: integer, price: { type: integer, computed: cost + margin } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { boss: { members: granted }, guest: { members: signed in } }
permissions:
  Thing: { read: [boss, { role: guest, fields: [cost, price] }], create: boss, update: boss, delete: none }
\`\`\`
`);
    const serializedFor = (granted: readonly string[]) =>
      buildManifest(secret, { id: "p", granted: new Set(granted) }, getPhrasesFor("en")).entities.Thing?.fields ?? [];
    expect(serializedFor(["boss"]).map(({ name, reckoned }) => `${name} ${reckoned !== undefined}`)).toContain(
      "price true",
    );
    expect(serializedFor([]).map(({ name, reckoned }) => `${name} ${reckoned !== undefined}`)).toEqual([
      "cost false",
      "price false",
    ]);
    expect(JSON.stringify(serializedFor([]))).not.toContain("margin");
  });
});
