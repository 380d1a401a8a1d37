import { describe, expect, test } from "vitest";
import type { Problem } from "../../src/core/wire/problems.ts";
import type { PermissionsJson, WhyJson } from "../../src/core/wire/why.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../app/program.ts";
import { textOf } from "../docs/pages.ts";

/*
 * The refusals of the examples in each language: `refusals.md` beside this file is for proofreading by authors of a
 * changed sentence. `npx vitest run test/specs/refusals -u` writes it.
 */

type Person = ApiClient & { readonly id: string };
type Told = readonly [who: string, what: string, english: string, german: string];

const languages = { en: { "accept-language": "en" }, de: { "accept-language": "de-AT,de;q=0.9" } } as const;

/** All refusals of an entity or one of its records to a person, without duplicates. */
const refusedTo = async (name: string, who: Person, of: string, record = ""): Promise<readonly Told[]> => {
  const [en, de] = await Promise.all(
    Object.values(languages).map(
      async (language) => (await who.get(`/_/permissions?of=${of}&record=${record}`, language)).body as PermissionsJson,
    ),
  );
  return (en?.items ?? []).flatMap((item, i): readonly Told[] =>
    item.answer === "yes" || item.answer === "depends"
      ? []
      : [[name, item.do, item.because, de?.items[i]?.because ?? ""]],
  );
};

/** The text of a refused request as its reader sees it: the reason if there is one, then the detail. */
const answered = async (
  name: string,
  what: string,
  ask: (headers: ApiClient["get"] extends (path: string, headers?: infer H) => unknown ? H : never) => Promise<Answer>,
): Promise<Told> => {
  const sentences: string[] = [];
  for (const language of Object.values(languages)) {
    const problem: Problem = (await ask(language)).problem();
    const wrong = (problem.errors ?? []).map(({ message }) => message).join(" ");
    sentences.push(problem.because ?? (wrong === "" ? problem.detail : wrong));
  }
  return [name, what, sentences[0] ?? "", sentences[1] ?? ""];
};

const once = (told: readonly Told[]): readonly Told[] => {
  const seen = new Set<string>();
  return told.filter(([, , english]) => !seen.has(english) && seen.add(english));
};

const undecided = `# Ideas

## 3. Entities
\`\`\`yaml
Idea: { fields: { text: text } }
Box: { fields: { name: text } }
\`\`\`
## 4. States
\`\`\`yaml
Idea: { states: [new, taken], transitions: { take: { from: new, to: taken } } }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Idea: { read: [staff] } }
\`\`\`
`;

const all: { readonly example: string; readonly told: readonly Told[] }[] = [];

const served = async (example: string): Promise<TestServer> => serveText(textOf(`examples/${example}.md`));

