// Time for the copy of a preview for each GB, with and without masking, and the time that 16 readers and 8 writers wait
// meanwhile. `npm run bench:preview -- [--rows 100000] [--minutes 8]`; writes docs/evidence/preview.json. Nothing is
// asserted. A copy that is not complete at the end of its time is listed as not complete.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { compile } from "../src/core/compile.ts";
import type { BackupFrame } from "../src/postgres/backup/backup-file.ts";
import { connect } from "../src/postgres/database.ts";
import { startEmbedded, toConnectionUrl } from "../src/postgres/embedded/index.ts";
import { copyDatabase, createSiblingDatabase, toDatabase } from "../src/postgres/preview/preview-database.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../src/postgres/schema/prepare-system.ts";
import { maskFrames } from "../src/preview/mask/mask-frames.ts";
import { startPeople } from "./people.ts";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, minutes: { type: "string", default: "8" } },
});
const rows = Number(options.rows);
const end = performance.now() + Number(options.minutes) * 60_000;

const text = `# Stock

## 3. Entities
\`\`\`yaml
Item:
  fields:
    name: { type: text, max: 100, personal: true }
    address: { type: text, max: 200, personal: true }
    size: { type: integer, unique: true }
    kind: { type: choice, values: [a, b, c] }
    note: text?
    from: date?
\`\`\`
`;

/** Forwards frames until the time is over. */
async function* inTime(frames: AsyncIterable<BackupFrame>): AsyncGenerator<BackupFrame> {
  for await (const frame of frames) {
    if (performance.now() > end) throw new Error("the time of the measurement is over");
    yield frame;
  }
}

const folder = mkdtempSync(join(tmpdir(), "ninefold-preview-bench-"));
chmodSync(folder, 0o755);
const embedded = await startEmbedded({ folder, name: "preview", demonstration: false });
const url = toConnectionUrl(embedded.owner);
const owner = connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
const run = (statement: string) => owner.query({ text: statement, values: [] });
try {
  const { model, source, findings } = compile({ file: "stock.md", text });
  if (model === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  await prepareSystem(owner, undefined);
  await applyDocument(owner, model, source);
  await run(
    `insert into app.item (id, version, created_at, updated_at, name, address, size, kind, note, "from")
     select uuidv7(), 1, now(), now(), 'Person ' || n, n || ' Long Street, ' || md5(n::text), n, (array['a', 'b', 'c'])[1 + n % 3],
       repeat(md5(n::text), 12), date '2020-01-01' + n % 2000 from generate_series(1, ${rows}) n`,
  );
  const ids = (await run("select id from app.item order by random() limit 5000")).map(({ id }) => String(id));
  await run("vacuum analyze app.item");
  const [size] = await run("select pg_database_size(current_database()) as bytes");
  const gigabytes = Number(size?.bytes) / 1e9;
  const copies: Record<string, unknown>[] = [];
  for (const masked of [false, true]) {
    execFileSync("sync");
    const place = `ninefold_preview_bench_${masked ? "masked" : "plain"}`;
    await createSiblingDatabase(owner, place, undefined);
    const people = startPeople(url, ids);
    await sleep(2_000);
    await people("forget");
    const seconds = 3;
    await sleep(seconds * 1_000);
    const before = await people("forget");
    const begun = performance.now();
    const isComplete = await copyDatabase(url, String(toDatabase(url, place)), undefined, (frames) =>
      inTime(masked ? maskFrames(frames, { key: "measured", draft: model, starter: null }) : frames),
    ).then(
      () => true,
      (error: unknown) => {
        if (performance.now() <= end) throw error;
        return false;
      },
    );
    const took = (performance.now() - begun) / 1_000;
    const { read, write, done } = await people("end");
    copies.push({
      masked,
      complete: isComplete,
      seconds: Number(took.toFixed(1)),
      ...(isComplete ? { "seconds for each GB": Math.round(took / gigabytes) } : {}),
      "longest read, ms": Math.round(read.took),
      "longest write, ms": Math.round(write.took),
      "reads a second": Math.round(done.read / took),
      "writes a second": Math.round(done.write / took),
      "before, longest read, ms": Math.round(before.read.took),
      "before, longest write, ms": Math.round(before.write.took),
      "before, reads a second": Math.round(before.done.read / seconds),
      "before, writes a second": Math.round(before.done.write / seconds),
    });
    console.log(copies.at(-1));
    await run(`drop database "${place}" with (force)`);
    if (!isComplete) break;
  }
  const measured = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    rows,
    gigabytes: Number(gigabytes.toFixed(2)),
    load: Number(loadavg()[0]?.toFixed(1)),
    unit: "the copy of a database on the same disk, while 16 readers and 8 writers use the original with pauses of 10 and 20 ms",
    copies,
  };
  writeFileSync(
    new URL("../docs/evidence/preview.json", import.meta.url),
    `${JSON.stringify(measured, undefined, 2)}\n`,
  );
} finally {
  await owner.end();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
