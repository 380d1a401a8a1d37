import { expect, test } from "vitest";
import { idTime, newId } from "../../../src/server/util/uuid.ts";

test("ids of one time are in the order of their creation, and have its form and time", () => {
  const now = new Date("2026-11-29T10:00:00.000Z");
  const ids = Array.from({ length: 10_000 }, () => newId(now));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
  expect(idTime(ids[0] ?? "")).toEqual(now);
  expect(idTime(newId(new Date(5)))).toEqual(new Date(5));
});
