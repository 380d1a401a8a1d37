import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { recordBackup } from "../../secret-recorder.ts";
import { ninefold, scratch, serveText } from "../program.ts";

// A whole run searches this backup for every secret of its tests, so a run of every day makes one.
test("a backup contains values and files, and nothing that signs somebody in", async () => {
  const store = await database();
  const served = await serveText(
    `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: text, cover: file? } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Book: { read: [member], create: [member] } }
\`\`\`
`,
    { database: store },
  );
  const password = "a horse, a battery, a staple";
  await served.account("Ada", password, []);
  const grace = await served.person("Grace");
  const title = "The whole title of a book on a shelf";
  const bytes = Buffer.from(`%PDF ${"the cover of this book ".repeat(4)}`);
  const sent = await grace.send("POST", "/_/files?name=cover.pdf", undefined, {
    raw: bytes,
    headers: { "content-type": "application/pdf" },
  });
  const { id: cover } = sent.body as { readonly id: string };
  expect((await grace.post("/api/books", { title, cover })).status).toBe(201);

  const file = join(await scratch(), "shelf.backup");
  const { exit, stderr } = await ninefold(["backup", file, "--database", store.url]);
  expect([exit, stderr]).toEqual([0, ""]);
  await recordBackup(file);
  const written = await readFile(file);
  const content = gunzipSync(written.subarray(written.indexOf("\n") + 1));
  expect(content.includes(title)).toBe(true);
  expect(content.includes(bytes.toString("hex"))).toBe(true);
  const session = /=([\w-]{43})/u.exec(grace.cookie())?.[1] ?? "";
  expect(session).toHaveLength(43);
  expect(content.includes(session)).toBe(false);
  expect(content.includes(password)).toBe(false);
});
