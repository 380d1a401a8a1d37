import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../../src/core/wire/authoring/job.ts";
import { findRunning } from "../../../src/postgres/embedded/index.ts";
import { axeFindings } from "../../web/axe.ts";
import { complaints, visitWith } from "../../web/browser.ts";
import { type Answer, type ApiClient, freePort, type Program, startProgram } from "../program.ts";

/*
 * A version with a backfill of many records, published by the real program while people write: over HTTP, in the
 * browser, and through kills of the program and of its Postgres.
 */

const stock = (fields: string) => `# Stock

## 2. Lists
\`\`\`yaml
/items: { list: Item, sort: [name] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Item:
  fields:
    name: { type: text, max: 100 }
    size: integer
    weight: integer?
${fields}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Item: { read: [member], create: [member], update: [member] } }
\`\`\`
`;

/** More than the number from which on a table is changed in phases. */
const MANY = 12_000;

/** Milliseconds to wait for a job, which leaves most of a busy machine to people. */
const PATIENCE = 240_000;
const patient = { timeout: 2 * PATIENCE };

let program: Program;
let admin: ApiClient;
/** Fields of the version that is live. */
let live = "";

const store = async (text: string): Promise<Record<string, unknown>[]> => {
  const running = await findRunning(program.data);
  if (running === undefined) throw new Error("Postgres does not run");
  const client = new pg.Client(running.owner);
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  program = await startProgram({ text: stock(""), port: await freePort() });
  admin = await program.signInAs("administrator");
  await store(`insert into app.item (id, version, created_at, updated_at, name, size)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'stored ' || n, n from generate_series(1, ${MANY}) n`);
  // A job waits at this gate in the middle of its records for as long as a test holds it.
  await store(`create function public.gate() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(4711); return new; end $$;
    create trigger gate before update on app.item for each row
      when (current_setting('ninefold.job', true) = 'on' and new.name = 'stored ${MANY / 2}') execute function public.gate();`);
});

/** Holds jobs in the middle of their backfill until it is called. */
const hold = async (): Promise<() => Promise<void>> => {
  const running = await findRunning(program.data);
  const client = new pg.Client(running?.owner);
  // Its Postgres may be stopped first.
  client.on("error", () => undefined);
  await client.connect();
  await client.query("select pg_advisory_lock(4711)");
  return () => client.end();
};

const publish = async (fields: string): Promise<Answer> => {
  const { hash, files } = (await admin.get("/_/document")).body as DocumentJson;
  return admin.post("/_/document", { base: hash, files: files.map(({ file }) => ({ file, text: stock(fields) })) });
};

const newest = async (): Promise<JobJson | null> => ((await admin.get("/_/job")).body as NewestJobJson).newest;

/** The newest job, once it is as wanted. */
const jobIn = async (...states: readonly JobJson["state"][]): Promise<JobJson> => {
  for (const end = Date.now() + PATIENCE; ; await sleep(30)) {
    const answer = await admin.get("/_/job").catch(() => undefined);
    const job = answer?.status === 200 ? (answer.body as NewestJobJson).newest : null;
    if (job !== null && states.includes(job.state)) return job;
    if (Date.now() > end) throw new Error(`no job in ${states.join(", ")}: ${answer?.text}`);
  }
};

const inMiddle = async (): Promise<JobJson> => {
  for (const end = Date.now() + PATIENCE; ; await sleep(30)) {
    const job = await jobIn("running");
    if (job.steps.some(({ done, state }) => done > 0 && state === "waiting")) return job;
    if (Date.now() > end) throw new Error(JSON.stringify(job));
  }
};

/** Objects that an unfinished job leaves behind. */
const leftovers = async (): Promise<number> =>
  Number(
    (
      await store(`select (select count(*) from pg_trigger where tgname like 'ninefold#%') + (select count(*) from pg_class where relname like '%#next')
        + (select count(*) from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'app'::regnamespace and col_description(c.oid, a.attnum) = 'ninefold#next')
        + (select count(*) from ninefold.touched) + (select count(*) from pg_constraint where not convalidated) as count`)
    )[0]?.count,
  );

