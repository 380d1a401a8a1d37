import { expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { createAuthoring } from "../../../src/server/authoring/authoring.ts";
import { draftAnswer } from "../../../src/server/authoring/draft/check-draft-sync.ts";
import { createSerializer } from "../../../src/server/authoring/in-force.ts";
import { serveText } from "../program.ts";

const keys = "# Keys\n\n## 3. Entities and their fields\n```yaml\nKey: { fields: { number: text } }\n```\n";

test("a version is announced while it is checked, before its job begins", async () => {
  let check = (): void => {};
  const held = new Promise<void>((resolve) => {
    check = resolve;
  });
  const served = await serveText(keys, {
    authoring: (opened, compiled, owner) =>
      createAuthoring({
        store: { owner, fixed: null, write: () => Promise.resolve() },
        database: opened.service.database,
        current: () => ({ compiled, applied: opened.applied }),
        enforce: () => Promise.resolve(),
        serialize: createSerializer(),
        attempt: async (request) => {
          await held;
          return draftAnswer(request);
        },
      }),
  });
  const admin = await served.person("Admin", ["administrator"]);
  const { hash } = (await admin.get("/_/document")).body as DocumentJson;
  const job = async () => (await admin.get("/_/job")).body;
  expect(await job()).toEqual({ newest: null, isStarting: false });

  const files = [{ file: "specification.md", text: keys.replace("text }", "text, door: text? }") }];
  const published = admin.post("/_/document", { base: hash, files });
  await expect.poll(job).toEqual({ newest: null, isStarting: true });
  check();
  expect((await published).status).toBe(200);
  expect(await job()).toMatchObject({ newest: { state: "done" }, isStarting: false });
});
