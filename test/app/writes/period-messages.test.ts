import { expect, test } from "vitest";
import { buildManifest } from "../../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import { evaluateForm } from "../../../src/web/form/state/computed-values.ts";
import { enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { compiled, serveText } from "../program.ts";

/** Stays that a rule refuses, if they are short, with the message of an author. */
const stays = (locale: string, message: string) => `# Stays
## 1. Purpose
\`\`\`yaml
name: Stays
locale: ${locale}
timezone: UTC
\`\`\`
## 3. Entities
\`\`\`yaml
Stay: { fields: { begins: date, ends: date } }
\`\`\`
## 5. Rules
\`\`\`yaml
Stay: [{ rule: "ends > begins + 2 days", else: TOO_SHORT }]
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_SHORT: { message: "${message}", at: ends }
\`\`\`
`;

test.each([
  ["en-GB", "No night from {begins} to {ends}.", "No night on 6 Dec 2026.", "No night from 6 Dec 2026 to 7 Dec 2026."],
  [
    "de-DE",
    "Vom {begins} bis {ends} zu kurz.",
    "Am 6. Dez. 2026 zu kurz.",
    "Vom 6. Dez. 2026 bis 7. Dez. 2026 zu kurz.",
  ],
  [
    "fr-FR",
    "Trop court du {begins} au {ends}.",
    "Trop court le 6 déc. 2026.",
    "Trop court du 6 déc. 2026 au 7 déc. 2026.",
  ],
])("a message in %s names a single day once, from the server and in a form", async (locale, message, one, two) => {
  const text = stays(locale, message);
  const server = await serveText(text);
  const person = await server.person("Ann", ["administrator"]);
  const { model } = compiled(text);
  const { Stay: stay } = buildManifest(model, allRoles(model), getPhrasesFor(locale)).entities;
  if (stay === undefined) throw new Error("there are stays");
  const here = { locale, timezone: "UTC", booleans: { yes: "Yes", no: "No" }, today: "2026-11-01" };
  for (const [ends, expected] of [
    ["2026-12-06", one],
    ["2026-12-07", two],
  ] as const) {
    const answer = await person.post("/api/stays", { begins: "2026-12-06", ends });
    expect((answer.body as { readonly detail: string }).detail).toBe(expected);
    const blank = openForm("create", stay.fields, null, here);
    const form = enterValue(enterValue(blank, "begins", "2026-12-06", here), "ends", ends, here);
    const left = leaveField(leaveField(form, "begins", here), "ends", here);
    expect(evaluateForm(left, stay, null, { context: here }).broken).toMatchObject([{ message: expected }]);
  }
});
