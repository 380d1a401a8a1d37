import { recordCall } from "../../core/derive/http/preload-requests.ts";
import type { PicturesJson } from "../../core/wire/accounts/people.ts";
import type { RoleHoldersJson } from "../../core/wire/application.ts";
import type { HistoryJson, VisitJson } from "../../core/wire/history.ts";
import type { RecordJson, TransitionTrialJson } from "../../core/wire/records.ts";
import type { DeletionTrialJson, TrashJson } from "../../core/wire/trash.ts";
import type { PermissionsJson, WhyJson } from "../../core/wire/why.ts";
import { type Body, pathTo, type Requests } from "./requests.ts";

const ifVersion = (version: number) => ({ "If-Match": `"${version}"` });

/** A record and everything about it. */
export const createRecordCalls = ({ act, read }: Requests) => ({
  /** `screen`: path of the record's screen, if it has conditional fields. */
  record: (path: string, id: string, signal?: AbortSignal, screen: string | null = null): Promise<RecordJson> => {
    const call = recordCall(path, id, screen);
    return read(`${call.path}?${new URLSearchParams(call.query)}`, { signal });
  },
  /** A record with its parts. */
  recordWithParts: (path: string, id: string, signal?: AbortSignal): Promise<RecordJson> =>
    read(`${pathTo(path, id)}?label=true&parts=true`, { signal }),
  history: (path: string, id: string, signal?: AbortSignal): Promise<HistoryJson> =>
    read(pathTo(path, id, "history"), { signal }),
  /** Pictures of people, where readable. */
  pictures: (people: readonly string[]): Promise<PicturesJson> =>
    read(`/_/pictures?${new URLSearchParams({ of: people.join(",") })}`),
  /** The previous visit to a record; `of` is its entity. */
  visit: (of: string, record: string, signal?: AbortSignal): Promise<VisitJson> =>
    read(`/_/visits?${new URLSearchParams({ of, record })}`, { signal }),
  /** Records a visit to a record as of `seen`; sent when the page is left. */
  saveVisit: (of: string, record: string, seen: string): Promise<void> =>
    act("/_/visits", { method: "POST", body: { of, record, seen }, keepalive: true }),
  /** Equal keys create one record, however often the call is repeated. */
  create: (path: string, body: Body, key: string): Promise<RecordJson> =>
    read(path, { method: "POST", body, headers: { "Idempotency-Key": key } }),
  change: (path: string, id: string, version: number, body: Body): Promise<RecordJson> =>
    read(pathTo(path, id), { method: "PATCH", body, headers: ifVersion(version) }),
  remove: (path: string, id: string, version: number): Promise<void> =>
    act(pathTo(path, id), { method: "DELETE", headers: ifVersion(version) }),
  /** Names a deputy, after these arrangements have ended on another day or, without one, are removed: all or nothing. */
  nameDeputy: (
    values: Body,
    ends: readonly { readonly id: string; readonly version: number; readonly last_day: string | null }[],
    key: string,
  ): Promise<RecordJson> =>
    read("/_/deputies", {
      method: "POST",
      body: { values, ends: ends.map((end) => ({ ...end })) },
      headers: { "Idempotency-Key": key },
    }),
  /** The people who hold roles that the user can hand to a deputy. */
  roleHolders: (signal?: AbortSignal): Promise<RoleHoldersJson> => read("/_/deputies/holders", { signal }),
  /** The transitions of records that would be refused now; `of` is their entity. Makes none. */
  tryTransitions: (of: string, records: readonly string[]): Promise<TransitionTrialJson> =>
    read(`/_/transitions?${new URLSearchParams({ of, records: records.join(",") })}`),
  /** Why the deletion of each record would be refused now; `of` is their entity. Deletes nothing. */
  tryRemovals: (of: string, records: readonly string[], signal?: AbortSignal): Promise<DeletionTrialJson> =>
    read(`/_/deletion?${new URLSearchParams({ of, records: records.join(",") })}`, { signal }),
  /** Equal keys make it happen once, however often the call is repeated. */
  transition: (
    path: string,
    id: string,
    {
      name,
      version,
      body,
      key,
    }: { readonly name: string; readonly version: number; readonly body: Body; readonly key: string },
  ): Promise<RecordJson> =>
    read(pathTo(path, id, name), { method: "POST", body, headers: { ...ifVersion(version), "Idempotency-Key": key } }),
  /** Deleted records, newest first. `search`: `of=Request&search=lamp&person=…&at%3E=…`. */
  trash: (search: string, after: string | null, signal?: AbortSignal): Promise<TrashJson> => {
    const query = new URLSearchParams(search);
    if (after !== null) query.set("after", after);
    return read(`/_/trash?${query}`, { signal });
  },
  restoreFromTrash: (of: string, record: string): Promise<void> =>
    act("/_/trash/bring-back", { method: "POST", body: { of, record } }),
  /** Explains whether the user can do something with a record, or in general; `do` is `Request.grant`. */
  why: (
    question: { readonly do: string; readonly record: string; readonly field?: string; readonly as?: string },
    signal?: AbortSignal,
  ): Promise<WhyJson> => read(`/api/why?${new URLSearchParams(question)}`, { signal }),
  /** All permissions of the user, or for administrators of somebody else, on an entity or a record. */
  permissions: (
    question: { readonly of: string; readonly record: string; readonly as: string },
    signal?: AbortSignal,
  ): Promise<PermissionsJson> => read(`/_/permissions?${new URLSearchParams(question)}`, { signal }),
});
