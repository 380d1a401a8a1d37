import { describe, expect, test } from "vitest";
import type { TransitionJson } from "../../../src/core/wire/entities.ts";
import type { ScreenJson } from "../../../src/core/wire/screens.ts";
import { readFailure } from "../../../src/web/api/api-error.ts";
import {
  candidateQuery,
  findCandidates,
  placeAfterTyping,
} from "../../../src/web/field/control/reference-candidates.ts";
import { findPartialApproval } from "../../../src/web/format/approval-progress.ts";
import { createShow, keepTogether, splitNumbers } from "../../../src/web/format/format.ts";
import { getInitial, getInitials, PEOPLE } from "../../../src/web/format/names.ts";
import { listBulkActs } from "../../../src/web/list/bulk/bulk-acts.ts";
import {
  columnWidths,
  distributeWidth,
  isCramped,
  leaveRoomForMenus,
  sumLeastWidths,
  sumScrolledWidths,
} from "../../../src/web/list/table/column-widths.ts";
import { findNeighbours, listFollowing } from "../../../src/web/routing/record-pager.ts";
import { byPoint } from "../../../src/web/workbench/point-titles.ts";
import {
  areNegativeEnds,
  buildRecordActs,
  findMainActs,
  getControlLabel,
  listTransitionActs,
} from "../../../src/web/workflow/record-acts.ts";
import {
  buildStatePath,
  findInitialState,
  findReachedState,
  findWaysBack,
  nextActionInForm,
  nextActionsAfterCreate,
  nextAutomaticTransition,
  nextStates,
  nextStatesAfterCreate,
  opensDialog,
  transitionsBack,
} from "../../../src/web/workflow/workflow.ts";
import { field, line, loan, record } from "../lending.ts";

const why = { code: "FORBIDDEN", clause: "4.Loan.hand_over", because: "Keepers alone may hand it over." };