describe("refused people read whole sentences", () => {
  test("at the lending desk", async () => {
    const desk = await served("lending");
    const member = await desk.person("Lukas Brandt", []);
    const keeper = await desk.person("Jonas Weber", ["keeper"]);
    const drill = (await keeper.post("/api/things", { name: "Cordless drill", kind: "tool" })).record().id;
    const loan = (
      await member.post("/api/loans", { thing: drill, from_day: "2027-03-01", due_day: "2027-03-08" })
    ).record().id;
    const other = (
      await keeper.post("/api/loans", { thing: drill, from_day: "2027-04-01", due_day: "2027-04-02" })
    ).record().id;
    const told = [
      ...(await refusedTo("member", member, "Loan")),
      ...(await refusedTo("member", member, "Thing")),
      ...(await refusedTo("member", member, "Loan", other)),
      ...(await refusedTo("keeper", keeper, "Loan", loan)),
      await answered("member", "a loan back before it is lent", (headers) =>
        member.post("/api/loans", { thing: drill, from_day: "2027-03-08", due_day: "2027-03-01" }, headers),
      ),
      await answered("member", "a loan without a thing", (headers) =>
        member.post("/api/loans", { due_day: "2027-03-01" }, headers),
      ),
      await answered("member", "a loan of what is not there", (headers) =>
        member.post("/api/loans", { thing: other, due_day: "2027-03-01" }, headers),
      ),
      await answered("member", "a day that is none", (headers) =>
        member.post("/api/loans", { thing: drill, due_day: "tomorrow" }, headers),
      ),
      await answered("keeper", "a second thing of that name", (headers) =>
        keeper.post("/api/things", { name: "Cordless drill", kind: "tool" }, headers),
      ),
      await answered("keeper", "a name that is too long", (headers) =>
        keeper.post("/api/things", { name: "x".repeat(81), kind: "tool" }, headers),
      ),
      await answered("keeper", "a kind that is none", (headers) =>
        keeper.post("/api/things", { name: "Ladder", kind: "toy" }, headers),
      ),
      await answered("keeper", "a thing that is lent out taken away", (headers) =>
        keeper.delete(`/api/things/${drill}`, headers),
      ),
      await answered("member", "the state written by hand", (headers) =>
        member.patch(`/api/loans/${loan}`, { status: "lent" }, headers),
      ),
      await answered("member", "changed as it was before", (headers) =>
        member.patch(`/api/loans/${loan}`, { remark: "x" }, { ...headers, "if-match": '"7"' }),
      ),
      await answered("member", "somebody else's loan", (headers) => member.get(`/api/loans/${other}`, headers)),
      await answered("visitor", "the loans", (headers) => desk.visitor().get("/api/loans", headers)),
      await answered("keeper", "declined without a reason", (headers) =>
        keeper.post(`/api/loans/${loan}/decline`, {}, headers),
      ),
    ];
    all.push({ example: "lending", told: once(told) });
    await desk.stop();
  });

  test("at the leave desk", async () => {
    const desk = await served("leave-desk");
    const payroll = await desk.person("Mara Lind", ["payroll"]);
    const boss = await desk.person("Ines Paulsen", []);
    const ada = await desk.person("Ada Rossi", []);
    const ben = await desk.person("Ben Okoro", []);
    for (const item of [ada, ben]) await payroll.patch(`/api/users/${item.id}`, { manager: boss.id });
    const made = async (kind: string, first_day: string, last_day: string) =>
      (await ada.post("/api/requests", { kind, first_day, last_day })).record().id;
    const draft = await made("holiday", "2027-06-07", "2027-06-11");
    const sick = await made("sick", "2026-06-01", "2026-06-03");
    const granted = await made("holiday", "2027-07-05", "2027-07-09");
    await ada.post(`/api/requests/${granted}/submit`, {});
    await boss.post(`/api/requests/${granted}/grant`, {});
    const submitted = await made("holiday", "2027-08-02", "2027-08-06");
    await ada.post(`/api/requests/${submitted}/submit`, {});
    const own = (
      await boss.post("/api/requests", { kind: "holiday", first_day: "2027-09-06", last_day: "2027-09-07" })
    ).record().id;
    await boss.post(`/api/requests/${own}/submit`, {});
    const comment = (await boss.post("/api/comments", { request: submitted, text: "Would July do?" })).record().id;
    const told: Told[] = [];
    for (const [name, who] of [
      ["employee", ada],
      ["manager", boss],
      ["payroll", payroll],
      ["colleague", ben],
    ] as const)
      for (const record of ["", draft, sick, submitted, granted, own])
        told.push(...(await refusedTo(name, who, "Request", record)));
    told.push(
      ...(await refusedTo("employee", ada, "Comment", comment)),
      ...(await refusedTo("employee", ada, "User", boss.id)),
      ...(await refusedTo("employee", ada, "PublicHoliday")),
      await answered("employee", "leave that ends before it begins", (headers) =>
        ada.post("/api/requests", { kind: "holiday", first_day: "2027-06-11", last_day: "2027-06-07" }, headers),
      ),
      await answered("employee", "leave over New Year", (headers) =>
        ada.post("/api/requests", { kind: "holiday", first_day: "2027-12-27", last_day: "2028-01-07" }, headers),
      ),
      await answered("employee", "special leave without a word", async (headers) =>
        ada.post(`/api/requests/${await made("special", "2027-10-04", "2027-10-05")}/submit`, {}, headers),
      ),
      await answered("employee", "submits what is for being ill", (headers) =>
        ada.post(`/api/requests/${sick}/submit`, {}, headers),
      ),
      await answered("manager", "grants their own", (headers) => boss.post(`/api/requests/${own}/grant`, {}, headers)),
      await answered("employee", "more days than anybody has", (headers) =>
        payroll.patch(`/api/users/${ada.id}`, { allowance: 90 }, headers),
      ),
      await answered("employee", "writes their own allowance", (headers) =>
        ada.patch(`/api/users/${ada.id}`, { allowance: 40 }, headers),
      ),
      await answered("employee", "reads payroll's list", (headers) => ada.get("/api/leave", headers)),
    );
    all.push({ example: "leave-desk", told: once(told) });
    await desk.stop();
  });

  test("at the help desk", async () => {
    const desk = await served("help-desk");
    const chief = await desk.person("Sofia Marin", ["supervisor"]);
    const agent = await desk.person("Tom Berg", ["agent"]);
    const asks = await desk.person("Nora Hahn", []);
    const other = await desk.person("Omar Said", []);
    const category = (await chief.post("/api/categories", { name: "Printing", about: "Printers." })).record().id;
    const ticket = (
      await asks.post("/api/tickets", { category, subject: "Grey stripes", description: "Since Monday." })
    ).record().id;
    const told: Told[] = [];
    const gather = async () => {
      for (const [name, who] of [
        ["requester", asks],
        ["agent", agent],
        ["supervisor", chief],
        ["somebody else", other],
      ] as const)
        told.push(...(await refusedTo(name, who, "Ticket", ticket)));
    };
    await gather();
    await agent.post(`/api/tickets/${ticket}/take`, {});
    await gather();
    told.push(
      ...(await refusedTo("agent", agent, "Ticket")),
      ...(await refusedTo("requester", asks, "Category")),
      await answered("agent", "solved in one word", (headers) =>
        agent.post(`/api/tickets/${ticket}/solve`, { solution: "Done", cause: "wear", minutes: 5 }, headers),
      ),
      await answered("agent", "no minutes at all", (headers) =>
        agent.post(`/api/tickets/${ticket}/solve`, { solution: "Drum replaced.", cause: "wear", minutes: 0 }, headers),
      ),
      await answered("requester", "a phone number that is none", (headers) =>
        chief.patch(`/api/users/${asks.id}`, { phone: "ring me" }, headers),
      ),
      await answered("requester", "sets the priority", (headers) =>
        asks.patch(`/api/tickets/${ticket}`, { priority: "urgent" }, headers),
      ),
    );
    all.push({ example: "help-desk", told: once(told) });
    await desk.stop();
  });

  test("for instruments: limits, guards, uniqueness, overlaps, training, the clock", async () => {
    const desk = await served("booking");
    const steward = await desk.person("Jonas Weber", ["steward"]);
    const booker = await desk.person("Lukas Brandt", []);
    const other = await desk.person("Mei Tanaka", []);
    const room = (await booker.get("/api/rooms")).list().items[0]?.id;
    const made = async (code: string, more: object = {}) =>
      (
        await steward.post("/api/instruments", { code, name: "Microscope", room, needs_training: false, ...more })
      ).record().id;
    const [free, trained, broken] = [
      await made("MIC-1"),
      await made("LAS-1", { needs_training: true }),
      await made("CEN-1"),
    ];
    await steward.post(`/api/instruments/${broken}/take_out`, {});
    const at = (day: number, hour: number) => `2027-03-0${day}T${hour < 10 ? "0" : ""}${hour}:00:00Z`;
    const book = (who: Person, instrument: string, begins: string, ends: string, headers?: Record<string, string>) =>
      who.post("/api/bookings", { instrument, begins, ends }, headers);
    const own = (await book(booker, free, at(1, 9), at(1, 11))).record().id;
    const told: Told[] = [];
    for (const [name, who] of [
      ["booker", booker],
      ["colleague", other],
    ] as const)
      told.push(
        ...(await refusedTo(name, who, "Booking", own)),
        ...(await refusedTo(name, who, "Instrument", free)),
        ...(await refusedTo(name, who, "Room")),
        ...(await refusedTo(name, who, "UseDay")),
      );
    told.push(
      await answered("colleague", "the same hours", (headers) => book(other, free, at(1, 10), at(1, 12), headers)),
      await answered("colleague", "what is over", (headers) =>
        book(other, free, "2020-03-01T09:00:00Z", "2020-03-01T10:00:00Z", headers),
      ),
      await answered("colleague", "a day and a night", (headers) => book(other, free, at(2, 8), at(3, 8), headers)),
      await answered("colleague", "what they were not trained for", (headers) =>
        book(other, trained, at(4, 9), at(4, 10), headers),
      ),
      await answered("colleague", "what is out of order", (headers) =>
        book(other, broken, at(4, 9), at(4, 10), headers),
      ),
      await answered("steward", "a code that another has", (headers) =>
        steward.patch(`/api/instruments/${trained}`, { code: "MIC-1" }, headers),
      ),
      await answered("steward", "a rate below nothing", (headers) =>
        steward.patch(`/api/instruments/${trained}`, { hourly_rate: { amount: "-1.00", currency: "EUR" } }, headers),
      ),
      await answered("steward", "a manual that nobody sent", (headers) =>
        steward.patch(
          `/api/instruments/${trained}`,
          { manual: { id: "01a1f40a-58ca-7a05-9984-7eae99dc592e" } },
          headers,
        ),
      ),
    );
    for (const day of [5, 6, 7, 8]) await book(booker, free, at(day, 9), at(day, 10));
    told.push(
      await answered("booker", "a sixth booking", (headers) => book(booker, free, at(9, 9), at(9, 10), headers)),
    );
    all.push({ example: "booking", told: once(told) });
    await desk.stop();
  });

  test("by the platform itself: people, accounts, tokens, files, providers, the document, viewing as", async () => {
    const desk = await served("booking");
    const root = await desk.person("Amara Okafor", ["administrator"]);
    const somebody = await desk.person("Lukas Brandt", []);
    const { email } = await desk.account("Sofía Marín", "a long enough password");
    const visitor = desk.visitor();
    const told: Told[] = [
      await answered("visitor", "signs in with another password", (headers) =>
        visitor.post("/_/session", { email, password: "not this password" }, headers),
      ),
      await answered("visitor", "registers", (headers) =>
        visitor.post("/_/sign-up", { email: "a@example.com" }, headers),
      ),
      await answered("visitor", "signs in with a provider that is none", (headers) =>
        visitor.get("/_/providers/google", headers),
      ),
      await answered("visitor", "a link that was used", (headers) =>
        visitor.post("/_/password", { token: "x".repeat(43), password: "a long enough password" }, headers),
      ),
      await answered("researcher", "makes a token", (headers) =>
        somebody.post("/_/account/tokens", { name: "Report", days: 30, roles: [], writes: false }, headers),
      ),
      await answered("researcher", "sees the people", (headers) => somebody.get("/_/people", headers)),
      await answered("researcher", "reads the document", (headers) => somebody.get("/_/document", headers)),
      await answered("researcher", "changes the document", (headers) =>
        somebody.send("PUT", "/_/document", { base: "", files: [] }, { headers }),
      ),
      await answered("researcher", "looks as another", (headers) =>
        somebody.post("/_/look", { person: root.id }, headers),
      ),
      await answered("researcher", "a word that is no search", (headers) =>
        somebody.get("/api/bookings?colour=red", headers),
      ),
      await answered("researcher", "what is no JSON", (headers) =>
        somebody.send("POST", "/api/bookings", undefined, {
          raw: "{",
          headers: { ...headers, "content-type": "application/json" },
        }),
      ),
      await answered("administrator", "takes the last administrator", (headers) =>
        root.post(`/_/people/${root.id}/take`, { role: "administrator" }, headers),
      ),
    ];
    expect((await root.post("/_/look", { person: somebody.id })).status).toBe(204);
    told.push(
      await answered("administrator", "writes while looking", (headers) => root.post("/api/bookings", {}, headers)),
    );
    all.push({ example: "the platform", told: once(told) });
    await desk.stop();
  });

  test("for undecided permissions", async () => {
    const desk = await serveText(undecided);
    const somebody = await desk.person("Eva Storm", []);
    const told = [
      ...(await refusedTo("somebody", somebody, "Idea")),
      await answered("somebody", "reads the boxes", (headers) => somebody.get("/api/boxes", headers)),
    ];
    all.push({ example: "undecided", told });
    await desk.stop();
  });

  test("and each sentence is complete, without syntax or internals", async () => {
    const told = all.flatMap((item) => item.told);
    expect(told.length).toBeGreaterThanOrEqual(120);
    for (const [, , english, german] of told)
      for (const sentence of [english, german]) {
        expect(sentence).toMatch(/^[„“\p{Lu}\p{N}].*[.!]$/su);
        // No keys of fields, no syntax of rules, no internals.
        expect(sentence).not.toMatch(/[a-z]_[a-z]|==|&&|\|\||null|undefined|condition|clause|Bedingung|FORBIDDEN/u);
      }
    const table = all.map(
      ({ example, told }) =>
        `## ${example}\n\n| Who | What | English | German |\n|---|---|---|---|\n${told
          .map(([who, what, english, german]) => `| ${who} | ${what} | ${english} | ${german} |`)
          .join("\n")}\n`,
    );
    await expect(`# What people are told who are refused\n\n${table.join("\n")}`).toMatchFileSnapshot("refusals.md");
  });
});

