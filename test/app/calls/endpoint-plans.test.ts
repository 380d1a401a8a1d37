import { describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Principal } from "../../../src/core/derive/authorization/grants.ts";
import { uniqueName } from "../../../src/core/derive/tables/names.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { Row } from "../../../src/postgres/database.ts";
import type { Outcome } from "../../../src/server/plan/outcome.ts";
import { isProceed, isUndo, type Plan } from "../../../src/server/plan/plan.ts";
import { type EndpointPlan, planCustomEndpoint } from "../../../src/server/plan/plan-custom-endpoint.ts";
import { readerFormat } from "../../../src/server/plan/row/labels.ts";
import { Statements } from "../../../src/server/plan/statements.ts";

/* A custom endpoint is a plan like that of a conventional call. Its steps run here without a database. */

const { model, findings } = compile({
  file: "shelf.md",
  text: `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Shelf:
  fields: { name: { type: text, unique: true, max: 20 } }
Book:
  label: "{title}"
  fields: { shelf: Shelf, title: { type: text, unique: true, max: 40 } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { reader: { members: signed in } }
permissions:
  Shelf: { read: reader, create: reader }
  Book: { read: reader, create: reader, delete: none }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
calls:
  GET /shelves: { list: Shelf }
  POST /shelves: { create: Shelf, takes: { shelf: { name } }, gives: { name } }
  PUT /shelves: { ensure: Shelf, takes: { name } }
  POST /shelves/{shelf.name}/books: { create: Book, takes: { title } }
  POST /both: { do: [{ create: Shelf, takes: { shelf: { name } } }, { list: Shelf }] }
\`\`\`
`,
});
if (model === undefined) throw new Error(JSON.stringify(findings));

const context = { model, version: 1, statements: new Statements(), past: [], source: () => "" };
const id = "01a1f405-0000-7000-8000-000000000001";
const reader: Principal = { id: "01a1f405-0000-7000-8000-000000000000", granted: new Set() };
const caller = {
  principal: reader,
  now: new Date("2026-03-05T09:00:00Z"),
  today: "2026-03-05",
  phrases: getPhrasesFor("en"),
};

const planned = (
  name: string,
  body: Record<string, string> | { shelf: Record<string, string> },
  path: string[] = [],
) => {
  const call = model.calls.find((one) => one.name === name);
  if (call?.does.kind !== "steps") throw new Error(`no call ${name}: ${model.calls.map((one) => one.name).join(", ")}`);
  const { steps } = call.does;
  return planCustomEndpoint(context, readerFormat(model), {
    ...{ call, steps, caller, body, ids: steps.map(() => id) },
    address: { parameters: path, query: {}, headers: {} },
    ifMatch: undefined,
    idempotencyKey: undefined,
  });
};

/** Runs a plan with the rows of each batch, and follows the plans that it proceeds to. */
const run = (
  plan: Plan,
  answers: Row[][],
): { readonly batches: number[]; readonly ended: Outcome["kind"] | "refusal" } => {
  const batches: number[] = [];
  const steps = plan.steps();
  let step = steps.next();
  while (step.done !== true) {
    const { length } = step.value;
    batches.push(length);
    const rows = answers.shift() ?? [];
    step = steps.next(Array.from({ length }, (_, i) => (i === length - 1 ? rows : [])));
  }
  const ending = step.value;
  if (isUndo(ending)) return { batches, ended: ending.then.kind === "plan" ? "done" : "refusal" };
  if (!isProceed(ending)) return { batches, ended: ending.kind };
  const then = run(ending.then, answers);
  return { batches: [...batches, ...then.batches], ended: then.ended };
};

describe("the plan of a custom endpoint", () => {
  test("is one transaction if it has several steps", () => {
    expect(planned("POST /both", { shelf: { name: "A" } }).transaction).toBe("whole");
    expect(planned("POST /shelves", { shelf: { name: "A" } }).transaction).toBe("each batch");
  });

  test("looks up the record of the path before it writes", () => {
    const found = run(planned("POST /shelves/{shelf.name}/books", { title: "Emma" }, ["A"]), [
      [{ id }],
      [{ "is:done": true }],
    ]);
    // The lookup, then the locks with the insert.
    expect(found).toEqual({ batches: [1, 2], ended: "created" });
    const lost = run(planned("POST /shelves/{shelf.name}/books", { title: "Emma" }, ["B"]), [[]]);
    expect(lost).toEqual({ batches: [1], ended: "refusal" });
  });

  test("reads its response after the write, as a plan of its own", () => {
    const plan = planned("POST /shelves", { shelf: { name: "A" } });
    const { ended, batches } = run(plan, [[{ "is:done": true }], [{ answer: { name: "A" }, version: 1 }]]);
    expect({ ended, batches }).toEqual({ ended: "created", batches: [2, 1] });
  });

  test("finds what another created at the same moment", () => {
    const steps = planned("PUT /shelves", { name: "A" }).steps();
    steps.next();
    const ending = steps.next([[]]);
    if (ending.done !== true || !isProceed(ending.value)) throw new Error("there is nothing to create");
    const raced = ending.value.then.constraint(uniqueName("shelf", "name"));
    if (raced?.kind !== "plan") throw new Error("a refusal is final");
    expect(run(raced, [[{ id }], [{ id, version: 1 }]])).toEqual({ batches: [1, 1], ended: "found" });
    expect(run(raced, [[]])).toEqual({ batches: [1], ended: "refusal" });
  });

  test("names the place in the body of a value that another record took at the same moment", () => {
    const steps = (plan: EndpointPlan) => {
      const running = plan.steps();
      running.next();
      return plan.constraint(uniqueName("shelf", "name"));
    };
    const shelf = { shelf: { name: "A" } };
    expect(steps(planned("POST /both", shelf))).toMatchObject({ code: "TAKEN", at: [{ at: "/shelf/name" }] });
  });
});
