import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const notes = `
# Notes

## 3. Entities and their fields
\`\`\`yaml
Note:
  label: "{title} ({tags})"
  fields:
    title: text
    tags:  { type: text, many: true, max: 8 }
    kinds: { type: choice, values: [work, home, idea], many: true, default: "[idea]" }
    sizes: { type: integer?, many: true, min: 1 }
    days:  { type: date, many: true, required: "'dated' in tags" }
    many_tags: { type: boolean, computed: "size(tags) > 2" }
    at_work:   { type: boolean, computed: "work in kinds" }
    biggest:   { type: integer?, computed: "sizes.max()" }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Note:
  - { rule: "tags.all(t, size(t) > 1)", else: TOO_SHORT_A_TAG }
  - { rule: "size(kinds) < 3", else: TOO_MANY_KINDS }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  writer: { members: granted }
  reader: { members: granted }
permissions:
  Note:
    read:   [writer, { role: reader, when: "work in kinds" }, { role: reader, when: "home in kinds", fields: [title] }]
    create: writer
    update: writer
    delete: writer
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_SHORT_A_TAG: A tag of one letter says nothing.
TOO_MANY_KINDS: "Too many: {kinds}."
\`\`\`
`;

let desk: TestServer;
let writer: ApiClient;
let reader: ApiClient;

beforeAll(async () => {
  desk = await serveText(notes);
  writer = await desk.person("Wim", ["writer"]);
  reader = await desk.person("Rita", ["reader"]);
});

describe("a field with several values", () => {
  test("is an ordered list without duplicates, and empty if it is not given", async () => {
    const bare = (await writer.post("/api/notes", { title: "Bare" })).record();
    expect(bare).toMatchObject({ tags: [], kinds: ["idea"], sizes: [], days: [], biggest: null, at_work: false });
    const full = (
      await writer.post("/api/notes?label=true", {
        title: "Full",
        tags: ["red", "blue", "red", ""],
        kinds: ["home", "work"],
        sizes: [3, 12, 7],
        days: ["2026-03-01"],
      })
    ).record();
    expect(full).toMatchObject({
      _label: "Full (red, blue)",
      tags: ["red", "blue"],
      kinds: ["home", "work"],
      sizes: [3, 12, 7],
      days: ["2026-03-01"],
      many_tags: false,
      at_work: true,
      biggest: 12,
    });
    const changed = await writer.patch(`/api/notes/${full.id}`, { tags: ["red", "blue", "gray"], sizes: [] });
    expect(changed.record()).toMatchObject({
      tags: ["red", "blue", "gray"],
      sizes: [],
      many_tags: true,
      biggest: null,
    });
    const [line] = (await writer.get(`/api/notes/${full.id}/history`)).history();
    expect(line?.changes).toContainEqual({ field: "tags", before: ["red", "blue"], after: ["red", "blue", "gray"] });
  });

  test("rejects a value that is not a list, and elements of another type", async () => {
    const code = async (values: object) => {
      const { errors } = (await writer.post("/api/notes", { title: "No", ...values })).problem();
      return errors?.map((one) => `${one.at} ${one.code}`);
    };
    expect(await code({ tags: "red" })).toEqual(["/tags WRONG_TYPE"]);
    expect(await code({ tags: ["far too long"] })).toEqual(["/tags TOO_LONG"]);
    expect(await code({ kinds: ["play"] })).toEqual(["/kinds NOT_A_CHOICE"]);
    expect(await code({ sizes: [0] })).toEqual(["/sizes TOO_SMALL"]);
    expect(await code({ tags: ["x"] })).toEqual(["/tags TOO_SHORT_A_TAG"]);
    expect(await code({ kinds: ["work", "home", "idea"] })).toEqual(["/kinds TOO_MANY_KINDS"]);
    expect(await code({ tags: ["dated"] })).toEqual(["/days REQUIRED"]);
  });

  test("is filtered by any of its values and searched in all, as far as the person can read it", async () => {
    const titles = async (who: ApiClient, words: string) =>
      (await who.get(`/api/notes?sort=title&${words}`)).list().items.map(({ title }) => title);
    await writer.post("/api/notes", { title: "Home", tags: ["secret"], kinds: ["home"] });
    expect(await titles(writer, "kinds=home")).toEqual(["Full", "Home"]);
    expect(await titles(writer, "kinds=work&kinds=idea")).toEqual(["Bare", "Full"]);
    expect(await titles(writer, "tags=")).toEqual(["Bare"]);
    expect(await titles(writer, "search=CRE")).toEqual(["Home"]);
    expect(await titles(reader, "")).toEqual(["Full", "Home"]);
    expect(await titles(reader, "tags=secret")).toEqual([]);
    expect(await titles(reader, "search=secret")).toEqual([]);
    // Sorted by the first value; none comes last.
    const sorted = (await writer.get("/api/notes?sort=tags")).list().items;
    expect(sorted.map(({ title }) => title)).toEqual(["Full", "Home", "Bare"]);
  });
});
