import { beforeAll, expect, test } from "vitest";
import { mailNotifications } from "../../src/server/mail/notification-mails.ts";
import { readMailedLetters } from "../../src/server/records/letter-file.ts";
import { serveText, type TestServer } from "../app/program.ts";
import { seed } from "../chance.ts";
import { randomFrom } from "./requests.ts";

/*
 * Two worlds that differ only in what a clerk may not read: the same acts, with other values in hidden fields, before and
 * after the notification is written. The clerk's mails are equal, byte for byte; a chief, who may read everything, tells
 * the worlds apart.
 */

const text = `# Desk

## 2. Screens
\`\`\`yaml
/cases: { list: Case }
/cases/{id}/letter: { letter: Case, text: [{ heading: "{title}" }, "{secret}, {cost}", "Of {owner.name}, {owner.phone}: {secret}"] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { phone: text? } }
Case:
  label: "{title}, {secret}"
  fields: { title: text, secret: text, cost: integer?, open: boolean, owner: { type: User, set: user } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  initial: new
  states: [new, shut, noted]
  transitions: { shut: { from: new, to: shut, by: owner }, note: { from: shut, to: noted, by: clerk, asks: [title] } }
  after:
    shut:
      - { notify: "User.filter(u, 'chief' in u.roles || 'clerk' in u.roles)", text: "{title} of {owner.name}, {owner.phone}: {secret} for {cost}", attach: letter }
    update:
      - { notify: "User.filter(u, 'chief' in u.roles || 'clerk' in u.roles)", text: "{old.secret} is {secret} in {title} by {user.phone}" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, chief: granted, clerk: granted, Case: { owner: "owner == user" } }
permissions:
  User: { read: [chief, { role: clerk, fields: [name] }] }
  Case:
    read: [owner, chief, { role: clerk, fields: [title, status, open] }, { role: clerk, when: open }]
    create: [{ role: staff, fields: [title, secret, cost, open] }]
    update: [owner]
\`\`\`
`;

const now = new Date("2026-03-03T10:00:00Z");

const origin = "https://desk.example.com";

/** The pages behind the links in a person's mails, without ids. */
const shownByLinks = async (desk: TestServer, email: string): Promise<readonly string[]> => {
  const { rows } = await desk.database.query("select text from ninefold.mail where recipient = $1 order by id", [
    email,
  ]);
  const tokens = rows.flatMap((row) => [...String(row.text).matchAll(/#act=([\w-]{43})/gu)].map(([, token]) => token));
  return Promise.all(
    tokens.map(async (token) =>
      JSON.stringify((await desk.visitor().post("/_/mail/transition-link", { token }, { origin })).body).replaceAll(
        /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu,
        "id",
      ),
    ),
  );
};

const world = async () => {
  const desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
  const owner = await desk.person("Olga");
  const chief = await desk.person("Carl", ["chief"]);
  const clerk = await desk.person("Clara", ["clerk"]);
  return { desk, owner, chief, clerk };
};
type World = Awaited<ReturnType<typeof world>>;

/** The mails of a person without ids, which each world draws for itself, and without the signature of its secret. */
const mailsOf = async ({ database }: TestServer, email: string): Promise<readonly string[]> => {
  const { rows } = await database.query(
    "select subject, text, html, headers::text from ninefold.mail where recipient = $1 order by id",
    [email],
  );
  return rows.map((row) =>
    Object.values(row)
      .join("\n")
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, "id")
      .replaceAll(/id\.[\w-]{43}/gu, "token")
      .replaceAll(/#act=[\w-]{43}/gu, "#act=token"),
  );
};

/** The letters that a person's mails bring, as they are drawn. */
const lettersOf = async ({ opened, database }: TestServer, email: string) => {
  const { rows } = await database.query(
    "select person, recipient, letters from ninefold.mail where recipient = $1 and letters is not null order by id",
    [email],
  );
  const mails = rows as unknown as readonly Parameters<typeof readMailedLetters>[1][];
  return (await Promise.all(mails.map((mail) => readMailedLetters(opened.service, mail, now)))).flat();
};

let one: World;
let other: World;
beforeAll(async () => {
  [one, other] = await Promise.all([world(), world()]);
});

test("mails are equal in two worlds that differ only in what their reader cannot read", async () => {
  const random = randomFrom(seed);
  const word = () => `w${random.next().toString(36).slice(2, 8)}`;
  for (let nth = 0; nth < 12; nth++) {
    const isOpen = random.next() < 0.5;
    // An open case becomes hidden after the notification is written; the others are hidden from the beginning.
    const title = `Case ${nth}`;
    for (const { desk, owner } of [one, other]) {
      await desk.database.query(`update app."user" set phone = $2 where id = $1`, [owner.id, word()]);
      const created = { title, secret: word(), cost: Math.floor(random.next() * 1_000), open: isOpen };
      const { id } = (await owner.post("/api/cases", created)).record();
      expect((await owner.patch(`/api/cases/${id}`, { secret: word() })).status).toBe(200);
      expect((await owner.post(`/api/cases/${id}/shut`, {})).status).toBe(200);
      await desk.database.query('update app."case" set open = false where id = $1', [id]);
    }
  }
  for (const { desk } of [one, other]) expect(await mailNotifications(desk.opened.service, origin, now)).toBe(48);
  const clerks = await mailsOf(one.desk, one.clerk.email);
  expect(clerks).toHaveLength(24);
  expect(clerks).toEqual(await mailsOf(other.desk, other.clerk.email));
  const letters = await lettersOf(one.desk, one.clerk.email);
  expect(letters).toHaveLength(12);
  expect(letters).toEqual(await lettersOf(other.desk, other.clerk.email));
  expect(await lettersOf(one.desk, one.chief.email)).not.toEqual(await lettersOf(other.desk, other.chief.email));
  const shown = await shownByLinks(one.desk, one.clerk.email);
  expect(shown).toHaveLength(24);
  expect(shown).toEqual(await shownByLinks(other.desk, other.clerk.email));
  expect(await mailsOf(one.desk, one.chief.email)).not.toEqual(await mailsOf(other.desk, other.chief.email));
});
