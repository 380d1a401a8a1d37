import type { Response } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import type { Problem } from "../../../src/core/wire/problems.ts";
import type { PermissionsJson, WhyJson } from "../../../src/core/wire/why.ts";
import { visitAs } from "../../web/browser.ts";
import {
  type Answer,
  type ApiClient,
  example,
  type RunningApplication,
  serveDemonstration,
  serveText,
  type TestServer,
} from "../program.ts";

const document = `
# Lost and found

## 1. What it does
\`\`\`yaml
locale: en-GB
translations:
  de-AT:
    Lost and found: Fundbüro
    Find: Fund
    Finds: Funde
    find: Fund
    finds: Funde
    Where it lay: Fundort
    Kind: Art
    Keys: Schlüssel
    Umbrella: Schirm
    "{place} is no place, {who} says.": "{who} meint: {place} ist kein Ort."
    Say where.: Sagen Sie, wo.
    Who: Wer
    "{user.name} found {kind} {place}.": "{kind} {place}: gefunden von {user.name}."
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Find:
  fields:
    place: { type: text, title: Where it lay, max: 20 }
    who:   text
    kind:  { type: choice, values: [keys, umbrella], default: keys }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Find:
  after: { create: [{ notify: user, text: "{user.name} found {kind} {place}." }] }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Find:
  - { rule: "place != 'here'", else: NO_PLACE }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NO_PLACE: { status: 422, message: "{place} is no place, {who} says.", help: Say where. }
\`\`\`
`;

describe("a document with texts in another language", () => {
  let served: TestServer;
  let somebody: ApiClient;
  beforeAll(async () => {
    served = await serveText(document);
    somebody = await served.person("Ada", ["administrator"]);
  });
  const request = (path: string, language: string, body?: unknown) =>
    somebody.send(body === undefined ? "GET" : "POST", path, body, { headers: { "accept-language": language } });

  test("is shown in the reader’s language as far as it has texts", async () => {
    const german = (await request("/_/application", "fr, de;q=0.8, en;q=0.5")).body as Application;
    expect(german).toMatchObject({ name: "Fundbüro", locale: "de-AT", languages: ["en-GB", "de-AT"] });
    expect(german.screens[0]?.title).toBe("Funde");
    const { fields, one, many } = german.entities.Find ?? { fields: [], one: "", many: "" };
    expect([one, many]).toEqual(["Fund", "Funde"]);
    expect(fields.map(({ name, label }) => [name, label])).toEqual([
      ["place", "Fundort"],
      ["who", "Wer"],
      ["kind", "Art"],
    ]);
    expect(fields[2]?.values?.map(({ label }) => label)).toEqual(["Schlüssel", "Schirm"]);
    const other = (await request("/_/application", "fr")).body as Application;
    expect(other).toMatchObject({ name: "Lost and found", locale: "en-GB" });
  });

  test("is shown in the language of the account, whatever the browser asks for, if the document has texts in it", async () => {
    const eva = await served.person("Eva");
    const locale = async (language: string) => {
      expect((await eva.post("/_/preferences", { language })).status).toBe(204);
      return ((await eva.get("/_/application", { "accept-language": "en" })).body as Application).locale;
    };
    expect(await locale("de-AT")).toBe("de-AT");
    // The page contains the data, so they are not requested again.
    const page = (await eva.get("/finds", { accept: "text/html", "accept-language": "en" })).text;
    const input = [...page.matchAll(/data-given="([^"]*)" data-language="([^"]*)" data-chosen="([^"]*)"/gu)];
    expect(input.length).toBeGreaterThan(1);
    for (const [, address, language, chosen] of input)
      expect([address, language, chosen]).toEqual([address, "de-AT", "true"]);
    expect(await locale("fr")).toBe("en-GB");
  });

  test("sends notifications in it, whenever they are read", async () => {
    const found = (await request("/api/finds", "en", { place: "there", who: "Bo" })) as Answer;
    const told = async (language: string, more = "") => {
      const { items } = (await request(`/_/notifications${more}`, language)).body as NotificationsJson;
      return items.map(({ text, label, read }) => ({ text, label, read }));
    };
    expect(await told("de-AT")).toEqual([{ text: "Keys there: gefunden von Ada.", read: false }]);
    expect(await told("en", "?label=true")).toEqual([{ text: "Ada found Keys there.", label: "there", read: false }]);
    const { id } = found.record();
    expect((await somebody.post("/_/notifications/read", { record: id })).status).toBe(204);
    expect(await told("en")).toEqual([{ text: "Ada found Keys there.", read: true }]);
    expect(await told("en", "?unread=true")).toEqual([]);
    expect((await somebody.post("/_/notifications/read", { record: "all" })).problem()).toMatchObject({
      code: "MALFORMED",
    });
  });

  test("shows errors in it, with values in the word order of the language", async () => {
    const input = { place: "here", who: "Keys" };
    const german = (await request("/api/finds", "de", input)).body as Problem;
    expect(german.errors).toMatchObject([{ message: "Keys meint: here ist kein Ort.", help: "Sagen Sie, wo." }]);
    const english = (await request("/api/finds", "en", input)).body as Problem;
    expect(english.errors).toMatchObject([{ message: "here is no place, Keys says.", help: "Say where." }]);
  });

  test("names its fields in it in built-in errors too", async () => {
    const problem = (await request("/api/finds", "de", { place: "x".repeat(21), who: "Ada" })).body as Problem;
    expect(problem.errors?.[0]?.message).toBe("„Fundort“ darf höchstens 20 Zeichen haben.");
  });
});