test("publishing many records is accepted, shown, paused, resumed and abandoned over HTTP", patient, async () => {
  expect((await admin.post("/_/job/pause")).problem()).toMatchObject({ status: 409, code: "PUBLISHING_ENDED" });
  let release = await hold();
  const accepted = await publish('    double: { type: integer, fill: "size * 2" }');
  expect(accepted.status).toBe(202);
  expect(accepted.body).toMatchObject({ state: "running", version: null, refused: [] });
  const job = await inMiddle();
  expect(job.job).toBe((accepted.body as JobJson).job);
  const step = job.steps.find(({ phase }) => phase === "backfill");
  expect([job.phase, step?.clause, step?.state]).toEqual(["backfill", "3.Item.double", "waiting"]);
  expect(step?.total).toBeGreaterThanOrEqual(MANY);
  expect(step?.done).toBeLessThan(MANY / 2);
  // People work on, under the earlier version.
  const created = await admin.post("/api/items", { name: "meanwhile", size: 21 });
  expect([created.status, created.headers.get("ninefold-version")]).toEqual([201, "1"]);
  expect((await publish("    other: text?")).problem()).toMatchObject({ status: 409, code: "ALREADY_PUBLISHING" });

  expect((await admin.post("/_/job/pause")).body).toMatchObject({ state: "paused" });
  await release();
  const paused = await newest();
  expect((await admin.post("/_/job/pause")).problem().code).toBe("PUBLISHING_ENDED");
  expect((await publish("    other: text?")).problem().code).toBe("ALREADY_PUBLISHING");
  expect(await newest()).toEqual(paused);
  expect((await admin.post("/_/job/resume")).status).toBe(202);
  expect(await jobIn("done")).toMatchObject({ version: 2, refused: [] });
  live = "    double: integer";
  expect((await admin.get(`/api/items/${created.record().id}`)).record()).toMatchObject({ size: 21, double: 42 });
  expect(await store("select count(*)::int as wrong from app.item where double is distinct from size * 2")).toEqual([
    { wrong: 0 },
  ]);
  expect(await leftovers()).toBe(0);

  release = await hold();
  const again = await publish(`${live}\n    triple: { type: integer, fill: "size * 3" }`);
  expect(again.status).toBe(202);
  await inMiddle();
  expect((await admin.post("/_/job/abandon")).status).toBe(202);
  expect(await jobIn("abandoned")).toMatchObject({ version: null });
  await release();
  expect((await admin.post("/_/job/resume")).problem().code).toBe("PUBLISHING_ENDED");
  expect((await admin.get("/_/document")).body).toMatchObject({ version: 2 });
  expect(await leftovers()).toBe(0);
});

test(
  "a value that cannot be computed for one of the last records leaves the earlier version live",
  patient,
  async () => {
    const last = `00000000-0000-4000-8000-${(MANY - 1).toString(16).padStart(12, "0")}`;
    await store(`update app.item set weight = 2000000000 where id = '${last}'`);
    const heavy = `${live}\n    heavy: { type: integer, fill: "weight == null ? 1 : weight * 2000000000 * 3" }`;
    // It ends before or after two seconds.
    const answer = await publish(heavy);
    expect([202, 409]).toContain(answer.status);
    const failed = await jobIn("failed");
    expect(failed).toMatchObject({
      version: null,
      refused: [
        {
          clause: "3.Item.heavy",
          says: "3.Item.heavy can’t become required: 1 record has no value for it. “fill” gives them none.",
          records: [`/items/${last}`],
        },
      ],
    });
    expect((await admin.get("/_/document")).body).toMatchObject({ version: 2 });
    expect((await admin.get(`/api/items/${last}`)).record()).toMatchObject({ weight: 2_000_000_000, size: MANY - 1 });

    // Corrected, it goes on with the record; then it is abandoned, or it would be live.
    expect((await admin.post("/_/job/abandon")).status).toBe(202);
    await jobIn("abandoned");
    expect(await leftovers()).toBe(0);
    expect((await publish(heavy)).status).not.toBe(500);
    await jobIn("failed");
    await store(`update app.item set weight = null where id = '${last}'`);
    await admin.post("/_/job/resume");
    const done = await jobIn("done", "failed");
    expect(done).toMatchObject({ state: "done", version: 3, refused: [] });
    live += "\n    heavy: integer";
    expect(
      await store(
        "select count(*)::int as wrong from app.item where heavy is distinct from 1 and name like 'stored %'",
      ),
    ).toEqual([{ wrong: 0 }]);
    expect(await leftovers()).toBe(0);
  },
);

test("in the browser, progress survives a reload, and the keyboard pauses, resumes and abandons", patient, async () => {
  const release = await hold();
  expect((await publish(`${live}\n    triple: { type: integer, fill: "size * 3" }`)).status).toBe(202);
  await inMiddle();
  const page = await visitWith(program.url, admin.cookie(), { path: "/workbench/versions" });
  const note = page.getByRole("region", { name: "Version being published" });
  await note.getByRole("progressbar").waitFor();
  await note.getByText("3.Item.triple").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.reload();
  await note.getByRole("progressbar").waitFor();
  await note.getByRole("button", { name: "Pause" }).press("Enter");
  await note.getByRole("button", { name: "Resume" }).waitFor();
  expect((await newest())?.state).toBe("paused");
  await page.reload();
  await note.getByRole("button", { name: "Resume" }).press("Enter");
  await note.getByRole("button", { name: "Pause" }).waitFor();
  await note.getByRole("button", { name: "Abandon" }).press("Enter");
  await note.waitFor({ state: "detached" });
  expect((await newest())?.state).toBe("abandoned");
  await release();
  expect(complaints(page)).toEqual([]);
  expect(await leftovers()).toBe(0);
});

