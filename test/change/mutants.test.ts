import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { compareWithProofs } from "../../src/core/change/compare-behaviour.ts";
import type { ComparedLine } from "../../src/core/change/compared-line.ts";
import { createCompiler } from "../../src/core/compile.ts";
import { grantsFor, type Principal } from "../../src/core/derive/authorization/grants.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { expandComputed } from "../../src/core/expression/rewrite/expand-computed.ts";
import { messageText } from "../../src/core/i18n/languages.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import { computedExpr } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";
import { isAction } from "../../src/core/model/permissions.ts";
import { cases, seed } from "../chance.ts";
import { day } from "../turns.ts";
import { buildWorld, holdsIn, type World } from "./evaluate.ts";
import { type MutationName, mutations } from "./mutants.ts";

/** Two of the five large examples, different ones each day; all of them with `npm run prove`. */
const names = ["lending", "help-desk", "leave-desk", "purchasing", "booking"].filter(
  (_, i, all) => (i + 2 * day) % all.length < cases(2, all.length),
);

/** Lines that an edit of this kind must give, and lines that it must not give. */
interface Expected {
  readonly has: ((line: ComparedLine) => boolean) | null;
  readonly hasNot?: (line: ComparedLine) => boolean;
}

const at =
  (point: number, ...effects: readonly ComparedLine["effect"][]) =>
  (line: ComparedLine): boolean =>
    line.point === point && (effects.length === 0 || effects.includes(line.effect));
const otherThan =
  (...points: readonly number[]) =>
  (line: ComparedLine): boolean =>
    !points.includes(line.point);
/** Renaming changes names for programs, and the labels that follow from them. */
const otherThanNames = (line: ComparedLine): boolean =>
  otherThan(7)(line) && !/\.(?:was\.)?called$/u.test(line.message.id);
const decided =
  (point: number, effect: ComparedLine["effect"]) =>
  (line: ComparedLine): boolean =>
    at(point, effect)(line) && line.certainty === "decided";
const nothing: Expected = { has: null, hasNot: () => true };

