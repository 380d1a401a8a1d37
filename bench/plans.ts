// The query plans of the most frequent requests to the leave desk, on 1,000,000 requests for leave. bench/plans.txt has the
// shape of each plan without costs. `npm run bench:plans -- [--keep FOLDER] [-u]` fails if a plan reads a whole table or
// differs from that file; `-u` updates the file.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import pg from "pg";
import { conventionalRoutes } from "../src/core/derive/http/routes.ts";
import { getPhrasesFor } from "../src/core/explain/language.ts";
import { createFormatter } from "../src/core/model/format.ts";
import type { Query } from "../src/postgres/database.ts";
import { buildSettings } from "../src/postgres/database.ts";
import { sessionQuery } from "../src/server/auth/sessions.ts";
import { type Intent, parseIntent, type Request } from "../src/server/intent.ts";
import type { Plan } from "../src/server/plan/plan.ts";
import { planIntent } from "../src/server/plan/plan-intent.ts";
import { cursorSeal, writeCursor } from "../src/server/plan/read/cursor.ts";
import { Statements } from "../src/server/plan/statements.ts";
import { openDesks } from "./leave/desks.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rows: { type: "string", default: "1000000" },
    update: { type: "boolean", short: "u", default: false },
  },
});
const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  rows: Number(options.rows),
});
const { model } = desks;
const context = {
  model,
  version: 1,
  statements: new Statements(),
  past: [],
  source: () => "",
  // A million requests are enough for an index of their texts.
  searched: new Set(["request"]),
};
const format = createFormatter(model.locale, model.timezone, { yes: "Yes", no: "No" });
const now = new Date("2026-10-01T08:00:00Z");
const person = "01970000-2710-7000-8cf5-97ad0221516b";
const record = "019f226a-72d8-7c9d-88a5-a4da467b76a5";

/** An intent as a request's address gives it. */
const request = (does: string, input: Partial<Request> = {}): Intent => {
  const route = conventionalRoutes(model).find(
    (one) =>
      one.entity === "Request" && (one.does.kind === "transition" ? one.does.transition : one.does.kind) === does,
  );
  if (route === undefined) throw new Error(`no call ${does}`);
  const request = { params: { id: record }, query: {}, body: undefined, ifMatch: undefined, idempotencyKey: undefined };
  const intent = parseIntent(route, { ...request, ...input }, model);
  if (intent.kind === "refusal") throw new Error(intent.code);
  return intent;
};
const listed = (query: Readonly<Record<string, string>>): Intent =>
  request("list", { query: { sort: "-first_day", limit: "50", ...query } });
const leave = { kind: "holiday", first_day: "2026-10-01", last_day: "2026-10-02", note: "A note." };

const paths: readonly (readonly [name: string, Intent, after?: readonly string[]])[] = [
  ["read one", request("read")],
  ["list those of a state", listed({ status: "submitted" })],
  ["list those of a state, the next page", listed({ status: "submitted" }), ["2026-07-12", record]],
  ["list those of every state", listed({})],
  ["list those of two states", request("list", { query: { sort: "-first_day", status: ["submitted", "granted"] } })],
  ["list those of one employee", listed({ employee: person })],
  ["search", listed({ search: "moving house" })],
  ["search those of a state", listed({ search: "moving house", status: "submitted" })],
  ["count those of a state", listed({ status: "submitted", count: "true" })],
  ["count all", listed({ count: "true" })],
  ["create", request("create", { body: leave })],
  ["submit", request("submit")],
  ["grant", request("grant")],
];

const roles: readonly (readonly [string, readonly string[]])[] = [
  ["who has no role", []],
  ["payroll", ["payroll"]],
];

const queriesOf = (intent: Intent, granted: readonly string[]): readonly Query[] => {
  const caller = {
    principal: { id: person, granted: new Set(granted) },
    now,
    today: "2026-10-01",
    phrases: getPhrasesFor("en"),
  };
  const planned = planIntent(context, intent, caller, format, record);
  if (planned.kind === "refusal") return [];
  // Its pages are counted in addition; the list itself was planned above.
  const first = firstBatch(planned);
  if (intent.kind === "list" && intent.count) return first.slice(-1);
  // If the fast path writes nothing, the checked form follows, with the same locks.
  const checked = "withoutFastPath" in planned ? planned.withoutFastPath?.() : undefined;
  return [...first, ...(checked === undefined ? [] : firstBatch(checked).slice(-1))];
};

const firstBatch = (plan: Plan): readonly Query[] => {
  const { done, value } = plan.steps().next();
  return done === true ? [] : value;
};

/** The cursor of the second page, as the first page would return it. */
const withCursor = (intent: Intent, after: readonly string[] | undefined): Intent => {
  if (after === undefined || intent.kind !== "list") return intent;
  const seal = cursorSeal(intent);
  return { ...intent, after: writeCursor(after, seal) };
};

const client = new pg.Client({
  connectionString: desks.url("ninefold"),
  options: Object.entries(buildSettings(60_000))
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" "),
});
await client.connect();
const explained = async ({ text }: Query): Promise<string> => {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain (generic_plan, costs off) ${text}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
};

try {
  const parts: string[] = [];
  parts.push(`# session\n\n${await explained(sessionQuery(model, "token", now))}`);
  for (const [name, intent, after] of paths)
    for (const [who, granted] of roles)
      for (const [i, query] of queriesOf(withCursor(intent, after), granted).entries())
        parts.push(`# ${name}: ${who}${i === 0 ? "" : ` (${i + 1})`}\n\n${await explained(query)}`);
  const text = `${parts.join("\n\n")}\n`;
  const file = new URL("plans.txt", import.meta.url);
  const known = existsSync(file) ? readFileSync(file, "utf8") : "";
  // The names of the people whom requests refer to are looked through once for a word of a search: they are few beside the requests.
  const all = text.split(/^(?=# )/mu).filter((part) => /Seq Scan on (?!"user" ref)/u.test(part));
  for (const part of all) console.log(`A whole table is read:\n${part}`);
  if (options.update || known === "") writeFileSync(file, text);
  else if (text !== known) {
    const before = new Set(known.split(/^(?=# )/mu).map((part) => part.trim()));
    for (const part of text.split(/^(?=# )/mu)) if (!before.has(part.trim())) console.log(`Another plan:\n${part}`);
  }
  const differs = !options.update && known !== "" && text !== known;
  console.log(
    `${parts.length} plans, ${all.length} of them read a whole table${differs ? "; they are not those that are kept" : ""}.`,
  );
  process.exitCode = all.length > 0 || differs ? 1 : 0;
} finally {
  await client.end();
  await desks.end();
}
