import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { thirdOfDay } from "../../turns.ts";
import { example, serveText, type TestServer } from "../program.ts";
import { driveEverything } from "./aimed.ts";
import { drive } from "./drive.ts";
import { earlier, examples, never } from "./examples.ts";

/*
 * Each example is driven to every response in its description, and to no other; then random requests are made from the
 * description. No response is a fault, and each refusal is a problem detail with its clause.
 *
 *   npm run fuzz:api                    20,000 requests at random; FUZZ_SEED makes the same ones again
 *
 * The suite begins at one seed, for what has to hold may not hang on the hour at which it is tried.
 */
const asked = process.env.FUZZ_REQUESTS;
const seed = Number(process.env.FUZZ_SEED ?? (asked === undefined ? 1 : Date.now() % 1_000_000));
const ofDay = asked === undefined ? thirdOfDay(Object.entries(examples)) : Object.entries(examples);
/** All but the founding document, which has no operations of its own. */
const fuzzed = ofDay.map(([name]) => name).filter((name) => name !== "founding");
const requests = asked === undefined ? 400 * fuzzed.length : Number(asked);

/** On a database with records of an earlier document. */
const serving = async (name: string, text: string): Promise<TestServer> => {
  const store = await database();
  const before = earlier[name];
  if (before !== undefined) {
    const served = await serveText(before.said(text), { database: store });
    await before.done(served);
    await served.stop();
  }
  return serveText(text, { database: store, demonstration: true });
};

describe.each(ofDay)("%s", (name, makes) => {
  const text = readFileSync(example(name), "utf8");
  const impossible = never[name] ?? [];
  let running: Promise<TestServer> | undefined;
  const served = () => (running ??= serving(name, text));

  test("every operation gives all its declared responses, and no others", { timeout: 1_800_000 }, async () => {
    const desk = await served();
    const { unreached, wrong } = await driveEverything(desk, text, await makes(desk));
    const remaining = unreached.filter((one) => !impossible.some((outcome) => one.startsWith(`${outcome} `)));
    expect({ left: remaining, wrong }).toEqual({ left: [], wrong: [] });
    const reached = impossible.filter((outcome) => !unreached.some((one) => one.startsWith(`${outcome} `)));
    expect(reached, "taken for impossible, and reached").toEqual([]);
  });

  if (!fuzzed.includes(name)) return;
  test("the requests that OpenAPI describes get the responses that it describes", { timeout: 1_800_000 }, async () => {
    const driven = await drive(text, seed, await served());
    await driven.some(Math.ceil(requests / fuzzed.length));
    process.stdout.write(`${name}: ${driven.requests()} requests from seed ${seed}, ${driven.wrong.length} wrong\n`);
    expect(driven.wrong.slice(0, 5), `seed ${seed}`).toEqual([]);
  });
});