const expected: { readonly [M in MutationName]: Expected } = {
  "a grant is dropped": { has: (line) => at(6, "forbids")(line) && line.loses === "access", hasNot: at(6, "allows") },
  "a condition of a grant is dropped": { has: at(6, "allows"), hasNot: at(6, "forbids") },
  "a guard is dropped": { has: at(4, "allows"), hasNot: otherThan(4) },
  "a condition of an effect is dropped": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a transition is dropped": { has: (line) => at(4, "removes")(line) && line.loses === "access" },
  "a rule is dropped": { has: at(5, "allows"), hasNot: otherThan(5) },
  "a rule is tightened": { has: at(5, "forbids"), hasNot: at(5, "adds", "removes") },
  "a rule before a transition is dropped": { has: at(5, "allows"), hasNot: otherThan(5) },
  "a rule before a transition is tightened": { has: at(5, "forbids"), hasNot: otherThan(5) },
  "a rule before a transition gets another error": {
    has: (line) => at(5, "changes")(line) && line.loses === "compatibility",
    hasNot: otherThan(5),
  },
  "a rule before a transition becomes a guard": { has: at(5, "changes"), hasNot: (line) => line.effect !== "changes" },
  "a comparison with the former value is tightened": { has: decided(5, "forbids"), hasNot: otherThan(5) },
  "a value is kept for good": { has: decided(3, "changes"), hasNot: otherThan(3) },
  "a value is kept until something else": { has: decided(3, "changes"), hasNot: otherThan(3) },
  "a value is no longer kept": { has: decided(3, "changes"), hasNot: otherThan(3) },
  "a unit or a help text is dropped": { has: decided(3, "changes"), hasNot: otherThan(3, 7) },
  "a formula is changed": { has: decided(3, "changes"), hasNot: otherThan(3) },
  "a constant is raised": { has: at(9, "changes") },
  "a field becomes optional": { has: at(3, "allows") },
  "a field becomes required": { has: at(3, "forbids") },
  "a maximum is lowered": { has: at(3, "forbids"), hasNot: otherThan(3, 7) },
  "a default is dropped": { has: at(3, "changes"), hasNot: otherThan(3, 7) },
  "a choice gets another value": { has: at(3, "allows") },
  "a column is dropped": { has: at(2, "changes"), hasNot: otherThan(2) },
  "an error is reworded": { has: at(8, "changes"), hasNot: otherThan(8) },
  "an error gets another status": {
    has: (line) => at(8, "changes")(line) && line.loses === "compatibility",
    hasNot: otherThan(7, 8),
  },
  // Programs use names; people see labels that follow from them.
  "a field is renamed": { has: null, hasNot: otherThanNames },
  "a record of the document is renamed": { has: null, hasNot: otherThanNames },
  "a transition is renamed": { has: null, hasNot: otherThanNames },
  "an entity is renamed": { has: null, hasNot: otherThanNames },
  // A list without columns shows the first six fields.
  "fields are swapped": { has: null, hasNot: otherThan(2) },
  "transitions are swapped": nothing,
  "permissions are swapped": nothing,
  "errors are swapped": nothing,
  "constants are swapped": nothing,
  "columns are in another order": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a list is sorted by another field": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a list is sorted the other way": { has: at(2, "changes"), hasNot: otherThan(2) },
  "layouts are in another order": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a filter is dropped": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a tile is dropped": { has: at(2), hasNot: otherThan(2) },
  "a tile counts fewer records": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a screen has another title": { has: at(2, "changes"), hasNot: otherThan(2) },
  "choices are in another order": { has: decided(3, "changes"), hasNot: otherThan(3) },
  "states are in another order": { has: at(4, "changes") },
  "a letter says something else": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a letter is for fewer records": { has: at(2), hasNot: otherThan(2) },
  "a list is sent at another time": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a list is sent to fewer people": { has: at(2, "changes"), hasNot: otherThan(2) },
  "a list is no longer sent": { has: at(2), hasNot: otherThan(2) },
  "a transition is for fewer people": { has: (line) => at(4, "forbids")(line) && line.loses === "access" },
  "a transition asks for less": { has: at(4), hasNot: otherThan(4, 7) },
  "a transition has another title": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a transition is the main action": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a transition shows other values": { has: at(4, "changes"), hasNot: otherThan(4) },
  "an automatic transition is later": { has: decided(4, "changes"), hasNot: otherThan(4) },
  // Calls lose the period “overdue”.
  "a state has no deadline": { has: at(4, "changes"), hasNot: otherThan(4, 7) },
  "a state has another tone": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a notification says something else": { has: at(4, "changes"), hasNot: otherThan(4) },
  "effects are swapped": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a chat is told something else": { has: at(4, "changes"), hasNot: otherThan(4) },
  "an email brings no letter": { has: at(4, "changes"), hasNot: otherThan(4) },
  "a value need not be unique": { has: at(3, "allows"), hasNot: otherThan(3) },
  "a minimum is raised": { has: at(3, "forbids"), hasNot: otherThan(3, 7) },
  "a reference can name more": { has: at(3, "allows"), hasNot: otherThan(3) },
  "a field has another title": { has: at(3, "changes"), hasNot: otherThan(3) },
  "a record has another label": { has: at(3, "changes"), hasNot: otherThan(3) },
  "a call takes less": { has: at(7) },
  "a channel says what others can read": { has: at(7, "changes"), hasNot: otherThan(7) },
  "a value of a constant is dropped": { has: at(9, "changes") },
  "a bound is written without its constant": nothing,
  "a deadline is written without its constant": nothing,
  "spaces are added": nothing,
  "comments are added": nothing,
  "the document is formatted": nothing,
};

/** A grant that another one contains can be dropped without a difference. */
const isRedundant = (model: Model, lines: readonly ComparedLine[], kind: MutationName): boolean =>
  lines.length === 0 &&
  (kind === "a grant is dropped" || kind === "a condition of a grant is dropped") &&
  model.roles.size > 0;

/** Mutants of each kind and document. */
const MOST = cases(2, 5);
let [tried, witnesses, redundant] = [0, 0, 0];
/** The edits of each kind, and their lines. */
const found = new Map<string, { edits: number; lines: number }>();

describe.each([...names.map((name) => `examples/${name}.md`), "test/change/constructs.md"])("%s", (name) => {
  const text = readFileSync(name, "utf8");
  const compile = createCompiler();
  const before = compile({ file: "a.md", text }).model;
  if (before === undefined) throw new Error(`${name} has errors`);

  test.each(Object.keys(mutations) as MutationName[])("%s", { timeout: 240_000 }, (kind) => {
    const { has, hasNot } = expected[kind];
    const all = mutations[kind](text).filter((item) => item !== text);
    // An even sample of many.
    const step = Math.max(1, Math.ceil(all.length / MOST));
    for (const mutant of all.filter((_, i) => i % step === seed % step)) {
      const { model: after } = compile({ file: "b.md", text: mutant });
      if (after === undefined) continue;
      tried++;
      const lines = compareWithProofs(before, after);
      const said = `${kind}\n${differenceOf(text, mutant)}\n${lines.map((line) => `${line.point} ${line.effect} ${messageText(line.message)}`).join("\n")}`;
      const known = found.get(kind) ?? { edits: 0, lines: 0 };
      found.set(kind, { edits: known.edits + 1, lines: known.lines + lines.length });
      if (isRedundant(before, lines, kind)) redundant++;
      else if (has !== null) expect(lines.some(has), said).toBe(true);
      expect(
        lines.filter((line) => hasNot?.(line) === true).map((line) => messageText(line.message)),
        said,
      ).toEqual([]);
      for (const line of lines) {
        const { before: was, after: is } = line.spans ?? {};
        // Built-in clauses have no file.
        expect([was?.file || "a.md", is?.file || "b.md"], said).toEqual(["a.md", "b.md"]);
        witnesses += line.proof === null ? 0 : 1;
        expect(disproved(line, before, after), `${said}\n${messageText(line.message)}`).toBeNull();
      }
    }
  });
});

