import { describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../src/core/wire/entities.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import type { PartsJson } from "../../../src/core/wire/screens.ts";
import { cellOf, chooseCell, draftOf, mergeParts, restoreParts } from "../../../src/web/form/state/parts-merge.ts";
import { cellsIn, pasteCells } from "../../../src/web/form/state/parts-paste.ts";
import {
  addRow,
  changeList,
  enterCell,
  mapRow,
  moveRow,
  openLists,
  type PartsForm,
  partsChanged,
  putBack,
  readParts,
  refuseParts,
  rowsAt,
  takeRow,
} from "../../../src/web/form/state/parts-state.ts";

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
const openParts = (of: PartsJson, entities: Application["entities"], record: RecordJson | null) => {
  const [list] = openLists([of], entities, record, here);
  if (list === undefined) throw new Error(`${of.field} is not given`);
  return list;
};
const opened = () => openParts(parts, { Line: part }, order(line("a", "One", 1), line("b", "Two", 2)));
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
    expect(bodyOf(openParts(parts, { Line: part }, null))).toEqual([]);
    expect(partsChanged(addRow(opened(), here))).toBe(false);
  });

  test("offers no row to someone who may not add one to this record", () => {
    const closed = {
      ...order(line("a", "One", 1)),
      may: { ...may, addRefused: { "Line.order": { clause: "6.Line.create", because: "The order is sent." } } },
    } as unknown as RecordJson;
    expect(opened().creates).toEqual(["item", "count", "unit"]);
    expect(openParts(parts, { Line: part }, closed).creates).toBeNull();
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
    expect(rowsAt([form], ["lines", "1", "count"])).toEqual([3]);
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
    // A part deleted by others and changed here is created again.
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

describe("parts of parts", () => {
  const serial = {
    ...part,
    name: "Serial",
    one: "serial",
    many: "serials",
    calls: "/api/serials",
    clause: "3.Serial",
    fields: [field("number", "text"), field("weight", "integer")],
    create: ["number", "weight"],
  } satisfies EntityJson;
  const serials: PartsJson = {
    ...parts,
    field: "serials",
    label: "Serials",
    clause: "3.Line.serials",
    entity: "Serial",
    by: "line",
    columns: ["number", "weight"],
  };
  const bearing = { ...part, create: [...(part.create ?? []), "serials"] };
  const one = (id: string, number: string, version = 1) => ({
    id,
    version,
    number,
    weight: 1,
    may: { ...may, update: ["number", "weight"] },
  });
  const bears = (id: string, version: number, ...own: readonly object[]) => ({
    ...line(id, id, 1, version),
    may: { ...may, update: [...may.update, "serials"] },
    serials: own,
  });
  const nested = (record: RecordJson | null) =>
    openParts({ ...parts, parts: [serials] }, { Line: bearing, Serial: serial }, record);
  const saved = () => nested(order(bears("a", 1), bears("b", 1, one("x", "X"), one("y", "Y"))));
  /** The nested list of a row, changed. */
  const below = (form: PartsForm, row: number, change: (list: PartsForm) => PartsForm) =>
    mapRow(form, key(form, row), (at) => ({ ...at, lists: changeList(at.lists, "serials", change) }));
  const listBelow = (form: PartsForm, row: number): PartsForm => {
    const list = form.rows[row]?.lists[0];
    if (list === undefined) throw new Error(`no list below row ${row}`);
    return list;
  };

  test("what changed below a row is sent with it, by id or as new, and nothing of the rows beside it", () => {
    let form = below(saved(), 1, (list) => takeRow(cell(list, 1, "number", "Y2"), "x"));
    form = below(form, 0, (list) => cell(addRow(list, here), 0, "number", "New"));
    expect(bodyOf(form)).toEqual([
      { id: "a", serials: [{ number: "New" }] },
      { id: "b", serials: [{ id: "y", number: "Y2" }] },
    ]);
    form = cell(addRow(saved(), here), 2, "item", "Third");
    form = below(form, 2, (list) => cell(addRow(list, here), 0, "number", "First of it"));
    expect(bodyOf(form)).toEqual([
      { id: "a" },
      { id: "b" },
      { item: "Third", count: 1, serials: [{ number: "First of it" }] },
    ]);
    expect(partsChanged(saved())).toBe(false);
  });

  test("a row in which nothing was entered but below it is given", () => {
    let form = nested(null);
    form = below(form, 0, (list) => cell(addRow(list, here), 0, "number", "1"));
    expect(bodyOf(form)).toEqual([{ count: 1, serials: [{ number: "1" }] }]);
  });

  test("what cannot be read below a row stands at its cell", () => {
    const read = readParts(
      below(saved(), 1, (list) => cell(list, 0, "weight", "heavy")),
      here,
    );
    expect(read.kind === "form" && listBelow(read.form, 1).rows.map(({ unreadable }) => unreadable)).toEqual([
      ["weight"],
      [],
    ]);
  });

  test("a refusal stands at the cell, the row or the list that it is about", () => {
    const form = below(addRow(saved(), here, 0), 2, (list) => addRow(list, here, 0));
    const at = (pointer: string) => ({ at: pointer, code: "X", clause: "5.X", message: pointer });
    const refused = refuseParts(form, [
      at("/lines/1/serials/1/weight"),
      at("/lines/1/serials/0"),
      at("/lines/1/serials"),
      at("/lines/1/item"),
      at("/lines"),
    ]);
    expect(refused.toMend.map(({ field: name }) => name)).toEqual(["lines"]);
    expect(refused.rows.map(({ toMend }) => toMend.map(({ field: name }) => name))).toEqual([[], [], ["item"]]);
    const list = listBelow(refused, 2);
    expect(list.toMend.map(({ field: name }) => name)).toEqual(["serials"]);
    expect(list.rows.map(({ toMend }) => toMend.map(({ field: name }) => name))).toEqual([[], [null], ["weight"]]);
    expect(rowsAt([form], ["lines", "1", "serials", "1", "weight"])).toEqual([3, 3]);
    // An error of the whole list disappears when a row changes.
    expect(
      listBelow(
        below(refused, 2, (now) => cell(now, 1, "number", "Z")),
        2,
      ).toMend,
    ).toEqual([]);
  });

  test("what somebody else saved below a row meanwhile is taken over, and a clash is told at its cell", () => {
    const mine = below(saved(), 1, (list) => cell(list, 0, "number", "Mine"));
    const merge = mergeParts(mine, order(bears("a", 1), bears("b", 2, one("x", "Theirs", 2), one("z", "Z"))), here);
    expect(merge.clashes).toEqual([{ field: "lines/b/serials/x/number", mine: "Mine", theirs: "Theirs" }]);
    const [clash] = merge.clashes;
    if (clash === undefined) throw new Error("no clash");
    expect(cellOf(merge.form, clash.field)).toMatchObject({ field: { name: "number" }, rows: [2, 1] });
    expect(bodyOf(chooseCell(merge.form, clash, "mine"))).toEqual([
      { id: "a" },
      { id: "b", serials: [{ id: "x", number: "Mine" }, { id: "z" }] },
    ]);
    expect(partsChanged(chooseCell(merge.form, clash, "theirs"))).toBe(false);
  });

  test("a row that they took out and that was changed below is made anew, with all of its own", () => {
    const mine = below(saved(), 1, (list) => cell(list, 0, "number", "Mine"));
    expect(bodyOf(mergeParts(mine, order(bears("a", 1)), here).form)).toEqual([
      { id: "a" },
      {
        item: "b",
        count: 1,
        unit: "box",
        serials: [
          { number: "Mine", weight: 1 },
          { number: "Y", weight: 1 },
        ],
      },
    ]);
  });

  test("is kept as a draft and goes on over what is saved now", () => {
    let form = below(saved(), 1, (list) => cell(addRow(list, here), 2, "number", "Third"));
    form = cell(addRow(form, here), 2, "item", "New");
    form = below(form, 2, (list) => cell(addRow(list, here), 0, "number", "Of the new one"));
    expect(bodyOf(restoreParts(saved(), JSON.parse(JSON.stringify(draftOf(form))), here))).toEqual(bodyOf(form));
  });

  test("a list that may be read and not given is shown, and never sent", () => {
    const shown = nested(order({ ...bears("a", 1, one("x", "X")), may }));
    const list = listBelow(shown, 0);
    expect([list.creates, list.parts.place, list.rows.map(({ open, removable }) => [open, removable])]).toEqual([
      null,
      null,
      [[[], false]],
    ]);
    expect(bodyOf(cell(shown, 0, "count", "2"))).toEqual([{ id: "a", count: 2 }]);
  });
});
