import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../src/postgres/database.ts";
import { ChangeRefused } from "../../../src/postgres/schema/apply-steps.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const document = (points: { readonly [point: number]: string }): string =>
  [
    "# Claims",
    ...Object.entries(points).map(([point, yaml]) => `## ${point}. Point\n\`\`\`yaml\n${yaml.trim()}\n\`\`\``),
  ].join("\n\n");

const text = (records: string, more = "") =>
  document({
    3: `
Kind:
  label: "{name}"
  fields:
    number:  integer sequence
    name:    { type: text, unique: true, max: 40 }
    rate:    { type: decimal, default: 1, max: 2 }
    since:   date?
    tags:    { type: choice, values: [quick, dear], many: true }
    open:    { type: boolean, default: true }
    parent:  Kind?
    beside:  { type: Kind, many: true }
    words:   text?
    long:    { type: boolean, computed: "size(name) > 6" }
  records:
${records}
Claim:
  fields:
    kind:   Kind
    text:   text
    proof:  text?
    abroad: { type: boolean, computed: "kind == Kind.travel" }
    rate:   { type: decimal, kept: true, computed: "kind == Kind.travel ? Kind.travel.rate : kind.rate" }
${more}`,
    5: `
Claim:
  - { rule: "kind != Kind.travel || size(proof) > 0", else: PROOF_MISSING }
  - { unique: text, where: "kind == Kind.meal", else: TWICE }`,
    6: `
roles: { clerk: { members: granted } }
permissions:
  Kind:  { read: clerk, create: clerk, update: clerk, delete: clerk }
  Claim: { read: clerk, create: clerk, update: clerk, delete: clerk }`,
    8: `
PROOF_MISSING: A claim for {kind.name} needs a proof.
TWICE: { status: 409, message: There is such a meal. }`,
  });

const three = `
    travel: { name: Travel, rate: 1.50, since: 2026-01-31, tags: [quick, dear], open: no, beside: meal }
    meal:   { name: Meal, parent: travel }
    gifts:  { name: "Gifts, and the like", beside: [meal, travel] }`;

let store: TestDatabase;
let served: TestServer;
let clerk: ApiClient;
const ids = new Map<string, string>();

beforeAll(async () => {
  store = await database();
  served = await serveText(text(three.replace("open: no", "open: false")), { database: store });
  clerk = await served.person("Ada", ["clerk"]);
});
afterAll(() => store.end());

const reopened = async (document: string): Promise<readonly string[]> => {
  await served.stop();
  served = await serveText(document, { database: store });
  clerk = await served.person(
    `Eve ${Math.random()
      .toString(36)
      .replaceAll(/[^a-z]/gu, "")}`,
    ["clerk"],
  );
  return served.opened.applied.done;
};

