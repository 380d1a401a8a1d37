import { describe, expect, test } from "vitest";
import type { PersonJson } from "../../../src/core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../src/core/wire/entities.ts";
import { buildAgenda, type CalendarEntry } from "../../../src/web/calendar/entry-layout.ts";
import { findDateRangeFields } from "../../../src/web/format/date-range-fields.ts";
import { createShow } from "../../../src/web/format/format.ts";
import { fewWords } from "../../../src/web/format/record-summary.ts";
import type { Words } from "../../../src/web/i18n/words.tsx";
import {
  findReplacedAct,
  isForOthers,
  listActsInstead,
  listTileActs,
  listTransitionActs,
  sayWhyMissing,
} from "../../../src/web/workflow/record-acts.ts";
import { isMarkedOff } from "../../../src/web/workflow/workflow.ts";
import { field, loan, record } from "../lending.ts";

const show = createShow("en-GB", "Europe/Berlin", { yes: "Yes", no: "No" });
const [from, to] = [field("from_day", "date"), field("due_day", "date")];
const year = new Date().getFullYear();
const lent = record({ from_day: `${year}-11-18`, due_day: `${year}-11-25`, copies: 2 });
const words = (fields: Parameters<typeof fewWords>[0], one = lent, days: Parameters<typeof fewWords>[3] = null) =>
  fewWords(fields, one, show, days, { nameValue: ({ label }, value) => `${label}: ${value}` }).map(
    ({ shown }) => shown,
  );

describe("a summary of a record", () => {
  const days = { from: "from_day", to: "due_day", type: "date" } as const;

  test("shows two dates as one range, and a single day once", () => {
    expect(words([from, to], lent, days)).toEqual([show.shortDays(`${year}-11-18`, `${year}-11-25`)]);
    expect(words([from, to], { ...lent, due_day: `${year}-11-18` } as typeof lent, days)).toEqual(["18 Nov"]);
  });

  test("names the field of a date that is part of no range", () => {
    expect(words([from, to])).toEqual(["From day: 18 Nov", "Due day: 25 Nov"]);
    expect(words([to], lent, days)).toEqual(["Due day: 25 Nov"]);
    const turned = { ...lent, due_day: `${year}-11-01` } as typeof lent;
    expect(words([from, to], turned, days)).toEqual(["From day: 18 Nov", "Due day: 1 Nov"]);
  });

  test("names the field of a time", () =>
    expect(words([field("due_day", "datetime")], record({ due_day: `${year}-11-30T17:00:00Z` }))).toEqual([
      "Due day: 30 Nov, 18:00",
    ]));

  test("names the fields of numbers and of equal kinds, and omits a computed zero and false", () => {
    const copies = field("copies", "integer");
    const counted = field("copies", "integer", { automatic: true });
    expect(words([copies])).toEqual(["Copies: 2"]);
    expect(words([counted, field("kept", "boolean")], record({ copies: 0, kept: false }))).toEqual([]);
    expect(words([copies], record({ copies: 0 }))).toEqual(["Copies: 0"]);
    const [owner, deputy] = ["owner", "deputy"].map((name) => field(name, "reference", { entity: "User" }));
    const both = record({ owner: { id: "1", label: "Mei Tanaka" }, deputy: { id: "2", label: "Lukas Brandt" } });
    if (!owner || !deputy) throw new Error("two fields");
    expect(words([owner, deputy], both)).toEqual(["Owner: Mei Tanaka", "Deputy: Lukas Brandt"]);
    expect(words([owner], both)).toEqual(["Mei Tanaka"]);
  });

  test("shows the day of two times on it once", () => {
    const moments = [field("from_day", "datetime"), field("due_day", "datetime")];
    const span = { ...days, type: "datetime" } as const;
    const from_day = `${year}-11-18T08:00:00Z`;
    const booked = record({ from_day, due_day: `${year}-11-18T10:30:00Z` });
    expect(words(moments, booked, span)).toEqual(["18 Nov, 09:00–11:30"]);
    const long = record({ from_day, due_day: "2031-11-19T10:30:00Z" });
    const [said = ""] = words(moments, long, span);
    // A thin space on some machines.
    expect(said.replace(/\s–\s/u, " – ")).toBe(`18 Nov ${year}, 09:00 – 19 Nov 2031, 11:30`);
  });

  test("finds the range by its end", () => {
    const withEnd = (type: "date" | "datetime", begin?: FieldJson["begin"]) => ({
      ...loan,
      fields: [field("from_day", type), field("due_day", type, begin && { begin })],
    });
    const period = { field: "from_day", period: true } as const;
    expect(findDateRangeFields(withEnd("date", period))).toEqual(days);
    expect(findDateRangeFields(withEnd("datetime", period))).toEqual({ ...days, type: "datetime" });
    // Two dates in order, such as of an order and its delivery, need not be one period.
    expect(findDateRangeFields(withEnd("date", { field: "from_day" }))).toBeNull();
    expect(findDateRangeFields(withEnd("date"))).toBeNull();
  });
});

