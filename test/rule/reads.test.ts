import { expect, test } from "vitest";
import { collectReadSet, type ReadSet } from "../../src/core/expression/inspect/read-set.ts";
import { leave } from "./leave.ts";
import { read } from "./world.ts";

const reads = (text: string): ReadSet => collectReadSet(read(text, { ...leave, old: "can be missing" }));

test("contains the fields and paths of the record", () => {
  const { fields, paths } = reads("employee.manager == user && days > 3 && this.note == old.note");
  expect([...fields]).toEqual(["employee", "days", "note"]);
  expect([...paths]).toEqual(["employee.manager", "days", "note"]);
});

test("contains constants, the user, the clock and old values", () => {
  expect([...reads("days > yearly_allowance || days > limits.yearly_allowance").limits]).toEqual(["yearly_allowance"]);
  expect(reads("days > 3")).toMatchObject({ user: false, clock: false, old: false, recordReads: [] });
  expect(reads("employee == user")).toMatchObject({ user: true, clock: false });
  expect(reads("first_day < today || year(now) > 1")).toMatchObject({ user: false, clock: true });
  expect(reads("days > old.days")).toMatchObject({ old: true });
});

test.each([
  ["days <= employee.allowance", [{ entity: "User", by: "id", key: "employee", fields: ["allowance"] }]],
  [
    "employee.manager.name == 'x'",
    [
      { entity: "User", by: "id", key: "employee.manager", fields: ["name"] },
      { entity: "User", by: "id", key: "employee", fields: ["manager"] },
    ],
  ],
  ["employee.id == user.id", []],
  ["user.name == 'x'", [{ entity: "User", fields: ["name"] }]],
  [
    "Request.filter(r, r.employee == employee && r.status == granted).map(r, r.days).sum() > 3",
    [
      {
        entity: "Request",
        by: "employee",
        key: "employee",
        only: { status: ["granted"] },
        fields: ["employee", "status", "days"],
      },
    ],
  ],
  [
    "Request.exists(r, r.employee == employee && r.status in [granted, submitted]) || Request.exists(r, r.employee == employee && r.status == draft && r.kind == sick)",
    [
      {
        entity: "Request",
        by: "employee",
        key: "employee",
        only: { status: ["granted", "submitted", "draft"] },
        fields: ["employee", "status", "kind"],
      },
    ],
  ],
  [
    "Request.exists(r, r.employee == employee && r.status == granted) || Request.exists(r, r.employee == employee)",
    [{ entity: "Request", by: "employee", key: "employee", fields: ["employee", "status"] }],
  ],
  [
    "Request.exists(r, employee == r.employee)",
    [{ entity: "Request", by: "employee", key: "employee", fields: ["employee"] }],
  ],
  ["Request.exists(r, r.days > 3)", [{ entity: "Request", fields: ["days"] }]],
  ["Request.exists(r, r.employee == employee || r.days > 3)", [{ entity: "Request", fields: ["employee", "days"] }]],
  ["comments.exists(c, c.text == note)", [{ entity: "Comment", by: "request", key: "", fields: ["text"] }]],
  ["comments.count() > 3", [{ entity: "Comment", by: "request", key: "", fields: [] }]],
  ["User.count() > 3", [{ entity: "User", fields: [] }]],
  [
    "comments.map(c, c.author).exists(a, a.allowance > 3)",
    [
      { entity: "Comment", by: "request", key: "", fields: ["author"] },
      { entity: "User", fields: ["allowance"] },
    ],
  ],
])("the reads of %s outside its own record", (text, footprint) => {
  const plain = reads(text).recordReads.map(({ fields, only, ...source }) => ({
    ...source,
    ...(only === undefined
      ? {}
      : { only: Object.fromEntries([...only].map(([field, values]) => [field, [...values]])) }),
    fields: [...fields],
  }));
  expect(plain).toEqual(footprint);
});