/** Writes continuously. Each request is repeated with its key until it is acknowledged. */
class Writer {
  /** The size last acknowledged of each record, and the moment. */
  readonly acknowledged = new Map<string, { readonly size: number; readonly at: number }>();
  #more: Record<string, number> = {};
  #isOn = true;
  readonly #ended: Promise<void>;
  constructor(name: string) {
    this.#ended = this.#work(name);
  }

  async #work(name: string): Promise<void> {
    for (let n = 0; this.#isOn; n++) {
      const created = await this.#send((fields) => [
        "POST",
        "/api/items",
        { name: `${name} ${n}`, size: n, ...fields },
      ]);
      const id = created.record().id;
      this.acknowledged.set(id, { size: n, at: Date.now() });
      await this.#send(() => ["PATCH", `/api/items/${id}`, { size: n + 1_000 }]);
      this.acknowledged.set(id, { size: n + 1_000, at: Date.now() });
      await sleep(5);
    }
  }

  async #send(what: (more: Record<string, number>) => readonly [string, string, object]): Promise<Answer> {
    const key = randomUUID();
    for (const end = Date.now() + PATIENCE; ; await sleep(20)) {
      const [method, path, body] = what(this.#more);
      const answer = await admin
        .send(method, path, body, { headers: { "idempotency-key": key } })
        .catch(() => undefined);
      if (answer !== undefined && answer.status < 300) return answer;
      // A new version requires another field.
      if (answer?.status === 422) {
        for (const { at } of answer.problem().errors ?? []) this.#more = { ...this.#more, [at.replace("/", "")]: 7 };
        const again = await admin.send(method, path, what(this.#more)[2]).catch(() => undefined);
        if (again !== undefined && again.status < 300) return again;
      }
      if (Date.now() > end) throw new Error(`not acknowledged: ${answer?.text}`);
    }
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#ended;
  }
}

const postmaster = () => Number.parseInt(readFileSync(join(program.data, "postgres", "postmaster.pid"), "utf8"), 10);

test.each(["the program", "its Postgres"])(
  "SIGKILL of %s at a random moment: the job is resumed, and nothing acknowledged is lost",
  patient,
  async (killed) => {
    const { version: before } = (await admin.get("/_/document")).body as DocumentJson;
    const field = `more${before}`;
    const writers = Array.from({ length: 6 }, (_, i) => new Writer(`${field} writer ${i}`));
    const last = (await newest())?.job ?? 0;
    const release = await hold();
    expect((await newest())?.state).toMatch(/^(?:done|abandoned)$/u);
    const answer = publish(`${live}\n    ${field}: { type: integer, fill: "size * 2" }`).catch(() => undefined);
    for (let job = await newest(); job === null || job.job === last; job = await newest()) await sleep(10);
    // Some kills come before the middle of the records, the others at any moment after it.
    if (randomInt(3) === 0) await sleep(randomInt(400));
    else {
      await inMiddle();
      await release();
      await sleep(randomInt(800));
    }
    if (killed === "its Postgres") process.kill(postmaster(), "SIGKILL");
    else {
      await program.stop("SIGKILL");
      program = await startProgram({ file: program.file, data: program.data, port: program.port });
    }
    await release().catch(() => undefined);
    await answer;
    expect(await jobIn("done", "failed", "paused", "abandoned")).toMatchObject({ state: "done", refused: [] });
    await Promise.all(writers.map((writer) => writer.stop()));
    expect((await admin.get("/_/document")).body).toMatchObject({ version: before + 1 });
    live += `\n    ${field}: integer`;

    const items = new Map((await store("select * from app.item")).map((row) => [String(row.id), row]));
    const acknowledged = writers.flatMap((writer) => [...writer.acknowledged]);
    expect(acknowledged.length).toBeGreaterThan(0);
    const [switched] = await store(`select applied_at from ninefold.version where number = ${before + 1}`);
    for (const [id, { size, at }] of acknowledged) {
      const item = items.get(id);
      expect([id, Number(item?.size)]).toEqual([id, size]);
      // A later write may be one of the earlier version that waited for the switch.
      if (at < Number(switched?.applied_at)) expect([id, Number(item?.[field])]).toEqual([id, 2 * size]);
    }
    expect([...items.values()].filter((item) => item[field] === null)).toEqual([]);
    expect(await leftovers()).toBe(0);
  },
);
