import { describe, expect, test } from "vitest";
import { type ApiClient, createCalls } from "../../../src/web/api/api.ts";
import { createGate } from "../../wait.ts";

/*
 * Every control of the application writes by one of these calls. Each is sent as by a double click: again before the
 * first response, and again right after it. The table lists all calls, or it does not compile.
 */

const here = new AbortController().signal;
const path = "/api/things";
const id = "0198c0de-0000-7000-8000-000000000001";
const draft = { base: "", files: [] };
const person = { token: "t", name: "Ada", email: "ada@example.com", password: "correct horse" };
let keys = 0;
/** A new key per press, as on the screens. */
const key = () => `key-${keys++}`;

const reads = {
  imports: (calls) => calls.imports(path, here),
  import: (calls) => calls.import(path, id, here),
  application: (calls) => calls.application(),
  mailsOfLink: (calls) => calls.mailsOfLink("token", here),
  openPoints: (calls) => calls.openPoints(),
  overview: (calls) => calls.overview("/"),
  letter: (calls) => calls.letter("/things/{id}/letter", id, ""),
  document: (calls) => calls.document(),
  stateCounts: (calls) => calls.stateCounts(),
  proposals: (calls) => calls.proposals(null),
  proposal: (calls) => calls.proposal(2),
  roleHolders: (calls) => calls.roleHolders(),
  tryRemovals: (calls) => calls.tryRemovals("Thing", [id]),
  tryTransitions: (calls) => calls.tryTransitions("Thing", [id]),
  why: (calls) => calls.why({ do: "Thing.lend", record: id }),
  permissions: (calls) => calls.permissions({ of: "Thing", record: id, as: "" }),
  undecidedAt: (calls) => calls.undecidedAt("/things"),
  questions: (calls) => calls.questions(),
  people: (calls) => calls.people({}, null),
  signIns: (calls) => calls.signIns("", true, null),
  unsent: (calls) => calls.unsent(null),
  accounts: (calls) => calls.accounts([id]),
  personAccount: (calls) => calls.personAccount(id),
  account: (calls) => calls.account(),
  registrations: (calls) => calls.registrations(here),
  outboundHold: (calls) => calls.outboundHold(here),
  list: (calls) => calls.list(path, new URLSearchParams()),
  notifications: (calls) => calls.notifications(null),
  views: (calls) => calls.views(),
  groups: (calls) => calls.groups(path, new URLSearchParams()),
  pivot: (calls) => calls.pivot(path, new URLSearchParams()),
  trash: (calls) => calls.trash("", null),
  preferences: (calls) => calls.preferences(),
  changes: (calls) => calls.changes(null, here),
  record: (calls) => calls.record(path, id),
  recordWithParts: (calls) => calls.recordWithParts(path, id),
  history: (calls) => calls.history(path, id),
  pictures: (calls) => calls.pictures([id]),
  visit: (calls) => calls.visit("Thing", id),
  previews: (calls) => calls.previews(),
  previewUse: (calls) => calls.previewUse(id, here),
  retired: (calls) => calls.retired(here),
  sampleRetired: (calls) => calls.sampleRetired({ name: "Thing.place", version: 2 }, here),
  versions: (calls) => calls.versions(null, here),
  version: (calls) => calls.version(2, here),
  job: (calls) => calls.job(),
} satisfies { readonly [name in keyof ApiClient]?: (calls: ApiClient) => Promise<unknown> };