afterAll(() => {
  expect(tried).toBeGreaterThan(cases(150, 300));
  expect(witnesses).toBeGreaterThan(cases(12, 50));
  expect(redundant).toBeLessThan(12);
  writeEvidence();
});

/** `npm run prove:mutants` stores what was tried beside the mutants of the rule language. */
const writeEvidence = (): void => {
  const { EVIDENCE } = process.env;
  if (EVIDENCE === undefined) return;
  const known = JSON.parse(readFileSync(EVIDENCE, "utf8")) as object;
  const changes = {
    measured: new Date().toISOString().slice(0, 10),
    documents: names.length + 1,
    edits: tried,
    "examples that answer differently": witnesses,
    "without a line, because another clause grants the same": redundant,
    kinds: [...found].map(([kind, { edits, lines }]) => ({ kind, edits, lines })),
  };
  writeFileSync(EVIDENCE, `${JSON.stringify({ ...known, changes }, undefined, 2)}\n`);
};

const differenceOf = (one: string, other: string): string => {
  const [a, b] = [one.split("\n"), other.split("\n")];
  const i = a.findIndex((line, at) => line !== b[at]);
  return `- ${a[i]}\n+ ${b[i]}`;
};

/** The reason why the witness of a line proves nothing; null if both versions behave as the line says. */
const disproved = (line: ComparedLine, before: Model, after: Model): string | null => {
  if (line.proof === null) return null;
  const [entity = "", what = ""] = line.subject.split(".");
  const world = buildWorld(after, entity, line.proof.example);
  const failing = line.proof.conditions.find((condition) => !holdsIn(condition, world));
  if (failing !== undefined) return "a condition of the proof does not hold";
  const answers = [before, after].map((model) => answer(line, model, entity, what, world));
  if (answers[0] === undefined || answers[1] === undefined) return null;
  const [was, is] = answers;
  return is === (line.effect === "allows") && was === (line.effect !== "allows") ? null : `before ${was}, after ${is}`;
};

/** True if a version allows what a line of point 5 or 6 is about, according to its own clauses. */
const answer = (line: ComparedLine, model: Model, name: string, what: string, world: World): boolean | undefined => {
  const entity = model.entities.get(name);
  if (entity === undefined) return undefined;
  // An example contains either a computed value or its inputs.
  const named = new Set(line.proof?.example.flatMap(({ path }) => (path.kind === "field" ? [path.field.name] : [])));
  const formula = (of: string, field: string) => {
    const found = named.has(field) ? undefined : model.entities.get(of)?.fields.get(field);
    return found === undefined ? undefined : (computedExpr(found) ?? undefined);
  };
  const holds = (condition: Expr, here: World) => holdsIn(expandComputed(condition, formula), here);
  if (line.point === 5) return isValid(entity, what, (condition) => holds(condition, world));
  if (line.point !== 6 || !isAction(what) || line.witness?.role === null || line.witness === null) return undefined;
  const members = model.roles.get(line.witness.role)?.members;
  const person: Principal = {
    id: String(world.user.id),
    granted: new Set(members === "granted" || line.witness.role === "administrator" ? [line.witness.role] : []),
  };
  // Lines that name fields are about these fields only; the proof has their conditions.
  if (/ the .* of /u.test(messageText(line.message))) return undefined;
  const record =
    what === "create" && entity.states !== null
      ? { ...world.record, [entity.states.field]: entity.states.initial }
      : world.record;
  return grantsFor({ ...model }, { ...entity, records: new Map() }, what, person).some(({ conditions }) =>
    conditions.every((condition) => holds(condition, { ...world, record })),
  );
};

const isValid = (entity: Entity, error: string, holds: (condition: Expr) => boolean): boolean | undefined => {
  const rules = entity.rules.filter((rule) => rule.error === error);
  const before = [...(entity.states?.transitions.values() ?? [])].flatMap(({ preconditions }) => preconditions);
  if (before.some((rule) => rule.error === error)) return undefined;
  if (entity.uniquenessRules.some((rule) => rule.error === error)) return undefined;
  return rules.every(({ rule, when }) => (when !== null && !holds(when)) || holds(rule));
};
