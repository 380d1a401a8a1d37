import { overviewCall, recordCall } from "../../core/derive/http/preload-requests.ts";
import type { OwnAccountJson, TokenMadeJson } from "../../core/wire/accounts/account.ts";
import type {
  LinkJson,
  LinkOwnerJson,
  PeopleJson,
  PersonAccountJson,
  PicturesJson,
  RegisteringJson,
  RegistrationJson,
} from "../../core/wire/accounts/people.ts";
import type { PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { SignInsJson } from "../../core/wire/accounts/sign-ins.ts";
import type { Application } from "../../core/wire/application.ts";
import type {
  AppliedJson,
  ChangeJson,
  DocumentJson,
  DraftJson,
  StateCountsJson,
} from "../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../core/wire/authoring/job.ts";
import type { OpenPointsJson } from "../../core/wire/authoring/open-points.ts";
import type { PreviewJson, PreviewsJson } from "../../core/wire/authoring/previews.ts";
import type { ProposalsJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { DecisionWanted, QuestionsJson, UndecidedJson } from "../../core/wire/authoring/questions.ts";
import type { ReplayJson } from "../../core/wire/authoring/replay.ts";
import type { DeletedRetiredJson, RetiredKey, RetiredListJson } from "../../core/wire/authoring/retired.ts";
import type { RestoreJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import type { ChangesJson } from "../../core/wire/changes.ts";
import type { GroupsJson } from "../../core/wire/groups.ts";
import type { HistoryJson, VisitJson } from "../../core/wire/history.ts";
import type { ImportJson, ImportSettings, ImportsJson } from "../../core/wire/imports.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ListJson, ViewJson, ViewsJson } from "../../core/wire/lists.ts";
import type { NotificationsJson } from "../../core/wire/notifications.ts";
import type { OutboundHoldJson } from "../../core/wire/outbound-hold.ts";
import type { OverviewJson } from "../../core/wire/overview.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TrashJson } from "../../core/wire/trash.ts";
import type { UnsentPageJson } from "../../core/wire/unsent.ts";
import type { PermissionsJson, WhyJson } from "../../core/wire/why.ts";
import { CallFailed, readFailure } from "./api-error.ts";
import { createOnce } from "./dedupe-mutations.ts";

export type Body = { readonly [field: string]: Json };

/** All calls of the interface. Each returns its result or throws a `CallFailed`. */
/** An act on a proposal. */
export type ProposalActName = "approve" | "reject" | "withdraw" | "reopen" | "comment";

export interface ApiClient {
  /** The newest imports of the user into an entity; `path` is that of its calls. */
  imports(path: string, signal?: AbortSignal): Promise<ImportsJson>;
  import(path: string, id: string, signal?: AbortSignal): Promise<ImportJson>;
  actOnImport(
    path: string,
    id: string,
    act: "check" | "run" | "undo" | "cancel",
    settings: ImportSettings | null,
  ): Promise<ImportJson>;
  application(signal?: AbortSignal): Promise<Application>;
  openPoints(signal?: AbortSignal): Promise<OpenPointsJson>;
  /** The contents of a dashboard's tiles; `screen` is its path. */
  overview(screen: string, signal?: AbortSignal): Promise<OverviewJson>;
  document(signal?: AbortSignal): Promise<DocumentJson>;
  stateCounts(signal?: AbortSignal): Promise<StateCountsJson>;
  /** Explains whether the user can do something with a record, or in general; `do` is `Request.grant`. */
  why(
    question: { readonly do: string; readonly record: string; readonly field?: string; readonly as?: string },
    signal?: AbortSignal,
  ): Promise<WhyJson>;
  /** All permissions of the user, or for administrators of somebody else, on an entity or a record. */
  permissions(
    question: { readonly of: string; readonly record: string; readonly as: string },
    signal?: AbortSignal,
  ): Promise<PermissionsJson>;
  /** Asks for an undecided permission: `do` is `Request.grant`. */
  askForDecision(question: DecisionWanted): Promise<void>;
  /** The undecided permissions of a screen; null if there are none. */
  undecidedAt(where: string, signal?: AbortSignal): Promise<UndecidedJson>;
  questions(signal?: AbortSignal): Promise<QuestionsJson>;
  /** The effect of a draft on stored data. */
  planDocument(draft: DraftJson, signal?: AbortSignal): Promise<ChangeJson>;
  /** Checks what people did in the last days under a draft. */
  replayDocument(draft: DraftJson, signal?: AbortSignal): Promise<ReplayJson>;
  /** The job, if it takes long. */
  applyDocument(draft: DraftJson): Promise<AppliedJson | JobJson>;
  /** The version that is being published, or was published last. */
  job(signal?: AbortSignal): Promise<NewestJobJson>;
  changeJob(to: "pause" | "resume" | "abandon"): Promise<JobJson>;
  /** The proposals before one; `null` for the newest. */
  proposals(before: string | null, signal?: AbortSignal): Promise<ProposalsJson>;
  proposal(number: number, signal?: AbortSignal): Promise<ProposalTextJson>;
  planProposal(number: number): Promise<ChangeJson>;
  propose(draft: DraftJson): Promise<ProposalTextJson>;
  editProposal(number: number, revision: number, draft: DraftJson): Promise<ProposalTextJson>;
  actOnProposal(
    number: number,
    act: ProposalActName,
    review: { readonly hash: string; readonly comment: string },
  ): Promise<ProposalTextJson>;
  /** The versions before one; `null` for the newest. */
  retired(signal?: AbortSignal): Promise<RetiredListJson>;
  deleteRetired(key: RetiredKey): Promise<DeletedRetiredJson>;
  versions(before: string | null, signal?: AbortSignal): Promise<VersionsJson>;
  version(number: number, signal?: AbortSignal): Promise<VersionTextJson>;
  planRestore(number: number, request: RestoreJson): Promise<ChangeJson>;
  restoreVersion(number: number, request: RestoreJson): Promise<AppliedJson | JobJson>;
  signIn(
    credentials:
      | { readonly [field: string]: string; readonly password: string }
      | { readonly demonstration: string }
      | { readonly preview: string },
  ): Promise<void>;
  signOut(): Promise<void>;
  previews(signal?: AbortSignal): Promise<PreviewsJson>;
  /** Copies the data and applies a draft to the copy; with `mask`, personal values are replaced. */
  startPreview(draft: DraftJson, mask: boolean): Promise<PreviewJson>;
  /** An address that signs in to a preview, once. */
  previewLink(id: string): Promise<{ readonly link: string }>;
  removePreview(id: string): Promise<void>;
  /** Ends the preview that the page belongs to. */
  endPreview(): Promise<void>;
  makeFirstAdministrator(account: {
    readonly token: string;
    readonly name: string;
    readonly email: string;
    readonly password: string;
  }): Promise<void>;
  /** All people by name, page by page; for administrators. */
  people(search: string, after: string | null, signal?: AbortSignal): Promise<PeopleJson>;
  signIns(search: string, failed: boolean, after: string | null, signal?: AbortSignal): Promise<SignInsJson>;
  personAccount(id: string, signal?: AbortSignal): Promise<PersonAccountJson>;
  invite(person: Body): Promise<LinkJson>;
  changeAccount(id: string, act: AccountUpdate): Promise<void>;
  passwordLink(id: string): Promise<LinkJson>;
  linkOwner(token: string): Promise<LinkOwnerJson>;
  setPassword(token: string, password: string): Promise<void>;
  /** Responds in the same way whether or not the address has an account. */
  askForPassword(email: string): Promise<void>;
  unsent(after: string | null, signal?: AbortSignal): Promise<UnsentPageJson>;
  sendAgain(id: string): Promise<void>;
  /** Ends emails about notifications of the person in the token. */
  stopMails(token: string): Promise<void>;
  account(signal?: AbortSignal): Promise<OwnAccountJson>;
  changePassword(current: string, password: string): Promise<void>;
  changeOwnName(name: string): Promise<void>;
  /** Closes the user's own account and signs out. `password`: of people who have one. */
  closeAccount(password: string): Promise<void>;
  /** Starts viewing as somebody else, read-only; null ends it. For administrators. */
  look(person: string | null): Promise<void>;
  /** Ends one of the user's own sessions; null: all but this one. */
  endSession(id: string | null): Promise<void>;
  /** Responds in the same way whether or not the address has an account. */
  askToRegister(email: string): Promise<void>;
  registration(token: string, signal: AbortSignal): Promise<RegisteringJson>;
  /** With the token of a link, or with the address where registration needs no link. */
  register(account: {
    readonly token?: string;
    readonly email?: string;
    readonly name: string;
    readonly password: string;
    readonly more: Body;
  }): Promise<void>;
  registrations(signal: AbortSignal): Promise<{ readonly items: readonly RegistrationJson[] }>;
  /** Messages held after a restore; null if there is no hold. */
  outboundHold(signal: AbortSignal): Promise<OutboundHoldJson | null>;
  /** `old`: send messages that were pending in the backup, too. */
  letGo(old: boolean): Promise<void>;
  registrationLink(id: string): Promise<LinkJson>;
  turnAway(id: string): Promise<void>;
  /** Creates an API token. Its secret is returned once. */
  makeToken(wish: {
    readonly name: string;
    readonly days: number;
    readonly reads: boolean;
    readonly roles: readonly string[];
    /** The current password, if there is one. */
    readonly password?: string;
  }): Promise<TokenMadeJson>;
  endToken(id: string): Promise<void>;
  endPersonToken(id: string, token: string): Promise<void>;
  /** `path` is the path of the entity: `/api/loans`. */
  list(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<ListJson>;
  /** The groups of a list, with counts and sums. */
  groups(path: string, query: URLSearchParams, signal?: AbortSignal): Promise<GroupsJson>;
  /** Notifications, newest first; `more`: unread only, and labels of records. */
  notifications(
    after: string | null,
    signal?: AbortSignal,
    more?: { readonly unread?: "true"; readonly label?: "true" },
  ): Promise<NotificationsJson>;
  /** Marks one and all earlier ones as read, or all about a record. */
  readNotifications(which: { readonly until: string } | { readonly record: string }): Promise<void>;
  /** The person's preferences. */
  preferences(): Promise<PreferencesJson>;
  /** Changes preferences; also sent while the page is being left. */
  prefer(chosen: PreferencesJson): Promise<void>;
  views(signal?: AbortSignal): Promise<ViewsJson>;
  saveView(view: Pick<ViewJson, "screen" | "title" | "query" | "shared">): Promise<void>;
  removeView(id: string): Promise<void>;
  /** Downloads all rows of a list as a file. */
  download(path: string, query: URLSearchParams): void;
  /** Downloads the groups of a list as a file. */
  downloadGroups(path: string, query: URLSearchParams): void;
  /** Waits for changes after a position, or until a time limit; without a position, returns the current one. */
  changes(after: string | null, signal: AbortSignal): Promise<ChangesJson>;
  /** `screen`: path of the record's screen, if it has conditional fields. */
  record(path: string, id: string, signal?: AbortSignal, screen?: string | null): Promise<RecordJson>;
  /** A record with its parts. */
  whole(path: string, id: string, signal?: AbortSignal): Promise<RecordJson>;
  history(path: string, id: string, signal?: AbortSignal): Promise<HistoryJson>;
  /** Pictures of people, where readable. */
  pictures(people: readonly string[]): Promise<PicturesJson>;
  /** The previous visit to a record; `of` is its entity. */
  visit(of: string, record: string, signal?: AbortSignal): Promise<VisitJson>;
  /** Records a visit to a record as of `seen`; sent when the page is left. */
  visited(of: string, record: string, seen: string): Promise<void>;
  /** Equal keys create one record, however often the call is repeated. */
  create(path: string, body: Body, key: string): Promise<RecordJson>;
  change(path: string, id: string, version: number, body: Body): Promise<RecordJson>;
  remove(path: string, id: string, version: number): Promise<void>;
  /** Deleted records, newest first; `of` is an entity, or null for all. */
  trash(of: string | null, after: string | null, signal?: AbortSignal): Promise<TrashJson>;
  bringBack(of: string, record: string): Promise<void>;
  transition(path: string, id: string, name: string, version: number, body: Body, key: string): Promise<RecordJson>;
}

export type AccountUpdate =
  | { readonly kind: "activate" | "deactivate" | "end_sessions" }
  | { readonly kind: "grant" | "take"; readonly role: string };

/** Observations about responses. */
export interface Notices {
  /** Version of the document that answered. */
  version(version: number): void;
  /** Reachability of the server and its database. */
  reached(how: "reached" | "away" | "unreachable"): void;
  signedOut(): void;
}

interface RequestOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: Body | DraftJson;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal | undefined;
  readonly signingIn?: boolean;
  /** The call changes nothing, so that asking again is no mistake. */
  readonly isReading?: boolean;
  readonly patience?: number;
  /** The request continues after the page is left. */
  readonly keepalive?: boolean;
}

/** Lets the browser save the file at an address. */
const saveAs = (address: string): void => {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
};

/** Time limit in milliseconds. */
const usualPatience = 30_000;

/** Applying a document may take long; the server cancels a statement after ten minutes. */
const patienceWithChanges = 30 * 60_000;

/** A unique key. `crypto.randomUUID` requires HTTPS, which a server in a local network may not have. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const createCalls = (send: typeof fetch, notices: Notices): ApiClient => {
  const writeOnce = createOnce<Response>();
  const ask = async (path: string, options: RequestOptions): Promise<Response> => {
    const { method = "GET", body, headers } = options;
    if (method === "GET" || options.isReading) return readAnswer(path, options);
    const what = JSON.stringify([method, path, body, headers?.["If-Match"]]);
    return (await writeOnce(what, () => readAnswer(path, options))).clone();
  };
  const readAnswer = async (
    path: string,
    {
      method = "GET",
      body,
      headers,
      signal,
      signingIn = false,
      keepalive = false,
      patience = usualPatience,
    }: RequestOptions,
  ) => {
    const limit = AbortSignal.timeout(patience);
    let response: Response;
    try {
      response = await send(path, {
        method,
        headers: { Accept: "application/json", ...(body && { "Content-Type": "application/json" }), ...headers },
        body: body ? JSON.stringify(body) : null,
        keepalive,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      notices.reached("unreachable");
      throw new CallFailed({ kind: "unreachable" }, cause);
    }
    const version = Number(response.headers.get("Ninefold-Version"));
    if (version > 0) notices.version(version);
    if (response.ok) {
      notices.reached("reached");
      return response;
    }
    const failure = await readFailure(response, signingIn);
    notices.reached(failure.kind === "away" ? "away" : "reached");
    if (failure.kind === "signed out") notices.signedOut();
    throw new CallFailed(failure);
  };

  const read = async <T>(path: string, options: RequestOptions = {}): Promise<T> => {
    const response = await ask(path, options);
    try {
      return (await response.json()) as T;
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      throw new CallFailed({ kind: "broken", reference: null }, cause);
    }
  };

  /** A question about a draft. One that can be cancelled is asked again as often as the draft changes. */
  const draftRequest = (body: DraftJson, signal: AbortSignal | undefined): RequestOptions => ({
    method: "POST",
    body,
    patience: patienceWithChanges,
    signal,
    isReading: signal !== undefined,
  });
  const at = (path: string, ...segments: readonly string[]) => [path, ...segments.map(encodeURIComponent)].join("/");
  const match = (version: number) => ({ "If-Match": `"${version}"` });

  return {
    application: (signal) => read("/_/application", { signal }),
    openPoints: (signal) => read("/_/open-points", { signal }),
    overview: (screen, signal) => {
      const call = overviewCall(screen);
      return read(`${call.path}?${new URLSearchParams(call.query)}`, { signal });
    },
    document: (signal) => read("/_/document", { signal }),
    stateCounts: (signal) => read("/_/document/states", { signal }),
    look: async (person) => {
      await ask("/_/look", person === null ? { method: "DELETE" } : { method: "POST", body: { person } });
    },
    questions: (signal) => read("/_/questions", { signal }),
    undecidedAt: (where, signal) => read(`/_/questions?${new URLSearchParams({ where })}`, { signal }),
    askForDecision: async (question) => {
      await ask("/_/questions", { method: "POST", body: { ...question } });
    },
    why: (question, signal) => read(`/api/why?${new URLSearchParams(question)}`, { signal }),
    permissions: (question, signal) => read(`/_/permissions?${new URLSearchParams(question)}`, { signal }),
    retired: (signal) => read("/_/retired", { signal }),
    deleteRetired: ({ name, version }) => read("/_/retired/delete", { method: "POST", body: { name, version } }),
    proposals: (before, signal) =>
      read(before === null ? "/_/proposals" : `/_/proposals?${new URLSearchParams({ before })}`, { signal }),
    proposal: (number, signal) => read(`/_/proposals/${number}`, { signal }),
    planProposal: (number) =>
      read(`/_/proposals/${number}/plan`, { method: "POST", body: {}, patience: patienceWithChanges }),
    propose: (draft) => read("/_/proposals", { method: "POST", body: draft, patience: patienceWithChanges }),
    editProposal: (number, revision, draft) =>
      read(`/_/proposals/${number}?revision=${revision}`, {
        method: "POST",
        body: draft,
        patience: patienceWithChanges,
      }),
    actOnProposal: (number, act, review) =>
      read(`/_/proposals/${number}/${act}`, { method: "POST", body: { ...review }, patience: patienceWithChanges }),
    versions: (before, signal) =>
      read(before === null ? "/_/versions" : `/_/versions?${new URLSearchParams({ before })}`, { signal }),
    version: (number, signal) => read(`/_/versions/${number}`, { signal }),
    planRestore: (number, request) =>
      read(`/_/versions/${number}/plan`, { method: "POST", body: { ...request }, patience: patienceWithChanges }),
    restoreVersion: (number, request) =>
      read(`/_/versions/${number}/restore`, { method: "POST", body: { ...request }, patience: patienceWithChanges }),
    planDocument: (draft, signal) => read("/_/document/plan", draftRequest(draft, signal)),
    replayDocument: (draft, signal) => read("/_/document/replay", draftRequest(draft, signal)),
    applyDocument: (draft) => read("/_/document", { method: "POST", body: draft, patience: patienceWithChanges }),
    job: (signal) => read("/_/job", { signal }),
    changeJob: (to) => read(`/_/job/${to}`, { method: "POST", body: {} }),
    signIn: async (credentials) => {
      await ask("/_/session", { method: "POST", body: credentials, signingIn: true });
    },
    signOut: async () => {
      await ask("/_/session", { method: "DELETE" });
    },
    makeFirstAdministrator: async (account) => {
      await ask("/_/first-administrator", { method: "POST", body: account, signingIn: true });
    },
    people: (search, after, signal) =>
      read(`/_/people?${new URLSearchParams({ ...(search === "" ? {} : { search }), ...(after && { after }) })}`, {
        signal,
      }),
    signIns: (search, failed, after, signal) =>
      read(
        `/_/sign-ins?${new URLSearchParams({ ...(search === "" ? {} : { search }), ...(failed ? { failed: "true" } : {}), ...(after && { after }) })}`,
        { signal },
      ),
    personAccount: (id, signal) => read(at("/_/people", id), { signal }),
    invite: (person) => read("/_/people", { method: "POST", body: person }),
    changeAccount: async (id, act) => {
      await ask(at("/_/people", id, act.kind), { method: "POST", body: "role" in act ? { role: act.role } : {} });
    },
    passwordLink: (id) => read(at("/_/people", id, "password_link"), { method: "POST", body: {} }),
    linkOwner: (token) => read("/_/password-link", { method: "POST", body: { token }, signingIn: true }),
    setPassword: async (token, password) => {
      await ask("/_/password", { method: "POST", body: { token, password }, signingIn: true });
    },
    askForPassword: async (email) => {
      await ask("/_/forgotten-password", { method: "POST", body: { email }, signingIn: true });
    },
    unsent: (after, signal) => read(`/_/unsent${after ? `?after=${after}` : ""}`, { signal }),
    sendAgain: async (id) => {
      await ask(at("/_/unsent", id, "send"), { method: "POST", body: {} });
    },
    stopMails: async (token) => {
      await ask("/_/mail/unsubscribe", { method: "POST", body: { token }, signingIn: true });
    },
    account: (signal) => read("/_/account", { signal }),
    changePassword: async (current, password) => {
      await ask("/_/account/password", { method: "POST", body: { current, password } });
    },
    changeOwnName: async (name) => {
      await ask("/_/account/name", { method: "POST", body: { name } });
    },
    closeAccount: async (password) => {
      await ask("/_/account/close", { method: "POST", body: { password } });
    },
    endSession: async (id) => {
      await ask(id === null ? "/_/account/sessions" : at("/_/account/sessions", id), { method: "DELETE" });
    },
    askToRegister: async (email) => {
      await ask("/_/sign-up", { method: "POST", body: { email }, signingIn: true });
    },
    registration: (token, signal) =>
      read("/_/sign-up/link", { method: "POST", body: { token }, signingIn: true, signal }),
    register: async (account) => {
      await ask("/_/sign-up/account", { method: "POST", body: account, signingIn: true });
    },
    previews: (signal) => read("/_/previews", { signal }),
    startPreview: (draft, mask) => read(`/_/previews?mask=${mask}`, { method: "POST", body: draft }),
    previewLink: (id) => read(at("/_/previews", id, "link"), { method: "POST", body: {} }),
    removePreview: async (id) => {
      await ask(at("/_/previews", id), { method: "DELETE" });
    },
    endPreview: async () => {
      await ask("/_/preview", { method: "DELETE" });
    },
    outboundHold: async (signal) =>
      (await read<{ readonly held: OutboundHoldJson | null }>("/_/held", { signal })).held,
    letGo: async (old) => {
      await ask("/_/held/let-go", { method: "POST", body: { old } });
    },
    registrations: (signal) => read("/_/sign-ups", { signal }),
    registrationLink: (id) => read(at("/_/sign-ups", id, "link"), { method: "POST", body: {} }),
    turnAway: async (id) => {
      await ask(at("/_/sign-ups", id), { method: "DELETE" });
    },
    makeToken: (wish) => read("/_/account/tokens", { method: "POST", body: wish }),
    endToken: async (id) => {
      await ask(at("/_/account/tokens", id), { method: "DELETE" });
    },
    endPersonToken: async (id, token) => {
      await ask(at("/_/people", id, "tokens", token), { method: "DELETE" });
    },
    notifications: (after, signal, more = {}) => {
      const query = new URLSearchParams({ ...more, ...(after === null ? {} : { after }) }).toString();
      return read(`/_/notifications${query === "" ? "" : `?${query}`}`, { signal });
    },
    readNotifications: async (which) => {
      await ask("/_/notifications/read", { method: "POST", body: { ...which } });
    },
    preferences: () => read("/_/preferences"),
    prefer: async (chosen) => {
      await ask("/_/preferences", { method: "POST", body: { ...chosen } as Body, keepalive: true });
    },
    views: (signal) => read("/_/views", { signal }),
    saveView: async (view) => {
      await ask("/_/views", { method: "POST", body: { ...view } });
    },
    removeView: async (id) => {
      await ask(at("/_/views", id), { method: "DELETE" });
    },
    download: (path, query) => saveAs(`/_/export/${path.split("/").at(-1)}.csv?${query}`),
    downloadGroups: (path, query) => saveAs(`/_/groups/${path.split("/").at(-1)}.csv?${query}`),
    changes: (after, signal) => read(`/_/changes${after === null ? "" : `?after=${after}`}`, { signal }),
    groups: (path, query, signal) => read(`/_/groups/${path.split("/").at(-1)}?${query}`, { signal }),
    imports: (path, signal) => read(at(path, "import"), { signal }),
    import: (path, id, signal) => read(at(path, "import", id), { signal }),
    actOnImport: (path, id, act, settings) =>
      read(at(path, "import", id, act), { method: "POST", body: { ...settings } as unknown as Body }),
    list: (path, query, signal) => read(`${path}?${query}`, { signal }),
    record: (path, id, signal, screen = null) => {
      const call = recordCall(path, id, screen);
      return read(`${call.path}?${new URLSearchParams(call.query)}`, { signal });
    },
    whole: (path, id, signal) => read(`${at(path, id)}?label=true&parts=true`, { signal }),
    history: (path, id, signal) => read(at(path, id, "history"), { signal }),
    visit: (of, record, signal) => read(`/_/visits?${new URLSearchParams({ of, record })}`, { signal }),
    pictures: (people) => read(`/_/pictures?${new URLSearchParams({ of: people.join(",") })}`),
    visited: async (of, record, seen) => {
      await ask("/_/visits", { method: "POST", body: { of, record, seen }, keepalive: true });
    },
    create: (path, body, key) => read(path, { method: "POST", body, headers: { "Idempotency-Key": key } }),
    change: (path, id, version, body) => read(at(path, id), { method: "PATCH", body, headers: match(version) }),
    remove: async (path, id, version) => {
      await ask(at(path, id), { method: "DELETE", headers: match(version) });
    },
    trash: (of, after, signal) => {
      const query = new URLSearchParams({ ...(of === null ? {} : { of }), ...(after === null ? {} : { after }) });
      return read(`/_/trash?${query}`, { signal });
    },
    bringBack: async (of, record) => {
      await ask("/_/trash/bring-back", { method: "POST", body: { of, record } });
    },
    transition: (path, id, name, version, body, key) =>
      read(at(path, id, name), { method: "POST", body, headers: { ...match(version), "Idempotency-Key": key } }),
  };
};
