import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { proposals as decide } from "../../../src/cli/change/proposals.ts";
import { propose as proposeFile } from "../../../src/cli/change/propose.ts";
import { tryOnCopy } from "../../../src/cli/change/try.ts";
import { versions } from "../../../src/cli/change/versions.ts";
import { CommandFailed } from "../../../src/cli/exit-codes.ts";
import { usage } from "../../../src/cli/usage.ts";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { NewestJobJson } from "../../../src/core/wire/authoring/job.ts";
import type { ProposalsJson, ProposalTextJson } from "../../../src/core/wire/authoring/proposals.ts";
import type { VersionsJson } from "../../../src/core/wire/authoring/versions.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import type { Authoring } from "../../../src/server/authoring/authoring.ts";
import type { InForce } from "../../../src/server/authoring/in-force.ts";
import { proposeFile as proposeChangedFile } from "../../../src/server/proposals/file-proposals.ts";
import { mailProposals } from "../../../src/server/proposals/proposal-mails.ts";
import { createProposals } from "../../../src/server/proposals/proposals.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { authoringOf } from "../authoring.ts";
import { type Answer, type ApiClient, scratch, serveText, type TestServer } from "../program.ts";
import { startSmtp } from "../smtp-server.ts";

/** Proposed versions: who can propose, approve, reject and publish them. */

const CHANGES = "changes: { propose: [editor, lead], approve: [lead, chief], another person: true }";

const desk = (fields = "", changes = CHANGES) => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text${fields} } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, editor: granted, lead: granted, chief: granted }
permissions: { Note: { read: [member], create: [member] } }
${changes}
\`\`\`

## 7. Calls
\`\`\`yaml
conventional: all
token: { by: [lead] }
\`\`\`
`;

type Person = ApiClient & { readonly id: string };

interface Office {
  readonly served: TestServer;
  /** The text that is in force. */
  readonly inForce: () => InForce;
  readonly authoring: () => Authoring;
}

/** Serves a document with its authoring. The application itself is not replaced: its clauses stay those of the first. */
const serveOffice = async (text: string, store?: TestDatabase): Promise<Office> => {
  let inForce: InForce | undefined;
  let authoring: Authoring | undefined;
  const current = (): InForce => {
    if (inForce === undefined) throw new Error("not opened");
    return inForce;
  };
  const served = await serveText(text, {
    ...(store === undefined ? {} : { database: store }),
    authoring: (opened, compiled, owner) => {
      inForce = { compiled, applied: opened.applied };
      authoring = authoringOf(opened, compiled, owner, {
        current,
        enforce: (next) => {
          inForce = next;
          return Promise.resolve();
        },
      });
      return authoring;
    },
  });
  return {
    served,
    inForce: current,
    authoring: () => {
      if (authoring === undefined) throw new Error("not opened");
      return authoring;
    },
  };
};

const hashOf = ({ inForce }: Office): string => inForce().applied.hash;

const draftOf = (office: Office, text: string, note = "") => ({
  base: hashOf(office),
  files: [{ file: "specification.md", text }],
  note,
});

const propose = async (office: Office, by: ApiClient, fields: string, note = "why"): Promise<ProposalTextJson> => {
  const answer = await by.post("/_/proposals", draftOf(office, desk(fields), note));
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body as ProposalTextJson;
};

const act = (by: ApiClient, { number, hash }: { number: number; hash: string }, what: string, comment = "") =>
  by.post(`/_/proposals/${number}/${what}`, { hash, comment });

const readProposal = async (by: ApiClient, number: number): Promise<ProposalTextJson> =>
  (await by.get(`/_/proposals/${number}`)).body as ProposalTextJson;

const refused = (answer: Answer) => {
  const { status, code, clause } = answer.problem();
  return [status, code, clause];
};

const FORBIDDEN = [403, "FORBIDDEN", "6.changes"];

