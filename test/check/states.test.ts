import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { documentOf, found, foundOne } from "./documents.ts";

const entity = "Case:\n  fields: { title: text }";
const roles = "roles: { clerk: granted }\npermissions: { Case: { read: [clerk], create: [clerk], update: [clerk] } }";

/** A case with these states and transitions, which a clerk may make. */
const withStates = (states: string) => ({ 3: entity, 4: `Case:\n${states}`, 6: roles });

const good = withStates(`
  initial: open
  final: [closed]
  states: [open, closed]
  transitions:
    close: { from: open, to: closed, by: clerk }`);

test("accepts a good document", () => expect(found(good)).toEqual([]));

describe("UNREACHABLE_STATE", () => {
  test("finds a state that no path of transitions reaches", () => {
    const document = withStates(`
  final: [closed, archived]
  states: [open, closed, archived]
  transitions:
    close: { from: open, to: closed, by: clerk }`);
    expect(found(document)).toEqual(["UNREACHABLE_STATE 4.Case.archived «archived»"]);
    expect(foundOne(document).message).toBe("No Case can ever be archived.");
  });

  test("finds a circle of states that nothing enters, and the states after it", () => {
    expect(
      found(
        withStates(`
  final: [open, end]
  initial: begun
  states: [begun, open, a, b, end]
  transitions:
    open:   { from: begun, to: open, by: clerk }
    turn:   { from: a, to: b, by: clerk }
    back:   { from: b, to: a, by: clerk }
    finish: { from: b, to: end, by: clerk }`),
      ),
    ).toEqual(["a", "b", "end"].map((state) => `UNREACHABLE_STATE 4.Case.${state} «${state}»`));
  });
});

describe("DEAD_END", () => {
  test("finds a state that no transition leaves, with the path to it", () => {
    const document = withStates(`
  final: [closed]
  states: [open, waiting, closed]
  transitions:
    close: { from: open, to: closed, by: clerk }
    wait:  { from: open, to: waiting, by: clerk }`);
    expect(found(document)).toEqual(["DEAD_END 4.Case.waiting «waiting»"]);
    expect(foundOne(document).witness).toEqual({ steps: ["wait"] });
  });
});

describe("INITIAL_IS_FINAL", () => {
  test("finds an initial state that is final", () => {
    expect(
      found(
        withStates(`
  final: [open, closed]
  states: [open, closed]
  transitions:
    close: { from: open, to: closed, by: clerk }`),
      ),
    ).toEqual(["INITIAL_IS_FINAL 4.Case.open «open»"]);
  });

  test("accepts an entity with a single state", () =>
    expect(found(withStates("\n  final: [open]\n  states: [open]"))).toEqual([]));
});

describe("an effect after several transitions", () => {
  const withAfter = (after: string) =>
    withStates(`
  states: [open, waiting, closed]
  final: closed
  transitions:
    close: { from: open, to: closed, by: clerk }
    wait:  { from: open, to: waiting, by: clerk }
    quit:  { from: waiting, to: closed, by: clerk }
  after:
${after}`);

  const effectsOf = (after: string) => {
    const { model } = compile({ file: "case.md", text: documentOf(withAfter(after)) });
    const triggers = [...(model?.entities.get("Case")?.after ?? [])];
    return triggers.map(([name, effects]) => `${name}: ${effects.map(({ clause }) => clause.id).join(" ")}`);
  };

  test("belongs to each of them, beside its other effects in the order of the document", () => {
    expect(
      effectsOf(`
    close: { notify: user, text: closed }
    close, quit: { notify: user, text: ended }`),
    ).toEqual(["close: 4.Case.after.close.1 4.Case.after.close.2", "quit: 4.Case.after.quit.1"]);
  });

  test("finds a name that is no transition, at its place", () => {
    expect(found(withAfter("    close, quitt: { notify: user, text: ended }"))).toEqual(["UNKNOWN_NAME  «quitt»"]);
    expect(found(withAfter("    close, close: { notify: user, text: ended }"))).toEqual(["NAME_TWICE  «close»"]);
  });

  test("asks for quotes in braces", () => {
    const { model: _, findings } = compile({
      file: "case.md",
      text: documentOf(withAfter("    { close, quit: { notify: user, text: ended } }")),
    });
    expect(findings.map(({ code, fix }) => `${code} ${fix?.[0]?.text}`)).toEqual(['NEEDS_QUOTES "close, quit"']);
  });
});

test("states and values can have capitals and hyphens, and read so in expressions", () => {
  const document = (rule: string) => ({
    3: "Case:\n  fields: { level: { type: choice, values: [LOW, very-high, in-between] }, high: integer }",
    4: `Case:
  states: [NEW, in-progress, opt-in]
  final: opt-in
  transitions:
    start: { from: NEW, to: in-progress, by: clerk, when: "level == very-high || 'in-between' == level" }
    end:   { from: in-progress, to: opt-in, by: clerk, when: "level in [LOW, in-between] ? state != opt-in : high - 1 > 2" }`,
    5: `Case: [{ rule: "${rule}", else: WRONG }]`,
    6: roles,
    8: "WRONG: That is wrong.",
  });
  expect(found(document("state == NEW || level != very-high"))).toEqual([]);
  expect(found(document("level != very-hihg"))).toEqual(["UNKNOWN_NAME  «very-hihg»"]);
  expect(found(document("in-between != level && state != in-progress"))).toEqual([]);
});
