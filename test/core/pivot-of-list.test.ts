import { expect, test } from "vitest";
import { findPivot } from "../../src/core/derive/http/list-query.ts";

const find = (...grouped: readonly string[]) => {
  const layout = { kind: "pivot", rows: "department", columns: "status", sum: "net" } as const;
  return findPivot({ layouts: [layout] }, { grouped, figure: null });
};

test("a pivot takes over the one field by which the list was grouped", () => {
  expect(find()).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("category")).toEqual({ rows: "category", columns: "status", sum: "net" });
  expect(find("department")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status", "category")).toEqual({ rows: "status", columns: "category", sum: "net" });
});
