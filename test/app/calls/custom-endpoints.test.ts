import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { allRoles, buildOpenapi } from "../../../src/core/derive/openapi/openapi.ts";
import { drive } from "../openapi/drive.ts";
import { type Answer, type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** Articles have readers, drafts belong to their authors, and comments are below their article. */
const journal = `
# Journal

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { motto: text? }
Article:
  label: "{title}"
  fields:
    slug:     { type: text, unique: true, max: 40 }
    title:    { type: text, max: 60 }
    body:     long text?
    kind:     { type: choice, values: [essay, report], default: essay }
    price:    { type: decimal?, min: 0 }
    day:      date?
    pinned:   boolean
    secret:   text?
    tags:     { type: text, many: true, max: 20 }
    watchers: { type: User, many: true }
    author:   { type: User, set: user }
    comments: { list: Comment.article }
Comment:
  label: "{text}"
  fields:
    article: { type: Article }
    author:  { type: User, set: user }
    text:    { type: text, max: 80 }
Verdict:
  fields: { kind: text, code: text }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Article:
  initial: draft
  states: [draft, out]
  transitions:
    publish: { from: draft, to: out, by: author, asks: [day] }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Article:
  - { rule: "body == null || body != title", else: BODY_IS_TITLE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: { members: anyone }
  member:  { members: signed in }
  editor:  { members: granted }
  Article: { author: "author == user" }
permissions:
  User: { read: [{ role: visitor, fields: [name, motto] }] }
  Article:
    read:
      - { role: visitor, when: "state == out", fields: [slug, title, body, kind, price, day, pinned, author, tags, watchers, state] }
      - author
    create: [{ role: member, fields: [slug, title, body, kind, price, pinned, secret, tags, watchers] }]
    update: [{ role: author, fields: [title, body, kind, price, secret] }]
    delete: [author]
  Comment:
    read:   [visitor]
    create: [{ role: member, fields: [article, text] }]
    update: none
    delete: none
  Verdict: { read: [member], create: [member], update: none, delete: none }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
conventional: [User, Comment]
shapes:
  User:    { profile: { name, motto } }
  Comment: { short: { text, by: "User.profile(author)" } }
  Article:
    entry: { slug, title, kind, cost: price, on: day, at: created_at, mine: "author == user", author: "User.profile(author)", writer: author, hidden: secret }
    named: { slug, watchers: "User.profile(watchers)" }
    full:  { article: { slug, body, remarks: "Comment.short(comments)", number: "size(comments)" } }
calls:
  GET /articles:
    list: Article
    where: "state == out"
    query: { kind, by: { type: text, where: "author.name == input.by" }, from: { type: date, where: "day != null && day >= input.from" }, mine: { type: boolean, where: "(author == user) == input.mine" } }
    sort: [-day, slug]
    paging: offset
    gives: { articles: "Article.entry(page)", shown: size(page), total: size(found) }
    headers: { X-Journal: articles }
  GET /feed:
    list: Article
    by: [member]
    sort: [slug]
    gives: { items: "Article.entry(page)", more: next }
  GET /titles: { list: Article, paging: none, sort: [title], gives: "Article.entry(page)" }
  GET /sorted: { list: Article, sort: [slug], sortable: [title, day, secret, created_at], gives: { slugs: "page.map(a, a.slug)", next } }
  GET /tags: { list: Article, distinct: tags, query: { kind, like: { type: text, where: "title.contains(input.like)" } }, gives: { tags: page, all: size(found), next } }
  GET /kinds: { list: Article, distinct: kind, paging: none, gives: page }
  GET /prices: { list: Article, distinct: price, paging: offset }
  GET /months: { list: Article, distinct: month_of(day), gives: { months: "page.map(m, m.month())", shown: size(page) } }
  GET /secrets: { list: Article, distinct: lower(secret), gives: { secrets: page } }
  GET /labels/{author.name}: { list: Article, distinct: tags, gives: { labels: "page.filter(t, t != 'Ö')" } }
  GET /pinned: { list: Article, distinct: pinned, gives: { pinned: found } }
  GET /articles/{slug}: { read: Article, gives: "Article.full(this)" }
  GET /plain/{slug}: { read: Article }
  GET /tagged/{tags}: { list: Article, sort: [slug], gives: "Article.named(page)" }
  GET /watched/{watchers}: { list: Article, sort: [slug], gives: "page.map(a, a.slug)" }
  POST /tagged/{tags}: { create: Article, takes: { slug, title, watchers }, gives: { tags } }
  GET /figures:
    list: Article
    sort: [slug]
    gives:
      here: "page.map(a, a.price).sum()"
      all: "found.map(a, a.price).sum()"
      many: "found.count() > 2 ? 'many' : 'few'"
      secrets: "page.count(a, a.secret != null)"
      dear: "Article.named(page.filter(a, a.price != null && a.price > 2))"
  GET /by/{author.name}: { list: Article, sort: [slug] }
  POST /articles:
    create: Article
    takes: { article: { slug, title, description: body, tag: kind, price, secret } }
    gives: { article: "Article.entry(this)" }
  PUT /articles/{slug}: { update: Article, takes: { article: { title, description: body } }, gives: { article: "Article.entry(this)" } }
  POST /articles/{slug}/publish: { transition: Article.publish, status: 202, gives: { state } }
  DELETE /articles/{slug}: { delete: Article }
  POST /articles/{article.slug}/comments: { create: Comment, takes: { comment: { text } }, gives: { comment: "Comment.short(this)" } }
  GET /articles/{article.slug}/comments: { list: Comment, paging: none, sort: [text], gives: { comments: "Comment.short(page)" } }
  POST /editorial: { create: Article, by: editor }
  POST /verdicts: { create: Verdict }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
BODY_IS_TITLE: { message: "It says nothing but its title.", at: body }
\`\`\`
`;

let served: TestServer;
let ada: Person;
let ben: Person;
let visitor: ApiClient;

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const article = (slug: string, more: object = {}) => ({ article: { slug, title: slug.toUpperCase(), ...more } });

beforeAll(async () => {
  served = await serveText(journal);
  ada = await served.person("Ada");
  ben = await served.person("Ben", ["editor"]);
  visitor = served.visitor();
  for (const [slug, day] of [
    ["one", "2026-01-01"],
    ["two", "2026-02-01"],
    ["three", "2026-03-01"],
  ] as const) {
    await ada.post(
      "/v1/articles",
      article(slug, { tag: slug === "two" ? "report" : "essay", price: "2.50", secret: "s" }),
    );
    expect((await ada.post(`/v1/articles/${slug}/publish`, { day })).status).toBe(202);
  }
  await ada.post("/v1/articles", article("draft"));
  await ben.post("/v1/articles/one/comments", { comment: { text: "Well said." } });
  await ada.post("/v1/articles/one/comments", { comment: { text: "Thanks." } });
});

describe("the distinct values of a list", () => {
  const get = async (path: string, who: ApiClient = visitor) => (await who.get(`/v1${path}`)).body;

  beforeAll(async () => {
    const tag = (slug: string, tags: readonly string[]) =>
      served.database.query("update app.article set tags = $1 where slug = $2", [tags, slug]);
    await tag("one", ["b", "Ö", "a"]);
    await tag("two", ["a", "B", "\u{10000}", "\u{ffee}"]);
    await tag("draft", ["hidden", "a"]);
  });

  test("are each listed once, in ascending order, from the records that the caller can read", async () => {
    const seen = ["\u{ffee}", "a", "b", "B", "Ö", "\u{10000}"];
    expect(await get("/tags")).toEqual({ tags: seen, all: 6, next: null });
    expect(await get("/tags", ada)).toEqual({
      tags: [...seen.slice(0, 4), "hidden", ...seen.slice(4)],
      all: 7,
      next: null,
    });
    expect(await get("/tags?kind=essay")).toEqual({ tags: ["a", "b", "Ö"], all: 3, next: null });
    expect(await get("/tags?like=TW")).toMatchObject({ all: 4 });
    expect(await get("/tags?like=nothing")).toEqual({ tags: [], all: 0, next: null });
    expect(await get("/labels/Ada")).toEqual({ labels: seen.filter((one) => one !== "Ö") });
    expect(await get("/labels/Nobody")).toEqual({ labels: [] });
  });

  test("leave out missing values, and fields that the caller cannot read", async () => {
    expect(await get("/secrets")).toEqual({ secrets: [] });
    expect(await get("/secrets", ada)).toEqual({ secrets: ["s"] });
    expect(await get("/months", ada)).toEqual({ months: [1, 2, 3], shown: 3 });
  });

  test("can be of every type with an order, computed too", async () => {
    expect(await get("/kinds")).toEqual(["essay", "report"]);
    expect(await get("/prices")).toEqual({ items: ["2.5"], next: null });
    expect(await get("/prices?offset=1")).toEqual({ items: [], next: null });
    expect(await get("/pinned")).toEqual({ pinned: [false] });
  });

  test("have pages that continue after the last value", async () => {
    for (const [path, who] of [
      ["/tags", visitor],
      ["/tags", ada],
    ] as const) {
      const all = (await get(path, who)) as { readonly tags: readonly string[]; readonly all: number };
      const found: string[] = [];
      let after = "";
      while (after !== "end") {
        const page = (await get(`${path}?limit=2${after}`, who)) as { readonly tags: string[]; readonly next: string };
        expect(page).toMatchObject({ all: all.all });
        found.push(...page.tags);
        after = page.next === null ? "end" : `&after=${encodeURIComponent(page.next)}`;
      }
      expect(found).toEqual(all.tags);
    }
    expect((await visitor.get("/v1/tags?after=x")).status).toBe(400);
    expect((await visitor.get("/v1/tags?sort=tags")).status).toBe(400);
  });
});

describe("an order that the caller chooses", () => {
  const get = (query: string, who: ApiClient = ada) => who.get(`/v1/sorted${query}`);
  const slugs = async (query: string, who?: ApiClient) => ((await get(query, who)).body as { slugs: string[] }).slugs;

  test("is by one or several fields of those that the call names, and otherwise that of the call", async () => {
    expect(await slugs("", visitor)).toEqual(["one", "three", "two"]);
    expect(await slugs("?sort=-title", visitor)).toEqual(["two", "three", "one"]);
    expect(await slugs("?sort=day", visitor)).toEqual(["one", "two", "three"]);
    expect(await slugs("?sort=-created_at", visitor)).toEqual(["three", "two", "one"]);
    // Missing values come last in both directions; equal records are in the direction of the first field.
    expect(await slugs("?sort=-day,title")).toEqual(["three", "two", "one", "draft"]);
    expect(await slugs("?sort=day,-title")).toEqual(["one", "two", "three", "draft"]);
    expect(await slugs("?sort=secret,day")).toEqual(["one", "two", "three", "draft"]);
  });

  test("is that of the next pages, whose tokens belong to it", async () => {
    for (const sort of ["-day", "title,-day", "created_at"]) {
      const all = await slugs(`?sort=${sort}`);
      const found: string[] = [];
      let next: string | null = "";
      while (next !== null) {
        const page: { readonly slugs: readonly string[]; readonly next: string | null } = (
          await get(`?sort=${sort}&limit=1${next === "" ? "" : `&after=${encodeURIComponent(next)}`}`)
        ).body as never;
        found.push(...page.slugs);
        if (page.next !== null)
          expect((await get(`?sort=-title&limit=1&after=${encodeURIComponent(page.next)}`)).status).toBe(400);
        next = page.next;
      }
      expect(found).toEqual(all);
    }
  });

  test("is refused for other fields, for one named twice, and for one that the caller cannot read", async () => {
    for (const sort of ["kind", "day,day", "", "-", "day,", "title desc"])
      expect([sort, problem(await get(`?sort=${encodeURIComponent(sort)}`))]).toEqual([
        sort,
        "400 BAD_QUERY 7.GET /sorted ?sort BAD_QUERY",
      ]);
    expect((await get("?sort=secret", visitor)).status).toBe(400);
    expect((await get("?sort=title&sort=day")).status).toBe(400);
    expect((await visitor.get("/v1/feed?sort=title")).status).not.toBe(200);
    expect((await ada.get("/v1/articles?sort=title")).status).toBe(400);
  });

  test("has an index for each direction", async () => {
    const { rows } = await served.database.query(
      "select indexdef as one from pg_indexes where schemaname = 'app' and tablename = 'article' and indexdef like '%(day%'",
    );
    expect(rows.map((row) => String(row.one).replace(/^.*btree /u, "")).toSorted()).toEqual([
      "(day DESC NULLS LAST, id DESC)",
      "(day, id)",
    ]);
  });
});

describe("a list", () => {
  test("has the document’s conditions, shape and headers", async () => {
    const answer = await visitor.get("/v1/articles?limit=2");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-journal")).toBe("articles");
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    expect(answer.body).toEqual({
      articles: [
        {
          slug: "three",
          title: "THREE",
          kind: "essay",
          cost: "2.5",
          on: "2026-03-01",
          at,
          mine: false,
          author: { name: "Ada", motto: null },
          writer: { id: ada.id, label: "Ada" },
          hidden: null,
        },
        {
          slug: "two",
          title: "TWO",
          kind: "report",
          cost: "2.5",
          on: "2026-02-01",
          at,
          mine: false,
          author: { name: "Ada", motto: null },
          writer: { id: ada.id, label: "Ada" },
          hidden: null,
        },
      ],
      shown: 2,
      total: 3,
    });
  });

  test("shows each person what they can read", async () => {
    const [own] = ((await ada.get("/v1/articles?limit=1")).body as { articles: object[] }).articles;
    expect(own).toMatchObject({ mine: true, hidden: "s" });
  });

  test.each([
    ["?offset=2", ["one"], 3],
    ["?kind=report", ["two"], 1],
    ["?from=2026-02-01", ["three", "two"], 2],
    ["?by=Ada&kind=essay", ["three", "one"], 2],
    ["?by=Nobody", [], 0],
    ["?mine=true", [], 0],
  ])("is narrowed by parameters: %s", async (query, slugs, total) => {
    const body = (await visitor.get(`/v1/articles${query}`)).body as { articles: { slug: string }[]; total: number };
    expect([body.articles.map(({ slug }) => slug), body.total]).toEqual([slugs, total]);
  });

  test("by offset has full pages, however many were skipped", async () => {
    const at = async (query: string) =>
      (await visitor.get(`/v1/articles${query}`)).body as {
        articles: { slug: string }[];
        shown: number;
        total: number;
      };
    const page = async (query: string) => {
      const { articles, shown, total } = await at(query);
      return [articles.map(({ slug }) => slug), shown, total];
    };
    expect(await page("?limit=1&offset=1")).toEqual([["two"], 1, 3]);
    expect(await page("?limit=2&offset=1")).toEqual([["two", "one"], 2, 3]);
    expect(await page("?limit=2&offset=2")).toEqual([["one"], 1, 3]);
    expect(await page("?limit=2&offset=3")).toEqual([[], 0, 3]);
  });

  test.each([
    "?kind=poem",
    "?from=yesterday",
    "?mine=perhaps",
    "?nothing=1",
    "?limit=0",
    "?offset=-1",
    "?after=x",
    "?kind=essay&kind=report",
  ])("rejects %s", async (query) => {
    expect(problem(await visitor.get(`/v1/articles${query}`))).toMatch(
      /^400 BAD_QUERY (7\.GET \/articles|9\.page_size_max) \?\w+ BAD_QUERY$/u,
    );
  });

  test("reports every wrong parameter", async () => {
    expect(problem(await visitor.get("/v1/articles?kind=poem&limit=0&nothing=1&mine=perhaps"))).toBe(
      "400 INVALID 7.GET /articles ?nothing BAD_QUERY ?kind BAD_QUERY ?mine BAD_QUERY ?limit BAD_QUERY",
    );
  });

  test("continues from its page token, and rejects the token of another list", async () => {
    const first = (await ada.get("/v1/feed?limit=2")).body as { items: { slug: string }[]; more: string };
    expect(first.items.map(({ slug }) => slug)).toEqual(["draft", "one"]);
    const second = (await ada.get(`/v1/feed?limit=2&after=${first.more}`)).body as typeof first;
    expect(second.items.map(({ slug }) => slug)).toEqual(["three", "two"]);
    expect(second.more).toBeNull();
    expect(problem(await ada.get("/v1/feed?after=x"))).toBe("400 BAD_CURSOR ");
    const { next } = (await ada.get("/v1/by/Ada?limit=1")).list();
    expect(problem(await ada.get(`/v1/feed?after=${next}`))).toBe("400 BAD_CURSOR ");
  });

  test("is a plain array if its response is one, and the conventional object otherwise", async () => {
    expect(((await visitor.get("/v1/titles")).body as { slug: string }[]).map(({ slug }) => slug)).toEqual([
      "one",
      "three",
      "two",
    ]);
    const { items, next } = (await visitor.get("/v1/by/Ada")).list();
    expect([items.map(({ slug }) => slug), next]).toEqual([["one", "three", "two"], null]);
    expect(items[0]).not.toHaveProperty("secret");
    expect((await visitor.get("/v1/by/Nobody")).list().items).toEqual([]);
  });

  test("below a record has the records of that record", async () => {
    expect((await visitor.get("/v1/articles/one/comments")).body).toEqual({
      comments: [
        { text: "Thanks.", by: { name: "Ada", motto: null } },
        { text: "Well said.", by: { name: "Ben", motto: null } },
      ],
    });
    expect(problem(await visitor.get("/v1/articles/draft/comments"))).toBe("401 NOT_SIGNED_IN 6.Article.read");
    const stranger = await served.person("Stranger");
    for (const slug of ["draft", "none"])
      expect(problem(await stranger.get(`/v1/articles/${slug}/comments`))).toBe("404 NOT_FOUND 6.Article.read");
  });

  test("has totals of its page and of all matches, as its reader can see them", async () => {
    expect((await visitor.get("/v1/figures?limit=2")).body).toEqual({
      here: "5",
      all: "7.5",
      many: "many",
      secrets: 0,
      dear: [
        { slug: "one", watchers: [] },
        { slug: "three", watchers: [] },
      ],
    });
    expect((await ada.get("/v1/figures?limit=2")).body).toMatchObject({ secrets: 1, here: "2.5" });
  });

  test("finds by one of several values, and creates with it", async () => {
    const created = await ben.post("/v1/tagged/sea", { slug: "wave", title: "Wave", watchers: [ada.id, ben.id] });
    expect([created.status, created.body]).toEqual([201, { tags: ["sea"] }]);
    const profile = (name: string) => ({ name, motto: null });
    expect((await ben.get("/v1/tagged/sea")).body).toEqual([
      { slug: "wave", watchers: [profile("Ada"), profile("Ben")] },
    ]);
    expect((await ben.get("/v1/tagged/see")).body).toEqual([]);
    expect((await ben.get(`/v1/watched/${ada.id}`)).body).toEqual(["wave"]);
    expect((await ada.get(`/v1/watched/${ada.id}`)).body).toEqual([]);
    expect((await ben.get("/v1/watched/ada")).status).toBe(404);
  });

  test("for some roles is refused to others", async () => {
    expect(problem(await visitor.get("/v1/feed"))).toBe("401 NOT_SIGNED_IN 7.GET /feed");
    expect(problem(await ada.post("/v1/editorial", { slug: "x", title: "X" }))).toBe("403 FORBIDDEN 7.POST /editorial");
    expect((await ben.post("/v1/editorial", { slug: "x", title: "X" })).record()).toMatchObject({
      slug: "x",
      version: 1,
    });
  });
});

describe("a record", () => {
  test("is found by the names in its path, if the person can read it", async () => {
    const answer = await visitor.get("/v1/articles/one");
    expect(answer.body).toEqual({
      article: {
        slug: "one",
        body: null,
        number: 2,
        remarks: [
          { text: "Well said.", by: { name: "Ben", motto: null } },
          { text: "Thanks.", by: { name: "Ada", motto: null } },
        ],
      },
    });
    expect(answer.headers.get("etag")).toBe('"2"');
    expect(problem(await visitor.get("/v1/articles/draft"))).toBe("401 NOT_SIGNED_IN 6.Article.read");
    expect(problem(await ben.get("/v1/articles/draft"))).toBe("404 NOT_FOUND 6.Article.read");
    expect(problem(await ben.get("/v1/articles/%00"))).toBe("404 NOT_FOUND 6.Article.read");
    expect((await visitor.get("/v1/plain/one")).record()).toMatchObject({ title: "ONE", may: { update: [] } });
  });

  test("is created from its payload, and returned in its shape", async () => {
    const answer = await ada.post("/v1/articles", article("four", { description: "Long.", tag: "report" }));
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { article: { slug: "four", kind: "report", cost: null } },
    ]);
    expect((await ada.get("/v1/plain/four")).record()).toMatchObject({ body: "Long.", state: "draft" });
    expect(answer.headers.get("etag")).toBe('"1"');
  });

  test("can contain values of the program", async () => {
    const created = await ada.post("/v1/verdicts", { kind: "refusal", code: "NOT_FOUND" });
    expect([created.status, created.body]).toMatchObject([201, { kind: "refusal", code: "NOT_FOUND" }]);
  });

  test("is updated by the fields that are sent: absent fields stay, null clears", async () => {
    await ada.post("/v1/articles", article("five", { description: "Text." }));
    const stored = await ada.send("PUT", "/v1/articles/five", { article: { title: "Fünf" } });
    expect(stored.body).toMatchObject({ article: { slug: "five", title: "Fünf" } });
    expect((await ada.get("/v1/plain/five")).record().body).toBe("Text.");
    await ada.send("PUT", "/v1/articles/five", { article: { description: null } });
    expect((await ada.get("/v1/plain/five")).record().body).toBeNull();
    expect(
      problem(await ada.send("PUT", "/v1/articles/five", { article: {} }, { headers: { "if-match": '"1"' } })),
    ).toBe("412 CHANGED_MEANWHILE 3.Article");
  });

  test("has its errors at their places in the payload", async () => {
    const refusals = async (body: unknown) => problem(await ada.post("/v1/articles", body));
    expect(await refusals({ article: { slug: "one", title: "" } })).toBe(
      "422 REQUIRED 3.Article.title /article/title REQUIRED",
    );
    expect(await refusals(article("one"))).toBe("409 TAKEN 3.Article.slug /article/slug TAKEN");
    expect(await refusals({ article: { slug: "y", title: "y", description: "y" } })).toBe(
      "422 BODY_IS_TITLE 5.Article.BODY_IS_TITLE /article/description BODY_IS_TITLE",
    );
    expect(await refusals({ article: { slug: "y", title: "y", body: "y" } })).toBe(
      "422 UNKNOWN_FIELD 7.POST /articles /article/body UNKNOWN_FIELD",
    );
    expect(await refusals({ slug: "y" })).toBe(
      "422 INVALID 7.POST /articles /slug UNKNOWN_FIELD /article/slug REQUIRED /article/title REQUIRED",
    );
    expect(await refusals({ article: [] })).toBe("422 WRONG_TYPE 7.POST /articles /article WRONG_TYPE");
    expect(await refusals([])).toBe("400 MALFORMED ");
  });

  test("can’t be created below one that the person can’t read", async () => {
    const request = (slug: string) => ben.post(`/v1/articles/${slug}/comments`, { comment: { text: "?" } });
    expect(problem(await request("draft"))).toBe("404 NOT_FOUND 6.Article.read");
    expect(problem(await request("nowhere"))).toBe("404 NOT_FOUND 6.Article.read");
    expect(problem(await visitor.post("/v1/articles/one/comments", { comment: { text: "?" } }))).toBe(
      "401 NOT_SIGNED_IN 6.Comment.create",
    );
  });

  test("makes transitions and is deleted as permissions allow", async () => {
    await ada.post("/v1/articles", article("six"));
    expect(problem(await ada.post("/v1/articles/six/publish", {}))).toMatch(/^422 REQUIRED 4\.Article\.publish/u);
    const moved = await ada.post("/v1/articles/six/publish", { day: "2026-04-01" });
    expect([moved.status, moved.body]).toEqual([202, { state: "out" }]);
    expect(problem(await ada.post("/v1/articles/six/publish", { day: "2026-04-01" }))).toBe(
      "409 WRONG_STATE 4.Article.publish",
    );
    expect(problem(await ben.delete("/v1/articles/six"))).toBe("403 FORBIDDEN 6.Article.delete");
    expect((await ada.delete("/v1/articles/six")).status).toBe(204);
    expect(problem(await ada.get("/v1/articles/six"))).toBe("404 NOT_FOUND 6.Article.read");
  });
});