describe("seed records", () => {
  test("exist from the start, with the values of the document and defaults for the others", async () => {
    const { items } = (await clerk.get("/api/kinds?sort=name")).list();
    for (const { id, key } of items) ids.set(String(key), id);
    expect(items.map(({ number }) => number).sort()).toEqual([1, 2, 3]);
    expect(items).toMatchObject([
      {
        key: "gifts",
        name: "Gifts, and the like",
        rate: "1",
        since: null,
        tags: [],
        open: true,
        parent: null,
        long: true,
        beside: [{ id: ids.get("meal") }, { id: ids.get("travel") }],
      },
      {
        key: "meal",
        name: "Meal",
        parent: { id: ids.get("travel") },
        long: false,
      },
      {
        key: "travel",
        name: "Travel",
        rate: "1.5",
        since: "2026-01-31",
        tags: ["quick", "dear"],
        open: false,
        beside: [{ id: ids.get("meal") }],
      },
    ]);
    const history = (await clerk.get(`/api/kinds/${ids.get("travel")}/history`)).history();
    expect(history).toMatchObject([{ action: "create", clause: "3.Kind.travel", person: null, document: 1 }]);
    expect(history[0]?.changes).toContainEqual({ field: "rate", before: null, after: "1.5" });
  });

  test("are constants for rules, fields and uniqueness", async () => {
    const [travel, meal] = [ids.get("travel"), ids.get("meal")];
    expect((await clerk.post("/api/claims", { kind: travel, text: "Train" })).problem()).toMatchObject({
      code: "PROOF_MISSING",
      detail: "A claim for Travel needs a proof.",
    });
    const claim = (await clerk.post("/api/claims", { kind: travel, text: "Train", proof: "A ticket" })).record();
    expect(claim).toMatchObject({ abroad: true, rate: "1.5" });
    expect((await clerk.post("/api/claims", { kind: meal, text: "Soup" })).record()).toMatchObject({
      abroad: false,
      rate: "1",
    });
    expect((await clerk.post("/api/claims", { kind: meal, text: "Soup" })).problem().code).toBe("TWICE");
    // The table has the constraint too.
    const checks = await store.query(
      "select pg_get_constraintdef(oid) as it from pg_constraint where conname = 'claim__rule_proof_missing'",
    );
    expect(String(checks.rows[0]?.it)).toContain(travel);
  });

  test("are read-only in the fields that the document sets, and writable in others", async () => {
    const at = `/api/kinds/${ids.get("travel")}`;
    expect((await clerk.patch(at, { name: "Trips" })).problem()).toMatchObject({ status: 403 });
    expect((await clerk.delete(at)).problem()).toMatchObject({ status: 403 });
    expect((await clerk.patch(at, { key: "trips" })).problem()).toMatchObject({
      status: 403,
      code: "NOT_YOURS_TO_WRITE",
    });
    expect((await clerk.patch(at, { words: "By train" })).record()).toMatchObject({
      words: "By train",
      name: "Travel",
    });
    const { may } = (await clerk.get(at)).record();
    expect(may).toMatchObject({ update: ["words"], delete: false });
    const own = (await clerk.post("/api/kinds", { name: "Parking" })).record();
    expect(own).toMatchObject({ key: null, may: { delete: true } });
    expect((await clerk.patch(`/api/kinds/${own.id}`, { name: "Park" })).record().name).toBe("Park");
    expect((await clerk.post("/api/kinds", { name: "X", key: "x" })).problem().code).toBe("NOT_YOURS_TO_WRITE");
  });

  test("follow the document: the plan shows how, and nothing is lost", async () => {
    const next = text(`
    travel: { name: Journeys, rate: 1.50, since: 2026-01-31, tags: [quick, dear], open: false }
    gifts:  { name: "Gifts, and the like" }
    other:  { name: Other }`).replaceAll("Kind.meal", "Kind.other");
    const says = [
      "3.Kind.other: add the record",
      "3.Kind.travel: update name",
      "3.Kind.meal: stop offering the record; it is kept because other records use it",
    ];
    const owner = connect({ connection: store.url, max: 1, statementTimeout: 10_000 });
    const { model, source } = compiled(next);
    const planned = await planDocument(owner, model, source).finally(() => owner.end());
    expect(planned.refused).toEqual([]);
    expect(planned.done).toEqual(expect.arrayContaining(says));
    expect(await reopened(next)).toEqual(expect.arrayContaining(says));
    expect(await reopened(next)).toEqual([]);

    expect((await clerk.get(`/api/kinds/${ids.get("travel")}`)).record()).toMatchObject({
      name: "Journeys",
      words: "By train",
    });
    // Existing references keep it, and new ones cannot use it.
    expect((await clerk.get(`/api/claims?kind=${ids.get("meal")}`)).list().items).toHaveLength(1);
    const refused = await clerk.post("/api/claims", { kind: ids.get("meal"), text: "Bread" });
    expect(refused.problem().code).toBe("NOT_AMONG");
    const offered = (await clerk.get("/api/kinds?among=Claim.kind&sort=name")).list().items;
    expect(offered.map(({ name }) => name)).toEqual(["Gifts, and the like", "Journeys", "Other", "Park"]);

    expect(await reopened(text("    travel: { name: Journeys }\n    meal: { name: Meal }"))).toEqual(
      expect.arrayContaining([
        "3.Kind.gifts: delete the record; no other record uses it",
        "3.Kind.other: delete the record; no other record uses it",
      ]),
    );
    expect((await clerk.post("/api/claims", { kind: ids.get("meal"), text: "Bread" })).status).toBe(201);
  });

  test("that collide with a stored record are refused with an explanation, and nothing is done", async () => {
    const before = (await store.query("select * from app.kind order by id")).rows;
    const next = text("    travel: { name: Journeys }\n    meal: { name: Meal }\n    parking: { name: Park }");
    await served.stop();
    const refused = await serveText(next, { database: store }).catch((error: unknown) => error);
    if (!(refused instanceof ChangeRefused)) throw refused;
    expect(refused.refused).toMatchObject([{ clause: "3.Kind" }]);
    expect(refused.refused[0]?.says).toContain("another record has the same value");
    expect((await store.query("select * from app.kind order by id")).rows).toEqual(before);
  });

  test("keep their ids when their entity is renamed", async () => {
    const named = text("    travel: { name: Journeys }\n    meal: { name: Meal }")
      .replaceAll(/\bKind\b/gu, "Sort")
      .replace("Sort:\n  label", "Sort:\n  was: Kind\n  label");
    await reopened(named);
    const { items } = (await clerk.get("/api/sorts?key=travel")).list();
    expect(items).toMatchObject([{ id: ids.get("travel"), name: "Journeys" }]);
    const claim = await clerk.post("/api/claims", { kind: ids.get("travel"), text: "Bus" });
    expect(claim.problem().code).toBe("PROOF_MISSING");
    expect(await reopened(named)).toEqual([]);
    const lines = (await clerk.get(`/api/sorts/${ids.get("travel")}/history`)).history();
    expect(lines.map(({ action }) => action)).toEqual(["update", "update", "create"]);
  });
});
