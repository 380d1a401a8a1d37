import { describe, expect, test } from "vitest";
import { getSiblingsOfForm } from "../../../src/web/field/siblings-of-form.ts";
import { enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import type { Form } from "../../../src/web/form/state/form-node.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { resumeForm, toDraft } from "../../../src/web/form/state/restore-draft.ts";
import { readForm } from "../../../src/web/form/state/send-form.ts";
import { field, record } from "../lending.ts";

const here = { locale: "en-GB", timezone: "Europe/Berlin", booleans: { yes: "Yes", no: "No" }, today: "2027-02-01" };
const fields = [
  field("note", "text"),
  field("first_day", "date"),
  field("person", "reference", { entity: "User" }),
  field("last_day", "date"),
  field("begins", "datetime"),
  field("reminder", "date"),
  field("ends", "datetime"),
];
const fresh = openForm("create", fields, null, here);
const form = [
  ["first_day", "4 Mar 2027"],
  ["begins", "9 Mar 2027\n08:30"],
].reduce((form, [name = "", text = ""]) => enterValue(form, name, text, here), fresh);

const earlierDay = (name: string, of: Form) => {
  const asked = of.fields.find((one) => one.name === name);
  return asked && getSiblingsOfForm(of, null, here).earlierDay?.(asked);
};

test("the calendar of a date begins at the day in the field before it, and a moment without a day is on that of the moment before", () => {
  const earlier = (name: string, of = form) => earlierDay(name, of)?.day;
  expect(earlier("last_day")).toBe("2027-03-04");
  expect(earlier("first_day")).toBeUndefined();
  expect(earlier("reminder")).toBe("2027-03-09");
  expect(earlier("ends")).toBe("2027-03-09");
  expect(earlier("begins")).toBeUndefined();
  expect(earlier("last_day", fresh)).toBeUndefined();
  expect(earlierDay("last_day", form)?.isBegin).toBe(false);
});

describe("in the end of a period", () => {
  const period = [
    field("last_day", "date", { begin: { field: "first_day" } }),
    field("first_day", "date"),
    field("begins", "datetime"),
    field("ends", "datetime", { begin: { field: "begins", period: true } }),
  ];
  const saved = record({ first_day: "2027-03-04", last_day: "2027-03-05" });
  const end = (typed: string, form: Form) => {
    const read = readForm(leaveField(enterValue(form, "last_day", typed, here), "last_day", here), here);
    return read.kind === "body" ? read.body.last_day : read.kind;
  };

  test("offsets and weekdays count from its begin, wherever that stands in the form, or from today without one", () => {
    const empty = openForm("create", period, null, here);
    const begun = enterValue(empty, "first_day", "18.12.27", here);
    expect(["+2w", "+4", "-1", "fri", "today"].map((typed) => end(typed, begun))).toEqual([
      "2028-01-01",
      "2027-12-22",
      "2027-12-17",
      "2027-12-24",
      "2027-02-01",
    ]);
    expect(end("+2w", empty)).toBe("2027-02-15");
    expect(earlierDay("last_day", enterValue(empty, "first_day", "31 Feb", here))).toBeNull();
    const moments = [
      ["begins", "18.12.27\n9"],
      ["ends", "+1\n10:30"],
    ].reduce((form, [name = "", text = ""]) => enterValue(form, name, text, here), empty);
    expect(readForm(moments, here)).toMatchObject({ body: { ends: "2027-12-19T09:30:00.000Z" } });
  });

  test("a length includes the first day in the last day of a period, and is a distance in any other end", () => {
    const days = (begin: { field: string; period?: true }, typed: string) => {
      const fields = [field("first_day", "date"), field("last_day", "date", { begin })];
      return end(typed, enterValue(openForm("create", fields, null, here), "first_day", "18.12.27", here));
    };
    const lengths = ["2 weeks", "1 day", "1 month", "in 2 weeks", "+2w"];
    expect(lengths.map((typed) => days({ field: "first_day", period: true }, typed))).toEqual([
      "2027-12-31",
      "2027-12-18",
      "2028-01-17",
      "2028-01-01",
      "2028-01-01",
    ]);
    expect(days({ field: "first_day" }, "2 weeks")).toBe("2028-01-01");
  });

  test("they count from the saved begin, if the form asks only for the end", () => {
    const [last] = period;
    if (last === undefined) throw new Error("no end");
    const form = openForm("update", [last], saved, here);
    expect(end("+1w", form)).toBe("2027-03-11");
    expect(earlierDay("last_day", form)).toEqual({
      day: "2027-03-04",
      isBegin: true,
      counting: { countsFrom: "2027-03-04" },
    });
  });

  test("they count from today, if only the end is moved of what has begun", () => {
    const [last] = period;
    if (last === undefined) throw new Error("no end");
    const form = openForm("ask", [last], record({ first_day: "2027-01-04", last_day: "2027-02-05" }), here);
    expect(end("+1w", form)).toBe("2027-02-08");
    expect(earlierDay("last_day", form)).toEqual({ day: "2027-01-04", isBegin: true });
  });
});

test("a period whose begin is moved past its end keeps its length, and an end that can remain stays", () => {
  const period = { period: true } as const;
  const fields = [
    field("first_day", "date"),
    field("last_day", "date", { begin: { field: "first_day", ...period } }),
    field("begins", "datetime"),
    field("ends", "datetime", { begin: { field: "begins", ...period } }),
  ];
  const saved = {
    first_day: "2027-03-04",
    last_day: "2027-03-05",
    begins: "2027-12-18T13:00:00.000Z",
    ends: "2027-12-18T14:00:00.000Z",
  };
  const moved = (name: string, typed: string) => {
    const form = openForm("update", fields, record(saved), here);
    const read = readForm(leaveField(enterValue(form, name, typed, here), name, here), here);
    return read.kind === "body" ? read.body : read.kind;
  };
  expect(moved("begins", "18.12.27\n16")).toEqual({
    begins: "2027-12-18T15:00:00.000Z",
    ends: "2027-12-18T16:00:00.000Z",
  });
  expect(moved("begins", "18.12.27\n14:30")).toEqual({ begins: "2027-12-18T13:30:00.000Z" });
  expect(moved("begins", "18.12.27\n15")).toMatchObject({ ends: "2027-12-18T15:00:00.000Z" });
  expect(moved("first_day", "8.3.27")).toEqual({ first_day: "2027-03-08", last_day: "2027-03-09" });
  expect(moved("first_day", "5.3.27")).toEqual({ first_day: "2027-03-05" });
  expect(moved("first_day", "31 Feb")).toBe("form");
});

test("an end from a draft stays if the begin is moved before it, and follows if it is moved past it", () => {
  const fields = [
    field("first_day", "date"),
    field("last_day", "date", { begin: { field: "first_day", period: true } }),
  ];
  const saved = record({ first_day: "2027-03-04", last_day: "2027-03-05" });
  const open = () => openForm("update", fields, saved, here);
  const draft = toDraft(enterValue(open(), "last_day", "12.3.27", here), "2027-03-01T09:00:00.000Z");
  const moved = (...typed: readonly string[]) => {
    const resumed = resumeForm(open(), saved, draft, here);
    const form = typed.reduce((form, text) => enterValue(form, "first_day", text, here), resumed);
    const read = readForm(leaveField(form, "first_day", here), here);
    return read.kind === "body" ? read.body.last_day : read.kind;
  };
  expect(moved("8.3.27")).toBe("2027-03-12");
  expect(moved("15.3.27")).toBe("2027-03-23");
  // As typed, the first of these days is past the end.
  expect(moved("15.3.27", "8.3.27")).toBe("2027-03-12");
});

describe("the last day of a new period", () => {
  const fields = [
    field("first_day", "date"),
    field("last_day", "date", { begin: { field: "first_day", period: true } }),
  ];
  const type = (form: Form, name: string, text: string): Form => enterValue(form, name, text, here);
  const leave = (form: Form, name: string): Form => leaveField(form, name, here);
  const lastDay = (form: Form): unknown => {
    const read = readForm(form, here);
    return read.kind === "body" ? read.body.last_day : read.kind;
  };
  const begun = leave(type(openForm("create", fields, null, here), "first_day", "1.3.27"), "first_day");

  test("follows the first day if a usual length was chosen, also while it is typed", () => {
    const week = type(begun, "last_day", "7.3.27");
    expect(lastDay(type(week, "first_day", "3.3.27"))).toBe("2027-03-09");
    expect(lastDay(type(type(week, "first_day", "31 Fe"), "first_day", "15.2.27"))).toBe("2027-02-21");
    expect(
      lastDay(leave(type(leave(type(begun, "last_day", "2 weeks"), "last_day"), "first_day", "8.3.27"), "first_day")),
    ).toBe("2027-03-21");
  });

  test("otherwise stays where it can, and comes back when the first day does", () => {
    const three = type(begun, "last_day", "3.3.27");
    expect(lastDay(type(three, "first_day", "2.3.27"))).toBe("2027-03-03");
    const past = type(three, "first_day", "10.3.27");
    expect(lastDay(past)).toBe("2027-03-12");
    expect(lastDay(type(past, "first_day", "1.3.27"))).toBe("2027-03-03");
  });

  test("stays empty once it was emptied", () => {
    const empty = type(type(begun, "last_day", "7.3.27"), "last_day", "");
    expect(lastDay(type(empty, "first_day", "10.3.27"))).not.toBe("2027-03-16");
  });
});