describe("if the document requires approval by another person", () => {
  let office: Office;
  let people: Readonly<Record<"ed" | "lea" | "leo" | "chris" | "mia" | "ada", Person>>;
  beforeAll(async () => {
    office = await serveOffice(desk());
    const { served } = office;
    people = {
      ed: await served.person("Ed", ["editor"]),
      lea: await served.person("Lea", ["lead"]),
      leo: await served.person("Leo", ["lead", "chief"]),
      chris: await served.person("Chris", ["chief"]),
      mia: await served.person("Mia"),
      ada: await served.person("Ada", ["administrator"]),
    };
  });

  test("an editor proposes, and an approval by somebody else publishes, with both names in the version", async () => {
    const { ed, lea, mia } = people;
    const proposal = await propose(office, ed, ", a: text?");
    expect(proposal).toMatchObject({
      number: 1,
      state: "open",
      base: 1,
      needs: 1,
      author: { label: "Ed" },
      note: "why",
    });
    expect(proposal.may).toEqual({
      approve: false,
      reject: false,
      withdraw: true,
      reopen: false,
      edit: true,
      comment: true,
    });
    // Names as far as the reader may read them: here the document lets nobody read people.
    expect(proposal.waitsFor).toEqual({ people: [], more: 3, needs: 1, roles: ["lead", "chief"] });
    expect((await readProposal(people.ada, 1)).waitsFor).toMatchObject({ people: ["Chris", "Lea", "Leo"], more: 0 });
    expect(((await lea.get("/_/proposals")).body as ProposalsJson).approvers).toMatchObject({ people: [], more: 2 });
    expect((await readProposal(lea, 1)).may).toMatchObject({ approve: true, reject: true, withdraw: false });
    expect(refused(await act(ed, proposal, "approve"))).toEqual(FORBIDDEN);
    expect((await act(lea, proposal, "comment", "Looks good")).status).toBe(200);
    const approved = await act(lea, proposal, "approve", "Yes");
    expect(approved.body).toMatchObject({ state: "published", version: 2, approvers: [{ label: "Lea" }] });
    const { items } = (await ed.get("/_/versions")).body as VersionsJson;
    expect(items[0]).toMatchObject({ number: 2, author: { label: "Ed" }, approvers: [{ label: "Lea" }], proposal: 1 });
    expect(
      (await readProposal(ed, 1)).history.map(({ kind, person, comment }) => [kind, person?.label, comment]),
    ).toEqual([
      ["proposed", "Ed", ""],
      ["commented", "Lea", "Looks good"],
      ["approved", "Lea", "Yes"],
    ]);
    expect((await mia.post("/api/notes", { text: "one" })).status).toBe(201);
  });

  test("nobody can approve their own change: not with two roles, not after editing, not by restoring or publishing", async () => {
    const { ed, lea, leo, ada } = people;
    const own = await propose(office, leo, ", a: text?, b: text?");
    expect(own).toMatchObject({ isOwn: true, may: { approve: false } });
    expect(refused(await act(leo, own, "approve"))).toEqual([403, "OWN_PROPOSAL", "6.changes"]);
    const edited = await lea.post(
      `/_/proposals/${own.number}?revision=1`,
      draftOf(office, desk(", a: text?, c: text?")),
    );
    expect(edited.body).toMatchObject({ revision: 2, may: { approve: false } });
    for (const who of [leo, lea])
      expect(refused(await act(who, edited.body as ProposalTextJson, "approve"))).toEqual([
        403,
        "OWN_PROPOSAL",
        "6.changes",
      ]);
    for (const who of [leo, lea, ada])
      expect(refused(await who.post("/_/document", draftOf(office, desk(", z: text?"))))).toEqual([
        403,
        "NEEDS_APPROVAL",
        "6.changes",
      ]);
    expect(refused(await leo.post("/_/versions/1/restore", { base: hashOf(office) }))).toEqual([
      403,
      "NEEDS_APPROVAL",
      "6.changes",
    ]);
    expect(refused(await ed.post("/_/document", draftOf(office, desk(", z: text?"))))[1]).toBe("NEEDS_APPROVAL");
    expect((await act(leo, edited.body as ProposalTextJson, "withdraw")).body).toMatchObject({ state: "withdrawn" });
  });

  test("an API token can’t approve", async () => {
    const { ed, lea } = people;
    const created = await lea.post("/_/account/tokens", { name: "Robot", days: 1, reads: false, roles: ["lead"] });
    const proposal = await propose(office, ed, ", a: text?, t: text?");
    const { token } = created.body as { token: string };
    const robot = office.served.visitor();
    const answer = await robot.post(
      `/_/proposals/${proposal.number}/approve`,
      { hash: proposal.hash },
      { authorization: `Bearer ${token}` },
    );
    expect(answer.status).toBe(401);
    expect(await readProposal(lea, proposal.number)).toMatchObject({ state: "open", approvers: [] });
    await act(ed, proposal, "withdraw");
  });

  test("strangers and people without a role learn nothing, and administrators can read", async () => {
    const { ed, mia, ada } = people;
    const proposal = await propose(office, ed, ", a: text?, s: text?");
    const visitor = office.served.visitor();
    for (const path of [
      "/_/proposals",
      `/_/proposals/${proposal.number}`,
      "/_/proposals/999",
      "/_/document",
      "/_/versions",
    ]) {
      expect(refused(await visitor.get(path)).slice(0, 2)).toEqual([401, "NOT_SIGNED_IN"]);
      expect(refused(await mia.get(path))).toEqual(FORBIDDEN);
    }
    for (const what of ["approve", "reject", "withdraw", "reopen", "comment"]) {
      expect(refused(await act(mia, proposal, what, "x"))).toEqual(FORBIDDEN);
      expect(refused(await act(mia, { number: 999, hash: "" }, what, "x"))).toEqual(FORBIDDEN);
    }
    expect(refused(await mia.post("/_/proposals", draftOf(office, desk())))).toEqual(FORBIDDEN);
    expect(await readProposal(ada, proposal.number)).toMatchObject({
      may: { approve: false, edit: false, reject: false },
    });
    expect(refused(await act(ada, proposal, "approve"))).toEqual(FORBIDDEN);
    expect(((await ada.get("/_/proposals")).body as ProposalsJson).may).toEqual({
      propose: false,
      approve: false,
      publish: false,
    });
    expect((await ed.post(`/_/proposals/${proposal.number}/plan`, {})).body).toMatchObject({
      refused: [],
      steps: ["3.Note.s: add column s"],
    });
    await act(ed, proposal, "withdraw");
  });

  test("an approval applies to the text that was read: for a changed or decided proposal it is refused", async () => {
    const { ed, lea, chris } = people;
    const first = await propose(office, ed, ", a: text?, d: text?");
    const second = (
      await ed.post(`/_/proposals/${first.number}?revision=1`, draftOf(office, desk(", a: text?, e: text?")))
    ).body as ProposalTextJson;
    expect(refused(await act(lea, first, "approve")).slice(0, 2)).toEqual([409, "PROPOSAL_CHANGED"]);
    const late = await ed.post(
      `/_/proposals/${first.number}?revision=1`,
      draftOf(office, desk(", a: text?, f: text?")),
    );
    expect(late.problem().code).toBe("PROPOSAL_CHANGED");
    expect((await act(lea, second, "reject", "Not now")).body).toMatchObject({ state: "rejected" });
    expect(refused(await act(chris, second, "approve"))[1]).toBe("PROPOSAL_CHANGED");
    const again = (await act(ed, second, "reopen")).body as ProposalTextJson;
    expect(again).toMatchObject({ state: "open", revision: 3 });
    expect((await act(chris, again, "approve")).body).toMatchObject({ state: "published", version: 3 });
  });

  test("a proposal is outdated when its base changes, and open again with a new text on the newest version", async () => {
    const { ed, lea } = people;
    const [one, other] = [
      await propose(office, ed, ", a: text?, e: text?, g: text?"),
      await propose(office, ed, ", a: text?, e: text?, h: text?"),
    ];
    expect((await act(lea, one, "approve")).body).toMatchObject({ state: "published" });
    expect(await readProposal(lea, other.number)).toMatchObject({
      state: "outdated",
      may: { approve: false, reject: true },
    });
    expect(refused(await act(lea, other, "approve")).slice(0, 2)).toEqual([409, "DOCUMENT_CHANGED"]);
    const newer = await ed.post(
      `/_/proposals/${other.number}?revision=1`,
      draftOf(office, desk(", a: text?, e: text?, g: text?, h: text?")),
    );
    expect(newer.body).toMatchObject({ state: "open", revision: 2 });
    expect((await act(lea, newer.body as ProposalTextJson, "approve")).body).toMatchObject({ state: "published" });
  });

  test("two simultaneous approvals publish it once, and both people see that", async () => {
    const { ed, lea, chris } = people;
    const proposal = await propose(office, ed, ", a: text?, e: text?, g: text?, h: text?, i: text?");
    const before = office.inForce().applied.version;
    const answers = await Promise.all([lea, chris].map((who) => act(who, proposal, "approve")));
    expect(answers.map(({ status, body }) => [status, (body as ProposalTextJson).state])).toEqual([
      [200, "published"],
      [200, "published"],
    ]);
    expect(office.inForce().applied.version).toBe(before + 1);
  });

  test("a text with errors or without an end is refused, and one that stored data does not fit stays approved", async () => {
    const { ed, lea } = people;
    const all = ", a: text?, e: text?, g: text?, h: text?, i: text?";
    expect((await ed.post("/_/proposals", draftOf(office, desk(": txet")))).problem().code).toBe("DOCUMENT_INVALID");
    const { service } = office.served.opened;
    const proposals = createProposals({
      database: service.database,
      authoring: office.authoring(),
      model: service.model,
      now: () => new Date(),
      nameRecords: () => Promise.resolve(new Map()),
    });
    const by = { id: ed.id, name: "Ed", granted: new Set(["editor"]), impersonator: null };
    const long = await proposals.propose(by, draftOf(office, `${desk(all)}\n${"Much prose. ".repeat(180_000)}`));
    expect(long).toMatchObject({ kind: "refusal", code: "PROPOSAL_TOO_LARGE" });
    expect((await ed.post("/_/proposals", { base: 1 })).problem().code).toBe("MALFORMED");
    const { database } = office.served;
    await database.query(
      "insert into ninefold.proposal_event (proposal, at, person, kind, revision, hash, comment) select (select min(number) from ninefold.proposal), now(), $1, 'commented', 0, '', 'Many' from generate_series(1, 100)",
      [ed.id],
    );
    expect((await ed.post("/_/proposals", draftOf(office, desk(all)))).problem().code).toBe("TOO_MANY_PROPOSALS");
    await database.query("delete from ninefold.proposal_event where comment = 'Many'");
    const proposal = await propose(office, ed, `${all}, due: date`);
    expect((await act(lea, proposal, "approve")).problem().code).toBe("CHANGE_REFUSED");
    expect(await readProposal(lea, proposal.number)).toMatchObject({ state: "approved", may: { approve: true } });
    await office.served.database.query("delete from app.note");
    expect((await act(lea, proposal, "approve")).body).toMatchObject({ state: "published" });
  });

  test("people who can approve are notified, and the author learns the decision", async () => {
    const { ed, lea, chris, mia } = people;
    const told = async (who: ApiClient) =>
      ((await who.get("/_/notifications")).body as { items: { text: string; path: string | null }[] }).items[0];
    const proposal = await propose(office, ed, ", a: text?, e: text?, g: text?, h: text?, i: text?, n: text?");
    const path = `/workbench/proposals/${proposal.number}`;
    for (const who of [lea, chris])
      expect(await told(who)).toMatchObject({
        text: `Ed proposed a change to the specification (${proposal.number}).`,
        path,
      });
    expect(await told(mia)).toBeUndefined();
    await act(chris, proposal, "reject");
    expect(await told(ed)).toMatchObject({ text: `Chris rejected your proposal ${proposal.number}.`, path });
  });

  test("the people who can approve get a mail in their language, and one more for all texts that follow in ten minutes", async () => {
    const { ed, lea, chris } = people;
    const smtp = await startSmtp();
    const { service } = office.served.opened;
    const start = Date.now();
    const sent = async (minute: number, origin: string | null = "https://desk.example.com") => {
      const [from, now] = [smtp.mails.length, new Date(start + minute * 60_000)];
      await mailProposals(service, origin, now);
      while ((await sendMails(service.database, smtp.mailer, now)) > 0);
      return smtp.mails.slice(from).sort((a, b) => (a.to < b.to ? -1 : 1));
    };
    const clear = () => office.served.database.query("update ninefold.proposal set mailed = revision");
    const speaks = (who: Person, language: string) =>
      office.served.database.query(
        "insert into ninefold.preference (person, name, value) values ($1, 'language', to_jsonb($2::text))",
        [who.id, language],
      );
    await clear();
    await Promise.all([speaks(lea, "de"), speaks(chris, "fr")]);
    const proposal = await propose(
      office,
      ed,
      ", a: text?, e: text?, g: text?, h: text?, i: text?, m: text?",
      "Read https://evil.example",
    );
    const link = `https://desk.example.com/workbench/proposals/${proposal.number}`;
    // Without an address for links, mails wait.
    expect(await sent(0, null)).toEqual([]);
    const mails = await sent(1);
    expect(mails.map(({ to }) => to)).toEqual(["chris@example.com", "lea@example.com", "leo@example.com"]);
    const says = [
      "Ed propose une modification de la spécification de Desk. Approuvez-la ou rejetez-la",
      "Ed hat eine Änderung der Spezifikation von Desk vorgeschlagen. Genehmigen Sie sie",
      "Ed proposed a change to the specification of Desk. Approve or reject it",
    ];
    for (const [i, { text }] of mails.entries()) {
      expect(text).toContain(says[i]);
      expect(text).toContain(`${link}\n`);
      expect(text).not.toContain("evil.example");
    }
    expect(await sent(2)).toEqual([]);
    const edit = (fields: string, revision: number) =>
      ed.post(`/_/proposals/${proposal.number}?revision=${revision}`, draftOf(office, desk(fields)));
    for (const [i, fields] of [": text?", ": date?"].entries())
      expect((await edit(`, a: text?, e: text?, g: text?, h: text?, i: text?, m${fields}`, i + 1)).status).toBe(200);
    expect(await sent(3)).toEqual([]);
    const later = await sent(12);
    expect(later).toHaveLength(3);
    expect(later.at(-1)?.text).toContain(
      "A proposed change to the specification of Desk has new text, so it needs new approvals.",
    );
    await act(ed, await readProposal(ed, proposal.number), "withdraw");
    // Nobody is asked to decide on a proposal that is decided.
    await act(
      ed,
      await propose(office, ed, ", a: text?, e: text?, g: text?, h: text?, i: text?, o: text?"),
      "withdraw",
    );
    expect(await sent(30)).toEqual([]);
  });

  test("an approval no longer counts after its person lost the role or the account", async () => {
    const { served } = office;
    const { ed, lea } = people;
    const proposal = await propose(
      office,
      ed,
      ", a: text?, e: text?, g: text?, h: text?, i: text?, due: date, q: text",
    );
    await served.database.query(
      `insert into app.note (id, text, due, created_at, updated_at) values (gen_random_uuid(), 'x', now(), now(), now())`,
    );
    expect((await act(lea, proposal, "approve")).problem().code).toBe("CHANGE_REFUSED");
    expect((await readProposal(ed, proposal.number)).state).toBe("approved");
    await served.database.query(`update app."user" set "roles" = '{}' where "id" = $1`, [lea.id]);
    expect(await readProposal(ed, proposal.number)).toMatchObject({ state: "open", approvers: [] });
    await served.database.query(`update app."user" set "roles" = '{lead}' where "id" = $1`, [lea.id]);
    await served.database.query(`delete from app."user" where "id" = $1`, [ed.id]);
    const remaining = await readProposal(people.chris, proposal.number);
    expect(remaining).toMatchObject({ state: "approved", author: null, note: "why" });
    await served.database.query("delete from app.note");
    expect((await act(people.chris, remaining, "approve")).body).toMatchObject({ state: "published" });
  });
});