describe("the state of a record", () => {
  const history = [
    line("hand_over", "asked", "lent", "2026-11-02T09:30:00.000Z"),
    line("create", null, "asked", "2026-11-01T09:00:00.000Z"),
  ];

  test("has a path from its history, oldest first", () => {
    expect(buildStatePath(loan, record(), history).map(({ state, at }) => [state.name, at?.slice(0, 10)])).toEqual([
      ["asked", "2026-11-01"],
      ["lent", "2026-11-02"],
    ]);
  });

  test("is what a transition reached only if it led all records there from another one", () => {
    const reached = (...moves: readonly (readonly [string, string])[]) =>
      findReachedState(
        loan,
        moves.map(([from, to]) => ({ before: record({ status: from }), after: record({ status: to }) })),
      )?.name;
    expect(reached(["asked", "lent"])).toBe("lent");
    expect(reached(["asked", "declined"], ["lent", "declined"])).toBe("declined");
    expect(reached(["lent", "lent"])).toBeUndefined();
    expect(reached(["asked", "lent"], ["lent", "lent"])).toBeUndefined();
    expect(reached(["asked", "lent"], ["asked", "declined"])).toBeUndefined();
    expect(reached()).toBeUndefined();
  });

  test("names nobody for a transition that followed from another change", () => {
    const states = loan.states ?? null;
    if (states === null) throw new Error("a loan has states");
    const transitions = states.transitions.map((one) => (one.name === "hand_over" ? { ...one, by: [] } : one));
    const followed = history.map((one) =>
      one.action === "hand_over" ? { ...one, cause: { entity: "Loan", id: "1", label: "", action: "submit" } } : one,
    );
    const persons = (entity: typeof loan) =>
      buildStatePath(entity, record(), followed).map(({ person }) => person?.label);
    expect(persons({ ...loan, states: { ...states, transitions } })).toEqual(["Jonas Weber", undefined]);
    // A transition of people that an effect makes has the name of the person.
    expect(persons(loan)).toEqual(["Jonas Weber", "Jonas Weber"]);
  });

  test("is known without a history, and nothing is invented", () => {
    expect(buildStatePath(loan, record(), [])).toMatchObject([{ state: { name: "lent" }, at: null, person: null }]);
  });

  test("ends a history that lags behind", () => {
    expect(buildStatePath(loan, record({ status: "returned" }), history).at(-1)).toMatchObject({
      state: { name: "returned" },
      at: null,
    });
  });

  describe("possible next steps", () => {
    const [now, today] = [new Date("2026-11-20T12:00:00.000Z"), "2026-11-20"];
    const { states } = loan;
    if (!states) throw new Error("a loan has states");
    const may = { update: [], delete: false, transitions: ["bring_back"], refused: {} };
    const of = (name: string, more: Partial<TransitionJson>) => ({
      ...loan,
      states: {
        ...states,
        transitions: states.transitions.map((one) => (one.name === name ? { ...one, ...more } : one)),
      },
    });

    test("have one line per state, with each transition that leads there and all its roles", () => {
      expect(nextStates(loan, record({ may }), today, now)).toMatchObject([
        {
          state: { name: "returned" },
          ways: [
            { transition: { name: "take_back" }, you: false, roles: [{ role: "keeper" }] },
            { transition: { name: "bring_back" }, you: true, roles: [] },
          ],
        },
      ]);
      expect(nextStates(loan, record({ status: "returned", may }), today, now)).toEqual([]);
      expect(findInitialState(loan)?.name).toBe("asked");
    });

    test("name the person of a role on the record; a role without one has its title", () => {
      const held = { ...loan, holders: { borrower: "member" } };
      const member = { id: "p1", label: "Mei Tanaka" };
      const none = { ...may, transitions: [] };
      const bringBack = (entity: typeof loan, more: object) =>
        nextStates(entity, record({ may: none, ...more }), today, now)[0]?.ways[1];
      expect(bringBack(held, { member })).toMatchObject({ people: ["Mei Tanaka"], roles: [] });
      expect(bringBack(held, { member: null })).toMatchObject({ people: [], roles: [{ role: "borrower" }] });
      expect(bringBack(held, {})).toMatchObject({ people: [], roles: [{ role: "borrower" }] });
    });

    test("omit facts of the record that refuse everyone", () => {
      const refused = { ...may, transitions: ["take_back"], refused: { bring_back: { ...why, code: "GUARD" } } };
      const ways = (entity: typeof loan) =>
        nextStates(entity, record({ may: refused }), today, now)[0]?.ways.map(({ transition }) => transition.name);
      expect(ways(loan)).toEqual(["take_back", "bring_back"]);
      expect(ways(of("bring_back", { guarded: true }))).toEqual(["take_back"]);
    });

    test("omit what happens automatically without leaving the state", () => {
      const ways = (more: object) =>
        nextStates(
          of("bring_back", { to: ["lent"], ...more }),
          record({ may: { ...may, transitions: [] } }),
          today,
          now,
        ).flatMap(({ ways }) => ways.map(({ transition }) => transition.name));
      expect(ways({})).toContain("bring_back");
      expect(ways({ by: [] })).not.toContain("bring_back");
    });

    test("count the people of a transition that needs several, for those who may know them", () => {
      const needs = { count: null, field: "taken_by", completion: "taken" };
      const shared = of("take_back", { needs: { ...needs, count: 2 } });
      const people = [{ id: "p1", label: "Mei Tanaka" }];
      const progress = (entity: typeof loan, more: object) =>
        nextStates(entity, record({ may, ...more }), today, now)[0]?.ways[0]?.progress;
      expect(progress(shared, { taken_by: people })).toEqual({ people, needed: 2 });
      expect(progress(shared, {})).toBeNull();
      const varying = of("take_back", { needs });
      expect(progress(varying, { taken_by: [] })).toBeNull();
      expect(progress(varying, { taken_by: people, may: { ...may, needed: { take_back: 3 } } })).toEqual({
        people,
        needed: 3,
      });
      expect(progress(loan, { taken_by: [] })).toBeNull();
    });

    test("wait for more people once somebody has made one that needs several, in a state that it leads out of", () => {
      const needs = { count: 2, field: "taken_by", completion: "taken" };
      const shared = of("take_back", { needs });
      const people = [{ id: "p1", label: "Mei Tanaka" }];
      const partial = (more: object) => findPartialApproval(shared, record({ may, ...more }))?.progress;
      expect(partial({ taken_by: people })).toEqual({ people, needed: 2 });
      expect(partial({ taken_by: [] })).toBeUndefined();
      expect(partial({ taken_by: people, status: "returned" })).toBeUndefined();
      // Somebody who may not know the people, or how many it needs, learns nothing.
      expect(partial({})).toBeUndefined();
      const varying = of("take_back", { needs: { ...needs, count: null } });
      expect(findPartialApproval(varying, record({ may, taken_by: people }))).toBeNull();
    });

    test("lead where several people lead it together, which does not happen on its own", () => {
      const voted = of("take_back", { to: ["lent"], needs: { count: 2, field: "taken_by", completion: "taken" } });
      const { states } = voted;
      const taken: TransitionJson = {
        name: "taken",
        label: "Returned",
        from: ["lent"],
        to: ["returned"],
        asks: [],
        by: [],
        itself: null,
        clause: "4.Loan.take_back",
      };
      const entity = { ...voted, states: states && { ...states, transitions: [...states.transitions, taken] } };
      const steps = nextStates(entity, record({ may, taken_by: [] }), today, now).map(({ state, ways }) => [
        state.name,
        ways.map(({ transition }) => transition.name),
      ]);
      expect(steps).toEqual([["returned", ["take_back", "bring_back"]]]);
    });

    test("do not offer to undo an approval if they need several people themselves", () => {
      const back = (more: Partial<TransitionJson>, before = "asked") =>
        transitionsBack(
          of("bring_back", { from: ["lent"], to: ["asked"], ...more }),
          record({ status: before }),
          record({ status: "lent" }),
        ).length;
      expect(back({})).toBe(1);
      // Nothing takes back a transition that left the state as it was, least of all itself.
      expect(back({ to: ["lent"] }, "lent")).toBe(0);
      expect(back({ needs: { count: 2, field: "taken_by", completion: "brought" } })).toBe(0);
      // Its dialog takes the place of an undo.
      const asking = of("bring_back", { from: ["lent"], to: ["asked"], asks: ["reason"] });
      const [before, after] = [record({ status: "asked" }), record({ status: "lent" })];
      expect(transitionsBack(asking, before, after)).toEqual([]);
      expect(findWaysBack(asking, before, after).map(({ name }) => name)).toEqual(["bring_back"]);
    });

    test("show the time of a timer that is still to come", () => {
      const timed = of("take_back", { by: [], itself: "after 14 days" });
      const at = (moment: string) =>
        nextAutomaticTransition(timed, record({ may, _ahead: { take_back: moment } }), today, now)?.at;
      expect(at("2026-11-20T12:00:01.000Z")).toBe("2026-11-20T12:00:01.000Z");
      expect(at("2026-11-20T11:59:59.000Z")).toBeUndefined();
      expect(at("2026-11-20")).toBe("2026-11-20");
      expect(at("2026-11-19")).toBeUndefined();
    });

    test("a date is in the future until it ends in the application’s time zone, not in UTC", () => {
      const timed = of("take_back", { by: [], itself: "after 14 days" });
      const at = (moment: string, today: string) =>
        nextAutomaticTransition(
          timed,
          record({ may, _ahead: { take_back: moment } }),
          today,
          new Date("2026-11-20T23:30:00.000Z"),
        )?.at;
      // Half past midnight in Berlin, half past three in the afternoon in Los Angeles.
      expect(at("2026-11-20", "2026-11-21")).toBeUndefined();
      expect(at("2026-11-21", "2026-11-21")).toBe("2026-11-21");
      expect(at("2026-11-20", "2026-11-20")).toBe("2026-11-20");
    });

    test("of a new record: the person is in the fields that the program or a default fills with them", () => {
      const person = { id: "p1", name: "Mei", roles: [], everybody: ["staff"], administrator: false, preferences: {} };
      const member = field("member", "reference", { maker: true });
      const own = {
        ...of("hand_over", { by: [{ role: "borrower" }] }),
        fields: [member],
        holders: { borrower: "member" },
      };
      const ways = (entity: typeof loan) =>
        nextStatesAfterCreate(entity, person).flatMap((one) => one.ways.map(({ you }) => you));
      expect(ways(own)).toEqual([true, false]);
      expect(ways({ ...own, fields: [{ ...member, default: "person" }] })).toEqual([true, false]);
      expect(ways({ ...own, fields: [field("member", "reference")] })).toEqual([false, false]);
      expect(ways(of("decline", { by: [{ role: "staff" }] }))).toEqual([false, true]);
      expect(nextActionsAfterCreate(own).map(({ name }) => name)).toEqual(["hand_over"]);
      // If others can continue, no particular person is next.
      expect(nextActionsAfterCreate(loan)).toEqual([]);

      // A form also makes that transition, unless it needs more input, is ruled out, or is not permitted on the record.
      const onward = (entity: typeof loan, made: ReturnType<typeof record> | null, closed: string[] = []) =>
        nextActionInForm(entity, made, new Set(closed))?.name;
      const borrowers = (more: Partial<TransitionJson>) => ({
        ...own,
        states: of("hand_over", { by: [{ role: "borrower" }], ...more }).states,
      });
      expect(onward(own, null)).toBe("hand_over");
      expect(onward(own, null, ["hand_over"])).toBeUndefined();
      expect(onward(loan, null)).toBeUndefined();
      expect(onward(borrowers({}), null)).toBe("hand_over");
      expect(onward(borrowers({ asks: ["remark"] }), null)).toBeUndefined();
      const made = (more: object) => record({ may: { ...may, transitions: [], refused: {}, ...more } });
      expect(onward(own, made({ transitions: ["hand_over"] }))).toBe("hand_over");
      expect(onward(own, made({ refused: { hand_over: { ...why, code: "GUARD" } } }))).toBe("hand_over");
      expect(onward(own, made({ refused: { hand_over: why } }))).toBeUndefined();
    });
  });
});