/** The codes of pets are unique per owner: p1 is a pet of a, and another of b. */
const clinic = `
# Clinic

## 3. Entities and their fields
\`\`\`yaml
Owner:
  label: "{code}"
  fields: { code: { type: text, unique: true, max: 20 } }
Pet:
  label: "{code}"
  fields: { owner: Owner, code: { type: text, max: 20 } }
Visit:
  label: "{reason}"
  fields: { pet: Pet, reason: { type: text, max: 80 }, tags: { type: text, many: true, max: 20 }, fee: { type: money?, currency: EUR } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Visit:
  initial: planned
  states: [planned, done]
  transitions: { finish: { from: planned, to: done, by: member } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Pet:
  - { unique: [owner, code], else: CODE_TAKEN }
Visit:
  - { unique: [pet, reason], else: VISIT_TWICE }
  - { rule: "Visit.count(v, v.pet == pet) <= 4", during: create, else: TOO_OFTEN }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Owner: { read: [member], create: [member], update: none, delete: none }
  Pet:   { read: [member], create: [member], update: none, delete: none }
  Visit: { read: [member], create: [member], update: [member], delete: [member] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
calls:
  POST /owners/{owner.code}/pets: { create: Pet, takes: { code }, gives: { id } }
  POST /owners/{pet.owner.code}/pets/{pet.code}/visits: { create: Visit, takes: { reason }, gives: { pet: pet.id, reason } }
  PUT /owners/{pet.owner.code}/pets/{pet.code}/visits: { ensure: Visit, takes: { reason }, gives: { pet: pet.id, reason } }
  POST /owners/{pet.owner.code}/pets/{pet}/visits-by-id: { create: Visit, takes: { reason }, gives: { pet: pet.id } }
  POST /tags/{tags}/again/{tags}/{pet}: { create: Visit, takes: { reason }, gives: { tags } }
  POST /owners/{pet.owner.code}/pets/{pet.code}/twice:
    do:
      - { create: Visit, takes: { first: reason, tags } }
      - { create: Visit, takes: { second: reason }, gives: { pet: pet.id } }
  GET /owners/{pet.owner.code}/pets/{pet.code}/visits: { list: Visit, sort: [reason], gives: "page.map(v, v.reason)" }
  GET /owners/{pet.owner.code}/pets/{pet.code}/visits/{reason}: { read: Visit, gives: { reason } }
  PUT /owners/{pet.owner.code}/pets/{pet.code}/visits/{reason}: { update: Visit, takes: { reason }, gives: { reason } }
  POST /owners/{pet.owner.code}/pets/{pet.code}/visits/{reason}/finish: { transition: Visit.finish, gives: { state } }
  DELETE /owners/{pet.owner.code}/pets/{pet.code}/visits/{reason}: { delete: Visit }
  DELETE /owners/{pet.owner.code}/pets/{pet.code}/visits: { delete all: Visit }
  GET /fees:
    list: Visit
    query: { fee, over: { type: Visit.fee, where: "fee != null && fee > input.over" } }
    sort: [reason]
    gives: "page.map(v, v.reason)"
\`\`\`

## 8. Error catalogue
\`\`\`yaml
CODE_TAKEN: "{owner} has a pet {code} already."
VISIT_TWICE: "This visit is planned already."
TOO_OFTEN: { message: "Four visits are enough for {pet.code}.", at: pet }
\`\`\`
`;

