import type { EntityJson, FieldJson, TransitionJson } from "../../src/core/wire/entities.ts";
import type { HistoryLine } from "../../src/core/wire/history.ts";
import type { RecordJson } from "../../src/core/wire/records.ts";
import type { ScreenJson } from "../../src/core/wire/screens.ts";

/** A small entity as the server describes it, for unit tests of the interface. */

export const field = (name: string, type: FieldJson["type"], more: Partial<FieldJson> = {}): FieldJson => ({
  name,
  label: name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "),
  type,
  optional: false,
  automatic: false,
  filters: "values",
  sorts: true,
  clause: `3.Loan.${name}`,
  ...more,
});

export const loan: EntityJson = {
  name: "Loan",
  one: "loan",
  many: "loans",
  calls: "/api/loans",
  clause: "3.Loan",
  fields: [
    field("thing", "reference", { entity: "Thing" }),
    field("due_day", "date"),
    field("copies", "integer", { optional: true }),
    field("remark", "long text", { optional: true, filters: null, sorts: false }),
    field("status", "state", { automatic: true }),
  ],
  states: {
    field: "status",
    states: [
      { name: "asked", label: "Asked", mark: { hue: "neutral", shape: { kind: "dashed" }, ring: false } },
      { name: "lent", label: "Lent", mark: { hue: "blue", shape: { kind: "pie", part: 0.5 }, ring: false } },
      { name: "returned", label: "Returned", mark: { hue: "teal", shape: { kind: "disc", cut: "none" }, ring: false } },
      { name: "declined", label: "Declined", mark: { hue: "plum", shape: { kind: "disc", cut: "bar" }, ring: false } },
    ],
    transitions: [
      transition("hand_over", ["asked"], "lent", [{ role: "keeper" }]),
      transition("decline", ["asked"], "declined", [{ role: "keeper" }]),
      transition("take_back", ["lent"], "returned", [{ role: "keeper" }]),
      transition("bring_back", ["lent"], "returned", [{ role: "borrower" }]),
    ],
  },
  create: ["thing", "due_day", "copies", "remark"],
  createRefused: null,
};

function transition(name: string, from: readonly string[], to: string, by: TransitionJson["by"]) {
  return { name, label: name, from, to: [to], asks: [], by, clause: `4.Loan.${name}` };
}

export const record = (more: { readonly [field: string]: unknown } = {}): RecordJson =>
  ({
    id: "1",
    version: 3,
    created_at: "2026-11-01T09:00:00.000Z",
    updated_at: "2026-11-01T09:00:00.000Z",
    thing: { id: "t1", label: "Cargo bike" },
    due_day: "2026-12-03",
    copies: 2,
    remark: null,
    status: "lent",
    ...more,
  }) as RecordJson;

export const line = (action: string, before: string | null, after: string, at: string): HistoryLine => ({
  at,
  person: { id: "p1", label: "Jonas Weber" },
  action,
  clause: `4.Loan.${action}`,
  document: 1,
  changes: [{ field: "status", before, after }],
});

export const screens: readonly ScreenJson[] = [
  {
    kind: "list",
    path: "/loans",
    title: "Loans",
    clause: "2./loans",
    entity: "Loan",
    columns: ["thing"],
    filters: ["thing", "due_day", "remark"],
    sort: ["-due_day"],
    where: null,
    layouts: [{ kind: "table" }],
    atOnce: 200,
  },
  { kind: "record", path: "/loans/{id}", title: "Loan", clause: "2./loans/{id}", entity: "Loan", sections: [] },
  { kind: "form", path: "/loans/new", title: "New loan", clause: "2./loans/new", entity: "Loan", fields: [] },
  { kind: "form", path: "/loans/{id}/edit", title: "Edit", clause: "2./loans/{id}/edit", entity: "Loan", fields: [] },
  { kind: "form", path: "/suggest", title: "Suggest a thing", clause: "2./suggest", entity: "Idea", fields: [] },
];
