import { expect, test } from "vitest";
import { findPivot } from "../../src/core/derive/http/list-query.ts";

const find = (...grouped: readonly string[]) => {
  const layout = { kind: "pivot", rows: "department", columns: "status", sum: "net" } as const;
  const search = { grouped, figure: null } as unknown as Parameters<typeof findPivot>[1];
  return findPivot({ layouts: [layout] } as unknown as Parameters<typeof findPivot>[0], search);
};

test("a pivot takes over the one field by which the list was grouped", () => {
  expect(find()).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("category")).toEqual({ rows: "category", columns: "status", sum: "net" });
  expect(find("department")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status")).toEqual({ rows: "department", columns: "status", sum: "net" });
  expect(find("status", "category")).toEqual({ rows: "status", columns: "category", sum: "net" });
});