describe("the controls of a record", () => {
  const may = { update: [], delete: false, transitions: ["decline", "take_back"], refused: { hand_over: why } };
  const acts = listTransitionActs(loan, record({ may }));

  test("are at the places that the document gives them", () => {
    expect(acts.map(({ transition, refused }) => [transition.name, refused])).toEqual([
      ["hand_over", why],
      ["decline", null],
      ["take_back", null],
    ]);
  });

  describe("the primary control", () => {
    const { states } = loan;
    if (!states) throw new Error("a loan has states");
    const primaryOf = (status: string, transitions: readonly string[], of = states) =>
      listTransitionActs({ ...loan, states: of }, record({ status, may: { ...may, refused: {}, transitions } })).find(
        ({ primary }) => primary,
      )?.transition.name;

    test("leads on before it ends the record", () => {
      expect(primaryOf("asked", ["decline", "hand_over"])).toBe("hand_over");
      expect(primaryOf("asked", ["hand_over", "decline"])).toBe("hand_over");
    });

    test("is the one that the document names, while it is possible", () => {
      const transitions = states.transitions.map((one) =>
        one.name === "decline" ? { ...one, main: true as const } : one,
      );
      expect(primaryOf("asked", ["hand_over", "decline"], { ...states, transitions })).toBe("decline");
      expect(primaryOf("asked", ["hand_over"], { ...states, transitions })).toBe("hand_over");
    });

    test("ends the record if nothing else is possible, in the document’s expected final state only", () => {
      expect(primaryOf("lent", ["bring_back", "take_back"])).toBe("take_back");
      expect(primaryOf("asked", ["decline"])).toBeUndefined();
    });

    test("never leads back, nor to a bad state", () => {
      const lost = states.transitions.map((one) => (one.name === "take_back" ? { ...one, to: ["asked"] } : one));
      expect(primaryOf("lent", ["take_back"], { ...states, transitions: lost })).toBeUndefined();
      // Of the end and a way back, the end comes first.
      expect(primaryOf("lent", ["take_back", "bring_back"], { ...states, transitions: lost })).toBe("bring_back");
      const bad = states.states.map((one) => ({ ...one, mark: { ...one.mark, hue: "red" as const } }));
      expect(primaryOf("asked", ["hand_over"], { ...states, states: bad })).toBeUndefined();
    });
  });

  test("is absent for a transition that is neither open nor refused, which is hidden", () => {
    expect(acts.map(({ transition }) => transition.name)).not.toContain("bring_back");
  });

  test("with space for two, possible ones come first, and one that only a rule refuses has a place", () => {
    expect(findMainActs(acts).map(({ transition }) => transition.name)).toEqual(["take_back", "decline"]);
    const lent = (refusal: typeof why) =>
      findMainActs(
        listTransitionActs(
          loan,
          record({ may: { ...may, transitions: ["take_back"], refused: { hand_over: refusal } } }),
        ),
      ).map(({ transition }) => transition.name);
    expect(lent({ ...why, code: "NOT_BACK" })).toEqual(["take_back", "hand_over"]);
    expect([lent({ ...why, code: "WRONG_STATE" }), lent(why)]).toEqual([["take_back"], ["take_back"]]);
    const both = listTransitionActs(
      loan,
      record({ status: "asked", may: { ...may, transitions: ["hand_over", "decline"] } }),
    );
    expect(findMainActs(both.toReversed()).map(({ transition }) => transition.name)).toEqual(["hand_over", "decline"]);
  });
});

