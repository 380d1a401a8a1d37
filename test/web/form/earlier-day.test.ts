import { expect, test } from "vitest";
import { getSiblingsOfForm } from "../../../src/web/field/control/sibling-values.tsx";
import { enterValue } from "../../../src/web/form/state/edit-form.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { field } from "../lending.ts";

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

test("the calendar of a date begins at the day in the field before it, and a moment without a day is on that of the moment before", () => {
  const earlier = (name: string, of = form) => getSiblingsOfForm(of, null, here).earlierDay?.(name);
  expect(earlier("last_day")).toBe("4 Mar 2027");
  expect(earlier("first_day")).toBe("");
  expect(earlier("reminder")).toBe("9 Mar 2027");
  expect(earlier("ends")).toBe("9 Mar 2027");
  expect(earlier("begins")).toBe("");
  expect(earlier("last_day", fresh)).toBe("");
  expect(earlier("unknown")).toBe("");
});
