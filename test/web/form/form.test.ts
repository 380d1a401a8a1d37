import { describe, expect, test } from "vitest";
import type { Problem } from "../../../src/core/wire/problems.ts";
import { createDrafts } from "../../../src/web/app/draft-store.ts";
import { compareForms, getShape } from "../../../src/web/form/state/compare-forms.ts";
import { beginField, enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import type { FormFieldError } from "../../../src/web/form/state/field-error.ts";
import { changedFields, type Form } from "../../../src/web/form/state/form-node.ts";
import {
  changedElsewhere,
  chooseSide,
  clearConflict,
  rebaseOnServerVersion,
} from "../../../src/web/form/state/merge-form.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { migrateForm, resumeForm, toDraft } from "../../../src/web/form/state/restore-draft.ts";
import { findErrors, readForm, refuseForm } from "../../../src/web/form/state/send-form.ts";
import { mergeValues } from "../../../src/web/form/state/three-way-merge.ts";
import { takeShort, withoutStops } from "../../../src/web/util/take-short.ts";
import { field, loan, record } from "../lending.ts";

const here = { locale: "en-GB", timezone: "Europe/Berlin", booleans: { yes: "Yes", no: "No" }, today: "2026-11-20" };
const fields = loan.fields.filter(({ automatic }) => !automatic);
const blank = () => openForm("create", fields, null, here);
const opened = () => openForm("update", fields, record(), here);

const refused: Problem = {
  type: "about:blank",
  title: "Not valid",
  status: 422,
  code: "INVALID",
  detail: "The loan was not saved.",
  errors: [
    {
      at: "/due_day",
      code: "DUE_BEFORE_START",
      clause: "5.Loan.DUE_BEFORE_START",
      message: "Too early.",
      help: "Later.",
    },
    { at: "/lines/1/amount", code: "X", clause: "5.Loan.X", message: "Elsewhere." },
  ],
};

describe("the body that a form sends", () => {
  test("of a new record has the input in wire format", () => {
    let form = enterValue(blank(), "thing", { id: "t1", label: "Cargo bike" }, here);
    form = enterValue(form, "due_day", "3.12.26", here);
    form = enterValue(form, "copies", "2", here);
    expect(readForm(form, here)).toEqual({ kind: "body", body: { thing: "t1", due_day: "2026-12-03", copies: 2 } });
  });

  test("of a change has the changed fields, and null for cleared ones", () => {
    let form = enterValue(opened(), "copies", "", here);
    form = enterValue(form, "remark", "Back early", here);
    expect(readForm(form, here)).toEqual({ kind: "body", body: { copies: null, remark: "Back early" } });
  });

  test("of a transition has all requested fields", () => {
    const form = openForm("ask", [field("remark", "long text")], record(), here);
    expect(readForm(form, here)).toEqual({ kind: "body", body: { remark: null } });
  });

  test("keeps an integer too large for a double as text", () => {
    const form = enterValue(opened(), "copies", "9007199254740993", here);
    expect(readForm(form, here)).toEqual({ kind: "body", body: { copies: "9007199254740993" } });
  });

  test("is not sent while a value is unreadable, and the form says where", () => {
    const read = readForm(enterValue(blank(), "due_day", "soon", here), here);
    expect(read.kind).toBe("form");
    if (read.kind !== "form") return;
    expect(read.form.errors.filter(({ kind }) => kind === "unreadable")).toMatchObject([
      { kind: "unreadable", field: "due_day", clause: "3.Loan.due_day" },
    ]);
  });
});

describe("the errors of a form that cannot be read", () => {
  const bounded = [
    field("count", "integer", { min: "1", max: "9" }),
    field("price", "money", { min: "0", currency: "EUR" }),
    field("until", "date", { max: "2026-12-31" }),
    field("code", "text", { min: "3" }),
    field("due_day", "date"),
  ];
  const entered = (values: { readonly [name: string]: string }, base: Form = openForm("create", bounded, null, here)) =>
    Object.entries(values).reduce((form, [name, value]) => enterValue(form, name, value, here), base);
  const problems = (form: Form, broken: readonly FormFieldError[] = []) => {
    const read = readForm(form, here, broken);
    return read.kind === "form" ? read.form.errors.map(({ kind, field: at }) => `${at} ${kind}`) : read.kind;
  };

  test("name missing values, violated bounds and violated rules beside it", () => {
    const form = entered({ count: "-2", price: "abc", until: "1 Jan 2027", code: "ab" });
    const rule = { kind: "refused", field: "code", clause: "5.X", message: "No.", help: null } as const;
    expect(problems(form, [rule])).toEqual([
      "count min",
      "price unreadable",
      "until max",
      "code min",
      "due_day missing",
      "code refused",
    ]);
    expect(
      problems(entered({ count: "9", price: "abc", until: "31 Dec 2026", code: "abc", due_day: "3 dec" })),
    ).toEqual(["price unreadable"]);
  });

  test("are not looked for in what is not sent, and the server judges what can be read", () => {
    const saved = record({ count: 99, price: null, until: null, code: "abcd", due_day: "2026-12-03" });
    const opened = openForm("update", bounded, saved, here);
    expect(problems(entered({ price: "abc" }, opened))).toEqual(["price unreadable"]);
    expect(problems(entered({ count: "-2" }, opened))).toBe("body");
  });
});

describe("errors while typing", () => {
  test("a date has no error before you leave it, and then at each key until it is valid", () => {
    let form = enterValue(blank(), "due_day", "3", here);
    expect(form.unreadable).toEqual([]);
    form = leaveField(form, "due_day", here);
    expect(form.unreadable).toEqual(["due_day"]);
    expect(enterValue(form, "due_day", "3 de", here).unreadable).toEqual(["due_day"]);
    expect(enterValue(form, "due_day", "3 dec", here).unreadable).toEqual([]);
  });

  test("leaving a date formats it, which is no change of a saved one", () => {
    expect(leaveField(enterValue(blank(), "due_day", "3 dec", here), "due_day", here).entered.due_day).toBe(
      "3 Dec 2026",
    );
    const typed = leaveField(enterValue(opened(), "due_day", "3.12.2026", here), "due_day", here);
    expect(changedFields(typed)).toEqual([]);
  });

  test("the end of a datetime range starts on its day, with the time still to enter", () => {
    const moments = (optional: boolean) => [
      field("begins", "datetime"),
      field("ends", "datetime", { optional, begin: { field: "begins", period: true } }),
    ];
    const begun = (optional = false) => {
      const form = openForm("create", moments(optional), null, here);
      return leaveField(enterValue(form, "begins", "24.11.26\n9", here), "begins", here);
    };
    expect(begun().entered).toEqual({ begins: "24 Nov 2026\n09:00", ends: "24 Nov 2026\n" });
    expect(readForm(begun(), here)).toMatchObject({ kind: "form", form: { unreadable: ["ends"] } });
    expect(begun(true).entered.ends).toBe("");
    const ended = enterValue(begun(), "ends", "25 Nov 2026\n10:00", here);
    expect(leaveField(ended, "begins", here).entered.ends).toBe("25 Nov 2026\n10:00");
  });

  test("an error stays at its field until the field changes; one without a field is in the summary", () => {
    const form = refuseForm(opened(), refused);
    expect(findErrors(form, "due_day")).toHaveLength(1);
    expect(form.errors.map((one) => (one.kind === "refused" ? one.field : null))).toEqual(["due_day", null]);
    expect(findErrors(enterValue(form, "due_day", "4 Dec 2026", here), "due_day")).toEqual([]);
  });

  test("the rules that the form violates are errors beside values that a response refuses, each once", () => {
    const broken = ["5.Loan.OTHER", refused.errors?.[0]?.clause ?? ""].map((clause) => ({
      kind: "refused" as const,
      field: "due_day",
      clause,
      message: "It is too late.",
      help: null,
    }));
    const clauses = (problem: Problem) => refuseForm(opened(), problem, broken).errors.map(({ clause }) => clause);
    const own = (refused.errors ?? []).map(({ clause }) => clause);
    const missing = { at: "/thing", code: "REQUIRED", clause: "3.Loan.thing", message: "Enter the thing." };
    const before = { ...refused, errors: [...(refused.errors ?? []), missing] };
    expect(clauses(before)).toEqual([...own, "3.Loan.thing", "5.Loan.OTHER"]);
    // The server has checked the rules that it refuses.
    expect(clauses(refused)).toEqual(own);
  });

  test("an error without parts is a sentence with its clause", () => {
    const { errors: _, ...whole } = refused;
    const form = refuseForm(opened(), { ...whole, clause: "5.Loan.1" });
    expect(form.errors).toEqual([
      { kind: "refused", field: null, clause: "5.Loan.1", message: "The loan was not saved.", help: null },
    ]);
  });
});

describe("a record that somebody else saved meanwhile", () => {
  const theirs = record({ version: 4, due_day: "2026-12-10", remark: "Theirs" });

  test("updates other fields, keeps your own, and asks about fields that both changed", () => {
    let form = enterValue(opened(), "remark", "Mine", here);
    form = enterValue(form, "copies", "5", here);
    form = rebaseOnServerVersion(form, theirs, here);
    expect(form.version).toBe(4);
    expect(form.entered).toMatchObject({ due_day: "10 Dec 2026", copies: "5", remark: "Mine" });
    expect(form.conflict?.taken).toEqual(["due_day"]);
    expect(form.conflict?.clashes).toEqual([{ field: "remark", mine: "Mine", theirs: "Theirs" }]);
  });

  test("shows at once which of its fields changed, until the form has that version", () => {
    const mine = enterValue(opened(), "remark", "Mine", here);
    expect(changedElsewhere(mine, theirs, here)).toEqual(["due_day", "remark"]);
    expect(changedElsewhere(mine, record({ version: 4 }), here)).toEqual([]);
    expect(changedElsewhere(mine, record({ remark: "Of an older version" }), here)).toEqual([]);
    expect(changedElsewhere(rebaseOnServerVersion(mine, theirs, here), theirs, here)).toEqual([]);
    expect(changedElsewhere(mine, null, here)).toEqual([]);
  });

  test("is saved with your choices", () => {
    const met = rebaseOnServerVersion(enterValue(opened(), "remark", "Mine", here), theirs, here);
    const [clash] = met.conflict?.clashes ?? [];
    if (!clash) throw new Error("There is no clash.");
    expect(readForm(clearConflict(chooseSide(met, clash, "mine")), here)).toEqual({
      kind: "body",
      body: { remark: "Mine" },
    });
    expect(readForm(clearConflict(chooseSide(met, clash, "theirs")), here)).toEqual({ kind: "body", body: {} });
  });

  test("has no conflict if both made the same change", () => {
    expect(mergeValues({ a: "1" }, { a: "2" }, { a: "2" }).clashes).toEqual([]);
  });

  test("compares references by record, not by label", () => {
    const [before, after] = [
      { id: "t1", label: "Bike" },
      { id: "t1", label: "Cargo bike" },
    ];
    expect(mergeValues({ a: before }, { a: before }, { a: after })).toMatchObject({ taken: [], clashes: [] });
  });
});

describe("drafts", () => {
  const shelf = () => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
  };
  const draft = { at: "2026-11-20T13:02:00.000Z", version: 3, base: { remark: "" }, entered: { remark: "Half a th" } };

  test("are stored per person and place", () => {
    const here = shelf();
    const drafts = createDrafts(() => here);
    expect(drafts.keep("jonas", "/loans/new", draft)).toBe(true);
    expect(drafts.find("jonas", "/loans/new")).toEqual(draft);
    expect(drafts.find("amara", "/loans/new")).toBeNull();
    drafts.drop("jonas", "/loans/new");
    expect(drafts.find("jonas", "/loans/new")).toBeNull();
  });

  test("are not stored if storage is full or unavailable, which is reported and breaks nothing", () => {
    const drafts = createDrafts(() => {
      throw new DOMException("Not here", "SecurityError");
    });
    expect(drafts.keep("jonas", "/loans/new", draft)).toBe(false);
    expect(drafts.find("jonas", "/loans/new")).toBeNull();
    expect(() => drafts.drop("jonas", "/loans/new")).not.toThrow();
  });

  test("that are damaged are ignored", () => {
    const here = shelf();
    here.setItem("ninefold draft jonas /loans/new", "{");
    expect(createDrafts(() => here).find("jonas", "/loans/new")).toBeNull();
  });
});