test("a decline that stands alone is an end without a result, but not beside the act that leads on", () => {
  const of = (...transitions: readonly string[]) =>
    areNegativeEnds(
      listTransitionActs(
        loan,
        record({ status: "asked", may: { update: [], delete: false, transitions, refused: {} } }),
      ),
    );
  expect([of("decline"), of("hand_over", "decline"), of()]).toEqual([true, false, false]);
});

test("a question comes before a transition that no other one takes back, and before input", () => {
  const asked = (name: string, of = loan) =>
    (of.states?.transitions ?? []).filter((one) => one.name === name).map((one) => opensDialog(of, one));
  expect([asked("hand_over"), asked("take_back")]).toEqual([[true], [true]]);
  if (!loan.states) throw new Error("a loan has states");
  const [first] = loan.states.transitions;
  if (!first) throw new Error("a loan has transitions");
  // A transition straight back takes it back.
  for (const [name, from, to] of [
    ["take_back", "returned", "lent"],
    ["hand_over", "lent", "asked"],
  ] as const) {
    const back = { ...first, name: "reopen", from: [from], to: [to] };
    const states = { ...loan.states, transitions: [...loan.states.transitions, back] };
    expect(asked(name, { ...loan, states })).toEqual([false]);
  }
});

describe("the acts on a record", () => {
  const say = (id: string) => id;
  const at = (kind: "record" | "form" | "letter", path: string) =>
    ({ kind, path, title: path, entity: "Loan", parent: null, fields: [], sections: [] }) as unknown as ScreenJson;
  const screens = [at("record", "/loans/{id}"), at("form", "/loans/{id}/edit"), at("letter", "/loans/{id}/receipt")];
  const may = { update: ["remark"], delete: true, transitions: ["take_back"], refused: { bring_back: why } };
  const build = (more: object, isOpen = false, of = screens) =>
    buildRecordActs({ entity: loan, record: record({ may: { ...may, ...more } }), screens: of, isOpen }, say);
  const keys = (acts: ReturnType<typeof build>) => acts.map(({ key }) => key);

  test("are one list for every place that shows them", () => {
    expect(keys(build({}))).toEqual([
      "open",
      "transition take_back",
      "transition bring_back",
      "edit",
      "copy link",
      "letter /loans/1/receipt",
      "print",
      "delete",
      "explain",
    ]);
    expect(keys(build({}, true))).toEqual(keys(build({})).slice(1));
  });

  test("say why they are impossible, or are left out", () => {
    const refused = { update: [], delete: false, updateRefused: why, deleteRefused: why };
    const reasons = (more: object) =>
      build(more).flatMap(({ key, refused }) => (key === "edit" || key === "delete" ? [[key, refused]] : []));
    expect(reasons(refused)).toEqual([
      ["edit", why],
      ["delete", why],
    ]);
    expect(reasons({ update: [], delete: false })).toEqual([]);
  });

  test("say which question comes first, and where they lead", () => {
    const [, back, brought] = build({});
    expect(back).toMatchObject({ question: "confirmation", target: { name: "returned" }, refused: null });
    expect(brought).toMatchObject({ refused: why });
    expect(back && getControlLabel(back, say)).toBe("record.asks");
    expect(build({}).find(({ kind }) => kind === "edit")).toMatchObject({ href: "/loans/1/edit" });
    expect(build({}, false, []).find(({ kind }) => kind === "edit")).toMatchObject({ href: null });
  });

  test("on several records: those that are possible for some, with the reasons for the others", () => {
    const one = record({ id: "1", may });
    const two = record({ id: "2", may: { ...may, delete: false, transitions: [], refused: { take_back: why } } });
    const buildActs = (of: ReturnType<typeof record>) =>
      buildRecordActs({ entity: loan, record: of, screens: [], isOpen: false }, say);
    const bulks = listBulkActs(loan, [two, one], buildActs);
    expect(bulks.map(({ act, able, unable }) => [act.key, able.map(({ id }) => id), unable])).toEqual([
      ["edit", ["2", "1"], []],
      ["transition take_back", ["1"], [{ record: two, why }]],
      ["delete", ["1"], [{ record: two, why: null }]],
    ]);
  });

  test("on several records: one refusal by a rule makes no other act the main one", () => {
    const { states } = loan;
    if (!states) throw new Error("a loan has states");
    const full = { ...why, code: "SHELF_FULL" };
    const lose = { ...states.transitions[0], name: "lose", to: ["lost"], asks: ["remark"] };
    const entity = {
      ...loan,
      states: {
        ...states,
        states: [...states.states, { ...states.states[0], name: "lost", mark: { hue: "red" } }],
        transitions: [...states.transitions, lose],
      },
    } as typeof loan;
    const free = record({ id: "1", may: { ...may, update: [], transitions: ["take_back", "lose"] } });
    const held = record({ id: "2", may: { ...may, update: [], transitions: ["lose"], refused: { take_back: full } } });
    const bulks = listBulkActs(entity, [held, free], (of) =>
      buildRecordActs({ entity, record: of, screens: [], isOpen: false }, say),
    );
    expect(bulks.map(({ act, able }) => [act.key, able.length])).toEqual([
      ["transition take_back", 1],
      ["transition lose", 2],
      ["delete", 2],
    ]);
  });

  test("on several records that all await their next step: it comes first, also where a rule refuses one of them", () => {
    const asked = { update: ["due_day"], transitions: ["decline", "hand_over"], refused: {}, delete: false };
    const spent = { ...why, code: "ALL_OUT" };
    const order = (...refusals: readonly (typeof why | null)[]) =>
      listBulkActs(
        loan,
        refusals.map((refusal, at) =>
          record({
            id: String(at),
            status: "asked",
            may: refusal === null ? asked : { ...asked, transitions: ["decline"], refused: { hand_over: refusal } },
          }),
        ),
        (of) => buildRecordActs({ entity: loan, record: of, screens: [], isOpen: false }, say),
      ).map(({ act }) => act.key);
    expect(order(null, spent)).toEqual(["transition hand_over", "edit", "transition decline"]);
    // One that awaits nothing was selected for something else.
    expect(order(null, why)).toEqual(["edit", "transition decline", "transition hand_over"]);
  });

  test("on several records with different next steps: the one that is wrong for fewer of the others comes first", () => {
    const both = record({ id: "1", status: "asked", may: { ...may, transitions: ["hand_over", "take_back"] } });
    const one = record({ id: "2", status: "lent", may: { ...may, transitions: ["take_back"] } });
    const bulks = listBulkActs(loan, [both, one], (of) =>
      buildRecordActs({ entity: loan, record: of, screens: [], isOpen: false }, say),
    );
    expect(bulks.filter(({ act }) => act.kind === "transition").map(({ act, able }) => [act.key, able.length])).toEqual(
      [
        ["transition hand_over", 1],
        ["transition take_back", 2],
      ],
    );
  });
});

