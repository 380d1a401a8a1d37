// npm run shots [-- NAME …]: saves screenshots of the leave desk in docs/shots.
// npm run shots -- roles [EXAMPLE …]: saves the sign-in page of each example and the first screen of each role.
// Pictures that pages of the documentation show are in docs/images.
import { mkdirSync, readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { findPeople, launchBrowser, openPage, waitUntilLoaded, withExample } from "./sample-program.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const member = "Mei Tanaka";
const payroll = "Jonas Weber";
const author = "Amara Okafor";

const control = (page, name) => page.getByRole("button", { name }).filter({ visible: true }).first();
const press = (name) => (page) => control(page, name).click({ force: true });
const inTurn =
  (...acts) =>
  async (page) => {
    for (const act of acts) {
      await act(page);
      await waitUntilLoaded(page);
    }
  };
const openFirst = (page) => page.locator("[data-row]").first().click();
/** Opens the first record that offers the transition: sample records are assigned to people at random. */
const openWhere = (name) => async (page) => {
  const list = page.url();
  for (let nth = 0; nth < (await page.locator("[data-row]").count()); nth++) {
    await page.locator("[data-row]").nth(nth).click();
    await waitUntilLoaded(page);
    if (await control(page, name).isVisible()) return;
    await page.goto(list);
    await waitUntilLoaded(page);
  }
};
const select = async (page) => {
  for (const at of [1, 3, 4]) await page.getByRole("row").nth(at).getByRole("checkbox").check({ force: true });
};
const fillForm = async (page) => {
  await page.getByRole("radio", { name: "Holiday" }).check({ force: true });
  await page.getByRole("textbox", { name: "First day" }).fill("+20");
  await page.getByRole("textbox", { name: "Last day" }).fill("+10");
  await page.getByRole("textbox", { name: "Note" }).fill("The school is closed that week.");
};
/** Adds a field to the document in the text editor. */
const write = async (page) => {
  await page.goto("/workbench/document?clause=3.PublicHoliday.day");
  await waitUntilLoaded(page);
  const panes = page.getByRole("group", { name: "Panes" }).getByRole("button", { name: "Text" });
  const text = page.getByRole("textbox", { name: /^Text of/u });
  // The compiler loads after the page. Only then is it known if the window has room for both panes.
  await panes.or(text).filter({ visible: true }).first().waitFor();
  if (await panes.isVisible()) await panes.click();
  await text.getByText("PublicHoliday:", { exact: true }).first().click();
  // Below the heading, where the fields begin.
  for (const key of ["ArrowDown", "ArrowDown", "End"]) await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  await page.keyboard.type("  half: boolean");
  await page.getByRole("button", { name: "Publish…" }).filter({ visible: true }).first().waitFor();
};

/**
 * The pictures: person, address, and steps before the picture; `desk` for wide windows only. The file name has the name,
 * the width and the theme: `list-1440-light`.
 */
const pictures = {
  "sign-in": { path: "/sign-in" },
  overview: { who: member, path: "/" },
  list: { who: payroll, path: "/requests" },
  "list-selected": { who: payroll, path: "/requests", act: select, desk: true },
  "list-no-match": { who: payroll, path: "/requests?status=refused&kind=parental" },
  views: { who: payroll, path: "/requests?status=granted", act: press("Views") },
  board: { who: payroll, path: "/requests?layout=board" },
  calendar: { who: payroll, path: "/requests?layout=calendar" },
  record: { who: payroll, path: "/requests?status=granted", act: openFirst },
  why: { who: payroll, path: "/requests?status=granted", act: inTurn(openFirst, press("Cancel")) },
  transition: { who: member, path: "/requests?status=submitted", act: inTurn(openWhere("Refuse…"), press("Refuse…")) },
  form: { who: member, path: "/requests/new", act: fillForm },
  "form-refused": { who: member, path: "/requests/new", act: inTurn(fillForm, press(/^Save as /u)) },
  palette: { who: payroll, path: "/requests", act: (page) => page.keyboard.press("Control+k"), desk: true },
  notifications: { who: member, path: "/", act: press(/^Notifications/u) },
  holidays: { who: payroll, path: "/public-holidays" },
  "open-points": { who: author, path: "/workbench" },
  document: { who: author, path: "/workbench/document" },
  map: { who: author, path: "/workbench/map" },
  "who-may-what": { who: author, path: "/workbench/who" },
  apply: { who: author, path: "/workbench/document", act: inTurn(write, press("Publish…")) },
  people: { who: author, path: "/workbench/people" },
  person: { who: author, path: "/workbench/people", act: (page) => page.getByRole("link", { name: payroll }).click() },
  account: { who: member, path: "/sign-in/account" },
};
const sizes = [1440, 390];
const themes = ["light", "dark"];
const out = join(root, "docs/shots");

const save = async (page, file) => {
  await page.screenshot({ path: join(out, file) });
  console.log(`docs/shots/${file}`);
};

const takeScreens = (browser, wanted) => async (url) => {
  const people = await findPeople(url);
  for (const width of sizes)
    for (const theme of themes) {
      let signedIn;
      let page;
      for (const [name, { who, path, act, desk }] of Object.entries(pictures)) {
        if ((wanted.length > 0 && !wanted.includes(name)) || (width < 768 && desk)) continue;
        if (page === undefined || who !== signedIn) {
          await page?.context().close();
          const person = people.find((one) => one.name === who);
          page = await openPage(browser, url, person, { width, theme });
          signedIn = who;
        }
        const file = `${name}-${width}-${theme}.png`;
        try {
          await page.goto(path);
          await waitUntilLoaded(page);
          await act?.(page);
          await waitUntilLoaded(page);
        } catch (thrown) {
          // The picture shows the state at the failure.
          process.exitCode = 1;
          console.error(`${file}: ${thrown.message.split("\n")[0]}`);
        }
        await save(page, file);
      }
      await page?.context().close();
    }
};

/** Also of roles that a person has on a record only, such as the manager of a request. */
const nameRoles = ({ titles }) => titles.join("-").toLowerCase().replaceAll(" ", "-");

/** Each role in a wide window; the first one of the sign-in page also in the dark theme and on a phone. */
const takeRoles = (browser, example) => async (url) => {
  const take = async (name, person, width, theme) => {
    const page = await openPage(browser, url, person, { width, theme });
    await page.goto(person === undefined ? "/sign-in" : "/");
    await waitUntilLoaded(page);
    await save(page, `${example}-${name}-${width}-${theme}.png`);
    await page.context().close();
  };
  const people = await findPeople(url);
  await take("sign-in", undefined, 1440, "light");
  const taken = new Set();
  for (const person of people) {
    const name = nameRoles(person);
    if (!taken.has(name)) await take(name, person, 1440, "light");
    taken.add(name);
  }
  await take(nameRoles(people[0]), people[0], 1440, "dark");
  await take(nameRoles(people[0]), people[0], 390, "light");
};

const run = async () => {
  checkNode();
  await installPackages();
  await build();
  mkdirSync(out, { recursive: true });
  const browser = await launchBrowser();
  const [first, ...rest] = process.argv.slice(2);
  try {
    if (first !== "roles") return await withExample("leave-desk", takeScreens(browser, process.argv.slice(2)));
    const stories = readdirSync(join(root, "examples")).filter((file) => file.endsWith(".story.yaml"));
    const examples = rest.length > 0 ? rest : stories.map((file) => parse(parse(file).name).name);
    for (const example of examples) await withExample(example, takeRoles(browser, example));
  } finally {
    await browser.close();
  }
};

try {
  await run();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
}