describe("a form under a new version of the document", () => {
  const anew = (names: readonly string[], more: readonly (typeof fields)[number][] = []) =>
    openForm("update", [...fields.filter(({ name }) => names.includes(name)), ...more], record(), here);

  test("keeps input for fields that remain, adds new fields, and lists removed ones", () => {
    let form = enterValue(opened(), "copies", "7", here);
    form = enterValue(form, "remark", "Back early", here);
    const refit = migrateForm(form, anew(["thing", "copies"], [field("purpose", "text")]), here);
    expect(refit.form.fields.map(({ name }) => name)).toEqual(["thing", "copies", "purpose"]);
    expect(refit.form.entered).toMatchObject({ copies: "7", purpose: "" });
    expect(refit.left.map(({ field: { name }, entered }) => [name, entered])).toEqual([["remark", "Back early"]]);
    expect(readForm(refit.form, here)).toEqual({ kind: "body", body: { copies: 7 } });
    expect(refit.form.version).toBe(form.version);
  });

  test("returns the input for a removed field once the field is back", () => {
    const form = enterValue(enterValue(opened(), "copies", "7", here), "remark", "Back early", here);
    const without = migrateForm(form, anew(["thing", "copies"]), here);
    const back = migrateForm(without.form, anew(["thing", "copies", "remark"]), here, without.left);
    expect(back.form.entered).toMatchObject({ copies: "7", remark: "Back early" });
    expect(back.left).toEqual([]);
    const other = anew(["thing", "copies"], [field("remark", "reference", { entity: "Thing" })]);
    expect(migrateForm(without.form, other, here, without.left).left).toEqual(without.left);
  });

  test("keeps input for a field that has another name now, also in drafts", () => {
    const form = enterValue(opened(), "remark", "Back early", here);
    const [remark] = fields.filter(({ name }) => name === "remark");
    if (remark === undefined) throw new Error("no remark");
    const renamed = { ...remark, name: "note", label: "Note", was: ["remark"] };
    const refit = migrateForm(form, anew(["thing"], [renamed]), here);
    expect(refit.form.entered.note).toBe("Back early");
    expect(refit.left).toEqual([]);
    expect(readForm(refit.form, here)).toEqual({ kind: "body", body: { note: "Back early" } });
    expect(compareForms(getShape(anew(["thing", "remark"])), getShape(refit.form))).toEqual({
      added: [],
      required: [],
      removed: [],
    });
    const draft = toDraft(form, "2026-11-01T09:00:00.000Z");
    expect(resumeForm(anew(["thing"], [renamed]), record(), draft, here).entered.note).toBe("Back early");
  });

  test("gives input to the renamed field alone if a new field takes its former name", () => {
    const form = enterValue(opened(), "remark", "Back early", here);
    const [remark] = fields.filter(({ name }) => name === "remark");
    if (remark === undefined) throw new Error("no remark");
    const now = () => anew(["thing"], [{ ...remark, name: "note", label: "Note", was: ["remark"] }, remark]);
    const refit = migrateForm(form, now(), here);
    expect(refit.form.entered).toMatchObject({ note: "Back early", remark: now().base.remark });
    expect(refit.left).toEqual([]);
    expect(compareForms(getShape(form), getShape(now())).added).toEqual([remark.label]);
    const resumed = resumeForm(now(), record(), toDraft(form, "2026-11-01T09:00:00.000Z"), here);
    expect(resumed.entered).toMatchObject({ note: "Back early", remark: now().base.remark });
    // Both names are in what the new version keeps.
    const both = enterValue(refit.form, "remark", "Another", here);
    expect(resumeForm(now(), record(), toDraft(both, "2026-11-01T09:00:00.000Z"), here).entered).toMatchObject({
      note: "Back early",
      remark: "Another",
    });
    // Back in the version before
    expect(migrateForm(refit.form, anew(["thing", "remark"]), here).form.entered.remark).toBe(now().base.remark);
  });

  test("does not put input into a field of another type", () => {
    const form = enterValue(opened(), "remark", "Back early", here);
    const refit = migrateForm(form, anew(["thing"], [field("remark", "reference", { entity: "Thing" })]), here);
    expect(refit.form.entered.remark).toBe(refit.form.base.remark);
    expect(refit.left).toHaveLength(1);
  });

  test("says which fields are new, required now, or removed, since the form was opened", () => {
    const began = getShape(anew(["thing", "remark"]));
    const [remark] = fields.filter(({ name }) => name === "remark");
    if (remark === undefined) throw new Error("no remark");
    const required = { ...remark, optional: false };
    const now = anew(["copies"], [required, field("thing", "text")]);
    const labels = (...names: readonly string[]) =>
      names.map((name) => fields.find((one) => one.name === name)?.label ?? name);
    expect(compareForms(began, getShape(now))).toEqual({
      // A field of another type cannot keep its input.
      added: [...labels("copies"), field("thing", "text").label],
      required: labels("remark"),
      removed: labels("thing"),
    });
    expect(compareForms(began, began)).toEqual({ added: [], required: [], removed: [] });
  });

  test("is silent about fields without input", () => {
    expect(migrateForm(opened(), anew(["thing"]), here).left).toEqual([]);
  });
});

