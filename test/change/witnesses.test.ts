import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { compareWithProofs } from "../../src/core/change/compare-behaviour.ts";
import type { ComparedLine } from "../../src/core/change/compared-line.ts";
import { createCompiler } from "../../src/core/compile.ts";
import { grantsFor } from "../../src/core/derive/authorization/grants.ts";
import { not } from "../../src/core/expression/boolean-exprs.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { messageText } from "../../src/core/i18n/languages.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import type { Model } from "../../src/core/model/model.ts";
import { isAction } from "../../src/core/model/permissions.ts";
import { serveText } from "../app/program.ts";
import { cases, seed } from "../chance.ts";
import { buildWorld, type World } from "./evaluate.ts";
import { type MutationName, mutations } from "./mutants.ts";
import { openForWitnesses, type StoredWorld, storeWorld } from "./stored-world.ts";

/*
 * The example of each line is stored in a real database, and the SQL of both versions is evaluated on it: they must
 * differ as the line says. One document each day; all of them in `npm run prove:mutants`.
 */

const documents = [
  ...["lending", "help-desk", "leave-desk", "purchasing", "booking"].map((name) => `examples/${name}.md`),
  "test/change/constructs.md",
].filter((_, i, all) => (i + seed) % all.length < cases(1, all.length));

/** Edits whose lines have examples, and that do not change the tables. */
const kinds = [
  "a grant is dropped",
  "a condition of a grant is dropped",
  "a guard is dropped",
  "a rule is dropped",
  "a rule is tightened",
  "a rule before a transition is dropped",
  "a rule before a transition is tightened",
] as const satisfies readonly MutationName[];

/** Mutants of a kind. */
const MOST = cases(3, 20);

let [lines, checked, beyond] = [0, 0, 0];

describe.each(documents)("%s", { timeout: 600_000 }, (name) => {
  const text = readFileSync(name, "utf8");
  const compile = createCompiler();
  const before = compile({ file: "a.md", text }).model;
  if (before === undefined) throw new Error(`${name} has errors`);

  test("each example that can be stored is treated differently", async () => {
    const served = await serveText(text);
    const store = served.database;
    const columns = await openForWitnesses(store);
    for (const kind of kinds) {
      const all = mutations[kind](text).filter((item) => item !== text);
      const step = Math.max(1, Math.ceil(all.length / MOST));
      for (const mutant of all.filter((_, i) => i % step === 0)) {
        const { model: after } = compile({ file: "a.md", text: mutant });
        for (const line of after === undefined ? [] : compareWithProofs(before, after)) {
          const entity = after?.entities.get(line.subject.split(".")[0] ?? "");
          if (after === undefined || entity === undefined || line.proof === null) continue;
          lines++;
          const context = `${kind}: ${line.subject}: ${messageText(line.message)} ${JSON.stringify(line.witness)}`;
          const world = buildWorld(after, entity.name, line.proof.example);
          const stored = await storeWorld(store, columns, after, entity, world);
          // Conditions on lists, and on values computed from them, need records that an example does not contain.
          if (readsOld(line.proof.conditions) || !(await stored.holds(after, entity, [line.proof.conditions]))) {
            beyond++;
            continue;
          }
          const [was, is] = [await answer(stored, world, line, before), await answer(stored, world, line, after)];
          if (was === undefined || is === undefined) continue;
          checked++;
          const allows = line.effect === "allows";
          expect(
            was.some((item, i) => item === !allows && is[i] === allows),
            `${context}: ${was} → ${is}`,
          ).toBe(true);
        }
      }
    }
    await served.stop();
  });
});

afterAll(() => {
  console.log(
    `${lines} lines with an example; ${checked} were asked in Postgres, ${beyond} need records beyond the example`,
  );
  expect(checked).toBeGreaterThan(cases(5, 80));
  expect(beyond).toBeLessThan(lines / 2);
});

const readsOld = (conditions: readonly Expr[]): boolean => JSON.stringify(conditions).includes('"kind":"old"');

/** The answers of a version: one for each field, or a single one. Undefined if the example is not about a record. */
const answer = async (
  stored: StoredWorld,
  { user }: World,
  { subject, point, witness, message }: ComparedLine,
  model: Model,
): Promise<readonly boolean[] | undefined> => {
  const [name = "", what = ""] = subject.split(".");
  const entity = model.entities.get(name);
  if (entity === undefined || user.id === undefined) return undefined;
  if (point === 5) {
    const violated = violations(entity, what);
    return violated === undefined ? undefined : [!(await stored.holds(model, entity, violated))];
  }
  if (point === 4) {
    const guard = entity.states?.transitions.get(what)?.guard;
    const isGuard = message.id.startsWith("transition.more") || message.id.startsWith("transition.fewer");
    return guard === undefined || !isGuard
      ? undefined
      : [await stored.holds(model, entity, [guard === null ? [] : [guard]])];
  }
  // A new record is not stored yet.
  if (point !== 6 || !isAction(what) || what === "create" || witness === null || witness.role === null)
    return undefined;
  const members = model.roles.get(witness.role)?.members;
  const isGranted = members === "granted" || witness.role === "administrator";
  const person = stored.person(new Set(isGranted ? [witness.role] : []));
  const grants = grantsFor(model, { ...entity, records: new Map() }, what, person);
  const fields = what === "delete" ? [null] : [...entity.fields.keys()];
  return Promise.all(
    fields.map((field) =>
      stored.holds(
        model,
        entity,
        grants
          .filter((grant) => field === null || grant.fields === null || grant.fields.has(field))
          .map((grant) => grant.conditions),
      ),
    ),
  );
};

/** The alternatives by which a record violates the rules with an error; undefined if they read more than the record. */
const violations = (entity: Entity, error: string): readonly (readonly Expr[])[] | undefined => {
  const before = [...(entity.states?.transitions.values() ?? [])].flatMap(({ preconditions }) => preconditions);
  if (before.some((rule) => rule.error === error) || entity.uniquenessRules.some((rule) => rule.error === error))
    return undefined;
  return entity.rules
    .filter((rule) => rule.error === error)
    .map(({ rule, when }) => [...(when === null ? [] : [when]), not(rule)]);
};