describe("the list that the reader came from", () => {
  const trail = { entity: "Loan", title: "Loans", address: "/loans?status=lent", ids: ["1", "2", "3"], count: 64 };

  test("gives a record its neighbours", () => {
    expect(findNeighbours(trail, "Loan", "2")).toEqual({ position: 2, count: 64, previous: "1", next: "3" });
    expect(findNeighbours(trail, "Loan", "1")?.previous).toBeNull();
  });

  test("and none if it does not contain the record", () => {
    expect(findNeighbours(trail, "Loan", "9")).toBeNull();
    expect(findNeighbours(trail, "Thing", "1")).toBeNull();
    expect(findNeighbours(null, "Loan", "1")).toBeNull();
    expect(listFollowing(trail, "Loan", "9")).toEqual([]);
    expect(listFollowing(trail, "Thing", "1")).toEqual([]);
  });
});

describe("values as text", () => {
  const show = createShow("en-GB", "Europe/Berlin", { yes: "Yes", no: "No" });

  test.each([
    ["date", "2026-12-03", "3 Dec 2026"],
    ["datetime", "2026-12-03T13:02:00.000Z", "3 Dec 2026, 14:02"],
    ["boolean", true, "Yes"],
    ["decimal", "1250.50", "1,250.50"],
    ["decimal", "123456789012345678.10", "123,456,789,012,345,678.10"],
    ["text", "", null],
    ["reference", { id: "t1", label: "Cargo bike" }, "Cargo bike"],
  ] as const)("a %s %j is %j", (type, value, words) => {
    expect(show.value(field("x", type), value)).toBe(words);
  });

  test("a unit that the language knows is inflected, and any other unit is as written", () => {
    const units = (unit: string, count: number, locale = "en-GB") =>
      createShow(locale, "Europe/Berlin", { yes: "", no: "" }).value(field(unit, "integer", { unit }), count);
    expect([units("days", 1), units("days", 0), units("days", 6)]).toEqual([
      "1\u00a0day",
      "0\u00a0days",
      "6\u00a0days",
    ]);
    expect(units("Tage", 1, "de-DE")).toBe("1\u00a0Tag");
    expect([units("dB", 1), units("boxes", 1)]).toEqual(["1\u00a0dB", "1\u00a0boxes"]);
  });

  test.each([
    ["Jonas Weber, 18 Nov 2026 to 25 Nov 2026", "Jonas Weber, 18_Nov_2026 to 25_Nov_2026"],
    ["Urlaub 1. Jan. 2027", "Urlaub 1._Jan._2027"],
    ["Due Nov 18, 2026", "Due Nov_18,_2026"],
    ["12 boxes for 2026", "12 boxes for 2026"],
    ["Model 20 Plus 20260", "Model 20 Plus 20260"],
  ])("dates in %j do not wrap", (words, unbrokenWords) => {
    expect(keepTogether(words).replaceAll("\u00a0", "_")).toBe(unbrokenWords);
  });

  test.each([
    ["Decline: PR-2026-00029", ["PR-2026-00029"]],
    ["INV-7 replaces INV-7", ["INV-7", "INV-7"]],
    ["Jonas Weber, 2 December", []],
    ["Hanna Lindqvist will stand in for you (7 – 20 Dec)", ["7 – 20 Dec"]],
    ["Ines vertritt dich vom 28. Dez. – 3. Jan.", ["28. Dez. – 3. Jan."]],
    ["Jonas will stand in for you (Dec 28 – Jan 3)", ["Dec 28 – Jan 3"]],
    // A phone is not wide enough for it.
    ["Order Hochleistungs-Kettensägen-Ersatzteile-2026", []],
  ])("numbers and ranges in %j do not wrap at their hyphens and dashes", (words, numbers) => {
    const parts = splitNumbers(words);
    expect(parts.flatMap(({ part, isNumber }) => (isNumber ? [part] : []))).toEqual(numbers);
    expect(parts.map(({ part }) => part).join("")).toBe(words);
  });

  test("a number has its unit, a choice its label, several values commas", () => {
    expect(show.value(field("x", "integer", { unit: "days" }), 12)).toBe("12\u00a0days");
    expect(show.value(field("x", "integer", { unit: "days" }), 12, false)).toBe("12");
    expect(show.value(field("x", "choice", { values: [{ value: "sick", label: "Sick leave" }] }), "sick")).toBe(
      "Sick leave",
    );
    expect(show.value(field("x", "text"), ["one", "two"])).toBe("one, two");
  });

  test("initials omit small words between the names", () => {
    expect(getInitials("Jonas Weber")).toBe("JW");
    expect(getInitials("Bartholomäus von Hohenstein-Lichtenfels")).toBe("BH");
    expect(getInitials("amara")).toBe("A");
    expect(getInitials("")).toBe("");
    expect(getInitial("lending desk")).toBe("L");
  });
});

