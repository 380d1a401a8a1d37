import { describe, expect, test } from "vitest";
import { firstPage, limitPage, pageSize } from "../../../src/core/derive/http/list-query.ts";
import { matchScreen } from "../../../src/core/derive/http/match-screen.ts";
import { firstCalls } from "../../../src/core/derive/http/preload-requests.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { ListScreenJson } from "../../../src/core/wire/screens.ts";
import { parseHanded } from "../../../src/web/api/link-token.ts";
import {
  filterBy,
  findUnknownParts,
  listQuery,
  rowsToCome,
  searchIn,
  sortBy,
  writeSearch,
} from "../../../src/web/list/filter/list-search.ts";
import {
  editAddress,
  findLanding,
  findNewScreen,
  listNavigation,
  recordAddress,
  returnAddress,
} from "../../../src/web/routing/routes.ts";
import { field, loan, screens } from "../lending.ts";

describe("the document's screens are the routes", () => {
  test("fixed segments win over parameters: /loans/new is not the loan “new”", () => {
    expect(matchScreen(screens, "/loans/new")?.screen.kind).toBe("form");
    expect(matchScreen(screens, "/loans/0199")).toMatchObject({
      screen: { kind: "record" },
      parameters: { id: "0199" },
    });
    expect(matchScreen(screens, "/loans/0199/edit")?.parameters).toEqual({ id: "0199" });
    expect(matchScreen(screens, "/loans/")?.screen.kind).toBe("list");
  });

  test("unknown addresses match none", () => {
    for (const path of ["/", "/loan", "/loans/1/2/3", "/workbench"]) expect(matchScreen(screens, path)).toBeNull();
  });

  test("addresses are made from the document's own paths", () => {
    expect(recordAddress(screens, "Loan", "a b")).toBe("/loans/a%20b");
    expect(editAddress(screens, "Loan", "7")).toBe("/loans/7/edit");
    expect(findNewScreen(screens, "Loan")?.path).toBe("/loans/new");
    expect(recordAddress(screens, "Thing", "7")).toBeNull();
  });

  test("links lead to lists, and to forms without a list", () => {
    expect(listNavigation(screens).map(({ path }) => path)).toEqual(["/loans", "/suggest"]);
    expect(findLanding({ screens } as Application)).toBe("/loans");
    expect(findLanding({ screens: [] as ReadonlyArray<never> } as unknown as Application)).toBeNull();
  });

  test("sign-in returns only to this site", () => {
    expect(returnAddress("to=%2Floans%3Fstatus%3Dlent")).toBe("/loans?status=lent");
    for (const to of ["https://example.com", "//example.com", "/\\example.com", "loans", ""])
      expect(returnAddress(new URLSearchParams({ to }).toString())).toBe("/");
  });

  test("the part after # passes values on", () => {
    expect(parseHanded("#demo=abc")).toEqual({ kind: "demonstration", token: "abc" });
    expect(parseHanded("#first=abc")).toEqual({ kind: "first", token: "abc" });
    expect(parseHanded("#elsewhere")).toBeNull();
  });
});

