import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { OverviewJson } from "../../../src/core/wire/overview.ts";
import type { TilesScreenJson } from "../../../src/core/wire/screens.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Tiles for a role that people hold on records: managers are those whose people have claims. */

const text = `# Expenses

## 1. What it does
\`\`\`yaml
locale: en-GB
timezone: UTC
\`\`\`
## 2. Screens
\`\`\`yaml
/:
  title: Overview
  tiles:
    - { title: To check, for: manager, list: Claim, where: "status == waiting && claimant != user", columns: [title] }
    - { title: Mine, count: Claim, where: claimant == user }
    - { title: Lines to check, for: [manager, payer], count: Line }
/waiting:
  title: Waiting
  tiles:
    - { title: To check, for: manager, count: Claim }
/claims: { list: Claim }
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
    claimant: { type: User, set: user }
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
  final: [checked]
  states: [draft, waiting, checked]
  transitions:
    submit: { from: draft, to: waiting, by: claimant }
    check:  { from: waiting, to: checked, by: manager }
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
    read:   [claimant, { role: manager, when: status != draft }, payer]
    create: { role: member, fields: [title] }
  Line:
    read: { like: claim }
    create: claimant
deputies: { for: manager, up to: 30 days }
\`\`\`
`;

type Person = ApiClient & { readonly id: string };
let desk: TestServer;
let ada: Person;
let ben: Person;
let dora: Person;
let paul: Person;

const kinds = async (who: ApiClient, screen = "/") =>
  ((await who.get(`/_/overview?screen=${screen}`)).body as OverviewJson).tiles.map(({ kind }) => kind);
const shown = async (who: ApiClient) =>
  ((await who.get("/_/application")).body as Application).screens
    .filter((screen): screen is TilesScreenJson => screen.kind === "tiles")
    .map(({ path, tiles }) => [path, ...tiles.map(({ title, conditional }) => `${title}${conditional ? "?" : ""}`)]);

beforeAll(async () => {
  desk = await serveText(text);
  [ada, ben, dora, paul] = [
    await desk.person("Ada"),
    await desk.person("Ben"),
    await desk.person("Dora"),
    await desk.person("Paul", ["payer"]),
  ];
});

const setManager = async (of: Person, manager: Person) => {
  expect((await of.patch(`/api/users/${of.id}`, { manager: manager.id })).status).toBe(200);
};

describe("a tile for a role on records", () => {
  test("is announced as conditional to everybody who can hold the role, and to others not at all", async () => {
    const possible = [
      ["/", "To check?", "Mine", "Lines to check?"],
      ["/waiting", "To check?"],
    ];
    expect(await shown(ada)).toEqual(possible);
    expect(await shown(paul)).toEqual([["/", "To check?", "Mine", "Lines to check"], possible[1]]);
    expect(await shown(desk.visitor())).toEqual([]);
  });

  test("is there for those who hold the role on a record that they can read, and for their deputies", async () => {
    expect(await kinds(ada)).toEqual(["absent", "count", "absent"]);
    expect(await kinds(ada, "/waiting")).toEqual(["absent"]);
    await setManager(ben, ada);
    const { id } = (await ben.post("/api/claims", { title: "Train" })).record();
    expect((await ben.post("/api/lines", { claim: id, item: "Ticket" })).status).toBe(201);
    // A draft is not for managers.
    expect(await kinds(ada)).toEqual(["absent", "count", "absent"]);
    expect((await ben.post(`/api/claims/${id}/submit`, {})).status).toBe(200);
    expect(await kinds(ada)).toEqual(["list", "count", "count"]);
    expect(await kinds(ben)).toEqual(["absent", "count", "absent"]);
    // Somebody with another role that the tile is for sees it without such a record.
    expect(await kinds(paul)).toEqual(["absent", "count", "count"]);

    expect(await kinds(dora)).toEqual(["absent", "count", "absent"]);
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const handed = await ada.post("/api/deputies", { deputy: dora.id, first_day: day(0), last_day: day(5) });
    expect(handed.status).toBe(201);
    expect(await kinds(dora)).toEqual(["list", "count", "count"]);
  });

  test("stays while no record waits, so that its place is known", async () => {
    await setManager(paul, ben);
    const { id } = (await paul.post("/api/claims", { title: "Hotel" })).record();
    await paul.post(`/api/claims/${id}/submit`, {});
    expect((await ben.post(`/api/claims/${id}/check`, {})).status).toBe(200);
    const [tile] = ((await ben.get("/_/overview?screen=/")).body as OverviewJson).tiles;
    expect(tile).toEqual({ kind: "list", items: [], count: 0 });
  });

  test("can be opened as a list by its clause", async () => {
    const found = (await ada.get("/api/claims?where=2./.1")).list().items.map(({ title }) => title);
    expect(found).toEqual(["Train"]);
    expect((await desk.visitor().get("/api/claims?where=2./.1")).status).toBe(401);
  });
});

test("a role that only a tile names is used, and a tile that nobody of the role could see is reported", () => {
  const codes = (...edits: readonly (readonly [string, string])[]) =>
    compile({
      file: "claims.md",
      text: edits.reduce((before, [from, to]) => {
        expect(before).toContain(from);
        return before.replaceAll(from, to);
      }, text),
    }).findings.map(({ code, message }) => `${code}: ${message}`);
  const other = [
    "    manager:  claimant.manager == user\n",
    "    manager:  claimant.manager == user\n    peer: claimant.manager == user.manager\n",
  ] as const;
  expect(codes(other)).toEqual(["UNUSED_ROLE: Nothing uses the role peer."]);
  const peers = ["/claims: {", "/peers: { tiles: [{ title: Peers, for: peer, count: Claim }] }\n/claims: {"] as const;
  expect(codes(other, peers)).toEqual([]);
  // Only payers can have read the claims of their peers.
  expect(codes(other, peers, [" }, payer]", " }]"])).toContain(
    "NOBODY_READS: The tile “Peers” is for peer, but peer can’t read any Claim.",
  );
  const unreadable = "User: { read: { role: member, fields: [name] } }";
  // A field that people set and cannot read does not tell them who is manager either.
  const settable = "User: { read: { role: member, fields: [name] }, update: { role: member, fields: [manager] } }";
  for (const permissions of [unreadable, settable])
    expect(codes(["User: { read: member, update: { role: member, fields: [manager] } }", permissions])).toEqual(
      ["To check", "Lines to check", "To check"].map(
        (title) =>
          `NOBODY_READS: The tile “${title}” is for manager, but people can’t read what decides who is manager.`,
      ),
    );
});

test("a screen and a tile of another entity cannot be for a role on records", () => {
  const findings = (from: string, to: string) => {
    expect(text).toContain(from);
    return compile({ file: "claims.md", text: text.replace(from, to) }).findings.map(({ code, message }) => [
      code,
      message,
    ]);
  };
  expect(findings("/claims: {", "/claims: { for: manager,")).toEqual([
    ["UNKNOWN_NAME", expect.stringContaining("manager")],
  ]);
  expect(findings("count: Line }", "count: User }")).toEqual([["UNKNOWN_NAME", expect.stringContaining("manager")]]);
});
