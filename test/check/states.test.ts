import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

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