describe("the filters and order of a list are in the address", () => {
  const screen = screens[0] as ListScreenJson;
  const read = (search: string) => searchIn(search, screen, loan);
  const thing = field("thing", "reference", { entity: "Thing" });

  test("the screen’s own order is omitted", () => {
    expect(read("").sort).toEqual(["-due_day"]);
    expect(writeSearch(read(""), screen)).toBe("");
    expect(writeSearch(sortBy(read(""), thing), screen)).toBe("sort=thing");
  });

  test("parsing and printing are inverse", () => {
    const search = filterBy(sortBy(read(""), field("copies", "integer")), thing, { thing: ["t1", "t2"] });
    expect(read(writeSearch(search, screen))).toEqual(search);
  });

  test("never more records are asked for than the server sends at once", () => {
    expect(limitPage([], 20)).toBe(20);
    expect(limitPage([{ ...screen, atOnce: 200 }], 20)).toBe(20);
    expect(limitPage([...screens, { ...screen, atOnce: 10 }], 20)).toBe(10);
  });

  test("ignored parts are reported", () => {
    expect(
      findUnknownParts("nonsense=1&nonsense>=2&layout=map&sort=-gone,-due_day&search=x&where=2./loans", screen, loan),
    ).toEqual([...["nonsense", "gone", "map"]]);
    expect(findUnknownParts(writeSearch(sortBy(read(""), thing), screen), screen, loan)).toEqual([]);
  });

  test("an unknown filter or column of this screen is ignored", () => {
    expect(read("remark=x&nonsense=1&layout=board&sort=remark,-nonsense")).toEqual({
      filters: {},
      grouped: [],
      figure: null,
      sort: ["-due_day"],
      words: "",
      where: null,
      layout: null,
      at: null,
      scale: null,
    });
  });

  test("sorting by the same column again reverses it", () => {
    const once = sortBy(read("sort=thing"), thing);
    expect(once.sort).toEqual(["-thing"]);
    expect(sortBy(once, thing).sort).toEqual(["thing"]);
  });

  test("amounts begin with the largest, dates with the newest, and deadlines with the earliest", () => {
    const copies = field("copies", "integer");
    expect(sortBy(read(""), copies).sort).toEqual(["-copies"]);
    expect(sortBy(sortBy(read(""), copies), copies).sort).toEqual(["copies"]);
    expect(sortBy(read("sort=thing"), field("due_day", "date")).sort).toEqual(["-due_day"]);
    const due = field("due_day", "date", { deadline: { field: "status", states: ["lent"], over: ["returned"] } });
    expect(sortBy(read("sort=thing"), due).sort).toEqual(["due_day"]);
  });

  test("the call repeats a field for several values, and asks for one count", () => {
    const search = filterBy(read(""), thing, { thing: ["t1", "t2"] });
    expect(listQuery(search, screen, firstPage(screen)).toString()).toBe(
      "thing=t1&thing=t2&sort=-due_day&limit=50&label=true&count=true",
    );
    const next = listQuery(search, screen, { after: "CURSOR", limit: 200 });
    expect(next.get("after")).toBe("CURSOR");
    expect(next.has("count")).toBe(false);
  });

  test("a page grows while the reader scrolls, up to the maximum of a call", () => {
    expect([0, 1, 2, 9].map((page) => pageSize(screen, page))).toEqual([50, 50, 200, 200]);
    expect([0, 2].map((page) => pageSize({ ...screen, atOnce: 20 }, page))).toEqual([20, 20]);
  });

  test("the preloaded queries of an address equal those of its screen", () => {
    const overview = { kind: "tiles", path: "/my desk", title: "Desk", tiles: [] };
    const application = {
      screens: [...screens, overview],
      entities: { Loan: loan },
      person: { id: "p" },
    } as unknown as Application;
    const asked = (path: string, search = "") =>
      firstCalls(application, path, new URLSearchParams(search)).map(
        (call) => `${call.path}?${new URLSearchParams(call.query)}`,
      );
    const everywhere = ["/_/changes?", "/_/views?", "/_/notifications?label=true"];
    const words = "thing=t1&search=two+words";
    expect(asked("/loans", words)).toEqual([
      ...everywhere,
      `${loan.calls}?${listQuery(read(words), screen, firstPage(screen))}`,
    ]);
    expect(asked("/loans/a%20b")).toEqual([...everywhere, `${loan.calls}/a%20b?label=true`]);
    expect(asked("/loans/new")).toEqual(everywhere);
    expect(asked("/my desk")).toEqual([...everywhere, "/_/overview?screen=%2Fmy+desk"]);
    expect(firstCalls({ ...application, person: null }, "/loans", new URLSearchParams())).toEqual([]);
  });

  test("the next page loads the remaining rows as far as they are known", () => {
    expect(rowsToCome(64, 50, 50)).toBe(14);
    expect(rowsToCome("10,000+", 50, 50)).toBe(50);
    expect(rowsToCome(undefined, 50, 50)).toBe(50);
  });
});
