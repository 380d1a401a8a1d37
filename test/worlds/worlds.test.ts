import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { conventionalRoutes } from "../../src/core/derive/http/routes.ts";
import { compiled, example } from "../app/program.ts";
import { thirdOfDay } from "../turns.ts";
import { generated, openDocument } from "./documents.ts";
import { laterOn, meanwhile } from "./meanwhile.ts";
import { type PlantedFault, pairOf } from "./pair.ts";
import { compareWorlds, type Effort, type Found } from "./run.ts";
import { requestAsViewer } from "./viewer.ts";

/*
 * Two worlds that differ only in what somebody may not read: another value in a field that is hidden from them, a record
 * that they do not see, one more or one less. Whatever they ask, both answer the same, byte for byte. What they may know is
 * worked out from the permissions in JavaScript, and what they ask from the description that they are given and the routes
 * that are served.
 *
 * An author of changes learns counts of all records, and never a value that they may not read:
 *
 *   Route                                       What an author learns                   Where it is compared
 *   POST /_/document/plan                       steps and refusals with counts, ids of  here (drafts.ts); the ids also in
 *                                               readable records that do not fit        test/app/documents/misfits.test.ts
 *   POST /_/document/plan/records               the labels of those that are readable   here, of the changed field
 *   POST /_/versions/:number/plan               what a plan has                         here, back to version 1
 *   POST /_/proposals/:number/plan              what a plan has                         here, of proposal 1 (pair.ts)
 *   POST /_/document, proposals/:number/approve the clauses that stored data contradict here; approvals only without their text,
 *                                                                                       test/app/documents/proposals.test.ts
 *   POST /_/document/replay                     counts by clause, links to readable     here without the counts;
 *                                               records, figures of readable fields     test/change/replay.test.ts
 *   GET  /_/document/states, /_/questions       counts                                  here without the counts
 *   GET  /_/job                                 refusals, addresses of readable records here; with a job,
 *                                                                                       test/app/documents/proposals.test.ts
 *   GET  /_/retired, sample, export and delete  counts; values of readable fields       here; with retired data,
 *                                                                                       test/app/documents/retired-data.test.ts
 *   GET  /_/versions, proposals and their texts texts and people, no stored data        here
 *   POST /_/previews                            an address; people sign in as before    test/app/documents/previews.test.ts
 *   GET  /_/previews/:id/use, /_/preview        names of people, which administrators   test/app/documents/previews.test.ts
 *                                               read; the number of changes in a copy
 *   comparisons of texts                        nothing from the server                 computed in the browser
 *
 *   npm run worlds                              more of everything, from a seed of its own
 *   WORLDS=10 WORLDS_SEED=7 npm run worlds      ten times as much, as before
 *   WORLDS_PERSON=chief npm run worlds          one person of each document
 *   TEST_STANDBY=1 npm run worlds               lists and searches are read from a standby
 */
const isWhole = process.env.WORLDS !== undefined;
const scale = Number(process.env.WORLDS ?? 1);
const seed = Number(process.env.WORLDS_SEED ?? (isWhole ? Date.now() % 1_000_000 : 1));
const only = process.env.WORLDS_ONLY?.split(",");
/** A part of a name and its roles, to repeat what one person found. */
const onlyPerson = process.env.WORLDS_PERSON;
const effort: Effort = isWhole
  ? {
      people: 100,
      plants: 30 * scale,
      reads: 80 * scale,
      writes: 2 * scale,
      leaks: 20,
      happens: [meanwhile, laterOn],
      tries: 10 * scale,
    }
  : { people: 2, plants: 24, reads: 40, writes: 1, leaks: 3, happens: [meanwhile, laterOn], tries: 3 };
/** A whole run takes two of these each day, a slow one with a short one. */
const GENERATED = "a generated document";
const turn = thirdOfDay(["purchasing", "leave-desk", "help-desk", "founding", "lending", GENERATED]);
const every = isWhole
  ? ["lending", "leave-desk", "purchasing", "help-desk", "booking", "founding"]
  : turn.filter((name) => name !== GENERATED);