test("two approvals need two people, and the live version decides about its own clauses", async () => {
  const store = await database();
  const strict = desk("", "changes: { propose: editor, approve: [lead, chief], approvals: 2, another person: true }");
  const office = await serveOffice(strict, store);
  const { served } = office;
  const ed = await served.person("Ed", ["editor"]);
  const [lea, leo] = [await served.person("Lea", ["lead"]), await served.person("Leo", ["lead", "chief"])];
  const looser = (
    await ed.post("/_/proposals", draftOf(office, desk("", "changes: { propose: editor, approve: editor }")))
  ).body as ProposalTextJson;
  expect(looser.needs).toBe(2);
  expect((await act(leo, looser, "approve")).body).toMatchObject({ state: "open", approvers: [{ label: "Leo" }] });
  expect((await act(leo, looser, "approve")).body).toMatchObject({ state: "open", approvers: [{ label: "Leo" }] });
  expect((await act(lea, looser, "approve")).body).toMatchObject({ state: "published", version: 2 });
  await served.stop();
  const later = await serveOffice(desk("", "changes: { propose: editor, approve: editor }"), store);
  const eve = await later.served.person("Eve", ["editor"]);
  const direct = await eve.post("/_/document", draftOf(later, desk(", a: text?", "changes: { approve: editor }")));
  expect([direct.status, direct.body]).toMatchObject([200, { version: 3 }]);
  await later.served.stop();
  await store.end();
});