test("explains permissions in it", async () => {
  const desk = await serveText(
    document.replace(
      "## 5.",
      "## 6. Permissions\n```yaml\npermissions: { Find: { read: [administrator], create: none } }\n```\n## 5.",
    ),
  );
  const root = await desk.person("Root", ["administrator"]);
  const answer = (await root.get("/api/why?do=Find.create", { "accept-language": "de" })).body;
  expect(answer).toMatchObject({ answer: "no", because: "Niemand kann Funde anlegen." });
});

test("shows notes of a record with dates of the language, and transitions with their titles in it", async () => {
  const titled = document.replace("    Who: Wer\n", "    Who: Wer\n    Close: Schließen\n");
  const desk = await serveText(
    titled.replace("    who:   text\n", "    who:   text\n    day:   date\n").replace(
      "  after: {",
      `  states: [open, closed]
  transitions: { close: { from: open, to: closed, by: administrator, when: "day > today" } }
  after: {`,
    ),
  );
  const root = await desk.person("Root", ["administrator"]);
  const find = (await root.post("/api/finds", { place: "there", who: "Ada", day: "2020-03-01" })).record();
  const found = async (language: string) => {
    const url = `/api/why?do=Find.close&record=${find.id}`;
    const { musts } = (await root.get(url, { "accept-language": language })).body as WhyJson;
    return musts.flatMap((must) => must.found.map(({ value }) => value));
  };
  expect(await found("de")).toContain("1. März 2020");
  expect(await found("en")).toContain("1 Mar 2020");
  const titles = async (language: string) => {
    const { items } = (await root.get("/_/permissions?of=Find", { "accept-language": language }))
      .body as PermissionsJson;
    return items.flatMap(({ transition }) => transition ?? []);
  };
  expect([await titles("de"), await titles("en")]).toEqual([["Schließen"], ["Close"]]);
});

describe("the help desk", () => {
  let program: RunningApplication;
  beforeAll(async () => {
    program = await serveDemonstration({ file: example("help-desk") });
  });

  test("is shown in German to a user who chose it, in each of their browsers from the first page on", async () => {
    const page = await visitAs(program.url, "Hanna Lindqvist", { path: "/sign-in/account" });
    await page.getByRole("combobox", { name: "Language" }).selectOption({ label: "Deutsch" });
    await page.getByRole("heading", { name: "Ihr Konto" }).waitFor();
    await page.getByRole("link", { name: "Meldungen" }).click();
    await page.getByRole("heading", { level: 1, name: "Meldungen" }).waitFor();
    await page.getByRole("columnheader", { name: "Dringlichkeit" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Meldungen" }).waitFor();
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("de");

    const isKept = (answer: Response): boolean => answer.url().endsWith("/_/preferences") && answer.status() === 204;
    const dark = page.waitForResponse(isKept);
    await page.getByRole("button", { name: "Dunkel" }).first().click();
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
    await dark;
    const other = await visitAs(program.url, "Hanna Lindqvist", { path: "/tickets?layout=table" });
    await other.getByRole("columnheader", { name: "Dringlichkeit" }).waitFor();
    await expect.poll(() => other.locator("html").getAttribute("data-theme")).toBe("dark");
    // A change made on another page is in force on return.
    const light = other.waitForResponse(isKept);
    await other.getByRole("button", { name: "Hell" }).first().click();
    await light;
    await page.evaluate(() => window.document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("light");
    // After signing out, the page uses the browser's settings and none of the user's.
    await page
      .getByRole("button", { name: /Hanna Lindqvist/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Abmelden" }).click();
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe(null);
  });
});
