import { describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { RecordScreenJson } from "../../../src/core/wire/screens.ts";
import { type ApiClient, serveText } from "../program.ts";

/* Lists on the page of a record that not every reader of the record sees. */

const text = (screens: string) => `# Staff
${screens}
## 3. Entities and their fields
\`\`\`yaml
Worker:
  label: "{name}"
  fields:
    name: text
    owner: { type: User, set: user }
    requests: { list: Request.worker }
Request: { fields: { worker: { type: Worker, part of: true }, about: text } }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles:
  staff:   { members: signed in }
  payroll: { members: granted }
  Worker:  { owner: owner == user }
permissions:
  Worker:
    read:   [{ role: staff, fields: [name] }, owner, payroll]
    create: { role: staff, fields: [name] }
  Request: { read: staff, create: staff }
\`\`\`
`;

const ofDocument = `
## 2. Screens
\`\`\`yaml
/workers: { list: Worker }
/workers/{id}: { record: Worker, sections: [{ fields: [name] }, { list: requests }] }
\`\`\``;

describe.each([
  ["a screen of the document", ofDocument],
  ["a screen that the document leaves out", ""],
])("on %s", (_, screens) => {
  test("a list is always there if one grant without a condition shows it, else where a grant shows it", async () => {
    const served = await serveText(text(screens));
    const [owner, other] = [await served.person("Ada"), await served.person("Ben")];
    const payroll = await served.person("Paul", ["payroll"]);
    const { id } = (await owner.post("/api/workers", { name: "Ada" })).record();
    const seen = async (who: ApiClient) => {
      const application = (await who.get("/_/application")).body as Application;
      const screen = application.screens.find(
        (screen): screen is RecordScreenJson => screen.kind === "record" && screen.entity === "Worker",
      );
      const list = screen?.sections.find((section) => section.kind === "list");
      const { _hidden } = (await who.get(`/api/workers/${id}?screen=${screen?.path}`)).record();
      return [list?.kind === "list" && list.conditional, _hidden];
    };
    expect(await seen(payroll)).toEqual([undefined, undefined]);
    expect(await seen(owner)).toEqual(["requests", []]);
    expect(await seen(other)).toEqual(["requests", ["requests"]]);
  });
});