type Verb = (args: readonly string[]) => Promise<number>;

/** Runs a command with --json in this process; its exit code if it fails. */
const operatorOn = async ({ url }: TestDatabase, verb: Verb, ...args: readonly string[]) => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const exit = await verb([...args, "--database", url]);
    return { exit, said: written.join("") };
  } catch (error) {
    if (error instanceof CommandFailed) return { exit: error.exit, said: error.message };
    throw error;
  } finally {
    write.mockRestore();
  }
};

describe("on the command line", () => {
  const operator = (verb: Verb, ...args: readonly string[]) => operatorOn(store, verb, ...args);
  const json = async (verb: typeof proposeFile, ...args: readonly string[]) => {
    const { exit, said } = await operator(verb, ...args, "--json");
    return { exit, body: exit === 0 ? (JSON.parse(said) as unknown) : said };
  };
  const written = async (text: string): Promise<string> => {
    const path = join(await scratch(), "specification.md");
    await writeFile(path, text);
    return path;
  };
  let store: TestDatabase;
  let office: Office;
  let ed: Person;
  let lea: Person;
  beforeAll(async () => {
    store = await database();
    office = await serveOffice(desk(), store);
    ed = await office.served.person("Ed", ["editor"]);
    lea = await office.served.person("Lea", ["lead"]);
    return async () => {
      await office.served.stop();
      await store.end();
    };
  });

  test("an operator proposes, and it needs one person more than the document says", async () => {
    const path = await written(desk(", a: text?"));
    const first = await json(proposeFile, path, "--note", "From CI");
    expect(first).toMatchObject({
      exit: 0,
      body: { proposal: { number: 1, state: "open", source: "command", author: null, needs: 2, note: "From CI" } },
    });
    expect(await json(proposeFile, path)).toMatchObject({ body: { proposal: { number: 1, revision: 1 } } });
    expect(await json(proposeFile, await written(desk()))).toEqual({ exit: 0, body: { proposal: null } });
    const [told] = ((await lea.get("/_/notifications")).body as { items: { text: string }[] }).items;
    expect(told?.text).toBe("An operator proposed a change to the specification (1).");
    const read = await readProposal(lea, 1);
    expect(read.history).toMatchObject([{ kind: "proposed", person: null, isOperator: true }]);
    expect((await act(lea, read, "approve")).body).toMatchObject({ state: "open" });
    const replaced = await json(proposeFile, await written(desk(", b: text?")), "--replace", "1");
    expect(replaced.body).toMatchObject({ proposal: { number: 1, revision: 2, approvers: [], note: "From CI" } });
    expect(refused(await act(lea, read, "approve"))[1]).toBe("PROPOSAL_CHANGED");
    expect(await json(decide, "show", "1")).toMatchObject({
      exit: 0,
      body: {
        number: 1,
        history: [{ kind: "proposed" }, { kind: "approved", person: { label: "Lea" } }, { kind: "changed" }],
        plan: { data: { steps: ["3.Note.b: add column b"] } },
      },
    });
    expect((await operator(decide, "show", "1")).said).toContain("An operator changed the text (text 2)");
    expect(await json(decide, "withdraw", "1", "--note", "Wrong branch")).toMatchObject({
      body: { state: "withdrawn" },
    });
    expect((await json(decide, "withdraw", "1")).exit).toBe(6);
  });

  test("an operator’s approval counts for nothing if the document asks for another person", async () => {
    const proposal = await propose(office, ed, ", c: text?", "Ed’s");
    const number = String(proposal.number);
    expect(await operator(decide, "approve", number)).toEqual({
      exit: 6,
      said: `Proposal ${number} has 0 of 1 approval. Nothing was changed.`,
    });
    expect((await operator(decide, "reject", number)).exit).toBe(6);
    expect((await operator(decide, "withdraw", number)).said).toContain("belongs to the person");
    expect((await operator(proposeFile, await written(desk(", d: text?")), "--replace", number)).exit).toBe(6);
    expect(await readProposal(ed, proposal.number)).toMatchObject({ state: "open", revision: 1, approvers: [] });
    expect(await json(decide, "reject", number, "--without-approval", "--note", "Not today")).toMatchObject({
      body: { state: "rejected", history: [{}, { kind: "rejected", isOperator: true, comment: "Not today" }] },
    });
    const [told] = ((await ed.get("/_/notifications")).body as { items: { text: string }[] }).items;
    expect(told?.text).toBe(`An operator rejected your proposal ${number}.`);
    expect((await json(decide, "list")).body).toMatchObject({
      proposals: [
        { number: 2, state: "rejected" },
        { number: 1, state: "withdrawn" },
      ],
    });
    const again = await propose(office, ed, ", e: text?", "Ed’s again");
    expect(await json(decide, "approve", String(again.number), "--without-approval")).toMatchObject({
      body: { proposal: again.number, version: 2, steps: ["3.Note.e: add column e"] },
    });
    const { items } = (await ed.get("/_/versions")).body as VersionsJson;
    expect(items[0]).toMatchObject({
      proposal: again.number,
      author: { label: "Ed" },
      approvers: [],
      note: "Published by an operator without approval. Ed’s again",
    });
    // A proposal that is based on the version before can be neither approved nor forced.
    const late = await propose(office, ed, ", f: text?");
    await store.query("update ninefold.proposal set base = 1 where number = $1", [late.number]);
    expect(await operator(decide, "approve", String(late.number), "--without-approval")).toMatchObject({
      exit: 6,
      said: expect.stringContaining("version 2 is live"),
    });
  });

  test("wrong use ends with 2, and a text with errors with 1", async () => {
    for (const args of [
      ["show"],
      ["list", "1"],
      ["approve", "x"],
      ["show", "999"],
      ["list", "--out", "x"],
      ["undo", "1"],
    ])
      expect([args, (await operator(decide, ...args)).exit]).toEqual([args, 2]);
    expect((await operator(proposeFile)).exit).toBe(2);
    await expect(tryOnCopy(["new.md", "--port", "99999", "--database", store.url])).rejects.toMatchObject({
      exit: 2,
      hint: usage.try,
    });
    const out = join(await scratch(), "first.md");
    expect((await json(versions, "1", "--out", out)).body).toEqual({ number: 1, out });
    expect((await operator(proposeFile, await written(desk(": txet")))).exit).toBe(1);
  });
});