describe("an address with several parameters identifies one record by all of them", () => {
  let cleo: Person;
  const pets = new Map<string, string>();
  const at = (owner: string, pet: string, more = "") => `/api/owners/${owner}/pets/${pet}/visits${more}`;

  beforeAll(async () => {
    cleo = await (await serveText(clinic)).person("Cleo");
    for (const code of ["a", "b"]) await cleo.post("/api/owners", { code });
    for (const [owner, code] of [
      ["a", "p1"],
      ["a", "p2"],
      ["b", "p1"],
      ["b", "p3"],
    ] as const)
      pets.set(`${owner}/${code}`, String((await cleo.post(`/api/owners/${owner}/pets`, { code })).record().id));
  });

  test("a creation below it, for each pet of an owner and for pets with the same code", async () => {
    for (const [owner, pet] of [
      ["a", "p1"],
      ["a", "p2"],
      ["b", "p1"],
    ] as const) {
      const created = await cleo.post(at(owner, pet), { reason: "check" });
      expect([created.status, created.body]).toEqual([201, { pet: pets.get(`${owner}/${pet}`), reason: "check" }]);
    }
    for (const [owner, pet] of [
      ["b", "p2"],
      ["a", "p3"],
      ["c", "p1"],
      ["a", "p9"],
    ] as const)
      expect(problem(await cleo.post(at(owner, pet), { reason: "check" })), `${owner}/${pet}`).toBe(
        "404 NOT_FOUND 6.Pet.read",
      );
    const byId = (owner: string, pet: string) =>
      cleo.post(`/api/owners/${owner}/pets/${pets.get(pet)}/visits-by-id`, { reason: pet });
    expect((await byId("a", "a/p2")).body).toEqual({ pet: pets.get("a/p2") });
    expect(problem(await byId("b", "a/p2"))).toBe("404 NOT_FOUND 6.Pet.read");
  });

  test("a call with “ensure”, and a call of several steps", async () => {
    const first = await cleo.send("PUT", at("b", "p1"), { reason: "ensured" });
    expect([first.status, first.body]).toEqual([201, { pet: pets.get("b/p1"), reason: "ensured" }]);
    expect((await cleo.send("PUT", at("b", "p1"), { reason: "ensured" })).status).toBe(200);
    expect(problem(await cleo.send("PUT", at("b", "p2"), { reason: "ensured" }))).toBe("404 NOT_FOUND 6.Pet.read");
    const twice = (owner: string, pet: string, tags: readonly string[] = []) =>
      cleo.post(`/api/owners/${owner}/pets/${pet}/twice`, { first: "one", second: "two", tags });
    expect(problem(await twice("b", "p3", ["short", "longer than twenty letters"]))).toBe(
      "422 TOO_LONG 3.Visit.tags /tags TOO_LONG",
    );
    expect((await twice("b", "p3")).body).toEqual({ pet: pets.get("b/p3") });
    expect(problem(await twice("a", "p3"))).toBe("404 NOT_FOUND 6.Pet.read");
  });

  test("a value that occurs twice with different values matches nothing", async () => {
    const tagged = (one: string, other: string) =>
      cleo.post(`/api/tags/${one}/again/${other}/${pets.get("b/p3")}`, { reason: `${one} ${other}` });
    expect((await tagged("red", "red")).body).toEqual({ tags: ["red"] });
    expect(problem(await tagged("red", "blue"))).toBe("404 NOT_FOUND 6.Visit.create");
  });

  test("several steps that break one rule give one error with the code of the rule", async () => {
    const twice = () => cleo.post("/api/owners/b/pets/p3/twice", { first: "three", second: "four" });
    expect(problem(await twice())).toBe("422 TOO_OFTEN 5.Visit.TOO_OFTEN /pet TOO_OFTEN");
  });

  test("an amount of money has the name of a field with a currency in the address", async () => {
    const pet = (await cleo.post("/api/owners/b/pets", { code: "p4" })).record().id;
    for (const [reason, fee] of [
      ["cheap", "9.50"],
      ["dear", "40"],
    ] as const)
      await cleo.post("/api/visits", { pet, reason, fee });
    const fees = async (query: string) => (await cleo.get(`/api/fees?${query}`)).body;
    expect(await fees("over=9.49")).toEqual(["cheap", "dear"]);
    expect(await fees("over=9.5")).toEqual(["dear"]);
    expect(await fees("fee=40.00")).toEqual(["dear"]);
    expect(problem(await cleo.get("/api/fees?over=much"))).toBe("400 BAD_QUERY 7.GET /fees ?over BAD_QUERY");
  });

  test("reads, lists, updates, transitions and deletions", async () => {
    await cleo.post(at("a", "p2"), { reason: "teeth" });
    expect((await cleo.get(at("b", "p1"))).body).toEqual(["check", "ensured"]);
    expect((await cleo.get(at("a", "p1"))).body).toEqual(["check"]);
    expect(problem(await cleo.get(at("b", "p2")))).toBe("404 NOT_FOUND 6.Pet.read");
    expect((await cleo.get(at("a", "p2", "/teeth"))).body).toEqual({ reason: "teeth" });
    for (const [owner, pet] of [
      ["a", "p1"],
      ["b", "p2"],
    ] as const) {
      const wrong = at(owner, pet, "/teeth");
      expect(problem(await cleo.get(wrong))).toBe("404 NOT_FOUND 6.Visit.read");
      expect(problem(await cleo.send("PUT", wrong, { reason: "claws" }))).toBe("404 NOT_FOUND 6.Visit.read");
      expect(problem(await cleo.post(`${wrong}/finish`, {}))).toBe("404 NOT_FOUND 6.Visit.read");
      expect(problem(await cleo.delete(wrong))).toBe("404 NOT_FOUND 6.Visit.read");
    }
    expect((await cleo.send("PUT", at("a", "p2", "/teeth"), { reason: "claws" })).body).toEqual({ reason: "claws" });
    expect((await cleo.post(at("a", "p2", "/claws/finish"), {})).body).toEqual({ state: "done" });
    expect((await cleo.delete(at("a", "p2", "/claws"))).status).toBe(204);
    expect((await cleo.delete(at("b", "p2"))).status).toBe(204);
    expect((await cleo.get(at("b", "p1"))).body).toEqual(["check", "ensured"]);
    expect((await cleo.delete(at("b", "p1"))).status).toBe(204);
    expect((await cleo.get(at("b", "p1"))).body).toEqual([]);
    expect((await cleo.get(at("a", "p1"))).body).toEqual(["check"]);
  });
});

test("the conventional calls are those of the listed entities", async () => {
  expect((await visitor.get("/api/users")).status).toBe(200);
  expect((await visitor.get("/api/comments")).status).toBe(200);
  expect(problem(await visitor.get("/api/articles"))).toBe("404 NO_SUCH_CALL ");
});

test("OpenAPI describes the calls with their clauses, payloads and responses, and they respond so", {
  timeout: 180_000,
}, async () => {
  const { model } = compiled(journal);
  const document = buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" });
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  const driven = await drive(journal, 7);
  const shown = driven.operations.filter(({ path }) => path.startsWith("/v1/"));
  expect(shown.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(model.calls.map(({ name }) => name)),
  );
  await driven.some(800);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