describe("a record that waits for a person", () => {
  const may = { update: [], delete: false, refused: {} };
  const offered = (status: string, transitions: readonly string[]) =>
    listTileActs(loan, record({ status, may: { ...may, transitions } })).map(({ transition }) => transition.name);

  test("has its controls in the list: first the one that leads on, then the others", () => {
    expect(offered("asked", ["decline", "hand_over"])).toEqual(["hand_over", "decline"]);
    expect(offered("lent", ["take_back", "bring_back"])).toEqual(["take_back", "bring_back"]);
  });

  test("has the one that leads to a bad state before others that the document names first", () => {
    const [decline] = loan.states?.transitions.filter(({ name }) => name === "decline") ?? [];
    if (!loan.states || !decline) throw new Error("no states");
    const extend = { ...decline, name: "extend", label: "Extend", to: ["asked"] };
    const transitions = [extend, ...loan.states.transitions];
    const shown = (hue: "red" | "plum") => {
      const states = loan.states?.states.map((state) =>
        state.name === "declined" ? { ...state, mark: { ...state.mark, hue } } : state,
      );
      const own = { ...loan, states: { field: "status", states: states ?? [], transitions } };
      const possible = ["extend", "decline", "hand_over"];
      return listTileActs(own, record({ status: "asked", may: { ...may, transitions: possible } }));
    };
    expect(shown("red").map(({ key }) => key)).toEqual(["transition hand_over", "transition decline"]);
    expect(shown("plum").map(({ key }) => key)).toEqual(["transition hand_over", "transition extend"]);
  });

  test("keeps the one that leads on while a rule refuses it, but not while a state or a condition does", () => {
    const refusedBy = (code: string) => {
      const refused = { hand_over: { code, clause: "5.Loan.NOT_BACK", because: "It is not back yet." } };
      const shown = listTileActs(loan, record({ status: "asked", may: { ...may, transitions: ["decline"], refused } }));
      return shown.map(({ key, refused: why }) => [key, why?.code]);
    };
    expect(refusedBy("NOT_BACK")).toEqual([
      ["transition hand_over", "NOT_BACK"],
      ["transition decline", undefined],
    ]);
    for (const code of ["GUARD", "WRONG_STATE", "FORBIDDEN"]) expect(refusedBy(code)).toEqual([]);
  });

  test("has the one that leads on instead of a refused one, then what declines, and knows which one it replaces", () => {
    const [handOver] = loan.states?.transitions ?? [];
    if (!loan.states || !handOver) throw new Error("no states");
    const passOn = { ...handOver, name: "pass_on", label: "Pass on" };
    const states = { ...loan.states, transitions: [...loan.states.transitions, passOn] };
    const refused = { hand_over: { code: "ABOVE_LIMIT", clause: "5.Loan.ABOVE_LIMIT", because: "It is too much." } };
    const own = { ...may, transitions: ["decline", "pass_on"], refused };
    const asked = record({ status: "asked", may: own });
    expect(listTileActs({ ...loan, states }, asked).map(({ key }) => key)).toEqual([
      "transition pass_on",
      "transition decline",
    ]);
    const replaced = findReplacedAct({ ...loan, states }, asked);
    expect([replaced?.refused.key, replaced?.by.key]).toEqual(["transition hand_over", "transition pass_on"]);
    expect(findReplacedAct(loan, asked)).toBeNull();
    const [why, ...others] = listTransitionActs({ ...loan, states }, asked);
    if (why === undefined) throw new Error("no act");
    const instead = (code: string) =>
      listActsInstead([why, ...others], { ...why, refused: { code, clause: "", because: "" } }).map(({ key }) => key);
    for (const code of ["ABOVE_LIMIT", "GUARD"])
      expect(instead(code)).toEqual(["transition pass_on", "transition decline"]);
    for (const code of ["WRONG_STATE", "FORBIDDEN"]) expect(instead(code)).toEqual([]);
  });

  test("has none if no transition leads on", () => {
    expect(offered("asked", ["decline"])).toEqual([]);
    expect(offered("returned", [])).toEqual([]);
    expect(listTileActs(loan, record())).toEqual([]);
  });
});

