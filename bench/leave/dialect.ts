import type { Answer, LoadRequest } from "./load.ts";

/** A request for leave as the server by hand returns it. Others can return more. */
export interface LeaveRecord {
  readonly id: string;
  readonly employee: { readonly id: string; readonly label: string };
  readonly [member: string]: unknown;
}

export interface Page {
  readonly items: readonly LeaveRecord[];
  readonly next: string | null;
}

export interface Draft {
  readonly kind: string;
  readonly first_day: string;
  readonly last_day: string;
  readonly note: string;
}

/** How the calls of a server are written, and its responses read. `person`: the number of the person in the data. */
export interface Dialect {
  readonly read: (id: string, person: number) => LoadRequest;
  /** The newest fifty in a state, or after the end of a page. */
  readonly list: (status: string, after: string | null, person: number) => LoadRequest;
  readonly create: (draft: Draft, person: number) => LoadRequest;
  readonly move: (act: string, id: string, person: number) => LoadRequest;
  readonly isRefused: (answer: Answer) => boolean;
  /** The record of a response to `read`, `create` or `move`. */
  readonly toRecord: (answer: Answer) => LeaveRecord;
  readonly toPage: (answer: Answer) => Page;
}

export const listPath = (status: string | null, after: string | null = null): string =>
  `/api/requests?${status === null ? "" : `status=${status}&`}sort=-first_day&limit=50${after === null ? "" : `&after=${after}`}`;

/** The calls of Ninefold and of the server by hand. */
export const conventional: Dialect = {
  read: (id, person) => ({ method: "GET", path: `/api/requests/${id}`, person }),
  list: (status, after, person) => ({ method: "GET", path: listPath(status, after), person }),
  create: (draft, person) => ({ method: "POST", path: "/api/requests", person, body: JSON.stringify(draft) }),
  move: (act, id, person) => ({ method: "POST", path: `/api/requests/${id}/${act}`, person }),
  isRefused: ({ status }) => status > 299,
  toRecord: ({ body }) => JSON.parse(body) as LeaveRecord,
  toPage: ({ body }) => JSON.parse(body) as Page,
};