describe("columns", () => {
  const columns = [field("name", "text"), field("due_day", "date"), field("copies", "integer")];

  test("fill the available width, and are never narrower than needed", () => {
    const widths = columnWidths(columns);
    expect(distributeWidth(widths, 1200).reduce((sum, width) => sum + width, 0)).toBeCloseTo(1200);
    expect(distributeWidth(widths, 100)).toEqual(widths.map(({ least }) => least));
    expect(sumLeastWidths(widths)).toBeGreaterThan(300);
  });

  test("that are cut off are widened before others get space, and one that needs less than its type gives it to them", () => {
    const taken = { name: 270, due_day: 40, copies: 8 };
    const rows = (one: { readonly name: string }) =>
      Array.from({ length: 20 }, () => taken[one.name as keyof typeof taken]);
    const widths = columnWidths(columns, { taken: rows });
    const wanted = widths.map((one) => one.preferred);
    expect(wanted[0]).toBeGreaterThan(taken.name + 42);
    expect(wanted[1]).toBeLessThan(columnWidths(columns)[1]?.least ?? 0);
    const enough = wanted.reduce((sum, width) => sum + width, 0);
    expect(distributeWidth(widths, enough).map(Math.round)).toEqual(wanted.map(Math.round));
    // If there is too little space, the widest column shrinks.
    const [name, ...others] = distributeWidth(widths, enough - 50);
    expect(name).toBeCloseTo((wanted[0] ?? 0) - 50, 0);
    expect(others.map(Math.round)).toEqual(wanted.slice(1).map(Math.round));
    // A single outlier does not widen a column.
    const once = columnWidths(columns, { taken: (one) => rows(one).with(0, 400) });
    expect(once[1]?.preferred).toBe(widths[1]?.preferred);
    // It is shown whole before any column is wider than its texts.
    const full = once.map((one) => one.full);
    expect(full[1]).toBeGreaterThan(400);
    const all = full.reduce((sum, width) => sum + width, 0);
    expect(distributeWidth(once, all).map(Math.round)).toEqual(full.map(Math.round));
  });

  test("that are empty are as wide as their header, and leave the rest to a text that would be cut off", () => {
    const lines = [field("item", "text"), field("article", "reference"), field("unit", "choice")];
    const taken = ({ name }: { readonly name: string }) => [name === "item" ? 250 : 0];
    const widths = columnWidths(lines, { taken, headOf: () => 40, edges: { first: -12, last: -12 } });
    expect(widths.map((one) => one.preferred)).toEqual([250 + 27 - 12, 72, 72 - 12]);
    expect(distributeWidth(widths, 397).map(Math.round)).toEqual([265, 72, 60]);
  });

  test("a very long text has the space that no other column needs", () => {
    const taken = ({ name }: { readonly name: string }) => [name === "name" ? 700 : 40];
    const widths = columnWidths(columns, { taken });
    const wanted = widths.map((one) => one.full);
    expect(wanted[0]).toBeGreaterThan(700);
    const room = wanted.reduce((sum, width) => sum + width, 0);
    expect(distributeWidth(widths, room).map(Math.round)).toEqual(wanted.map(Math.round));
    expect(distributeWidth(widths, room - 100)[0]).toBeCloseTo((wanted[0] ?? 0) - 100, 0);
  });

  describe("give room to the title of the record, which one reads rows by", () => {
    const listed = [
      field("number", "sequence", { inLabel: true }),
      field("purpose", "text", { inLabel: true }),
      field("remark", "text"),
      field("requester", "reference", { entity: PEOPLE }),
      field("status", "state", { values: [{ value: "known", label: "Known" }] }),
    ];
    const usual: { readonly [name: string]: number } = {
      number: 100,
      purpose: 240,
      remark: 240,
      requester: 90,
      status: 60,
    };
    // One of twenty states also says for how many people it waits, and one purpose is very long.
    const longest: { readonly [name: string]: number } = { ...usual, purpose: 700, status: 190 };
    const taken = ({ name }: { readonly name: string }) =>
      Array.from({ length: 20 }, (_, at) => (at === 0 ? longest : usual)[name] ?? 0);
    const widths = columnWidths(listed, { taken, headOf: () => 40 });
    const share = (room: number) => distributeWidth(widths, room).map(Math.round);
    const [number, purpose, remark, requester] = widths.map(({ preferred }) => preferred);

    test("nine of ten of its texts are complete before another text is, or an outlier", () => {
      const [, title, other, person, state = 0] = share(870);
      expect([title, person]).toEqual([purpose, requester]);
      expect(other).toBeLessThan(remark ?? 0);
      expect(state).toBeLessThan(190);
      // Without a title, nothing changes: the texts are alike.
      const plain = columnWidths(
        listed.map(({ inLabel: _, ...one }) => one),
        { taken, headOf: () => 40 },
      );
      const [, one, two] = distributeWidth(plain, 870);
      expect(one).toBeCloseTo(two ?? 0);
    });

    test("names are cut off after outliers, and numbers never", () => {
      const room = sumLeastWidths(widths);
      const [first, title = 0, , person = 0] = share(room);
      expect([first, person < (requester ?? 0)]).toEqual([Math.round(number ?? 0), true]);
      expect(title).toBeGreaterThanOrEqual(180);
    });

    test("in tight rows of two lines, a long state stays whole, and the title has the rest", () => {
      const tight = columnWidths(listed, { taken, headOf: () => 40, isTight: true });
      const [, title = 0, , , state = 0] = distributeWidth(tight, 800).map(Math.round);
      const [, titleBefore = 0, , , stateBefore = 0] = share(800);
      expect(stateBefore).toBeLessThan(130);
      expect(state).toBeGreaterThan(150);
      expect(title).toBeLessThan(titleBefore);
      expect(title).toBeGreaterThan(240 * 0.65);
    });

    test("in tight rows, a state of one word has the width of its word, which two lines would break", () => {
      const states = { withdrawn: "Withdrawn", submitted: "Submitted", waiting: "Waiting for all of finance" };
      const values = Object.entries(states).map(([value, label]) => ({ value, label }));
      const status = field("status", "state", { values });
      const widthIn = (most: number) => {
        const of = (one: { readonly name: string }) =>
          one.name === "status" ? [most, ...Array(19).fill(63)] : taken(one);
        const wordOf = () => Math.min(most, 66);
        const measures = { taken: of, wordOf, headOf: () => 40, isTight: true };
        return columnWidths([...listed.slice(0, -1), status], measures).at(-1)?.shrunk[0];
      };
      expect((widthIn(66) ?? 0) - (widthIn(63) ?? 0)).toBe(3);
      expect(widthIn(170)).toBeLessThan((widthIn(63) ?? 0) + 170 - 63);
    });

    test("in tight rows, no word of a choice is broken, and a long state of most rows has two lines", () => {
      const category = field("category", "choice", { values: [{ value: "tools", label: "Tools and machines" }] });
      const columns = [...listed.slice(0, 2), category, ...listed.slice(3)];
      const of = ({ name }: { readonly name: string }) =>
        name === "status" ? [190] : name === "category" ? [130] : [90];
      const leastOf = (word: number) =>
        columnWidths(columns, { taken: of, wordOf: () => word, headOf: () => 40, isTight: true }).map(
          ({ shrunk }) => shrunk[2],
        );
      const [, , tools = 0, , state = 0] = leastOf(50);
      const [, , electronics = 0, , waiting] = leastOf(90);
      expect([tools, electronics, state]).toEqual([84 - 8, 90 + 27 - 8, waiting]);
      expect(state).toBeLessThan(190);
    });

    test("a table that scrolls has no reason to cut it off", () => {
      const room = sumScrolledWidths(widths);
      expect(room).toBeGreaterThan(sumLeastWidths(widths));
      expect(share(room)[1]).toBe(purpose);
    });
  });

  test("leave to cut texts what is free elsewhere: padding, and the margin before the menus", () => {
    const taken = ({ name }: { readonly name: string }) => [name === "name" ? 270 : 60];
    const outer = { taken, edges: leaveRoomForMenus() };
    const [usual, tight] = [columnWidths(columns, outer), columnWidths(columns, { ...outer, isTight: true })];
    expect(usual.at(-1)?.preferred).toBeLessThan(columnWidths(columns, { taken }).at(-1)?.preferred ?? 0);
    // The outer side of the first column is aligned with the page.
    expect(usual.map(({ preferred }, at) => preferred - (tight[at]?.preferred ?? 0))).toEqual([4, 8, 8]);
    const enough = usual.reduce((sum, { preferred }) => sum + preferred, 0);
    expect([isCramped(usual, enough), isCramped(usual, enough - 1)]).toEqual([false, true]);
  });

  test("a person has space for a picture and a name", () => {
    const [person, thing] = columnWidths([
      field("requester", "reference", { entity: PEOPLE }),
      field("supplier", "reference", { entity: "Supplier" }),
      field("last", "text"),
    ]).map(({ least }) => least);
    expect(person).toBeGreaterThan((thing ?? 0) + 42);
  });

  test("a state has space for its longest label, and a number for no more than itself", () => {
    const state = field("status", "state", { values: [{ value: "known", label: "Reported already" }] });
    const [number, subject, status] = columnWidths([field("number", "sequence"), field("subject", "text"), state]);
    expect(status?.least).toBeGreaterThan(160);
    expect(number?.share).toBeLessThan(subject?.share ?? 0);
  });
});

