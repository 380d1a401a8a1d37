import { expect, test } from "vitest";
import { enterValue } from "../../../src/web/form/state/edit-form.ts";
import { changedFields } from "../../../src/web/form/state/form-node.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { prefillForm } from "../../../src/web/form/state/prefill.ts";
import { readForm } from "../../../src/web/form/state/send-form.ts";
import { field } from "../lending.ts";

const here = { locale: "en-GB", timezone: "Europe/Berlin", booleans: { yes: "Yes", no: "No" }, today: "2027-02-01" };
const fields = [
  field("first_day", "date"),
  field("begins", "datetime", { optional: true }),
  field("kind", "choice", { values: [{ value: "holiday", label: "Holiday" }] }),
  field("days", "integer"),
  field("price", "money", { currency: "EUR" }),
  field("half", "boolean"),
  field("note", "text"),
  field("person", "reference", { entity: "User" }),
  field("tags", "text", { many: true }),
];
const fresh = openForm("create", fields, null, here);
const sent = (search: string) => {
  const read = readForm(prefillForm(fresh, search, here), here);
  return read.kind === "body" ? read.body : null;
};

test("the values in a form’s address are its initial values", () => {
  const search =
    "?first_day=2027-03-01&begins=2027-03-01T08%3A30%3A00.000Z&kind=holiday&days=3&price=12.50&half=true&note=By%20the%20sea";
  expect(sent(search)).toMatchObject({
    first_day: "2027-03-01",
    begins: "2027-03-01T08:30:00.000Z",
    kind: "holiday",
    days: 3,
    half: true,
    note: "By the sea",
  });
  expect(prefillForm(fresh, search, here).entered).toMatchObject({
    first_day: "1 Mar 2027",
    begins: "1 Mar 2027\n09:30",
  });
  expect(changedFields(prefillForm(fresh, search, here))).toEqual([]);
  // The values of the address take precedence over a stored draft.
  expect(prefillForm(enterValue(fresh, "first_day", "2027-04-01", here), search, here).entered.first_day).toBe(
    "1 Mar 2027",
  );
});

test.each([
  "first_day=2027-02-30",
  "first_day=soon",
  "first_day=",
  "begins=2027-03-01",
  "begins=x",
  "kind=other",
  "days=many",
  "person=0192",
  "tags=a",
  "nothing=at%20all",
  "%E0%A4%A",
  "__proto__=x",
])("an invalid value is ignored: %s", (search) => {
  const form = prefillForm(fresh, `?${search}`, here);
  expect(form.entered).toEqual(fresh.entered);
  expect(form.base).toEqual(fresh.base);
});