test("a removed reference stays removed when its form is restored from a draft", () => {
  const emptied = enterValue(opened(), "thing", null, here);
  const resumed = resumeForm(opened(), record(), toDraft(emptied, "2026-11-20T10:00:00Z"), here);
  expect(resumed.entered.thing).toBeNull();
  expect(changedFields(resumed)).toEqual(["thing"]);
});

test("a value with which an empty field begins counts as no change, and leaves what is entered as it is", () => {
  const begun = beginField(blank(), "thing", { id: "t1", label: "Drill" });
  expect([begun.entered.thing, changedFields(begun)]).toEqual([{ id: "t1", label: "Drill" }, []]);
  expect(beginField(begun, "thing", { id: "t2", label: "Saw" }).entered.thing).toEqual({ id: "t1", label: "Drill" });
  expect(changedFields(enterValue(begun, "thing", null, here))).toEqual(["thing"]);
});

test("as many examples as fit are shown beside a field, and always one", () => {
  expect(takeShort(["Room 214", "Reception", "Warehouse"], 90)).toHaveLength(3);
  const long = "It has been like this since Monday morning. Switching it off and on again did not help.";
  expect([takeShort([long, "It works."], 90), takeShort([`${long} ${long}`], 90)]).toEqual([
    [long],
    [`${long} ${long}`],
  ]);
  expect(takeShort([], 90)).toEqual([]);
});

test("examples in a list are sentences without full stops, which would stand before a comma", () => {
  const away = "Two of the team are away that week";
  expect(withoutStops([`${away}.`, "Example Corp."])).toEqual([away, "Example Corp."]);
  expect(withoutStops(["For the open day.", "Back before the weekend."])).toEqual([
    "For the open day",
    "Back before the weekend",
  ]);
  const same = ["Smith & Sons Trading Ltd.", "Example Corp.", "Is it on?", "Paper, pens, clips etc.", "Wait and see…"];
  expect(withoutStops(same)).toEqual(same);
});
