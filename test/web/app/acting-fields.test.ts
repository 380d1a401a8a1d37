import { expect, test } from "vitest";
import {
  addActingFields,
  addFoundFields,
  advanceSorted,
  isNarrowedToOne,
} from "../../../src/web/list/table/acting-fields.ts";
import { field, loan, record } from "../lending.ts";

const [thing, note, due] = [field("thing", "text"), field("note", "text"), field("due_day", "date")];
const entity = { ...loan, fields: [thing, note, field("paid_on", "date"), due] };
const row = record({ thing: "Ladder", note: "For room 2027", due_day: "2027-03-04", paid_on: "2027-03-02" });
const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

test("a search adds the field in which it found a word, but none that is not searched", () => {
  const found = (words: string) => names(addFoundFields([thing, due], entity, words, [row]));
  expect(found("2027")).toEqual(["thing", "due_day", "note"]);
  expect(found("ladder")).toEqual(["thing", "due_day"]);
  expect(found("2027-03-02")).toEqual(["thing", "due_day"]);
  expect(found("")).toEqual(["thing", "due_day"]);
});

test("a field by which rows are filtered or sorted is beside its like, unless the document sorts by it", () => {
  const shown = (filters: { readonly [name: string]: readonly string[] }, sort: readonly string[]) =>
    names(addActingFields([thing, due, note], { sort: ["-paid_on"] }, entity, { filters, sort }));
  expect(shown({ "paid_on@": ["last_month"] }, ["-paid_on"])).toEqual(["thing", "due_day", "paid_on", "note"]);
  expect(shown({}, ["paid_on"])).toEqual(["thing", "due_day", "paid_on", "note"]);
  expect(shown({}, ["-paid_on"])).toEqual(["thing", "due_day", "note"]);
});

test("a card shows the column that decides its order, even if it comes late", () => {
  const columns = ["number", "purpose", "category", "department", "net", "needed_by"].map((name) =>
    field(name, "text"),
  );
  const shown = (by: string) => names(advanceSorted(columns, [by]));
  expect(shown("-needed_by")).toEqual(["number", "purpose", "needed_by", "category", "department", "net"]);
  expect(shown("category")).toEqual(names(columns));
  expect(shown("paid_on")).toEqual(names(columns));
});

test("rows need not repeat a value that is alone in the filter", () => {
  const isOne = (filters: { readonly [name: string]: readonly string[] }, sort: readonly string[] = []) =>
    isNarrowedToOne(note, { filters, sort });
  expect([isOne({ note: ["a"] }), isOne({ note: ["a", "b"] }), isOne({ "note~": ["a"] })]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isOne({ note: ["a"] }, ["note"])).toBe(false);
});