test("a line about a missing act names it, unless its sentence does", () => {
  const say = (_: string, { label, value }: { label: string; value: string }) => `${label}: ${value}`;
  const [handOver] = listTransitionActs(
    loan,
    record({ may: { update: [], delete: false, transitions: ["hand_over"], refused: {} } }),
  );
  if (handOver === undefined) throw new Error("no act");
  const line = (label: string, because: string) =>
    sayWhyMissing({ ...handOver, label }, { code: "", clause: "", because }, say as Words["say"]);
  expect(line("Pay", "Payroll has closed the month.")).toBe("Pay: Payroll has closed the month.");
  expect(line("Pay", "“Pay” waits for payroll.")).toBe("“Pay” waits for payroll.");
  expect(line("Hand over", "Hand over, please: the shelf is full.")).toBe("Hand over, please: the shelf is full.");
});

test("a refused transition is for others if somebody else has each role that can make it", () => {
  const [handOver] = loan.states?.transitions ?? [];
  if (handOver === undefined) throw new Error("no states");
  const own = { ...loan, holders: { borrower: "borrower" } };
  const person = { id: "ada", name: "Ada", roles: ["keeper"], everybody: ["member"] } as unknown as PersonJson;
  const roles = { keeper: "Keeper", member: "Member", office: "Office" };
  const isOfOthers = (
    by: readonly string[],
    borrower: string | null,
    { code = "WRONG_STATE", entity = own }: { readonly code?: string; readonly entity?: EntityJson } = {},
  ) => {
    const held = borrower === null ? null : { id: borrower, label: borrower };
    const refused = { code, clause: "", because: "" };
    const [act] = listTransitionActs(
      {
        ...own,
        states: { field: "status", states: [], transitions: [{ ...handOver, by: by.map((role) => ({ role })) }] },
      },
      record({ borrower: held, may: { update: [], delete: false, transitions: [], refused: { hand_over: refused } } }),
    );
    if (act === undefined) throw new Error("no act");
    return isForOthers(entity, record({ borrower: held }), act, { person, roles });
  };
  expect(isOfOthers(["borrower"], "ben")).toBe(true);
  expect(isOfOthers(["borrower"], "ada")).toBe(false);
  // Somebody who is missing can become the reader.
  expect(isOfOthers(["borrower"], null)).toBe(false);
  expect(isOfOthers(["borrower", "office"], "ben")).toBe(true);
  expect(isOfOthers(["borrower", "keeper"], "ben")).toBe(false);
  // A role that depends on more than a field of the record can be the reader's.
  expect(isOfOthers(["approver"], "ben")).toBe(false);
  expect(isOfOthers(["approver"], "ben", { code: "FORBIDDEN" })).toBe(true);
  // Only others can be chosen for the field, which does not take the role from somebody who was.
  const entity = { ...own, neverHeld: ["borrower"] };
  expect(isOfOthers(["borrower"], null, { entity })).toBe(true);
  expect(isOfOthers(["borrower"], "ada", { entity })).toBe(false);
});

test("a final state that is not the first, or a bad one, means that it did not happen", () => {
  const off = (name: string, hue?: "red" | "green") => {
    const state = loan.states?.states.find((one) => one.name === name);
    if (!state) throw new Error(`no state ${name}`);
    return isMarkedOff(loan, hue ? { ...state, mark: { ...state.mark, hue } } : state);
  };
  expect(["asked", "lent", "returned", "declined"].map((name) => off(name))).toEqual([false, false, false, true]);
  expect([off("returned", "red"), off("declined", "green"), off("lent", "red")]).toEqual([true, false, false]);
});

test("an agenda contains today, even if nothing starts", () => {
  const entry = (day: string): CalendarEntry => ({ record: record(), from: day, to: day, time: null, until: null });
  const span = { from: "2026-11-01", to: "2026-11-30" };
  const listed = (today: string) =>
    buildAgenda([entry("2026-11-09"), entry("2026-11-23")], span, today).map(({ day, entries }) => [
      day,
      entries.length,
    ]);
  expect(listed("2026-11-12")).toEqual([
    ["2026-11-09", 1],
    ["2026-11-12", 0],
    ["2026-11-23", 1],
  ]);
  expect(listed("2026-11-23").length).toBe(2);
  expect(listed("2026-12-01").length).toBe(2);
});