test("a file is announced to those who can approve it, and its version names the file or the person who edited it", async () => {
  const store = await database();
  const office = await serveOffice(desk(), store);
  const { service } = office.served.opened;
  const ed = await office.served.person("Ed", ["editor"]);
  const lea = await office.served.person("Lea", ["lead"]);
  const chief = await office.served.person("Cleo", ["chief"]);
  const bell = async (person: ApiClient) =>
    ((await person.get("/_/notifications")).body as { items: { text: string }[] }).items.map(({ text }) => text);
  const fromFile = async (fields: string): Promise<ProposalTextJson> => {
    const source = { file: "specification.md", text: desk(fields) };
    const [{ number: base } = {}] = (await store.query("select max(number) as number from ninefold.version")).rows;
    const number = await proposeChangedFile(service.database, { source, base: Number(base), model: service.model });
    return readProposal(lea, number ?? 0);
  };
  const newest = async () => ((await ed.get("/_/versions")).body as VersionsJson).items[0];

  const first = await fromFile(", g: text?");
  expect((await bell(lea))[0]).toBe(`An operator proposed a change to the specification (${first.number}).`);
  expect((await bell(chief))[0]).toBe((await bell(lea))[0]);
  await fromFile(", g: text?");
  expect((await bell(chief)).length).toBe(1);
  await act(lea, first, "approve");
  expect((await act(chief, first, "approve")).body).toMatchObject({ state: "published" });
  expect(await newest()).toMatchObject({ author: null, source: "file", proposal: first.number });
  const listed = (await operatorOn(store, versions)).said;
  expect(listed).toContain("a file on the server, approved by Cleo, Lea  (live)\n     New field “G” of");

  const second = await fromFile(", h: text?");
  const edited = await ed.post(
    `/_/proposals/${second.number}?revision=${second.revision}`,
    draftOf(office, desk(", i: text?")),
  );
  expect(edited.status).toBe(200);
  const text = await readProposal(lea, second.number);
  await act(lea, text, "approve");
  expect((await act(chief, text, "approve")).body).toMatchObject({ state: "published" });
  expect(await newest()).toMatchObject({ author: { label: "Ed" }, source: "person" });
  await office.served.stop();
  await store.end();
});

