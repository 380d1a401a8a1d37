import { expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { draftAnswer } from "../../../src/server/authoring/draft/check-draft-sync.ts";
import { createGate } from "../../wait.ts";
import { authoringOf } from "../authoring.ts";
import { serveText } from "../program.ts";

const keys = "# Keys\n\n## 3. Entities and their fields\n```yaml\nKey: { fields: { number: text } }\n```\n";

test("a version is announced while it is checked, before its job begins", async () => {
  const { opened: held, open: check } = createGate();
  const served = await serveText(keys, {
    authoring: (opened, compiled, owner) =>
      authoringOf(opened, compiled, owner, {
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
