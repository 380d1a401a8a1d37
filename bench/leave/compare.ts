import { isDeepStrictEqual } from "node:util";
import { people } from "./cases.ts";
import type { Dialect, Page } from "./dialect.ts";
import { ask, type LoadRequest } from "./load.ts";

/** The members that the server by hand returns for a record. Ours can return more (`may`), but nothing different. */
const shared = ["id", "version", "created_at", "updated_at", "employee", "kind", "first_day", "last_day", "status"];

type Json = Readonly<Record<string, unknown>>;

/** One writes `08:00:00.5Z` where the other writes `08:00:00.500Z`. */
const plain = (record: Json, names: readonly string[]): Json =>
  Object.fromEntries(
    names.map((name) => [name, name.endsWith("_at") ? Date.parse(String(record[name])) : record[name]]),
  );

/** A server, and how its calls are written. */
export interface Speaker {
  readonly port: number;
  readonly dialect: Dialect;
}

export interface Compared {
  readonly records: number;
  readonly computed: boolean;
}

/**
 * Asks both for what the four people see, the first pages of every state and every record on them one by one, and throws
 * where they differ. `days` is compared where ours has it.
 */
export const compare = async (
  speakers: readonly [ours: Speaker, theirs: Speaker],
  pages: number,
): Promise<Compared> => {
  let records = 0;
  let computed = true;
  const differ = (what: string, ours: unknown, theirs: unknown): void => {
    if (!isDeepStrictEqual(ours, theirs))
      throw new Error(`${what} differs\nours:   ${JSON.stringify(ours)}\ntheirs: ${JSON.stringify(theirs)}`);
  };
  const get = async ({ port, dialect }: Speaker, shot: LoadRequest) => {
    const answer = await ask(port, shot);
    if (dialect.isRefused(answer))
      throw new Error(`${shot.path} for person ${shot.person}: ${answer.status} ${answer.body}`);
    return answer;
  };
  for (const [who, person] of Object.entries(people))
    for (const status of ["draft", "submitted", "granted", "refused", "withdrawn"]) {
      const after: (string | null)[] = [null, null];
      for (let page = 0; page < pages; page++) {
        const [ours, theirs] = (await Promise.all(
          speakers.map(async (speaker, i) => {
            const { dialect } = speaker;
            return dialect.toPage(await get(speaker, dialect.list(status, after[i] ?? null, person)));
          }),
        )) as [Page, Page];
        const items = [ours.items, theirs.items] as const;
        computed &&= items[0].every((item) => "days" in item);
        const names = computed ? [...shared, "days"] : shared;
        const what = `page ${page + 1} of ${status} for ${who}`;
        differ(
          what,
          items[0].map((item) => plain(item, names)),
          items[1].map((item) => plain(item, names)),
        );
        differ(`whether there is a page after ${what}`, ours.next === null, theirs.next === null);
        records += items[0].length;
        if (page === 0)
          for (const { id } of items[0].slice(0, 10)) {
            const [a, b] = await Promise.all(
              speakers.map(async (speaker) => {
                const record = speaker.dialect.toRecord(await get(speaker, speaker.dialect.read(id, person)));
                return plain(record, [...names, "note"]);
              }),
            );
            differ(`request ${id} for ${who}`, a, b);
          }
        if (ours.next === null) break;
        after[0] = ours.next;
        after[1] = theirs.next;
      }
    }
  return { records, computed };
};
