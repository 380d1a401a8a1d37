import { describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../src/core/wire/entities.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import type { PartsJson } from "../../../src/core/wire/screens.ts";
import {
  changeList,
  changeRow,
  enterValue,
  moveRow,
  removeRow,
  restoreList,
} from "../../../src/web/form/state/edit-form.ts";
import {
  changedFields,
  type Form,
  type FormList,
  type FormNode,
  type FormRow,
  type ListChange,
} from "../../../src/web/form/state/form-node.ts";
import { chooseSide, findField, rebaseOnServerVersion } from "../../../src/web/form/state/merge-form.ts";
import { addRow, openForm, openLists } from "../../../src/web/form/state/open-form.ts";
import { parseCells, pasteCells } from "../../../src/web/form/state/paste-cells.ts";
import { resumeForm, toDraft } from "../../../src/web/form/state/restore-draft.ts";
import { findErrors, findRowNumbers, readForm, refuseForm } from "../../../src/web/form/state/send-form.ts";

const here = { locale: "en-GB", timezone: "Europe/Berlin", booleans: { yes: "Yes", no: "No" }, today: "2026-11-20" };
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
const openParts = (of: PartsJson, entities: Application["entities"], record: RecordJson | null) =>
  openForm(record ? "update" : "create", [], record, here, openLists([of], entities, record, here));
const opened = () => openParts(parts, { Line: part }, order(line("a", "One", 1), line("b", "Two", 2)));
const listOf = (node: FormNode): FormList => {
  const [list] = node.lists;
  if (list === undefined) throw new Error("there is no list");
  return list;
};
const rowsOf = (node: FormNode) => listOf(node).rows;
const rowOf = (node: FormNode, row: number): FormRow => {
  const found = rowsOf(node)[row];
  if (found === undefined) throw new Error(`there is no row ${row}`);
  return found;
};
const key = (node: FormNode, row: number) => rowOf(node, row).key;
/** The record with its list changed. */
const edit = <N extends FormNode>(node: N, change: ListChange): N => changeList(node, listOf(node).parts.field, change);
const add = <N extends FormNode>(node: N, at?: number): N => edit(node, (list) => addRow(list, here, at));
/** The record with one of its parts changed. */
const below = <N extends FormNode>(node: N, row: number, change: (part: FormRow) => FormRow): N =>
  edit(node, (list) => changeRow(list, key(node, row), change));
const cell = <N extends FormNode>(node: N, row: number, name: string, value: string): N =>
  below(node, row, (now) => enterValue(now, name, value, here));
/** The parts that are sent; none if the list has not changed. */
const bodyOf = (form: Form) => {
  const read = readForm(form, here);
  return read.kind === "body" ? (read.body.lines ?? []) : read.kind;
};
const isChanged = (form: Form) => changedFields(form).length > 0;
const unreadable = (form: Form): FormNode => {
  const read = readForm(form, here);
  if (read.kind !== "form") throw new Error("the form can be read");
  return read.form;
};
const items = (node: FormNode) => rowsOf(node).map(({ entered }) => entered.item);
const problem = { type: "about:blank", title: "Not valid", status: 422, code: "INVALID", detail: "Not saved." };
/** The fields with errors of a record itself, without those of its parts. */
const errorFields = ({ errors }: FormNode) => errors.filter(({ rows }) => rows === undefined).map((one) => one.field);
const throughStorage = (form: Form, fresh: Form) =>
  resumeForm(fresh, fresh.record, JSON.parse(JSON.stringify(toDraft(form, "2026-11-20T10:00:00Z"))), here);

describe("a list of parts in a form", () => {
  test("sends existing parts by id with their changes, and new ones with all values", () => {
    let form = cell(opened(), 1, "count", "5");
    form = add(form);
    form = cell(form, 2, "item", "Three");
    expect(bodyOf(form)).toEqual([{ id: "a" }, { id: "b", count: 5 }, { item: "Three", count: 1 }]);
    expect(isChanged(form)).toBe(true);
    expect(isChanged(opened())).toBe(false);
  });

  test("sends no empty row, and shows one for a new record", () => {
    expect(bodyOf(openParts(parts, { Line: part }, null))).toEqual([]);
    expect(rowsOf(openParts(parts, { Line: part }, null))).toHaveLength(1);
    expect(isChanged(add(opened()))).toBe(false);
  });

  test("offers no row to a person who can’t add parts to this record", () => {
    const closed = {
      ...order(line("a", "One", 1)),
      may: { ...may, addRefused: { "Line.order": { clause: "6.Line.create", because: "The order is sent." } } },
    } as unknown as RecordJson;
    expect(listOf(opened()).creates).toEqual(["item", "count", "unit"]);
    expect(listOf(openParts(parts, { Line: part }, closed)).creates).toBeNull();
  });

  test("rows can be moved, removed and restored in place", () => {
    const moved = edit(opened(), (list) => moveRow(list, "b", 0));
    expect(items(moved)).toEqual(["Two", "One"]);
    expect(isChanged(moved)).toBe(true);
    const without = edit(opened(), (list) => removeRow(list, "a"));
    expect(bodyOf(without)).toEqual([{ id: "b" }]);
    const back = edit(without, restoreList);
    expect(items(back)).toEqual(["One", "Two"]);
    expect(isChanged(back)).toBe(false);
  });

  test("an unreadable value has its error at its cell and is not sent", () => {
    const form = unreadable(cell(opened(), 1, "count", "many"));
    expect(rowsOf(form).map((row) => row.unreadable)).toEqual([[], ["count"]]);
    expect(findErrors(rowOf(form, 1), "count")).toMatchObject([
      { kind: "unreadable", field: "count", clause: "3.Line.count" },
    ]);
    expect(form.errors).toMatchObject([{ kind: "unreadable", field: "lines", clause: "3.Line.count", rows: [2] }]);
    expect(findErrors(form, "lines")).toEqual([]);
  });

  test("problems in several rows are found at once, each in its row, with missing values", () => {
    const form = unreadable(cell(cell(opened(), 0, "item", ""), 1, "count", "many"));
    expect(form.errors).toMatchObject([
      { kind: "missing", field: "lines", clause: "3.Line.item", rows: [1] },
      { kind: "unreadable", field: "lines", clause: "3.Line.count", rows: [2] },
    ]);
    expect(findErrors(rowOf(form, 0), "item")).toMatchObject([{ kind: "missing", field: "item" }]);
  });

  test("an error is shown at the row that was sent, regardless of empty rows", () => {
    let form = add(opened(), 1);
    form = refuseForm(form, {
      ...problem,
      errors: [{ at: "/lines/1/count", code: "X", clause: "5.X", message: "Too many." }],
    });
    expect(rowsOf(form).map(({ errors }) => errors.length)).toEqual([0, 0, 1]);
    expect(form.errors).toMatchObject([{ field: "lines", rows: [3] }]);
    expect(findRowNumbers(form, ["lines", "1", "count"])).toEqual([3]);
    expect(findErrors(rowOf(form, 2), "count")).toHaveLength(1);
    expect(findErrors(rowOf(cell(form, 2, "count", "1"), 2), "count")).toEqual([]);
  });

  test("takes over rows that somebody else saved, and keeps your input", () => {
    let form = cell(opened(), 0, "count", "7");
    form = edit(form, (list) => removeRow(list, "b"));
    const merged = rebaseOnServerVersion(form, order(line("a", "First", 1, 2), line("c", "New", 3)), here);
    expect(bodyOf(merged)).toEqual([{ id: "a", count: 7 }, { id: "c" }]);
    expect(items(merged)).toEqual(["First", "New"]);
    expect(merged.conflict).toEqual({ clashes: [], taken: ["lines"] });
    const clash = rebaseOnServerVersion(cell(opened(), 0, "item", "Mine"), order(line("a", "Theirs", 1, 2)), here);
    expect(clash.conflict?.clashes).toEqual([{ field: "lines/a/item", mine: "Mine", theirs: "Theirs" }]);
    // A part deleted by others and changed here is created again.
    expect(bodyOf(rebaseOnServerVersion(cell(opened(), 1, "count", "9"), order(line("a", "One", 1)), here))).toEqual([
      { id: "a" },
      { item: "Two", count: 9, unit: "box" },
    ]);
  });

  test("is kept as a draft and restored over the saved rows", () => {
    let form = cell(
      edit(opened(), (list) => moveRow(list, "b", 0)),
      0,
      "count",
      "4",
    );
    form = cell(add(form), 2, "item", "New");
    const restored = throughStorage(form, opened());
    expect(bodyOf(restored)).toEqual(bodyOf(form));
    expect(key(add(restored), 3)).not.toBe(key(restored, 2));
  });

  test("keeps rows that others added since the draft, and values in a new column", () => {
    const form = cell(opened(), 0, "count", "4");
    const now = {
      ...order(line("a", "One", 1), line("b", "Two", 2), line("c", "Theirs", 3)),
      version: 2,
    } as RecordJson;
    const resumed = throughStorage(form, openParts(parts, { Line: part }, now));
    expect(bodyOf(resumed)).toEqual([{ id: "a", count: 4 }, { id: "b" }, { id: "c" }]);
    expect(resumed.conflict?.taken).toEqual(["lines"]);
    const narrow = openParts({ ...parts, columns: ["item", "count"] }, { Line: part }, opened().record);
    expect(bodyOf(throughStorage(cell(narrow, 0, "count", "4"), opened()))).toEqual([
      { id: "a", count: 4 },
      { id: "b" },
    ]);
  });
});

describe("pasting from a spreadsheet", () => {
  test("splits cells by lines and tabs, with quotes", () => {
    expect(parseCells('a\tb\r\n"c\n""d"""\t\n')).toEqual([
      ["a", "b"],
      ['c\n"d"', ""],
    ]);
  });

  test("fills rows from a cell on, by label or value, adds missing rows, and skips computed columns", () => {
    const form = edit(opened(), (list) =>
      pasteCells(list, "b", "item", parseCells("X\t3\t9.90\tPiece\nY\t4\t\tBOX\n"), here),
    );
    expect(bodyOf(form)).toEqual([
      { id: "a" },
      { id: "b", item: "X", count: 3, unit: "piece" },
      { item: "Y", count: 4, unit: "box" },
    ]);
  });
});

describe("nested parts", () => {
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
  test("changes below a row are sent with it, by id or as new, without the rows beside it", () => {
    let form = below(saved(), 1, (row) => edit(cell(row, 1, "number", "Y2"), (list) => removeRow(list, "x")));
    form = below(form, 0, (row) => cell(add(row), 0, "number", "New"));
    expect(bodyOf(form)).toEqual([
      { id: "a", serials: [{ number: "New" }] },
      { id: "b", serials: [{ id: "y", number: "Y2" }] },
    ]);
    form = cell(add(saved()), 2, "item", "Third");
    form = below(form, 2, (row) => cell(add(row), 0, "number", "First of it"));
    expect(bodyOf(form)).toEqual([
      { id: "a" },
      { id: "b" },
      { item: "Third", count: 1, serials: [{ number: "First of it" }] },
    ]);
    expect(isChanged(saved())).toBe(false);
  });

  test("an empty row with content below it is sent", () => {
    const form = below(nested(null), 0, (row) => cell(add(row), 0, "number", "1"));
    expect(bodyOf(form)).toEqual([{ count: 1, serials: [{ number: "1" }] }]);
  });

  test("an unreadable value in a row hides no other error of that row", () => {
    const bounded = { ...part, fields: part.fields.map((one) => (one.name === "count" ? { ...one, min: "1" } : one)) };
    const empty = openParts(
      { ...parts, columns: ["item", "count", "price", "unit"] },
      {
        Line: {
          ...bounded,
          fields: [...bounded.fields, field("price", "decimal")],
          create: ["item", "count", "price", "unit"],
        },
      },
      null,
    );
    const form = unreadable(cell(cell(cell(empty, 0, "item", "Drill"), 0, "count", "-2"), 0, "price", "abc"));
    expect(rowOf(form, 0).errors.map((one) => `${one.field} ${one.kind}`)).toEqual([
      "count min",
      "price unreadable",
      "unit missing",
    ]);
    expect(form.errors).toMatchObject([{ rows: [1] }, { rows: [1] }, { rows: [1] }]);
  });

  test("an unreadable value below a row has its error at its cell", () => {
    const form = unreadable(below(saved(), 1, (row) => cell(row, 0, "weight", "heavy")));
    expect(rowsOf(rowOf(form, 1)).map((row) => row.unreadable)).toEqual([["weight"], []]);
  });

  test("an error is shown at its cell, row or list", () => {
    const form = below(add(saved(), 0), 2, (row) => add(row, 0));
    const at = (pointer: string) => ({ at: pointer, code: "X", clause: "5.X", message: pointer });
    const refused = refuseForm(form, {
      ...problem,
      errors: [
        at("/lines/1/serials/1/weight"),
        at("/lines/1/serials/0"),
        at("/lines/1/serials"),
        at("/lines/1/item"),
        at("/lines"),
      ],
    });
    expect(refused.errors.map(({ field: name, rows }) => [name, rows])).toEqual([
      ["lines", [3, 3]],
      ["lines", [3, 2]],
      ["lines", [3]],
      ["lines", [3]],
      ["lines", undefined],
    ]);
    expect(findErrors(refused, "lines").map((one) => one.kind === "refused" && one.message)).toEqual(["/lines"]);
    expect(rowsOf(refused).map(errorFields)).toEqual([[], [], ["serials", "item"]]);
    const line = rowOf(refused, 2);
    expect(findErrors(line, "serials")).toHaveLength(1);
    expect(rowsOf(line).map(errorFields)).toEqual([[], [null], ["weight"]]);
    expect(findRowNumbers(form, ["lines", "1", "serials", "1", "weight"])).toEqual([3, 3]);
    // An error of the whole list disappears when a row changes.
    expect(findErrors(cell(line, 1, "number", "Z"), "serials")).toEqual([]);
  });

  test("changes by others below a row are taken over, and a conflict is shown at its cell", () => {
    const mine = below(saved(), 1, (row) => cell(row, 0, "number", "Mine"));
    const theirs = order(bears("a", 1), bears("b", 2, one("x", "Theirs", 2), one("z", "Z")));
    const merged = rebaseOnServerVersion(mine, theirs, here);
    expect(merged.conflict?.clashes).toEqual([{ field: "lines/b/serials/x/number", mine: "Mine", theirs: "Theirs" }]);
    const [clash] = merged.conflict?.clashes ?? [];
    if (clash === undefined) throw new Error("no clash");
    expect(findField(merged, clash.field)).toMatchObject({ field: { name: "number" }, rows: [2, 1] });
    expect(bodyOf(chooseSide(merged, clash, "mine"))).toEqual([
      { id: "a" },
      { id: "b", serials: [{ id: "x", number: "Mine" }, { id: "z" }] },
    ]);
    expect(isChanged(chooseSide(merged, clash, "theirs"))).toBe(false);
  });

  test("a row that somebody deleted and you changed below is created again with all its content", () => {
    const mine = below(saved(), 1, (row) => cell(row, 0, "number", "Mine"));
    expect(bodyOf(rebaseOnServerVersion(mine, order(bears("a", 1)), here))).toEqual([
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

  test("are kept as a draft and restored over the saved rows", () => {
    let form = below(saved(), 1, (row) => cell(add(row), 2, "number", "Third"));
    form = cell(add(form), 2, "item", "New");
    form = below(form, 2, (row) => cell(add(row), 0, "number", "Of the new one"));
    expect(bodyOf(throughStorage(form, saved()))).toEqual(bodyOf(form));
  });

  test("a read-only list is shown, and never sent", () => {
    const shown = nested(order({ ...bears("a", 1, one("x", "X")), may }));
    const list = listOf(rowOf(shown, 0));
    expect([list.creates, list.parts.place, list.rows.map(({ fields, removable }) => [fields, removable])]).toEqual([
      null,
      null,
      [[[], false]],
    ]);
    expect(bodyOf(cell(shown, 0, "count", "2"))).toEqual([{ id: "a", count: 2 }]);
  });
});
