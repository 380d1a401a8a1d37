import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { invalidatePaths } from "../../../src/web/api/change-feed.ts";
import { keys } from "../../../src/web/api/query-keys.ts";

test("a change of any entity invalidates what was found out about transitions, and other data of its own entity alone", () => {
  const queries = new QueryClient();
  const [trial, record] = [keys.trial("/api/orders", "1", "open", 1), [...keys.of("/api/orders"), "record", "1"]];
  for (const queryKey of [trial, record]) queries.setQueryData(queryKey, {});
  const isInvalidated = (queryKey: readonly unknown[]) => queries.getQueryState(queryKey)?.isInvalidated;
  invalidatePaths(queries, ["/api/departments"]);
  expect([trial, record].map(isInvalidated)).toEqual([true, false]);
  invalidatePaths(queries, ["/api/orders"]);
  expect(isInvalidated(record)).toBe(true);
});

test("a change of any entity invalidates a record whose transitions depend on others", async () => {
  const queries = new QueryClient();
  const trial = {
    queryKey: keys.trial("/api/orders", "1", "open", 1),
    queryFn: () => ({}),
    meta: { alteredBy: true },
  };
  await queries.prefetchQuery(trial);
  const [dependent, other] = [keys.record("/api/orders", "1"), keys.record("/api/orders", "2")];
  for (const queryKey of [dependent, other]) queries.setQueryData(queryKey, {});
  invalidatePaths(queries, ["/api/departments"]);
  expect([dependent, other].map((queryKey) => queries.getQueryState(queryKey)?.isInvalidated)).toEqual([true, false]);
});

test("a change of an entity that no rule of a transition reads leaves what was found out about it", async () => {
  const queries = new QueryClient();
  const trial = keys.trial("/api/orders", "1", "open", 1);
  await queries.prefetchQuery({
    queryKey: trial,
    queryFn: () => ({}),
    meta: { alteredBy: ["/api/orders", "/api/stocks"] },
  });
  const record = keys.record("/api/orders", "1");
  queries.setQueryData(record, {});
  const areInvalidated = () => [trial, record].map((queryKey) => queries.getQueryState(queryKey)?.isInvalidated);
  invalidatePaths(queries, ["/api/departments"]);
  expect(areInvalidated()).toEqual([false, false]);
  invalidatePaths(queries, ["/api/stocks"]);
  expect(areInvalidated()).toEqual([true, true]);
});