/*
 * One refusal at three depths, for `docs/refusals.md`: the response to the person, the explanation for an author, and
 * the log entry. `npx vitest run test/specs/refusals -u` writes the page.
 */
test("the page of refusals shows ten of them as the person, the author and the log see them", async () => {
  const cases: string[] = [];
  const marks = (holds: boolean | null) => (holds === null ? "?" : holds ? "✓" : "✗");
  const stepsOf = (why: WhyJson): readonly string[] => [
    ...why.ways.flatMap((way) => [
      `- ${marks(way.open)} as ${way.role}${way.held ? "" : ", which is not held"} \`${way.clause}\``,
      ...way.needs.map((need) => `  - ${stepOf(need)}`),
    ]),
    ...why.musts.map((must) => `- ${stepOf(must)}`),
  ];
  const stepOf = ({ holds, says, clause, found }: WhyJson["musts"][number]) =>
    `${marks(holds)} ${says} \`${clause}\`${found.length === 0 ? "" : ` (${found.map(({ field, value }) => `${field}: ${value}`).join(", ")})`}`;
  const asked = async (
    desk: TestServer,
    author: Person,
    title: string,
    who: Person,
    what: string,
    record: string,
    ask: () => Promise<Answer>,
  ) => {
    const problem = (await ask()).problem();
    const why = (await author.get(`/api/why?do=${what}&record=${record}&as=${who.id}`)).body as WhyJson;
    await desk.refusals.write();
    const { rows } = await desk.database.query(
      "select status, code, clause, action, record is not null as named from ninefold.refusal where person = $1 order by id desc limit 1",
      [who.id],
    );
    const [line] = rows;
    const told = [problem.because, problem.errors?.map(({ message }) => message).join(" "), problem.detail].find(
      Boolean,
    );
    cases.push(
      [
        `### ${cases.length + 1}. ${title}`,
        "",
        `**The person**: ${told}${problem.could === undefined || told?.includes(problem.could) ? "" : ` Could do it: ${problem.could}.`}`,
        "",
        `**The author**: ${why.because}`,
        "",
        ...stepsOf(why),
        "",
        `**The log**: ${line?.status} ${line?.code}, \`${line?.clause}\`, ${what}${line?.named ? ", with the record" : ""}, the person, the request and the document's version.`,
      ].join("\n"),
    );
  };

  const lending = await served("lending");
  const root = await lending.person("Amara Okafor", ["administrator", "keeper"]);
  const keeper = await lending.person("Jonas Weber", ["keeper"]);
  const member = await lending.person("Lukas Brandt", []);
  const thing = (await keeper.post("/api/things", { name: "Cordless drill", kind: "tool" })).record().id;
  const lend = async (who: Person, from_day: string) =>
    (await who.post("/api/loans", { thing, from_day, due_day: "2027-12-01" })).record().id;
  const [own, others] = [await lend(member, "2027-03-01"), await lend(keeper, "2027-04-01")];
  const at = (who: Person, title: string, what: string, record: string, ask: () => Promise<Answer>) =>
    asked(lending, root, title, who, what, record, ask);
  await at(keeper, "A keeper changes somebody else's loan", "Loan.update", own, () =>
    keeper.patch(`/api/loans/${own}`, { remark: "Later" }),
  );
  await at(member, "A member hands a thing over", "Loan.hand_over", own, () =>
    member.post(`/api/loans/${own}/hand_over`),
  );
  await at(keeper, "A keeper takes back what was never lent", "Loan.take_back", own, () =>
    keeper.post(`/api/loans/${own}/take_back`),
  );
  await at(member, "A member reads the loan of somebody else", "Loan.read", others, () =>
    member.get(`/api/loans/${others}`),
  );
  await keeper.post(`/api/loans/${own}/hand_over`);
  await at(member, "A member deletes a loan that is lent", "Loan.delete", own, () =>
    member.delete(`/api/loans/${own}`),
  );
  await lending.stop();

  const help = await served("help-desk");
  const chief = await help.person("Sofia Marin", ["administrator", "supervisor"]);
  const agent = await help.person("Tom Berg", ["agent"]);
  const second = await help.person("Eva Storm", ["agent"]);
  const asks = await help.person("Nora Hahn", []);
  const category = (await chief.post("/api/categories", { name: "Printing", about: "Printers." })).record().id;
  const ticket = (
    await asks.post("/api/tickets", { category, subject: "Grey stripes", description: "Since Monday." })
  ).record().id;
  const on = (who: Person, title: string, act: string, ask: () => Promise<Answer>) =>
    asked(help, chief, title, who, `Ticket.${act}`, ticket, ask);
  await on(asks, "A requester takes the ticket", "take", () => asks.post(`/api/tickets/${ticket}/take`));
  await agent.post(`/api/tickets/${ticket}/take`);
  await on(second, "An agent gives back a ticket that is another's", "hand_back", () =>
    second.post(`/api/tickets/${ticket}/hand_back`),
  );
  await on(asks, "A requester changes a ticket that is in work", "update", () =>
    asks.patch(`/api/tickets/${ticket}`, { description: "And on Tuesday." }),
  );
  await on(asks, "A requester says that it works before it is solved", "accept", () =>
    asks.post(`/api/tickets/${ticket}/accept`),
  );
  await on(agent, "An agent solves a ticket in a word", "solve", () =>
    agent.post(`/api/tickets/${ticket}/solve`, { solution: "Done", cause: "wear", minutes: 5 }),
  );
  await help.stop();

  const page = textOf("docs/refusals.md").replace(
    /<!-- refusals -->.*?<!-- end -->/su,
    () => `<!-- refusals -->\n${cases.join("\n\n")}\n<!-- end -->`,
  );
  await expect(page).toMatchFileSnapshot("../../docs/refusals.md");
});
