import { describe, expect, test } from "vitest";
import type { ListPage } from "../../../src/core/derive/http/list-query.ts";
import type { ListJson } from "../../../src/core/wire/lists.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import {
  findPagesWith,
  getPageToRefetch,
  type Pages,
  replaceInPlace,
  replacePage,
} from "../../../src/web/list/rows/page-refresh.ts";
import fc from "../../chance.ts";

/** A stored row: its position in the order and its number of changes. */
interface Stored {
  readonly at: number;
  readonly version: number;
}

/** A store of rows by name, and the list call: rows in order after a given row, which can be deleted. */
const store = (count: number) => {
  const rows = new Map<string, Stored>(
    Array.from({ length: count }, (_, at) => [`r${at}`, { at: at * 10, version: 1 }]),
  );
  const record = ([id, { version }]: readonly [string, Stored]) => ({ id, version }) as unknown as RecordJson;
  const order = ([one, { at }]: readonly [string, Stored]): string => `${String(at).padStart(6, "0")} ${one}`;
  const inOrder = () => [...rows].sort((one, other) => (order(one) < order(other) ? -1 : 1));
  const list = ({ after, limit }: ListPage): ListJson => {
    const behind = inOrder().filter((row) => after === null || order(row) > after);
    const page = behind.slice(0, limit);
    const last = page.at(-1);
    return { items: page.map(record), next: behind.length > limit && last ? order(last) : null, count: rows.size };
  };
  return { rows, list, all: () => inOrder().map(([id]) => id) };
};
type Store = ReturnType<typeof store>;

const walked = ({ list }: Store, pages: number, limit: number): Pages => {
  const data: { pages: ListJson[]; pageParams: ListPage[] } = { pages: [], pageParams: [] };
  for (let after: string | null = null; data.pages.length < pages; ) {
    const page = list({ after, limit });
    data.pages.push(page);
    data.pageParams.push({ after, limit });
    if (page.next === null) break;
    after = page.next;
  }
  return data;
};

const shown = ({ pages }: Pages): readonly string[] => pages.flatMap(({ items }) => items.map(({ id }) => id));

const change = fc.record({
  what: fc.constantFrom("move", "remove", "add", "edit"),
  row: fc.nat({ max: 40 }),
  to: fc.nat({ max: 420 }),
});

const changed = ({ rows }: Store, { what, row, to }: typeof change extends fc.Arbitrary<infer T> ? T : never) => {
  const id = what === "add" ? `n${row} ${to}` : `r${row}`;
  const was = rows.get(id);
  if (what === "remove") rows.delete(id);
  else if (what === "add") rows.set(id, { at: to, version: 1 });
  else if (was) rows.set(id, { at: what === "move" ? to : was.at, version: was.version + 1 });
};

describe("a list whose pages are reloaded one by one", () => {
  test("equals the current list, in whatever order they are loaded", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(change, { maxLength: 25 }),
        fc.infiniteStream(fc.nat()),
        (pages, limit, changes, choose) => {
          const kept = store(40);
          let data = walked(kept, pages, limit);
          for (const one of changes) changed(kept, one);
          const due = new Set(data.pages.keys());
          for (let turns = 0; due.size > 0 && turns < 1_000; turns++) {
            const at = [...due][(choose.next().value as number) % due.size] ?? 0;
            due.delete(at);
            const page = data.pageParams[at];
            if (!page) continue;
            const renewed = replacePage(data, at, kept.list(page));
            data = renewed.data;
            for (const place of renewed.due) due.add(place);
          }
          expect(due.size).toBe(0);
          const all = kept.all();
          expect(shown(data)).toEqual(all.slice(0, shown(data).length));
          expect(data.pages[0]?.count).toBe(all.length);
          // Further rows are requested after the last one; without a next page, the list is complete.
          const next = data.pages.at(-1)?.next ?? null;
          if (next === null) expect(shown(data)).toEqual(all);
          else expect(kept.list({ after: next, limit: 1 }).items[0]?.id).toBe(all[shown(data).length]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("loads as many rows as a page shows, and the maximum on its last page", () => {
    const kept = store(10);
    const data = replacePage(walked(kept, 3, 4), 0, {
      ...kept.list({ after: null, limit: 3 }),
      next: "000020 r2",
    }).data;
    expect(data.pages.map(({ items }) => items.length)).toEqual([3, 4, 2]);
    expect([0, 1, 2].map((at) => getPageToRefetch(data, at)?.limit)).toEqual([3, 4, 4]);
    expect(getPageToRefetch(data, 3)).toBeNull();
  });

  test("loads visible pages, and nothing beside them if nothing else is needed", () => {
    const data = walked(store(12), 4, 3);
    expect(findPagesWith(data, new Set(["r4", "r7"]))).toEqual([1, 2]);
    const [one, two, ...others] = data.pages;
    const emptied = { ...data, pages: [one, { ...two, items: [] }, ...others] as ListJson[] };
    expect(findPagesWith(emptied, new Set(["r1"]))).toEqual([0, 1]);
    expect(findPagesWith(data, new Set())).toEqual([0]);
  });
});

describe("changes by others", () => {
  test("appear in place, and rows that would move are announced and stay", () => {
    const kept = store(12);
    const data = walked(kept, 3, 4);
    const asked = () => kept.list(getPageToRefetch(data, 1) ?? { after: null, limit: 0 });
    expect(replaceInPlace(data, 1, asked())).toEqual({ data, changed: [], moved: false });
    changed(kept, { what: "edit", row: 5, to: 0 });
    const edited = replaceInPlace(data, 1, asked());
    expect(edited).toMatchObject({ changed: ["r5"], moved: false });
    expect(edited.data.pages[1]?.items[1]).toEqual({ id: "r5", version: 2 });
    changed(kept, { what: "move", row: 6, to: 41 });
    expect(replaceInPlace(data, 1, asked()).moved).toBe(true);
    expect(shown(replaceInPlace(data, 1, asked()).data)).toEqual(shown(data));
  });

  test("elsewhere in the list are counted", () => {
    const kept = store(12);
    const data = walked(kept, 3, 4);
    changed(kept, { what: "add", row: 0, to: 1 });
    const looked = replaceInPlace(data, 1, kept.list(getPageToRefetch(data, 1) ?? { after: null, limit: 0 }));
    expect(looked.moved).toBe(true);
    expect(looked.data.pages[0]?.count).toBe(13);
  });
});
