import { describe, expect, test } from "vitest";
import type { EntityJson, FieldJson, PartsJson, RecordJson } from "../../src/core/wire.ts";
import {
  addRow,
  cellsIn,
  draftOf,
  enterCell,
  mergeParts,
  moveRow,
  openParts,
  type PartsForm,
  partsChanged,
  pasteCells,
  putBack,
  readParts,
  refuseParts,
  restoreParts,
  rowAt,
  takeRow,
} from "../../src/web/client/parts.ts";

const here = { locale: "en-GB", timezone: "Europe/Berlin", today: "2026-11-20" };
const field = (name: string, type: FieldJson["type"], more: Partial<FieldJson> = {}): FieldJson => ({
  name,
  label: name,
  type,
  optional: false,
  automatic: false,
  filters: null,
  sorts: false,
  clause: `3.Line.${name}`,
  ...more,
});
const part = {
  name: "Line",
  one: "line",
  many: "lines",
  calls: "/api/lines",
  clause: "3.Line",
  fields: [
    field("item", "text"),
    field("count", "integer", { default: { value: 1 } }),
    field("unit", "choice", {
      values: [
        { value: "piece", label: "Piece" },
        { value: "box", label: "Box" },
      ],
    }),
    field("net", "money", { automatic: true }),
  ],
  states: null,
  create: ["item", "count", "unit"],
  createRefused: null,
} as unknown as EntityJson;
const parts: PartsJson = {
  field: "lines",
  label: "Lines",
  clause: "3.Order.lines",
  entity: "Line",
  by: "order",
  place: "place",
  columns: ["item", "count", "net", "unit"],
};
const may = { update: ["item", "count", "unit"], delete: true, transitions: [], refused: {} };
const line = (id: string, item: string, count: number, version = 1) => ({ id, version, item, count, unit: "box", may });
const order = (...lines: readonly object[]) => ({ id: "o", version: 1, lines }) as unknown as RecordJson;
const opened = () => openParts(parts, part, order(line("a", "One", 1), line("b", "Two", 2)), here);
const cell = (form: PartsForm, row: number, name: string, value: string) =>
  enterCell(form, form.rows[row]?.key ?? "", name, value, here);
const key = (form: PartsForm, row: number) => form.rows[row]?.key ?? "";
const bodyOf = (form: PartsForm) => {
  const read = readParts(form, here);
  return read.kind === "body" ? read.body : read.kind;
};
const items = (form: PartsForm) => form.rows.map(({ entered }) => entered.item);

describe("a list of parts in a form", () => {
  test("sends each part that stays by its id, with what changed of it, and what is new with all that was given", () => {
    let form = cell(opened(), 1, "count", "5");
    form = addRow(form, here);
    form = cell(form, 2, "item", "Three");
    expect(bodyOf(form)).toEqual([{ id: "a" }, { id: "b", count: 5 }, { item: "Three", count: 1 }]);
    expect(partsChanged(form)).toBe(true);
    expect(partsChanged(opened())).toBe(false);
  });

  test("of a row in which nothing was entered nothing is sent, and a new record begins with one", () => {
    expect(bodyOf(openParts(parts, part, null, here))).toEqual([]);
    expect(partsChanged(addRow(opened(), here))).toBe(false);
  });

  test("is moved, taken out and put back where it was", () => {
    expect(items(moveRow(opened(), "b", 0))).toEqual(["Two", "One"]);
    expect(partsChanged(moveRow(opened(), "b", 0))).toBe(true);
    const without = takeRow(opened(), "a");
    expect(bodyOf(without)).toEqual([{ id: "b" }]);
    expect(items(putBack(without))).toEqual(["One", "Two"]);
    expect(partsChanged(putBack(without))).toBe(false);
  });

  test("what cannot be read stands at its cell and is not sent", () => {
    const read = readParts(cell(opened(), 1, "count", "many"), here);
    expect(read.kind === "form" && read.form.rows.map(({ unreadable }) => unreadable)).toEqual([[], ["count"]]);
  });

  test("a refusal stands at the row that was sent in its place, whatever empty rows are between", () => {
    let form = addRow(opened(), here, 1);
    form = refuseParts(form, [{ at: "/lines/1/count", code: "X", clause: "5.X", message: "Too many." }]);
    expect(form.rows.map(({ toMend }) => toMend.length)).toEqual([0, 0, 1]);
    expect(rowAt(form, 1)).toBe(3);
    expect(cell(form, 2, "count", "1").rows[2]?.toMend).toEqual([]);
  });

  test("what somebody else saved meanwhile is taken over, and nothing that was entered is lost", () => {
    let form = cell(opened(), 0, "count", "7");
    form = takeRow(form, "b");
    const {
      form: merged,
      clashes,
      taken,
    } = mergeParts(form, order(line("a", "First", 1, 2), line("c", "New", 3)), here);
    expect(bodyOf(merged)).toEqual([{ id: "a", count: 7 }, { id: "c" }]);
    expect(items(merged)).toEqual(["First", "New"]);
    expect({ clashes, taken }).toEqual({ clashes: [], taken: true });
    const clash = mergeParts(cell(opened(), 0, "item", "Mine"), order(line("a", "Theirs", 1, 2)), here);
    expect(clash.clashes).toEqual([{ field: "lines/a/item", mine: "Mine", theirs: "Theirs" }]);
    // A part that they took out and that was changed here is made anew.
    expect(bodyOf(mergeParts(cell(opened(), 1, "count", "9"), order(line("a", "One", 1)), here).form)).toEqual([
      { id: "a" },
      { item: "Two", count: 9, unit: "box" },
    ]);
  });

  test("is kept as a draft and goes on over what is saved now", () => {
    let form = cell(moveRow(opened(), "b", 0), 0, "count", "4");
    form = cell(addRow(form, here), 2, "item", "New");
    const kept = JSON.parse(JSON.stringify(draftOf(form)));
    const restored = restoreParts(opened(), kept, here);
    expect(bodyOf(restored)).toEqual(bodyOf(form));
    expect(key(addRow(restored, here), 3)).not.toBe(key(restored, 2));
  });
});

describe("from a spreadsheet", () => {
  test("cells are read by lines and tabs, quoted where they hold either", () => {
    expect(cellsIn('a\tb\r\n"c\n""d"""\t\n')).toEqual([
      ["a", "b"],
      ['c\n"d"', ""],
    ]);
  });

  test("they fill rows from a cell on, by label or value, begin those that are missing, and pass over what is computed", () => {
    const form = pasteCells(opened(), "b", "item", cellsIn("X\t3\t9.90\tPiece\nY\t4\t\tBOX\n"), here);
    expect(bodyOf(form)).toEqual([
      { id: "a" },
      { id: "b", item: "X", count: 3, unit: "piece" },
      { item: "Y", count: 4, unit: "box" },
    ]);
  });
});
