import type { Page } from "playwright-core";
import { matchScreen } from "../../../src/core/derive/http/match-screen.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../src/core/wire/entities.ts";
import { atRest, listening } from "../../web/browser.ts";
import type { ApiClient } from "../program.ts";
import { wrong } from "./looks.ts";
import { go, type Look } from "./walk.ts";

/*
 * Another person saves a record that is displayed or edited: new values, the form in conflict, and the remaining draft.
 * Lists have their own tests in lists.test.ts.
 */

const isText = ({ type, automatic, many }: FieldJson): boolean =>
  (type === "text" || type === "long text") && !automatic && many !== true;

/** Changes a text of the record: the first writable of these fields; undefined if there is none. */
const reword = async (
  by: ApiClient,
  { calls }: EntityJson,
  id: string,
  fields: readonly FieldJson[],
): Promise<FieldJson | undefined> => {
  for (const field of fields) {
    const record = (await by.get(`${calls}/${id}`)).record();
    // Short enough for every field, and always different.
    const words = record[field.name] === "Anew" ? "Once more" : "Anew";
    const headers = { "if-match": `"${record.version}"` };
    if ((await by.patch(`${calls}/${id}`, { [field.name]: words }, headers)).status === 200) return field;
  }
  return undefined;
};

/** Opens each page, lets another person change its record, and returns the findings on the page's reaction. */
export const changedMeanwhile =
  (application: Application, other: ApiClient) =>
  async ({ page, address, where }: Look): Promise<readonly string[]> => {
    const path = new URL(address, page.url()).pathname;
    const at = matchScreen(application.screens, path);
    if (at === null || at.screen.kind === "tiles") return [];
    const entity = application.entities[at.screen.entity];
    if (entity === undefined) return [];
    const texts = entity.fields.filter(isText);
    const visited = async () => {
      await go(page, address);
      await atRest(page);
      await listening(page);
    };
    const id = path.split("/").find((part) => /^[\da-f-]{36}$/u.test(part));
    if (id === undefined || (await other.get(`${entity.calls}/${id}`)).status !== 200) return [];
    if (at.screen.kind === "record") return changedRecord(page, where, visited, () => reword(other, entity, id, texts));
    const asked = texts.filter(({ name }) => at.screen.kind === "form" && at.screen.fields.includes(name));
    return conflict(page, where, visited, asked, (field) => reword(other, entity, id, [field]));
  };

type Visited = () => Promise<void>;

/** Marks changes since the last visit. */
const changedRecord = async (page: Page, where: string, visited: Visited, change: () => Promise<unknown>) => {
  await visited();
  const left = page.waitForResponse(
    (answer) => answer.request().method() === "POST" && /\/_\/visits/u.test(answer.url()),
  );
  await go(page, "/nowhere");
  await left;
  await visited();
  if ((await change()) === undefined) return [];
  await page.locator(".news").first().waitFor();
  await atRest(page);
  return wrong(page, `${where}, changed by somebody else`);
};

/** A conflict shows both values side by side, and the draft is restored on return. */
const conflict = async (
  page: Page,
  where: string,
  visited: Visited,
  asked: readonly FieldJson[],
  change: (field: FieldJson) => Promise<unknown>,
) => {
  for (const field of asked) {
    await visited();
    const box = page.getByRole("textbox", { name: field.label, exact: true });
    if ((await box.count()) !== 1) continue;
    await box.fill("Ours");
    if ((await change(field)) === undefined) continue;
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "Someone else saved changes" }).waitFor();
    const found = await wrong(page, `${where}, saved by somebody else`);
    await go(page, "/nowhere");
    await visited();
    await page.getByText("Continuing from your draft").waitFor();
    return [...found, ...(await wrong(page, `${where}, with a draft`))];
  }
  return [];
};