const documents = isWhole ? 4 * scale : turn.filter((name) => name === GENERATED).length;
const say = (text: string) => isWhole && process.stdout.write(`${text}\n`);
const patience = { timeout: 3_600_000 };

interface All extends Pick<Found, "told" | "shown"> {
  readonly leaks: readonly string[];
  readonly routes: ReadonlySet<string>;
  readonly served: readonly string[];
  readonly unsaid: readonly string[];
  /** Operations that succeeded for an administrator who only views as a person. */
  readonly looked: readonly string[];
}

/** Sends all possible requests as persons of a document; returns the differences, one per kind of request. */
const leaksOf = async (name: string, text: string, from: number, most: Effort, spoilt?: PlantedFault): Promise<All> => {
  const pair = await pairOf(text, from, spoilt);
  const { people } = pair;
  const leaks = new Map<string, string>();
  const told = new Map<string, string>();
  const shown = new Map<string, string>();
  const routes = new Set<string>();
  const start = from % Math.max(people.length, 1);
  for (const [nth, person] of [...people.slice(start), ...people.slice(0, start)].slice(0, most.people).entries()) {
    if (onlyPerson !== undefined && !person.name.includes(onlyPerson)) continue;
    const began = Date.now();
    // In a short run, one kind of event per person.
    const happens = isWhole ? most.happens : most.happens.filter((_, i) => i === nth % most.happens.length);
    const found = await compareWorlds(pair, person, { ...most, happens }, from);
    for (const one of found.leaks) {
      const kind = `${person.name} ${one.what} ${one.one.slice(0, 3)}`;
      if (leaks.has(kind)) continue;
      const text = `${one.person}: ${one.asked}\n  ${one.what}\n  ${one.plants.join("\n  ")}\n  ${one.one}\n  ${one.other}`;
      leaks.set(kind, text);
      // A run takes many minutes.
      if (spoilt === undefined) say(text);
    }
    for (const [clause, why] of found.told) told.set(clause, `${person.name}: ${why}`);
    for (const [field, why] of found.shown) shown.set(field, `${person.name}: ${why}`);
    for (const route of found.routes) routes.add(route);
    // With a planted fault, one finding is enough.
    if (spoilt !== undefined && leaks.size > 0) break;
    say(
      `${name}: ${person.name}: ${found.asked} asked, ${found.planted} planted, ${found.leaks.length} leaks, ${Date.now() - began} ms; told by ${[...found.told.keys()].join(", ")}`,
    );
  }
  // One check refuses them for every viewed person, so a short run tests one person of one document.
  const watched =
    spoilt === undefined && (isWhole || name === every[0]) ? people.filter(({ others }) => others.length > 0) : [];
  const looked: string[] = [];
  for (const person of watched.slice(0, isWhole ? most.people : 1)) {
    const found = await requestAsViewer(pair, person, from);
    if (found === undefined) continue;
    looked.push(...found.passed, ...found.changed);
    say(`${name}: as one who looks as ${person.name}: ${found.asked} asked`);
  }
  const served = [...pair.routes];
  const unsaid = pair.unsaid();
  await pair.end();
  return { leaks: [...leaks.values()], told, shown, routes, served, unsaid, looked };
};

/** The clauses reported by the checker as disclosing, and those that the author marked as intended. */
const tellingIn = (text: string): ReadonlySet<string> =>
  new Set(
    compile({ file: "desk.md", text: text.replaceAll(/discloses: true,? ?/gu, "") }).findings.flatMap((one) =>
      one.code === "TELLS_HIDDEN" || one.code === "WIDER_AUDIENCE" ? [one.clause ?? ""] : [],
    ),
  );

const lending = readFileSync(example("lending"), "utf8");

