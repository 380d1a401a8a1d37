// Time and size of one list response for each way of compressing it, in one process. `npm run bench:compression`.
import { mkdirSync, writeFileSync } from "node:fs";
import { constants, gzip } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import compress from "@fastify/compress";
import { type FastifyInstance, fastify } from "fastify";
import { compressReplies } from "../src/server/http/compression.ts";

const states = ["requested", "lent", "returned", "late"];
const colours = ["red", "green", "blue", "old"];
const idOf = (number: number) => `01a1f405-0000-7000-8000-${String(number).padStart(12, "0")}`;
const recordOf = (_: unknown, i: number) => ({
  id: idOf(i),
  version: 1 + (i % 7),
  title: `Loan of the ${colours[i % 4]} book number ${(i * 7_919) % 1_000}`,
  state: states[i % 4],
  borrower: { id: idOf((i * 31) % 500), label: `Member ${(i * 31) % 500}` },
  due: `2026-${String(1 + (i % 12)).padStart(2, "0")}-${String(1 + (i % 28)).padStart(2, "0")}`,
  price: (((i * 37) % 10_000) / 100).toFixed(2),
  may: { update: i % 3 === 0, delete: false, transitions: ["return", "extend"].slice(i % 2) },
});

/** The hook of sixteen lines that the library replaced, without its two faults. */
const byHand = (app: FastifyInstance): void => {
  app.addHook("onSend", (request, reply, payload, done) => {
    const accepted = negotiate(request.headers["accept-encoding"] ?? "", ["gzip"]);
    if (typeof payload !== "string" || payload.length < 4_096 || accepted !== "gzip") return done(null, payload);
    gzip(payload, { level: constants.Z_BEST_SPEED }, (error, bytes) => {
      reply.header("content-encoding", "gzip").header("vary", "accept-encoding").removeHeader("content-length");
      if (error === null) done(null, bytes);
      else done(error);
    });
  });
};
const brotli = (quality: number, syncThreshold: number) => async (app: FastifyInstance) => {
  await app.register(compress, {
    encodings: ["br", "identity"],
    threshold: 4_096,
    syncThreshold,
    globalDecompression: false,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: quality } },
  });
};
const ways: Readonly<Record<string, (app: FastifyInstance) => Promise<void> | void>> = {
  "not compressed": () => undefined,
  "by hand, gzip 1": byHand,
  "as it is now": compressReplies,
  "@fastify/compress, its own defaults": async (app) => {
    await app.register(compress, { threshold: 4_096, globalDecompression: false });
  },
  "@fastify/compress, brotli 1": brotli(1, 65_536),
  "@fastify/compress, brotli 4": brotli(4, 65_536),
};

const AT_ONCE = 8;
const ROUNDS = 15;

/** Microseconds of processor time and of elapsed time for one response. */
const measure = async (ask: () => Promise<unknown>, times: number) => {
  const before = process.cpuUsage();
  const since = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let time = 0; time < times / AT_ONCE; time++) await ask();
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / times, elapsed: ((performance.now() - since) * 1_000) / times };
};

const results = [];
for (const rows of [25, 100, 1_000]) {
  const body = JSON.stringify({ items: Array.from({ length: rows }, recordOf), next: null });
  const apps = await Promise.all(
    Object.entries(ways).map(async ([way, prepare]) => {
      const app = fastify();
      await prepare(app);
      app.get("/", (_, reply) => reply.type("application/json; charset=utf-8").send(body));
      const ask = () => app.inject({ url: "/", headers: { "accept-encoding": "gzip, deflate, br" } });
      const { headers, rawPayload } = await ask();
      return { way, app, ask, best: { processor: Infinity, elapsed: Infinity }, headers, sent: rawPayload.length };
    }),
  );
  // The ways take turns. The best round counts, because other work on the machine can only slow a round down.
  for (let round = 0; round < ROUNDS; round++)
    for (const one of apps) {
      const { processor, elapsed } = await measure(one.ask, Math.round(20_000 / rows / 8) * 8);
      one.best = {
        processor: Math.min(processor, one.best.processor),
        elapsed: Math.min(elapsed, one.best.elapsed),
      };
    }
  for (const { way, app, best, headers, sent } of apps) {
    results.push({
      rows,
      bytes: body.length,
      way,
      encoding: headers["content-encoding"] ?? "identity",
      sent,
      processor: Math.round(best.processor),
      elapsed: Math.round(best.elapsed),
    });
    await app.close();
  }
}

console.table(results);
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/compression.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, unit: `bytes, and microseconds for each response, eight at once, best of ${ROUNDS} rounds`, results }, undefined, 2)}\n`,
);
