import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application, RoleHoldersJson } from "../../../src/core/wire/application.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import type { WhyJson } from "../../../src/core/wire/why.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* People hand their roles to a deputy for some time. */

const text = `# Expenses

## 1. What it does
\`\`\`yaml
locale: en-GB
timezone: UTC
\`\`\`
## 3. Entities
\`\`\`yaml
User:
  fields:
    manager: User?
Claim:
  label: "{title}"
  fields:
    title: text
    amount: { type: integer, default: 10 }
    claimant: { type: User, set: user }
    remark: text?
    lines: { list: Line.claim }
Line:
  fields:
    claim: { type: Claim, part of: true }
    item: text
\`\`\`
## 4. States
\`\`\`yaml
Claim:
  field: status
  final: [paid, refused]
  states: [draft, waiting, checked, paid, refused]
  transitions:
    submit: { from: draft, to: waiting, by: claimant }
    check:  { from: waiting, to: checked, by: manager }
    pay:    { from: checked, to: paid, by: { role: payer, when: claimant != user }, needs: 2, recorded in: paid_by }
    refuse: { from: [waiting, checked], to: refused, by: [manager, payer], when: claimant != user, asks: remark }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  payer:  { members: granted }
  Claim:
    claimant: claimant == user
    manager:  claimant.manager == user
permissions:
  User: { read: member, update: { role: member, fields: [manager] } }
  Claim:
    read:   [claimant, manager, payer, administrator]
    create: { role: member, fields: [title, amount] }
    update: { role: manager, fields: [remark] }
  Line:
    read: { like: claim }
    create: claimant
deputies: { for: [manager, payer], up to: 30 days }
\`\`\`
## 9. Limits
\`\`\`yaml
session_length: 30 days
\`\`\`
`;

const findings = (from = "", to = "") =>
  compile({ file: "claims.md", text: text.replace(from, to) }).findings.map(
    ({ code, message, clause }) => `${code} ${clause ?? ""}: ${message}`,
  );

describe("deputies", () => {
  test("are an entity, and roles with the permissions of those that are handed over", () => {
    expect(findings()).toEqual([]);
  });
});

type Person = ApiClient & { readonly id: string };
const DAY = 86_400_000;
const day = (offset: number) => new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);

