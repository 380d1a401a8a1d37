import { expect, test } from "vitest";
import { findPivot } from "../../src/core/derive/http/list-query.ts";

const find = (...grouped: readonly string[]) => {
  const layout = { kind: "pivot", rows: "department", columns: "status", sum: "net" } as const;
  return findPivot({ layouts: [layout] }, { grouped, figure: null });
};

test("the groups with which a list opens leave its pivot as it is", () => {
  const layout = { kind: "pivot", rows: "department", columns: "status", sum: null } as const;
  const own = { rows: "department", columns: "status", sum: null };
  const list = { layouts: [layout], group: ["category"] };
  expect(findPivot(list, { grouped: ["category"], figure: null })).toEqual(own);
  expect(findPivot(list, { grouped: [], figure: null })).toEqual(own);
  expect(findPivot(list, { grouped: ["quarter"], figure: null })?.rows).toBe("quarter");
  const fields = { layouts: [{ kind: "table" } as const], group: ["category", "status"] };
  expect(findPivot(fields, { grouped: fields.group, figure: null })?.columns).toBe("status");
});

test("a pivot takes over the one field by which the list was grouped", () => {
  expect(find()).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("category")).toEqual({ rows: "category", columns: "status", sum: "net" });
  expect(find("department")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status", "category")).toEqual({ rows: "status", columns: "category", sum: "net" });
});
