// Time for a plan and a replay of a document of 100 entities with a million rows and a million audit lines, the memory of the
// replay, and the time until it stops when it is cancelled. `npm run bench:rows -- [--rows 1000000]`;
// adds them to docs/evidence/change.json. Nothing is asserted.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../src/core/compile.ts";
import { connect } from "../src/postgres/database.ts";
import { startEmbedded, toConnectionUrl } from "../src/postgres/embedded/index.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../src/postgres/schema/prepare-system.ts";
import { draftAnswer } from "../src/server/authoring/draft/check-draft-sync.ts";
import { manyThings } from "./many-things.ts";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, entities: { type: "string", default: "100" } },
});
const [rows, entities] = [Number(options.rows), Number(options.entities)];

const before = manyThings(entities, "today");
/** Each draft changes the entity with the rows. */
const drafts: Readonly<Record<string, (text: string) => string>> = {
  "nothing stored": (text) => text.replace("kind != small || amount > 5", "kind != small || amount > 6"),
  "a new field": (text) => text.replace("owner:    { type: User", "size: integer?\n    owner:    { type: User"),
  "a removed field": (text) =>
    text
      .replace(/^.*note: {5}\{ type: long text\?.*\n/mu, "")
      .replace(/^.*size\(note\).*\n/mu, "")
      .replaceAll(", note, other", ", other")
      .replace(", asks: [note]", ""),
  "a rule that rows break": (text) => text.replace("max: 1000", "max: 900"),
  "a required field without values": (text) => text.replace("type: long text?", "type: long text"),
};
const draftOf = (edit: (text: string) => string) =>
  before.map(({ file, text }) => ({ file, text: file.endsWith("/thing7.md") ? edit(text) : text }));

const folder = mkdtempSync(join(tmpdir(), "ninefold-rows-"));
chmodSync(folder, 0o755);
const embedded = await startEmbedded({ folder, name: "rows", demonstration: false });
const url = toConnectionUrl(embedded.owner);
const owner = connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
const run = (text: string) => owner.query({ text, values: [] });
try {
  const { model, source, findings } = compile(before);
  if (model === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  await prepareSystem(owner, undefined);
  await applyDocument(owner, model, source);
  const [person] = await run(
    "insert into app.user (id, version, created_at, updated_at, name, email) values (uuidv7(), 1, now(), now(), 'Ada', 'ada@example.com') returning id",
  );
  const values: Readonly<Record<string, string>> = {
    ...{
      id: "uuidv7()",
      version: "1",
      created_at: "now() - interval '20 days'",
      updated_at: "now()",
      name: "'thing ' || n",
    },
    ...{ kind: "'large'", amount: "n % 1000", from_day: "date '2026-01-01'", to_day: "date '2026-02-01'" },
    ...{
      note: "case when n % 1000 > 0 then 'note' end",
      owner: `'${String(person?.id)}'`,
      status: "'draft'",
      state_since: "now()",
    },
  };
  const columns = (
    await run(
      "select attname as name from pg_attribute where attrelid = 'app.thing7'::regclass and attnum > 0 and attgenerated = ''",
    )
  ).map(({ name }) => String(name));
  await run(
    `insert into app.thing7 (${columns.map((name) => `"${name}"`).join(", ")}) select ${columns.map((name) => values[name] ?? "null").join(", ")} from generate_series(1, ${rows}) n`,
  );
  // Each record was created with an earlier amount, and changed once.
  await run(
    `insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
     select now() - interval '29 days' * (1 - row_number() over () / ${rows}.0), '${String(person?.id)}', 'Thing7', id, 'update', '6.Thing7.update', 1,
       jsonb_build_object('amount', jsonb_build_array(1, amount)) from app.thing7`,
  );
  await run("vacuum analyze app.thing7, ninefold.audit");
  const measured: Record<string, unknown>[] = [];
  for (const [what, edit] of Object.entries(drafts)) {
    const files = draftOf(edit);
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const answer = await draftAnswer({ files, owner: url });
    const result = answer.kind === "plan" ? (answer.change.refused.length > 0 ? "refused" : "planned") : answer.kind;
    const { user, system } = process.cpuUsage(used);
    measured.push({
      plan: what,
      result,
      "seconds, with both compilations": seconds(begun),
      "processor without the database, seconds": Number(((user + system) / 1e6).toFixed(2)),
    });
  }
  const files = draftOf(drafts["nothing stored"] ?? ((text) => text));
  const input = {
    files,
    owner: url,
    replay: { before, author: { id: String(person?.id), granted: new Set(["administrator"]) } },
  };
  let most = process.memoryUsage().rss;
  const [empty, watch] = [most, setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50)];
  const begun = performance.now();
  const answer = await draftAnswer(input);
  clearInterval(watch);
  const replay = {
    seconds: seconds(begun),
    "memory besides, MB": Math.round((most - empty) / 1e6),
    ...(answer.kind === "replay"
      ? {
          acts: answer.replay.acts,
          cut: answer.replay.cut,
          left: answer.replay.left.map(({ why, acts }) => `${why}: ${acts}`),
        }
      : { answer: answer.kind }),
  };
  console.table(measured);
  console.log(replay);
  const file = new URL("../docs/evidence/change.json", import.meta.url);
  const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const manyRows = {
    measured: new Date().toISOString().slice(0, 10),
    rows,
    entities,
    load: Number(loadavg()[0]?.toFixed(1)),
    unit: "seconds in a process that has compiled the document before; the rows and the lines of the audit are those of one entity",
    plans: measured,
    replay,
  };
  writeFileSync(file, `${JSON.stringify({ ...known, manyRows }, undefined, 2)}\n`);
} finally {
  await owner.end();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}

function seconds(begun: number): number {
  return Number(((performance.now() - begun) / 1_000).toFixed(2));
}
