// Drafts from databases, spreadsheets and API descriptions that other people made: what each draft has, with what evidence, if it
// has an error, and what becomes of its rows. `npm run bench:drafts -- northwind.sql airports.csv people.csv+groups.csv api.yaml`;
// scripts of SQL are loaded into an embedded Postgres with `psql`. Needs a build. Writes docs/evidence/drafts.json, in which the
// numbers of an author (`author`) stay as they were entered. Nothing is asserted.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compile } from "../src/core/compile.ts";
import { connect } from "../src/postgres/database.ts";
import { type Embedded, startEmbedded } from "../src/postgres/embedded/index.ts";

const { values: options, positionals: sources } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "string" }, rows: { type: "boolean", default: false }, out: { type: "string" } },
});
const root = fileURLToPath(new URL("../", import.meta.url));
const evidence = options.out ?? join(root, "docs", "evidence", "drafts.json");
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "ninefold-drafts-"));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o711);

interface Draft {
  readonly source: string;
  readonly ms: number;
  readonly entities: number;
  readonly fields: number;
  readonly references: number;
  readonly rules: number;
  /** Fields whose clause names what shows it. The others have the type and the requirement of their column, and nothing else. */
  readonly fieldsWithEvidence: number;
  readonly openPoints: number;
  readonly findings: Readonly<Record<string, number>>;
  readonly rows?: readonly string[];
  readonly author?: unknown;
}

const ninefold = (args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { cwd: folder, encoding: "utf8" });

/** Loads a script into a new database. Returns its address. */
const load = async (script: string, owner: Embedded["owner"]): Promise<string> => {
  const name = basename(script, ".sql").replaceAll(/\W/gu, "_").toLowerCase();
  const database = connect({ connection: { ...owner }, max: 1 });
  await database.query({ text: `create database "${name}"`, values: [] }).finally(() => database.end());
  const url = `postgres://${owner.user}@/${name}?host=${encodeURIComponent(owner.host)}&port=${owner.port}`;
  // Scripts create a database of their own, or name roles that do not exist. Neither matters here.
  const text = readFileSync(script, "latin1").replaceAll(
    /^(?:\\c.*|(?:create|drop) database[^;]*;|alter .* owner to .*;)$/gimu,
    "",
  );
  execFileSync("psql", ["-q", "-X", url], {
    input: Buffer.from(text, "latin1"),
    stdio: ["pipe", "ignore", "ignore"],
    env: { ...process.env, PGOPTIONS: "-c synchronous_commit=off" },
  });
  return url;
};

const draft = (source: string, from: readonly string[]): Draft => {
  const name = basename(source).replaceAll(/\W+/gu, "-");
  const path = join(folder, `${name}.md`);
  const filled = join(folder, `${name}-with-rows.md`);
  for (const one of [path, filled]) rmSync(one, { force: true });
  const password = join(folder, "password");
  writeFileSync(password, "correct horse battery");
  const isWithRows = options.rows && !/\.(?:json|ya?ml)$/u.test(source);
  const target = [
    "--with-rows",
    "--data",
    join(folder, `${name}-data`),
    "--admin-email",
    "ada@example.com",
    "--admin-password-file",
    password,
  ];
  const begun = performance.now();
  const { status, stderr } = ninefold(["draft", ...from, "--out", path]);
  const ms = Math.round(performance.now() - begun);
  if (!existsSync(path)) throw new Error(`${source}: ${status} ${stderr}`);
  const text = readFileSync(path, "utf8");
  const { model, findings, open } = compile({ file: basename(path), text });
  const entities = [...(model?.entities.values() ?? [])].filter(({ name: entity }) => entity !== "User");
  const fields = entities.flatMap((entity) =>
    [...entity.fields.values()].filter(({ storage }) => storage.as === "column"),
  );
  const counted: Record<string, number> = {};
  for (const { severity, code } of findings) counted[`${severity} ${code}`] = (counted[`${severity} ${code}`] ?? 0) + 1;
  // Numbers that references name are fields only if the rows come along.
  const rows = isWithRows ? ninefold(["draft", ...from, "--out", filled, "--json", ...target]) : undefined;
  const { imported } = (rows === undefined ? {} : JSON.parse(rows.stdout)) as { readonly imported?: readonly string[] };
  return {
    source:
      sources.length === 0
        ? source
        : source
            .split("+")
            .map((one) => basename(one))
            .join("+"),
    ms,
    entities: entities.length,
    fields: fields.length,
    references: fields.filter(({ entity }) => entity !== null).length,
    rules: (text.match(/\belse: [A-Z_]+/gu) ?? []).length,
    fieldsWithEvidence: (text.match(/\bsource: /gu) ?? []).length,
    openPoints: open.length,
    findings: counted,
    ...(imported === undefined ? {} : { rows: imported }),
  };
};

const postgres = sources.some((source) => source.endsWith(".sql"))
  ? await startEmbedded({ folder: join(folder, "postgres"), name: "Drafts", demonstration: false })
  : undefined;
const startedPostgres = (): Embedded => {
  if (postgres === undefined) throw new Error("no Postgres was started");
  return postgres;
};
/** Writes a result beside those of other sources. What an author said about the source stays. */
const keepResult = (done: Draft): void => {
  const before = existsSync(evidence)
    ? (JSON.parse(readFileSync(evidence, "utf8")) as { readonly about?: unknown; readonly drafts: readonly Draft[] })
    : { drafts: [] };
  const author = before.drafts.find(({ source }) => source === done.source)?.author;
  const drafts = [
    ...before.drafts.filter(({ source }) => source !== done.source),
    author === undefined ? done : { ...done, author },
  ];
  const measured = new Date().toISOString().slice(0, 10);
  writeFileSync(evidence, `${JSON.stringify({ measured, about: before.about, drafts }, undefined, 2)}\n`);
};

try {
  for (const source of sources) {
    const from = source.endsWith(".sql") ? [await load(source, startedPostgres().owner)] : source.split("+");
    const done = draft(source, from);
    console.log(JSON.stringify(done));
    keepResult(done);
  }
} finally {
  await postgres?.stop();
  if (options.keep === undefined) rmSync(folder, { recursive: true });
}
