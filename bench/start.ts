// How long Ninefold takes from its start to its first answer on data that is there, and how much memory it holds while
// it is asked for some minutes. `npm run bench:start -- [--keep FOLDER] [--minutes 10] [--starts 5]`; writes
// docs/evidence/start.json. Nothing is asserted.
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { casesOf } from "./leave/cases.ts";
import { openDesks } from "./leave/desks.ts";
import { megabytesOf } from "./leave/processor.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rows: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "10" },
    starts: { type: "string", default: "5" },
  },
});
const minutes = Number(options.minutes);
const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  rows: Number(options.rows),
});
const round = (value: number, places = 0): number => Number(value.toFixed(places));

try {
  const starts: number[] = [];
  for (let nth = 0; nth < Number(options.starts); nth++) {
    const begun = performance.now();
    const served = await desks.serve("ninefold", 4_002);
    starts.push(performance.now() - begun);
    await served.stop();
  }
  const middle = starts.toSorted((a, b) => a - b)[Math.floor(starts.length / 2)] ?? Number.NaN;
  console.log(`From the start to the first answer: ${starts.map((ms) => round(ms)).join(", ")} ms.`);

  const served = await desks.serve("ninefold", 4_002);
  const memory: { readonly seconds: number; readonly requests: number; readonly megabytes: number }[] = [];
  try {
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1_000;
    let requests = 0;
    let refused = 0;
    memory.push({ seconds: 0, requests, megabytes: round(megabytesOf(served.pid)) });
    while (seconds() < minutes * 60) {
      for (const { name, prepare } of casesOf({ port: served.port, connections: 32, seconds: 5 })) {
        if (!/^(?:read|list|next page|create)\//u.test(name) || seconds() >= minutes * 60) continue;
        const loaded = await (await prepare())();
        requests += loaded.times.length;
        for (const many of Object.values(loaded.refused)) refused += many;
        memory.push({ seconds: round(seconds()), requests, megabytes: round(megabytesOf(served.pid)) });
        console.log(JSON.stringify(memory.at(-1)));
      }
    }
    const file = new URL("../docs/evidence/start.json", import.meta.url);
    mkdirSync(new URL(".", file), { recursive: true });
    const evidence = {
      measured: new Date().toISOString().slice(0, 10),
      node: process.version,
      requests: Number(options.rows),
      unit: "milliseconds from the start of the process to its first answer, on data that is there; megabytes held by the process while 32 connections ask for reads, lists, pages and creations in turn",
      load: round(loadavg()[0] ?? 0, 1),
      start: round(middle),
      starts: starts.map((ms) => round(ms)),
      minutes,
      refused,
      memory,
    };
    writeFileSync(file, `${JSON.stringify(evidence, undefined, 2)}\n`);
  } finally {
    await served.stop();
  }
  await desks.reset();
} finally {
  await desks.end();
}