describe("a server that breaks its document is detected", () => {
  const hidden = lending.replace("Loan:\n    read:   [keeper, {", "Loan:\n    read:   [keeper, member, {");
  const fields = lending.replace("fields: [name] }]\n  Thing:", "fields: [name, email] }]\n  Thing:");

  test.each([
    ["records that may not be seen", { text: hidden }, /^GET \/api\/loans/u],
    ["a field that may not be read", { text: fields }, /^GET \/api\/users/u],
  ] satisfies readonly (readonly [string, PlantedFault, RegExp])[])("%s", patience, async (_, spoilt, only) => {
    if ("text" in spoilt) expect(spoilt.text).not.toBe(lending);
    const aimed: Effort = { people: 6, plants: 30, reads: 120, writes: 0, leaks: 1, happens: [], tries: 0, only };
    const { leaks } = await leaksOf("spoilt", lending, 1, aimed, spoilt);
    expect(leaks.length).toBeGreaterThan(0);
  });
});

const examples = every.filter((one) => only?.includes(one) ?? true);
test.each(examples)("nobody can distinguish two worlds of %s", patience, async (name) => {
  const text = readFileSync(example(name), "utf8");
  const { leaks, routes, served, unsaid, looked } = await leaksOf(name, text, seed, effort);
  expect(leaks, `WORLDS_SEED=${seed}`).toEqual([]);
  expect(looked).toEqual([]);
  // Every served route must be requested, since any could reveal data.
  const { model } = compiled(text);
  const place = (route: string) => route.replace(/\{[^}]*\}|:\w+/gu, "{}");
  const asked = new Set(
    [...routes, ...[...conventionalRoutes(model), ...model.calls].map(({ method, path }) => `${method} ${path}`)].map(
      place,
    ),
  );
  expect(served.length).toBeGreaterThan(20);
  expect(served.filter((route) => !asked.has(place(route)))).toEqual([]);
  // Nor is there a parameter that a platform call looks up and no request contains.
  expect(unsaid).toEqual([]);
});

test.runIf(only === undefined || only.includes("open"))(
  "nobody can distinguish two worlds of an application in which nobody signs in",
  patience,
  async () => {
    const most = isWhole ? effort : { ...effort, plants: 8, reads: 24, tries: 2 };
    const { leaks, told } = await leaksOf("an open application", openDocument, seed, most);
    expect(leaks, `WORLDS_SEED=${seed}`).toEqual([]);
    const telling = tellingIn(openDocument);
    expect([...told].filter(([key]) => !telling.has(key.split(" ")[0] ?? "") && !isAlwaysTold.test(key))).toEqual([]);
  },
);

/** Always disclosed: holding a role, being referred to, and if a change of the document fits the stored data. */
const isAlwaysTold = / (?:held|IN_USE|CHANGE_REFUSED)$/u;

/** A registration without a link tells if a person has an address, or another unique value (docs/how-to/accounts-by-calls.md). */
const isRegistration = (key: string, why: string): boolean =>
  /^3\.User\.\w+ TAKEN$/u.test(key) && why.endsWith("(sign up, by a call)");

const seeds = Array.from(
  { length: only === undefined || only.includes("generated") ? documents : 0 },
  (_, i) => seed + i * 1_000,
);
test.each(seeds)("nobody can distinguish two worlds of document %i", patience, async (from) => {
  // Every second document of a whole run has the rarer keys too.
  const { text, seed: created } = generated(from, isWhole && seeds.indexOf(from) % 2 === 1);
  const { leaks, told } = await leaksOf(`document ${created}`, text, from, effort);
  expect(leaks, `WORLDS_SEED=${from}`).toEqual([]);
  const telling = tellingIn(text);
  // Everything disclosed to a person was reported to the author.
  const unsaid = [...told].filter(
    ([key, why]) => !telling.has(key.split(" ")[0] ?? "") && !isAlwaysTold.test(key) && !isRegistration(key, why),
  );
  expect(unsaid, `WORLDS_SEED=${from}`).toEqual([]);
});