const writes = {
  askForDecision: (calls) => calls.askForDecision({ do: "Thing.lend" }),
  planDocument: (calls) => calls.planDocument(draft),
  plannedRecords: (calls) => calls.plannedRecords(draft, "3.Thing.name", null),
  replayDocument: (calls) => calls.replayDocument(draft),
  planProposal: (calls) => calls.planProposal(2),
  propose: (calls) => calls.propose(draft),
  editProposal: (calls) => calls.editProposal(2, 1, draft),
  actOnProposal: (calls) => calls.actOnProposal(2, "approve", { hash: "", comment: "" }),
  planRestore: (calls) => calls.planRestore(2, { base: "", note: "" }),
  applyDocument: (calls) => calls.applyDocument(draft),
  signIn: (calls) => calls.signIn({ email: "ada@example.com", password: "correct horse" }),
  signOut: (calls) => calls.signOut(),
  createFirstAdministrator: (calls) => calls.createFirstAdministrator(person),
  removeSamples: (calls) => calls.removeSamples(),
  invite: (calls) => calls.invite({ name: "Ada", email: "ada@example.com" }),
  changeAccount: (calls) => calls.changeAccount(id, { kind: "grant", role: "keeper" }),
  passwordLink: (calls) => calls.passwordLink(id),
  linkOwner: (calls) => calls.linkOwner("t"),
  setPassword: (calls) => calls.setPassword("t", "correct horse"),
  changeOwnName: (calls) => calls.changeOwnName("Ada"),
  closeAccount: (calls) => calls.closeAccount("wrong horse"),
  changePassword: (calls) => calls.changePassword("wrong horse", "correct horse"),
  viewAs: (calls) => calls.viewAs(id),
  endSession: (calls) => calls.endSession(id),
  askToRegister: (calls) => calls.askToRegister("ada@example.com"),
  mailedTransition: (calls) => calls.mailedTransition("t", here),
  registration: (calls) => calls.registration("t", here),
  register: (calls) => calls.register({ ...person, more: {} }),
  releaseHeld: (calls) => calls.releaseHeld(true),
  registrationLink: (calls) => calls.registrationLink(id),
  declineRegistration: (calls) => calls.declineRegistration(id),
  createToken: (calls) => calls.createToken({ name: "report", days: 7, reads: true, roles: [] }),
  endPreview: (calls) => calls.endPreview(),
  startPreview: (calls) => calls.startPreview({ base: "", files: [] }, true),
  previewLink: (calls) => calls.previewLink(id),
  removePreview: (calls) => calls.removePreview(id),
  endToken: (calls) => calls.endToken(id),
  endPersonToken: (calls) => calls.endPersonToken(id, id),
  readNotifications: (calls) => calls.readNotifications({ until: id }),
  askForPassword: (calls) => calls.askForPassword("ada@example.com"),
  resend: (calls) => calls.resend(id),
  makeMailedTransition: (calls) => calls.makeMailedTransition("token", {}, 1),
  stopMails: (calls) => calls.stopMails("token", false),
  restoreVersion: (calls) => calls.restoreVersion(2, { base: "", note: "" }),
  saveView: (calls) => calls.saveView({ screen: "/things", title: "Mine", query: "", shared: false }),
  savePreferences: (calls) => calls.savePreferences({ theme: "dark" }),
  removeView: (calls) => calls.removeView(id),
  saveVisit: (calls) => calls.saveVisit("Thing", id, "2026-11-20T09:00:00.000Z"),
  create: (calls) => calls.create(path, { name: "Ladder" }, key()),
  change: (calls) => calls.change(path, id, 3, { name: "Ladder" }),
  remove: (calls) => calls.remove(path, id, 3),
  nameDeputy: (calls) => calls.nameDeputy({ deputy: id }, [{ id, version: 3, last_day: null }], key()),
  transition: (calls) => calls.transition(path, id, { name: "lend", version: 3, body: {}, key: key() }),
  changeJob: (calls) => calls.changeJob("abandon"),
  restoreFromTrash: (calls) => calls.restoreFromTrash("Thing", id),
  deleteRetired: (calls) => calls.deleteRetired({ name: "Thing.place", version: 2 }),
  actOnImport: (calls) => calls.actOnImport(path, id, "run", null),
} satisfies { readonly [name in keyof ApiClient]?: (calls: ApiClient) => Promise<unknown> };

// Links that the browser follows itself.
type Rest = Exclude<
  keyof ApiClient,
  keyof typeof reads | keyof typeof writes | "download" | "downloadGroups" | "downloadPivot" | "downloadLetter"
>;
const nothing: [Rest] extends [never] ? true : Rest = true;

/** Calls to a server that responds on demand; `sent` contains the received requests. */
const opened = () => {
  const sent: string[] = [];
  const { opened: way, open: answer } = createGate();
  const calls = createCalls(
    async (address, asked) => {
      sent.push(`${asked?.method} ${String(address)} ${String(asked?.body ?? "")}`);
      await way;
      return Response.json({ items: [] });
    },
    {
      version: () => {},
      reached: () => {},
      signedOut: () => {},
      isOffline: () => false,
      answeredByProxy: () => {},
      previewEnded: () => {},
    },
  );
  return { calls, sent, answer };
};

describe("every call that writes", () => {
  test("is listed here, and so is every call that reads", () => expect(nothing).toBe(true));

  test.each(Object.entries(writes))("%s happens once, even if its control is pressed again at once", async (_, ask) => {
    const { calls, sent, answer } = opened();
    const pressed = [ask(calls), ask(calls)];
    answer();
    await Promise.all(pressed);
    await ask(calls);
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toMatch(/^GET/u);
  });

  test.each(Object.entries(reads))("%s writes nothing", async (_, ask) => {
    const { calls, sent, answer } = opened();
    answer();
    await ask(calls);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/^GET/u);
  });
});
