import { describe, expect, test } from "vitest";
import type { Answer } from "../app/program.ts";
import { tellingOf, textsIn, toCompare, unfitIn, withoutPlaces } from "./compare.ts";
import type { WorldRequest } from "./pair.ts";

/*
 * The permitted difference between two worlds for an author who changes the document: the number of records that
 * contradict it.
 */

const change: WorldRequest = {
  method: "POST",
  path: "/_/document/plan",
  body: {
    base: "",
    files: [{ file: "desk.md", text: "## 3. Things\nTicket: { rating: { type: integer?, max: 2 } }" }],
  },
  what: "a plan",
};
const stored = textsIn([new Map([["Ticket", new Map([["1", { id: "1", subject: "Keyboard", state: "open" }]])]])]);

const answer = (body: object): Answer => {
  const text = JSON.stringify(body);
  const unused = (): never => {
    throw new Error("not asked for");
  };
  const rest = { record: unused, list: unused, history: unused, problem: unused };
  return toCompare(change, { status: 200, headers: new Headers(), text, body, ...rest });
};
const refusal = (says: string) => ({ clause: "3.Ticket.rating", says });
const tooHigh =
  "3.Ticket.rating can’t be limited to at most 2: 7 records have a higher value. Correct them, or add “fill:” with a value that fits.";
const fits = answer({ steps: ["3.Ticket.rating is at most 2 from now on"], refused: [] });
const fitsNot = answer({ steps: [], refused: [refusal(tooHigh)] });

test("plans may differ in whether a change fits the stored data", () => {
  expect(unfitIn(change, { a: fitsNot, b: fits }, stored)).toEqual(["3.Ticket.rating"]);
  expect(unfitIn(change, { a: fits, b: fitsNot }, stored)).toEqual(["3.Ticket.rating"]);
});

test("but only plans", () => {
  const list: WorldRequest = { method: "GET", path: "/api/tickets", what: "a list" };
  expect(unfitIn(list, { a: fitsNot, b: fits }, stored)).toEqual([]);
});

describe("and in nothing else", () => {
  const added = {
    clause: "3.Ticket.subject",
    says: "3.Ticket.subject can’t become required: 2 records have no value for it.",
  };
  test.each<[string, Answer, Answer]>([
    ["a value beside the count", answer({ steps: [], refused: [refusal(`${tooHigh} One is Keyboard.`)] }), fits],
    ["a number beside the count", answer({ steps: [], refused: [refusal(`${tooHigh} One is 23.`)] }), fits],
    ["a value in what would be done", fitsNot, answer({ steps: ["Keyboard is at most 2"], refused: [] })],
    ["other words for the same clause", fitsNot, answer({ steps: [], refused: [refusal("No."), added] })],
    ["two plans that can both be made", fits, answer({ steps: ["3.Ticket.rating is as it was"], refused: [] })],
  ])("%s", (_, a, b) => {
    expect(unfitIn(change, { a, b }, stored)).toEqual([]);
    expect(unfitIn(change, { a: b, b: a }, stored)).toEqual([]);
  });

  test("the counts of a clause may differ", () =>
    expect(fitsNot.text).toBe(
      answer({ steps: [], refused: [refusal(tooHigh.replace("7 records have", "1 record has"))] }).text,
    ));
});

test("a refusal in the shape of a document tells by its own clauses", () => {
  const signUp: WorldRequest = { method: "POST", path: "/v1/users", what: "sign up, by a call" };
  const taken = (field: string): Answer => ({
    ...answer({ code: "TAKEN", clause: `3.User.${field}`, all: [{ field, code: "TAKEN", clause: `3.User.${field}` }] }),
    status: 409,
  });
  const told = tellingOf(signUp, { a: taken("email"), b: taken("handle") });
  expect([...(told ?? [])]).toEqual([
    ["3.User.email TAKEN", "3.User.email"],
    ["3.User.handle TAKEN", "3.User.handle"],
  ]);
  expect(tellingOf(signUp, { a: taken("email"), b: taken("email") })).toBeUndefined();
});

test("two places in the change feed differ only in their lengths", () => {
  const told = (place: string) => withoutPlaces(JSON.stringify({ at: place, changed: ["Ticket"], program: "1" }));
  expect(told("a_".repeat(80))).toBe(told("-Z".repeat(80)));
  expect(told("a_".repeat(80))).not.toBe(told("a_".repeat(82)));
  const day = JSON.stringify({ at: "2026-11-28" });
  expect(withoutPlaces(day)).toBe(day);
});
