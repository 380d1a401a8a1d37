import type { ApiClient, TestServer } from "../program.ts";
import type { Way, Ways } from "./aimed.ts";

/** Creates the persons of an application and the ways to perform its operations. */
export type Makes = (served: TestServer) => Promise<Ways>;

/** An earlier version of a document, and the requests made under it. */
export interface Earlier {
  readonly said: (text: string) => string;
  readonly done: (served: TestServer) => Promise<void>;
}

export const listOf = (entity: string, by: ApiClient): Readonly<Record<string, Way>> => ({
  [`${entity}.list`]: () => ({ by }),
});

/** Reads a record and its history. */
export const readOf = (
  entity: string,
  by: ApiClient,
  idOf: () => string | Promise<string>,
): Readonly<Record<string, Way>> => {
  const way = async () => ({ by, id: await idOf() });
  return { [`${entity}.read`]: way, [`${entity}.history`]: way };
};

/** The date a number of days from today. */
export const dayFrom = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Uploads a file and returns its id. */
export const sentFile = async (by: ApiClient): Promise<string> => {
  const headers = { "content-type": "application/pdf" };
  const sent = await by.send("POST", "/_/files?name=note.pdf", undefined, { headers, raw: Buffer.from("%PDF-1.7\n") });
  return (sent.body as { readonly id: string }).id;
};

/** A unique name; slugs are made of its letters. */
export const named = (name: string, nth: number): string =>
  `${name} ${String.fromCharCode(65 + Math.floor(nth / 26))}${String.fromCharCode(97 + (nth % 26))}`;
