import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, serveText, type TestServer } from "../app/program.ts";
import { examplesOf, told, withBlock } from "./examples.ts";
import { fencesOf, textOf } from "./pages.ts";

const PASSWORD = "correct horse battery";

type Person = Awaited<ReturnType<TestServer["person"]>>;

const fences = fencesOf(textOf("docs/calls.md"));
const examples = examplesOf(fences);

describe("every example of the recipes compiles as marked", () => {
  test.each(examples.map((example) => [example.fence.line, example] as const))("line %i", (_, example) => {
    expect(example.found, told(example)).toEqual(example.finds);
  });
});

describe("all recipes in one document do what the page says", () => {
  let served: TestServer;
  let ada: Person;
  let ben: Person;
  let editor: Person;
  const inNews = (path = "") => `/v1/sections/news/articles${path}`;
  const entry = (slug: string, more: object = {}) => ({
    slug,
    title: slug.toUpperCase(),
    body: null,
    tags: [],
    author: { name: "Ada" },
    ...more,
  });
  const shaped = ({ status, body }: Answer) => [status, body];
  const refused = ({ status, body }: Answer) => [status, (body as { code: string }).code];

  beforeAll(async () => {
    const [all, ...blocks] = fences.filter(({ marks }) => marks !== undefined);
    const journal = blocks.reduce(
      (text, { text: yaml, marks }) => withBlock(text, marks?.point ?? "", yaml),
      all?.text ?? "",
    );
    served = await serveText(journal);
    ada = await served.person("Ada");
    ben = await served.person("Ben");
    editor = await served.person("Eve", ["editor"]);
    for (const code of ["news", "science"]) await editor.post("/api/sections", { code });
    for (const section of ["news", "science"])
      await ada.post(`/v1/sections/${section}/articles`, { article: { slug: "one", title: "ONE" } });
  });

  test("envelopes", async () => {
    expect(shaped(await ada.post(inNews(), { article: { slug: "two", title: "TWO" } }))).toEqual([
      201,
      { article: entry("two") },
    ]);
    expect(shaped(await ben.get(inNews("/two")))).toEqual([200, { article: entry("two") }]);
    expect(shaped(await ben.get(inNews("?limit=1&offset=1")))).toEqual([200, { articles: [entry("two")], total: 2 }]);
    expect(shaped(await ada.post(inNews(), { article: { slug: "three" } }))).toEqual([
      422,
      { errors: { title: [expect.any(String)] }, code: "REQUIRED" },
    ]);
    expect(shaped(await ada.post(inNews(), { article: { slug: "two", title: "Again" } }))).toEqual([
      409,
      { errors: { slug: ["This section has an article “two” already."] }, code: "SLUG_TAKEN" },
    ]);
  });

  test("a call with an error of its own", async () => {
    expect(refused(await ada.get("/v1/archive/none"))).toEqual([410, "NOT_ARCHIVED"]);
  });

  test("constants in payloads", async () => {
    expect(shaped(await ben.get("/v1/about"))).toEqual([
      200,
      { kind: "journal", version: 2, open: true, most_tags: 5, you: "Ben" },
    ]);
    const created = await ada.post("/v1/sections/science/drafts", { slug: "new" });
    expect(shaped(created)).toEqual([201, { status: "draft", slug: "new", title: "Without a title", tags: ["draft"] }]);
    expect(refused(await ada.post("/v1/sections/science/drafts", { slug: "x", title: "Mine" }))).toEqual([
      422,
      "UNKNOWN_FIELD",
    ]);
  });

  test("a body has only the named fields, and fields that are not sent stay", async () => {
    const put = (article: object) => ada.send("PUT", inNews("/one"), { article });
    expect((await put({ body: "Text.", tags: ["a", "b"] })).body).toEqual({
      article: entry("one", { body: "Text.", tags: ["a", "b"] }),
    });
    expect((await put({ tags: ["a"] })).body).toEqual({ article: entry("one", { body: "Text.", tags: ["a"] }) });
    expect((await put({ body: null, tags: [] })).body).toEqual({ article: entry("one") });
    const stranger = await put({ author: ben.id, title: "Other" });
    expect(shaped(stranger)).toEqual([422, { errors: { author: [expect.any(String)] }, code: "UNKNOWN_FIELD" }]);
    expect((await ada.get(inNews("/one"))).body).toEqual({ article: entry("one") });
    expect(refused(await ada.get(inNews("?color=red")))).toEqual([400, "BAD_QUERY"]);
  });

  test("a replacement clears what is not sent", async () => {
    const put = (sent: object) => ada.send("PUT", "/v1/sections/news/drafts/one", sent);
    expect((await put({ title: "ONE", body: "Text.", tags: ["x"] })).status).toBe(204);
    expect((await put({ title: "ONE", body: "Text.", color: "red" })).status).toBe(204);
    expect((await ada.get(inNews("/one"))).body).toEqual({ article: entry("one", { body: "Text." }) });
    expect(refused(await put({ title: "ONE" }))).toEqual([422, "REQUIRED"]);
    expect((await ada.send("PUT", inNews("/one"), { article: { body: null } })).status).toBe(200);
  });

  test("a put creates the record of its address, or replaces it", async () => {
    const put = (title: string) => ada.send("PUT", "/v1/sections/news/pages/about", { title });
    const about = { slug: "about", title: "About us", body: null };
    expect(shaped(await put("About us"))).toEqual([201, about]);
    expect(shaped(await put("About"))).toEqual([200, { ...about, title: "About" }]);
  });

  test("parts have the names of their shape", async () => {
    const [section] = (await ada.get("/api/sections")).list().items;
    const { id } = (await ada.post("/api/articles", { section: section?.id, slug: "seen", title: "Seen" })).record();
    const put = (gallery: object[]) => ada.send("PUT", `/v1/articles/${id}/gallery`, { gallery });
    expect(shaped(await put([{ text: "A tree" }]))).toEqual([
      200,
      { gallery: [{ id: expect.any(String), text: "A tree" }] },
    ]);
    expect(shaped(await put([{ caption: "A tree" }]))).toMatchObject([422, { code: "INVALID" }]);
  });

  test("references by a unique field, and search without regard to case", async () => {
    const created = await ada.post("/v1/articles", { section: "science", slug: "keys", title: "Ärger with KEYS" });
    expect(shaped(created)).toEqual([201, { slug: "keys", section: "science" }]);
    expect((await ada.get("/v1/found?q=%C3%A4RGER%20with%20keys")).body).toEqual({ slugs: ["keys"] });
    expect(refused(await ada.post("/v1/articles", { section: "none", slug: "k", title: "K" }))).toEqual([
      422,
      "NO_SUCH_REFERENCE",
    ]);
    expect((await ada.get("/v1/sections/news/articles/none/comments")).status).toBe(404);
  });

  test("nested resources, and checks on the parent", async () => {
    const comments = (section: string) => `/v1/sections/${section}/articles/one/comments`;
    const say = async (section: string, text: string, answers?: string) =>
      ben.post(comments(section), { comment: { text, ...(answers === undefined ? {} : { answers }) } });
    const idOf = ({ body }: Answer) => (body as { comment: { id: string } }).comment.id;
    const first = await say("news", "First.");
    expect(shaped(first)).toEqual([201, { comment: { id: expect.any(String), text: "First.", by: "Ben" } }]);
    const other = idOf(await say("science", "Elsewhere."));
    expect(shaped(await ada.get(comments("news")))).toEqual([
      200,
      { comments: [{ id: idOf(first), text: "First.", by: "Ben" }] },
    ]);
    expect(refused(await ben.post("/v1/sections/science/articles/two/comments", { comment: { text: "?" } }))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    expect(refused(await say("news", "Wrong.", other))).toEqual([422, "ANSWERS_ELSEWHERE"]);
    expect((await say("news", "Right.", idOf(first))).status).toBe(201);
    expect(refused(await ben.delete(`${comments("science")}/${idOf(first)}`))).toEqual([404, "NOT_FOUND"]);

    const { items } = (await editor.get("/api/articles?slug=one")).list();
    for (const { id } of items) await editor.patch(`/api/articles/${id}`, { locked: true });
    expect(shaped(await say("news", "Too late."))).toEqual([
      409,
      { errors: { article: ["“ONE” is locked."] }, code: "ARTICLE_LOCKED" },
    ]);
    expect((await ben.delete(`${comments("news")}/${idOf(first)}`)).status).toBe(409);
    expect((await ben.delete(`${comments("science")}/${other}`)).status).toBe(204);
  });

  test("toggles", async () => {
    const like = inNews("/one/like");
    const liked = (likes: number, isLiked: boolean) => ({ article: { slug: "one", likes, liked: isLiked } });
    for (let again = 0; again < 2; again++) expect((await ada.post(like, {})).body).toEqual(liked(1, true));
    expect(shaped(await ben.post(like, {}))).toEqual([200, liked(2, true)]);
    for (let again = 0; again < 2; again++) expect(shaped(await ada.delete(like))).toEqual([200, liked(1, false)]);
    expect(refused(await ada.post("/v1/sections/science/articles/two/like", {}))).toEqual([404, "NOT_FOUND"]);
  });

  test("lists have an order, parts have positions, and no position is a key", async () => {
    const { items } = (await ada.get("/api/articles?slug=two")).list();
    const id = String(items[0]?.id);
    const captions = ["Dawn", "Noon", "Dusk"];
    await ada.patch(`/api/articles/${id}`, { pictures: captions.map((caption) => ({ caption })) });
    const pictures = async () =>
      ((await ada.get(inNews("/two/pictures"))).body as { pictures: { id: string; caption: string }[] }).pictures;
    const now = await pictures();
    expect(now.map(({ caption }) => caption)).toEqual(captions);
    await ada.patch(`/api/articles/${id}`, { pictures: now.toReversed().map((item) => ({ id: item.id })) });
    expect((await pictures()).map(({ caption }) => caption)).toEqual(captions.toReversed());
    expect((await ada.delete(`/v1/pictures/${now[1]?.id}`)).status).toBe(204);
    expect((await pictures()).map(({ caption }) => caption)).toEqual(["Dusk", "Dawn"]);

    const newest = (await ada.get("/v1/newest?limit=1")).body as { titles: string[]; next: string };
    const rest = (await ada.get(`/v1/newest?after=${newest.next}`)).body as { titles: string[]; next: null };
    expect([...newest.titles, ...rest.titles].toReversed().slice(0, 2)).toEqual(["ONE", "ONE"]);
    expect(rest.next).toBeNull();
    const numbered = async (query: string) => (await ada.get(`/v1/numbered${query}`)).body;
    const { total } = (await numbered("")) as { total: number };
    const pages = Math.ceil(total / 2);
    expect(await numbered("")).toEqual({ slugs: expect.any(Array), page: 1, per_page: 2, pages, total });
    expect(await numbered(`?page=${total}&per_page=1`)).toMatchObject({ slugs: ["two"], page: total, pages: total });
    const sorted = async (query: string) => ((await numbered(`?per_page=200&${query}`)) as { slugs: string[] }).slugs;
    const all = await sorted("");
    expect(await sorted("sortBy=key&order=desc")).toEqual(all.toReversed());
    expect(await sorted("sortBy=key:desc")).toEqual(all.toReversed());
    expect(await sorted("sortBy=-key&order=desc")).toEqual(all);
    for (const query of [
      "sortBy=slug",
      "sortBy=-key:desc",
      "sortBy=key:up",
      "sortBy=key,key",
      "order=down",
      "sort=key",
    ])
      expect(refused(await ada.get(`/v1/numbered?${query}`))).toEqual([400, "BAD_QUERY"]);
    expect(await numbered("?page=99")).toEqual({ slugs: [], page: 99, per_page: 2, pages, total });
    for (const query of ["page=0", "page=x", "per_page=0", "per_page=201", "offset=1", "page=999999999"])
      expect(refused(await ada.get(`/v1/numbered?${query}`))).toEqual([400, "BAD_QUERY"]);
  });

  test("clients that exist already", async () => {
    const visitor = served.visitor();
    const send = (method: string, path: string, body?: unknown, headers = {}) =>
      visitor.send(method, `/v1${path}`, body, { headers });
    await served.account("Dora", PASSWORD);
    const credentials = { email: "dora@example.com", password: PASSWORD };
    const noLogin = [401, { error: "Wrong email address or password." }];
    for (const wrong of [{}, { email: "dora" }, { ...credentials, password: "wrong" }])
      expect(shaped(await send("POST", "/login", wrong))).toEqual(noLogin);
    const { token } = (await send("POST", "/login", credentials)).body as { token: string };

    // A form, and texts in place of values.
    const form = "section=news&slug=map&title=Map&tags=b&tags=a&price=2.50";
    const headers = { "content-type": "application/x-www-form-urlencoded", cookie: `pass=${token}` };
    const asForm = { headers, raw: Buffer.from(form) };
    expect(shaped(await visitor.send("POST", "/v1/priced", undefined, asForm))).toEqual([
      201,
      { slug: "map", price: 2.5, tags: ["a", "b"] },
    ]);
    expect((await visitor.send("POST", "/v1/articles", undefined, asForm)).status).toBe(415);
    const { items } = (await editor.get("/api/articles?slug=map")).list();
    const lock = (locked: unknown) => editor.send("PUT", `/v1/articles/${items[0]?.id}/lock`, { locked });
    expect(shaped(await lock("true"))).toEqual([200, { locked: true }]);
    expect(refused(await lock("yes"))).toEqual([422, "WRONG_TYPE"]);

    // Parameters with rules, one of them in a header.
    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`dora@example.com:${password}`).toString("base64")}`,
    });
    const own = basic(PASSWORD);
    expect(shaped(await send("GET", "/priced?least=1", undefined, { ...own, "x-version": "1" }))).toEqual([
      200,
      { slugs: ["map"] },
    ]);
    expect(shaped(await send("GET", "/priced?least=0", undefined, { ...own, "x-version": "2" }))).toEqual([
      400,
      { errors: { least: ["least must be positive."], "X-Version": ["X-Version must be 1."] }, code: "INVALID" },
    ]);
    expect((await send("GET", "/priced", undefined, own)).status).toBe(200);
    const wrong = await send("GET", "/priced", undefined, basic("wrong"));
    expect(refused(wrong)).toEqual([401, "BAD_CREDENTIALS"]);
    const asks = ({ headers }: Answer) => headers.get("www-authenticate");
    const challenge = 'Basic realm="Journal", charset="UTF-8"';
    expect([asks(wrong), asks(await send("GET", "/priced"))]).toEqual([challenge, challenge]);
    expect(asks(await send("GET", "/priced", undefined, { "sec-fetch-mode": "cors" }))).toBeNull();
    expect(asks(await send("POST", "/login", {}))).toBeNull();
    expect(refused(await send("GET", "/priced?form=1", undefined, own))).toEqual([400, "BAD_QUERY"]);

    // A call that is open to some callers only, without a hint which records exist.
    const ownPath = (slug: string) => `/v1/own/${slug}`;
    expect(shaped(await editor.get(ownPath("map")))).toEqual([403, expect.objectContaining({ code: "FORBIDDEN" })]);
    expect(refused(await editor.get(ownPath("none")))).toEqual([403, "FORBIDDEN"]);
    expect(refused(await visitor.get(ownPath("map")))).toEqual([401, "NOT_SIGNED_IN"]);
    expect(shaped(await send("GET", "/own/map", undefined, basic(PASSWORD)))).toEqual([200, { slug: "map" }]);
    expect(refused(await ben.get("/v1/mine"))).toEqual([403, "FORBIDDEN"]);
    expect((await ada.get("/v1/mine")).status).toBe(200);

    // The token of a session in the body, and nowhere else.
    expect(shaped(await send("POST", "/validate", { token }))).toEqual([200, { valid: true }]);
    const noToken = [403, { error: "This token has ended." }];
    for (const body of [{}, { token: `${token} ` }])
      expect(shaped(await send("POST", "/validate", body, { cookie: `pass=${token}` }))).toEqual(noToken);
    const refresh = (refreshToken?: string) => send("POST", "/refresh", { refreshToken });
    expect(refused(await refresh())).toEqual([422, "REQUIRED"]);
    expect(refused(await refresh(`${token}x`))).toEqual([401, "NOT_SIGNED_IN"]);
    const { accessToken: fresh } = (await refresh(token)).body as { accessToken: string };
    expect(fresh).not.toBe(token);
    expect(refused(await refresh(token))).toEqual([401, "NOT_SIGNED_IN"]);
    expect(shaped(await send("POST", "/validate", { token }))).toEqual(noToken);
    expect(shaped(await send("POST", "/validate", { token: fresh }))).toEqual([200, { valid: true }]);
    expect(shaped(await send("POST", "/logout", { token: fresh }))).toEqual([200, { done: true }]);
    expect(shaped(await send("POST", "/validate", { token: fresh }))).toEqual(noToken);
    expect(refused(await send("GET", "/priced", undefined, { cookie: `pass=${fresh}` }))).toEqual([
      401,
      "NOT_SIGNED_IN",
    ]);
  });
});