test("if the document is silent, an administrator publishes alone, and nobody else proposes", async () => {
  const office = await serveOffice(desk("", ""));
  const { served } = office;
  const [ada, ed] = [await served.person("Ada", ["administrator"]), await served.person("Ed", ["editor", "lead"])];
  expect(refused(await ed.post("/_/proposals", draftOf(office, desk())))).toEqual([
    403,
    "FORBIDDEN",
    "6.administrator",
  ]);
  const proposal = (await ada.post("/_/proposals", draftOf(office, desk(", a: text?", "")))).body as ProposalTextJson;
  expect(((await ada.get("/_/proposals")).body as ProposalsJson).may.publish).toBe(true);
  expect((await act(ada, proposal, "approve")).body).toMatchObject({ state: "published", version: 2 });
  expect((await ada.post("/_/document", draftOf(office, desk(", a: text?, b: text?", "")))).status).toBe(200);
});

test("a version that failed names only records that its reader can read, in their language or else that of the document", async () => {
  const store = await database();
  const { served } = await serveOffice(
    `# Notes

## 1. What it does
\`\`\`yaml
locale: de-AT
\`\`\`
## 3. Entities
\`\`\`yaml
Note: { fields: { writer: { type: User, set: user }, text: text } }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, Note: { writer: "writer == user" } }
permissions:
  Note: { read: writer, create: { role: staff, fields: [text] } }
\`\`\`
`,
    store,
  );
  try {
    const people = [await served.person("Ada", ["administrator"]), await served.person("Bea", ["administrator"])];
    const [writer] = people;
    if (writer === undefined) throw new Error("nobody is there");
    const { id } = (await writer.post("/api/notes", { text: "Mine" })).record();
    const inBoth = async <T>(ask: (headers: Readonly<Record<string, string>>) => Promise<T>) =>
      Promise.all([ask({}), ask({ "accept-language": "en" })]);
    const live = (await writer.get("/_/document")).body as DocumentJson;
    const unfit = {
      base: live.hash,
      files: live.files.map(({ file, text }) => ({
        file,
        text: text.replace("text: text", "text: text, size: integer"),
      })),
    };
    const plans = await inBoth(async (headers) => (await writer.post("/_/document/plan", unfit, headers)).body);
    const refusals = await inBoth(async (headers) => (await writer.post("/_/document", unfit, headers)).problem());
    for (const input of [
      plans,
      refusals.map((problem) => ({ refused: problem.errors?.map(({ message }) => ({ says: message })) })),
    ])
      expect(input).toMatchObject([
        { refused: [{ says: expect.stringContaining("3.Note.size kann nicht als Pflichtfeld hinzukommen") }] },
        { refused: [{ says: expect.stringContaining("3.Note.size can’t be added as a required field") }] },
      ]);
    const published = await inBoth(
      async (headers) => ((await writer.get("/_/versions", headers)).body as VersionsJson).items[0]?.steps,
    );
    expect(published).toEqual([
      expect.arrayContaining(["3.Note: die Tabelle note anlegen"]),
      expect.arrayContaining(["3.Note: create table note"]),
    ]);
    const step = { phase: "validate", clause: "3.Note.text", done: 0, total: null, state: "waiting" };
    const text = {
      says: "3.Note.text: recalculate",
      message: { id: "step.recompute", values: { clause: "3.Note.text" } },
    };
    await store.query(
      `insert into ninefold.job (base, file, hash, source, note, phase, state, refused, steps)
       values ('', 'notes.md', '', '', '', 'validate', 'failed', $1, $2)`,
      [
        JSON.stringify([
          {
            clause: "3.Note.text",
            says: "One record doesn’t fit.",
            message: { id: "of.a.later.release", values: {} },
            table: "note",
            records: [id],
          },
        ]),
        JSON.stringify([{ ...step, ...text, key: "note:1", table: "note", cursor: null, written: 0 }]),
      ],
    );
    const jobs = await inBoth(async (headers) => ((await writer.get("/_/job", headers)).body as NewestJobJson).newest);
    expect(jobs.map((job) => job?.steps)).toEqual([
      [{ ...step, says: "3.Note.text: neu berechnen" }],
      [{ ...step, says: expect.stringMatching(/^3\.Note\.text: (?!neu)/u) }],
    ]);
    expect(jobs.map((job) => job?.refused)).toEqual([
      [{ clause: "3.Note.text", says: "One record doesn’t fit.", records: [`/notes/${id}`] }],
      [{ clause: "3.Note.text", says: "One record doesn’t fit.", records: [`/notes/${id}`] }],
    ]);
    const seen = await Promise.all(people.map(async (one) => (await one.get("/_/job")).body));
    const naming = (records: readonly string[]) => ({
      newest: { state: "failed", refused: [{ clause: "3.Note.text", records }] },
    });
    expect(seen).toMatchObject([naming([`/notes/${id}`]), naming([])]);
  } finally {
    await served.stop();
    await store.end();
  }
});
