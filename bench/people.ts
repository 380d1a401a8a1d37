import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** The longest statements since the last question, and when they ended. */
export interface Load {
  readonly read: { readonly took: number; readonly at: number };
  readonly write: { readonly took: number; readonly at: number };
  readonly refused: number;
  /** Statements, of both kinds. */
  readonly done: { readonly read: number; readonly write: number };
}

// Runs in a thread of its own, so that it waits only for the database and not for the work of the job.
const load = `
  const { parentPort, workerData: { url, ids } } = require("node:worker_threads");
  const { setTimeout: sleep } = require("node:timers/promises");
  const pg = require("pg");
  const none = () => ({ read: { took: 0, at: 0 }, write: { took: 0, at: 0 }, refused: 0, done: { read: 0, write: 0 } });
  const any = () => ids[Math.floor(Math.random() * ids.length)];
  const texts = {
    read: "select * from app.item where id = $1",
    write: "update app.item set note = 'written', version = version + 1 where id = $1",
  };
  let longest = none();
  let isOn = true;
  const work = async (kind) => {
    const client = new pg.Client(url);
    client.on("error", () => undefined);
    await client.connect();
    while (isOn) {
      const begun = performance.now();
      await client.query(texts[kind], [any()]).catch(() => { longest.refused += 1; });
      const took = performance.now() - begun;
      longest.done[kind] += 1;
      if (took > longest[kind].took) longest[kind] = { took, at: Date.now() - took / 2 };
      await sleep(kind === "read" ? 10 : 20);
    }
    await client.end();
  };
  const all = Promise.all([...Array.from({ length: 16 }, () => work("read")), ...Array.from({ length: 8 }, () => work("write"))]);
  parentPort.on("message", async (question) => {
    if (question === "end") { isOn = false; await all; }
    parentPort.postMessage(longest);
    longest = none();
    if (question === "end") parentPort.close();
  });
`;

/**
 * Starts 16 readers and 8 writers of `app.item`. The function that it returns asks for the figures since the last
 * question; `end` stops them.
 */
export const startPeople = (url: string, ids: readonly string[]): ((question: "forget" | "end") => Promise<Load>) => {
  const people = new Worker(load, { eval: true, workerData: { url, ids } });
  return async (question) => {
    people.postMessage(question);
    const [figures] = (await once(people, "message")) as [Load];
    return figures;
  };
};