describe("the options of a reference", () => {
  const items = ["Sound desk", "Thermal camera", "Câmera obscura"].map((label, id) =>
    record({ id: String(id), _label: label }),
  );

  test("contain every typed word regardless of accents; those that start with it come first", () => {
    const labels = (typed: string) => findCandidates(items, typed, loan).map(({ label }) => label);
    expect(labels("camera")).toEqual(["Câmera obscura", "Thermal camera"]);
    expect(labels("cam ther")).toEqual(["Thermal camera"]);
    expect(labels("")).toHaveLength(3);
  });

  test("are also found by other texts of one line, after those found by their labels", () => {
    const of = { ...loan, fields: [...loan.fields, field("order_number", "sequence"), field("note", "long text")] };
    const orders = [
      record({ id: "1", _label: "Chairs", order_number: "PO-17", note: "See PO-18." }),
      record({ id: "2", _label: "Instead of PO-17" }),
      record({ id: "3", _label: "Tables", order_number: "PO-18" }),
    ];
    const found = (typed: string) => findCandidates(orders, typed, of).map(({ label, foundBy }) => [label, foundBy]);
    expect(found("po-17")).toEqual([
      ["Instead of PO-17", undefined],
      ["Chairs", "PO-17"],
    ]);
    expect(found("po-18")).toEqual([["Tables", "PO-18"]]);
    // Enter and Tab choose no record whose label lacks the words, but a new one, if it can be created.
    const place = (typed: string, offersCreation: boolean) =>
      placeAfterTyping(findCandidates(orders, typed, of), offersCreation);
    expect([place("po-17", true), place("po-18", true), place("po-18", false), place("none", true)]).toEqual([
      0, 1, -1, 0,
    ]);
  });

  test("are searched only after typing", () => {
    expect(candidateQuery([], " ").has("search")).toBe(false);
    expect(candidateQuery([], "cam ").get("search")).toBe("cam");
  });
});

