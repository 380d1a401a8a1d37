// Parts of the server that are written by hand, each beside a library for the same.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fastify } from "fastify";
import type { Field } from "../../src/core/model/field.ts";
import { pluralize } from "../../src/core/model/inflection.ts";
import { sizeOfJson } from "../../src/core/wire/json-bounds.ts";
import { connect } from "../../src/postgres/database.ts";
import { startEmbedded, toConnectionUrl } from "../../src/postgres/embedded/index.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { detectMediaType } from "../../src/server/files/media-type.ts";
import { buildSecurityHeaders } from "../../src/server/http/security-headers.ts";
import { csvLine, formatHead } from "../../src/server/records/csv.ts";

/** Imports a library from the folder of the benchmark. */
export type LoadLibrary = (name: string) => Promise<unknown>;

const microseconds = async (times: number, work: (i: number) => unknown): Promise<number> => {
  for (let i = 0; i < times / 10; i++) await work(i);
  const start = performance.now();
  for (let i = 0; i < times; i++) await work(i);
  return Number((((performance.now() - start) * 1_000) / times).toFixed(1));
};

/** Cells that a spreadsheet would read as a formula: as they are, or with another separator or without quotes. */
const formulas = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(1)",
  "＝1+1",
  "\t=1",
  "\r=1",
  " =1+1",
  '"=1',
  "a;=1+1",
  "a\n=1+1",
  "a\t=1",
];

const measureCsv = async (load: LoadLibrary) => {
  const { stringify } = (await load("csv-stringify/sync")) as {
    stringify: (rows: readonly (readonly string[])[], options: object) => string;
  };
  const write = (cells: readonly string[]) => stringify([cells], { escape_formulas: true, record_delimiter: "\r\n" });
  const toHarmless = (cell: string) => formatHead({ title: cell, type: "text" } as Field);
  const row = ["Bosch drill", "lent", "2026-01-31", "12.50", "a, b", 'the "old" one'];
  const rows = Array.from({ length: 1_000 }, () => row);
  return {
    "dangerous cells": formulas.length,
    "harmless by ours": formulas.filter((cell) => toHarmless(cell) !== cell).length,
    "harmless by csv-stringify": formulas.filter((cell) => write([cell]).includes("'")).length,
    "microseconds for a thousand rows, ours": await microseconds(300, () =>
      rows.map((cells) => csvLine(cells.map(toHarmless))).join(""),
    ),
    "microseconds for a thousand rows, csv-stringify": await microseconds(300, () =>
      stringify(rows, { escape_formulas: true, record_delimiter: "\r\n" }),
    ),
  };
};

const measureHeaders = async (load: LoadLibrary) => {
  const { default: helmet } = (await load("@fastify/helmet")) as { default: Parameters<typeof app.register>[0] };
  const app = fastify();
  const ours = fastify();
  const headers = buildSecurityHeaders({ origin: "https://desk.example.com" } as never, 1);
  ours.addHook("onRequest", (_, reply, done) => {
    reply.headers(headers);
    done();
  });
  const plain = fastify();
  await app.register(helmet);
  const ask = (one: typeof app) => microseconds(5_000, () => one.inject("/"));
  for (const one of [app, ours, plain]) one.get("/", () => ({ ok: true }));
  return { none: await ask(plain), ours: await ask(ours), "@fastify/helmet": await ask(app) };
};

/** A megabyte of nested lists, which the server refuses. Fastify's own parser reads it. */
const measureJson = async () => {
  const half = 2 ** 19;
  const bytes = Buffer.from("[".repeat(half) + "]".repeat(half));
  const parse = fastify().getDefaultJsonParser("error", "error");
  const read = () =>
    new Promise((resolve) => {
      parse({} as never, bytes.toString(), (error, value) => resolve(error ?? value));
    });
  return { ours: await microseconds(20, () => sizeOfJson(bytes)), fastify: await microseconds(20, read) };
};

const names = [
  "loan",
  "category",
  "box",
  "class",
  "day",
  "person",
  "child",
  "man",
  "status",
  "analysis",
  "series",
  "shelf",
];
const plurals = "loans categories boxes classes days people children men statuses analyses series shelves".split(" ");

const measurePlurals = async (load: LoadLibrary) => {
  const { default: plural } = (await load("pluralize")) as { default: (word: string) => string };
  return {
    words: names.length,
    "right by ours": names.filter((name, i) => pluralize(name) === plurals[i]).length,
    "right by pluralize": names.filter((name, i) => plural(name) === plurals[i]).length,
  };
};

const text = Buffer.from("<!doctype html><script>alert(1)</script>".repeat(100));
const files: readonly (readonly [name: string, bytes: Buffer, type: string])[] = [
  ["picture.png", text, "text/plain"],
  ["notes.md", Buffer.from("# Notes"), "text/markdown"],
  ["rows.csv", Buffer.from("a,b\n1,2"), "text/csv"],
  ["picture.svg", Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), "text/plain"],
  ["report.pdf", Buffer.from("%PDF-1.7"), "application/pdf"],
  ["photo.jpg", Buffer.from("\xff\xd8\xff\xe0", "latin1"), "image/jpeg"],
];

/** Only the types that the server delivers count; a type of text that could run must be plain text. */
const measureMediaTypes = async (load: LoadLibrary) => {
  const { fileTypeFromBuffer } = (await load("file-type")) as {
    fileTypeFromBuffer: (bytes: Uint8Array) => Promise<{ mime: string } | undefined>;
  };
  const found = await Promise.all(files.map(([, bytes]) => fileTypeFromBuffer(bytes)));
  return {
    files: files.length,
    "right by ours": files.filter(([name, bytes, type]) => detectMediaType(bytes, name) === type).length,
    "right by file-type": files.filter(([, , type], i) => found[i]?.mime === type).length,
  };
};

/** A call to another program, added by a statement of its own. */
const measureJobs = async (load: LoadLibrary) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-jobs-"));
  chmodSync(folder, 0o755);
  const embedded = await startEmbedded({ folder, name: "jobs", demonstration: false });
  const owner = connect({ connection: toConnectionUrl(embedded.owner), max: 1, statementTimeout: 60_000 });
  try {
    await prepareSystem(owner, undefined);
    const { runMigrations } = (await load("graphile-worker")) as {
      runMigrations: (options: { connectionString: string }) => Promise<void>;
    };
    await runMigrations({ connectionString: toConnectionUrl(embedded.owner) });
    const payload = JSON.stringify({ loan: "a1", borrower: "Ada", due: "2026-01-31" });
    const ours = `insert into ninefold.outbox (call, payload, entity, record, clause, at, next_at)
      values ('tell', $1::jsonb, 'Loan', uuidv7(), '4.Loan.lend', now(), now())`;
    const theirs = "select graphile_worker.add_job('tell', $1::json)";
    const add = (sql: string, name: string) =>
      microseconds(2_000, () => owner.query({ name, text: sql, values: [payload] }));
    const before = await add(ours, "ours");
    const worker = await add(theirs, "worker");
    return { ours: Math.min(before, await add(ours, "ours")), "graphile-worker": worker };
  } finally {
    await owner.end();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

export const measureServerParts = async (load: LoadLibrary) => ({
  csv: await measureCsv(load),
  plurals: await measurePlurals(load),
  "media types": await measureMediaTypes(load),
  microseconds: {
    "security headers, with a response": await measureHeaders(load),
    "a megabyte of nested JSON": await measureJson(),
    "a row for another program": await measureJobs(load),
  },
});