describe("a deputy", () => {
  let desk: TestServer;
  let cleo: Person;
  let ada: Person;
  let ben: Person;
  let dora: Person;
  let root: Person;

  const at = (id: string, action = "") => `/api/claims/${id}${action === "" ? "" : `/${action}`}`;
  const claim = async (by: Person, ...steps: readonly string[]): Promise<string> => {
    const { id } = (await by.post("/api/claims", { title: "Train" })).record();
    expect((await by.post(at(id, "submit"), {})).status).toBe(200);
    for (const step of steps) expect((await ada.post(at(id, step), {})).status).toBe(200);
    return id;
  };
  const hand = async (from: Person, to: Person, first = 0, last = 5) =>
    await from.post("/api/deputies", { deputy: to.id, first_day: day(first), last_day: day(last) });
  const handed = async <T>(from: Person, to: Person, act: () => Promise<T>): Promise<T> => {
    const { id } = (await hand(from, to)).record();
    const done = await act();
    expect((await from.delete(`/api/deputies/${id}`)).status).toBe(204);
    return done;
  };

  beforeAll(async () => {
    desk = await serveText(text);
    cleo = await desk.person("Cleo");
    ada = await desk.person("Ada", ["payer"]);
    ben = await desk.person("Ben");
    dora = await desk.person("Dora", ["payer"]);
    root = await desk.person("Root", ["administrator"]);
    for (const one of [cleo, ben])
      expect((await one.patch(`/api/users/${one.id}`, { manager: ada.id })).status).toBe(200);
  });

  test("sees and does what the person can, on these days only, and is recorded in both names", async () => {
    const id = await claim(cleo);
    expect((await ben.get(at(id))).status).toBe(404);
    expect((await ben.post(at(id, "check"), {})).status).toBe(404);
    await handed(ada, ben, async () => {
      expect((await ben.get(at(id))).record().may?.transitions).toContain("check");
      expect((await ben.get("/api/claims")).list().items.map((one) => one.id)).toContain(id);
      expect((await ben.patch(at(id), { remark: "Fine" })).status).toBe(200);
      expect((await ben.post(at(id, "check"), {})).record().status).toBe("checked");
      const why = await ben.get(`/api/why?do=Claim.refuse&record=${id}`);
      expect(JSON.stringify(why.body)).toContain("Manager (deputy)");
      const asks = async (by: Person, query: string, language: string) =>
        ((await by.get(`/api/why?do=Claim.${query}`, { "accept-language": language })).body as WhyJson).because;
      expect(await asks(ben, `refuse&record=${id}`, "en")).toBe("Yes, because you stand in for Ada.");
      expect(await asks(ben, `read&record=${id}`, "de")).toBe("Ja, weil Sie Ada vertreten.");
      expect(await asks(ben, `read&record=${id}`, "fr")).toBe("Oui, parce que vous remplacez Ada.");
      expect(await asks(root, `read&record=${id}&as=${ben.id}`, "en")).toBe("Yes, this is possible now.");
      expect(await asks(ada, `refuse&record=${id}`, "en")).toBe("Yes, this is possible now.");
      // Deputies act in the name of others, so a refusal names these alone.
      expect(await asks(cleo, `check&record=${id}`, "en")).not.toContain("deputy");
    });
    expect((await ben.get(at(id))).status).toBe(404);
    const lines = (await cleo.get(at(id, "history"))).history();
    expect(lines[0]).toMatchObject({ action: "check", person: { label: "Ben" }, for: { id: ada.id, label: "Ada" } });
    expect(lines[1]).toMatchObject({ action: "update", person: { label: "Ben" }, for: { label: "Ada" } });
    expect(lines[2]).not.toHaveProperty("for");
  });

  test("is offered only roles that the person has, not that of the manager of nobody", async () => {
    const workOf = async (person: Person) => ((await person.get("/_/application")).body as Application).deputies?.acts;
    expect(await workOf(ada)).toEqual(["Edit, check, pay and refuse claims"]);
    expect(await workOf(dora)).toEqual(["Pay and refuse claims"]);
    expect(await workOf(cleo)).toBeUndefined();
    await cleo.patch(`/api/users/${cleo.id}`, { manager: ben.id });
    expect(await workOf(ben)).toEqual(["Edit, check and refuse claims"]);
    await cleo.patch(`/api/users/${cleo.id}`, { manager: ada.id });
    expect(await workOf(ben)).toBeUndefined();
  });

  test("is looked for among those who already hold the roles, as far as the person has and knows them", async () => {
    const holders = async (asking: Person) =>
      ((await asking.get("/_/deputies/holders")).body as RoleHoldersJson).items.map(({ label, roles }) => [
        label,
        roles,
      ]);
    expect(await holders(ada)).toEqual([["Dora", ["Payer"]]]);
    // Nobody learns who has a role that they don’t have.
    expect(await holders(dora)).toEqual([["Ada", ["Payer"]]]);
    expect(await holders(cleo)).toEqual([]);
    expect(await holders(root)).toEqual([]);
    await cleo.patch(`/api/users/${cleo.id}`, { manager: ben.id });
    expect(await holders(ada)).toEqual([
      ["Ben", ["Manager"]],
      ["Dora", ["Payer"]],
    ]);
    expect(await holders(ben)).toEqual([["Ada", ["Manager"]]]);
    await cleo.patch(`/api/users/${cleo.id}`, { manager: ada.id });
    // Somebody with the role for some days is not there for good.
    await handed(ada, ben, async () => expect(await holders(ada)).toEqual([["Dora", ["Payer"]]]));
    await desk.database.query('update app."user" set active = false where id = $1', [dora.id]);
    expect(await holders(ada)).toEqual([]);
    await desk.database.query('update app."user" set active = true where id = $1', [dora.id]);
    expect((await desk.visitor().get("/_/deputies/holders")).status).toBe(401);

    // Whose manager somebody is can be hidden, and so can be people; `among` says who can be named.
    const asked = async (from: string, to: string, roles: readonly string[] = ["payer"]) => {
      const other = await serveText(text.replace(from, to));
      const [boss, chief, clerk] = [
        await other.person("Boss", roles),
        await other.person("Chief", ["payer"]),
        await other.person("Clerk"),
      ];
      for (const [one, manager] of [
        [clerk, boss],
        [boss, chief],
      ] as const)
        await other.database.query('update app."user" set manager = $2 where id = $1', [one.id, manager.id]);
      for (const one of [boss, chief]) await one.post("/api/claims", { title: "Train" });
      return holders(boss);
    };
    const read = "User: { read: member,";
    expect(await asked(read, read)).toEqual([["Chief", ["Manager", "Payer"]]]);
    expect(await asked(read, "User: { read: { role: member, fields: [name] },")).toEqual([["Chief", ["Payer"]]]);
    expect(await asked(read, "User: { read: { role: member, when: manager != null },")).toEqual([]);
    // A record that the reader can't read stays hidden, and so does its owner.
    expect(await asked("manager:  claimant.manager == user", "manager:  claimant == user", [])).toEqual([]);
    const deputies = "deputies: { for: [manager, payer], up to: 30 days";
    expect(await asked(deputies, `${deputies}, among: "User.filter(u, u.manager == null)"`)).toEqual([
      ["Chief", ["Manager", "Payer"]],
    ]);
    expect(await asked(deputies, `${deputies}, among: "User.filter(u, u.manager != null)"`)).toEqual([]);
  });

  test("has no power before the first day and after the last", async () => {
    const id = await claim(cleo);
    const { id: deputy } = (await hand(ada, ben, 1, 2)).record();
    expect((await ben.get(at(id))).status).toBe(404);
    desk.ahead(DAY);
    expect((await ben.get(at(id))).status).toBe(200);
    desk.ahead(3 * DAY);
    expect((await ben.get(at(id))).status).toBe(404);
    desk.ahead(0);
    await ada.delete(`/api/deputies/${deputy}`);
  });

  test("can't do what neither of the two can", async () => {
    const own = await claim(ben);
    await handed(ada, ben, async () => {
      // Nobody decides about their own claim, not even as a deputy of their manager.
      expect((await ben.post(at(own, "refuse"), { remark: "No" })).status).not.toBe(200);
      // Nor about that of the person for whom they stand in, who is a payer.
      const id = await claim(ada);
      expect((await ben.get(at(id))).status).toBe(200);
      expect((await ben.post(at(id, "refuse"), { remark: "No" })).status).not.toBe(200);
      expect((await dora.post(at(id, "refuse"), { remark: "No" })).status).toBe(200);
    });
  });

  test("never counts in addition to the person, in either order", async () => {
    const first = await claim(cleo, "check");
    await handed(ada, ben, async () => {
      expect((await ben.post(at(first, "pay"), {})).status).toBe(200);
      expect((await ben.post(at(first, "pay"), {})).problem().status).toBe(403);
      expect((await ada.post(at(first, "pay"), {})).problem()).toMatchObject({ code: "NEEDS_ANOTHER_PERSON" });
    });
    // The vote stays that of both after the deputy has ended.
    expect((await ada.post(at(first, "pay"), {})).problem()).toMatchObject({ code: "NEEDS_ANOTHER_PERSON" });
    expect((await dora.post(at(first, "pay"), {})).record().status).toBe("paid");
    const second = await claim(cleo, "check");
    expect((await ada.post(at(second, "pay"), {})).status).toBe(200);
    await handed(ada, ben, async () => {
      expect((await ben.post(at(second, "pay"), {})).status).not.toBe(200);
      expect((await ben.get(at(second))).record().status).toBe("checked");
    });
    // ApiClient with the role acts in their own name.
    await handed(ada, dora, async () => {
      expect((await dora.post(at(second, "pay"), {})).record().status).toBe("paid");
    });
    expect((await cleo.get(at(second, "history"))).history()[1]).not.toHaveProperty("for");
  });

  test("is named by the person alone, within the bounds, and ended by them and administrators", async () => {
    expect((await hand(ada, ada)).problem()).toMatchObject({ errors: [{ code: "DEPUTY_ONESELF" }] });
    expect((await hand(ada, ben, 3, 1)).problem()).toMatchObject({ errors: [{ code: "DEPUTY_DATES" }] });
    expect((await hand(ada, ben, 0, 30)).problem()).toMatchObject({ errors: [{ code: "DEPUTY_TOO_LONG" }] });
    const { id } = (await hand(ada, ben, 0, 29)).record();
    expect((await hand(ada, dora, 29, 40)).problem()).toMatchObject({ errors: [{ code: "DEPUTY_TWICE" }] });
    expect(
      (await ben.post("/api/deputies", { person: ada.id, deputy: ben.id, last_day: day(2) })).problem().status,
    ).toBe(403);
    expect((await ben.delete(`/api/deputies/${id}`)).problem().status).toBe(403);
    expect((await cleo.get(`/api/deputies/${id}`)).status).toBe(404);
    expect((await ben.get(`/api/deputies/${id}`)).status).toBe(200);
    expect((await root.delete(`/api/deputies/${id}`)).status).toBe(204);
  });

  test("takes the place of another in one step, or nothing changes, however often it is sent", async () => {
    const { id, version } = (await hand(ada, ben, 0, 9)).record();
    const periods = async () =>
      (await ada.get("/api/deputies?sort=first_day")).list().items.map((one) => [one.first_day, one.last_day]);
    const replace = (first: number, last: number, ends: readonly unknown[], key: string) =>
      ada.post(
        "/_/deputies",
        { values: { deputy: dora.id, first_day: day(first), last_day: day(last) }, ends },
        { "idempotency-key": key },
      );
    const room = [{ id, version, last_day: day(2) }];
    const before = await periods();

    // The new arrangement is refused after the old one has made room.
    const refused = await replace(3, 2, room, "wrong days");
    expect(refused.problem()).toMatchObject({
      status: 422,
      errors: [{ code: "DEPUTY_DATES", at: "/values/last_day" }],
    });
    // So is one whose room is not enough, and one that somebody else may not end.
    expect((await replace(1, 4, room, "not enough room")).problem().errors).toMatchObject([
      { code: "DEPUTY_TWICE", at: "/ends/0/first_day" },
      { code: "DEPUTY_TWICE", at: "/values/first_day" },
    ]);
    expect((await replace(3, 4, [{ id, version: 9, last_day: day(2) }], "an old version")).status).toBe(412);
    expect((await replace(3, 4, [{ id, version, last_day: day(-1) }], "before")).problem().errors).toMatchObject([
      { code: "DEPUTY_DATES", at: "/ends/0/last_day" },
    ]);
    expect((await ben.post("/_/deputies", { values: {}, ends: room })).status).not.toBe(201);
    expect((await desk.visitor().post("/_/deputies", { values: {}, ends: [] })).status).toBe(401);
    for (const ends of [room[0], [{ id, last_day: null }], [{ ...room[0], last_day: 3 }], [null]])
      expect((await ada.post("/_/deputies", { values: {}, ends })).problem().code).toBe("MALFORMED");
    expect(await periods()).toEqual(before);

    const both = await Promise.all([replace(3, 4, room, "once"), replace(3, 4, room, "once")]);
    const named = both.map((answer) => answer.record());
    expect(named[0]).toMatchObject({ deputy: { id: dora.id }, first_day: day(3) });
    expect(named[1]?.id).toBe(named[0]?.id);
    expect(await periods()).toEqual([
      [day(0), day(2)],
      [day(3), day(4)],
    ]);
    expect((await replace(3, 4, [], "once")).problem().code).toBe("KEY_REUSED");
    const told = (await dora.get("/_/notifications")).body as NotificationsJson;
    expect(told.items[0]?.text).toContain("Ada names you as deputy");

    // One that has not begun is removed.
    const coming = { id: named[0]?.id, version: named[0]?.version, last_day: null };
    expect((await replace(3, 5, [coming], "removed")).status).toBe(201);
    expect(await periods()).toEqual([
      [day(0), day(2)],
      [day(3), day(5)],
    ]);
    for (const one of (await ada.get("/api/deputies")).list().items) await ada.delete(`/api/deputies/${one.id}`);
  });

  test("and the person learn of an early end and of a new last day, and what was handed over", async () => {
    const newest = async (client: Person) =>
      ((await client.get("/_/notifications")).body as NotificationsJson).items[0]?.text;
    const standIns = async (client: Person) => ((await client.get("/_/application")).body as Application).standIns;
    expect(await standIns(ben)).toEqual([]);
    const { id } = (await hand(ada, ben)).record();
    const arrangement = {
      id,
      person: { id: ada.id, label: "Ada" },
      deputy: { id: ben.id, label: "Ben" },
      first_day: day(0),
      last_day: day(5),
      handed: { acts: ["Edit, check, pay and refuse claims"], roles: ["payer"] },
    };
    expect(await standIns(ben)).toEqual([arrangement]);
    expect(await standIns(ada)).toEqual([arrangement]);
    expect(await standIns(cleo)).toEqual([]);
    // Nobody stands in while the account of either is deactivated.
    const setActive = (who: Person, active: boolean) =>
      desk.database.query('update app."user" set active = $2 where id = $1', [who.id, active]);
    await setActive(ben, false);
    expect(await standIns(ada)).toEqual([]);
    await setActive(ben, true);
    const hers = await claim(cleo);
    expect((await ben.get(at(hers))).status).toBe(200);
    await setActive(ada, false);
    expect(await standIns(ben)).toEqual([]);
    expect((await ben.get(at(hers))).status).toBe(404);
    expect((await ben.post(at(hers, "check"), {})).status).toBe(404);
    await setActive(ada, true);
    expect((await ben.get(at(hers))).status).toBe(200);
    expect((await ada.patch(`/api/deputies/${id}`, { last_day: day(2) })).status).toBe(200);
    expect(await newest(ben)).toContain("The last day on which you stand in for Ada is now");
    expect((await root.delete(`/api/deputies/${id}`)).status).toBe(204);
    expect(await newest(ben)).toContain("You no longer stand in for Ada. It was planned from");
    expect(await newest(ada)).toContain("Ben no longer stands in for you. It was planned from");
    expect(await standIns(ben)).toEqual([]);
  });

  test("doesn't pass the roles on to somebody else", async () => {
    const id = await claim(cleo);
    await handed(ada, ben, async () => {
      await handed(ben, dora, async () => {
        expect((await dora.post(at(id, "check"), {})).status).not.toBe(200);
      });
    });
  });
});