describe("open points", () => {
  test("are grouped by point, in the order of the document", () => {
    const all = [
      { point: 6, line: 9 },
      { point: 0, line: 1 },
      { point: 6, line: 4 },
    ];
    expect([...byPoint(all)]).toEqual([
      [0, [{ point: 0, line: 1 }]],
      [
        6,
        [
          { point: 6, line: 9 },
          { point: 6, line: 4 },
        ],
      ],
    ]);
  });
});

describe("a failed call", () => {
  const problem = { type: "about:blank", title: "x", status: 403, code: "FORBIDDEN", detail: "No.", reference: "k7f2" };
  const answer = (status: number, body: unknown = problem, headers = {}) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });

  test("401 means signed out, except during sign-in", async () => {
    expect(await readFailure(answer(401), false)).toEqual({ kind: "signed out" });
    expect(await readFailure(answer(401), true)).toEqual({ kind: "refused", problem });
  });

  test("503 says when to retry", async () => {
    expect(await readFailure(answer(503, problem, { "Retry-After": "7" }), false)).toEqual({
      kind: "away",
      seconds: 7,
    });
    expect(await readFailure(answer(503), false)).toEqual({ kind: "away", seconds: 3 });
    const slow = { ...problem, code: "TOOK_TOO_LONG", detail: "Given up. Nothing was done." };
    expect(await readFailure(answer(503, slow, { "Retry-After": "2" }), false)).toEqual({
      ...{ kind: "put off", seconds: 2, says: "Given up. Nothing was done." },
    });
  });

  test("other refusals have their problem; an internal error has its reference", async () => {
    expect(await readFailure(answer(403), false)).toEqual({ kind: "refused", problem });
    expect(await readFailure(answer(500), false)).toEqual({ kind: "broken", reference: "k7f2" });
    // A proxy that cannot reach the server.
    for (const status of [502, 503, 504])
      expect(await readFailure(answer(status, "<html>"), false)).toEqual({ kind: "unreachable", byProxy: true });
    expect(await readFailure(answer(404, "<html>"), false)).toEqual({ kind: "broken", reference: null });
  });
});
