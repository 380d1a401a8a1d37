import type { Pair } from "./pair.ts";
import type { Somebody } from "./people.ts";
import { platformRequests, randomFrom, readRequests, writeRequests } from "./requests.ts";
import { askingAs } from "./run.ts";

/*
 * An administrator looks as somebody and asks for all that this person could, and for what nobody may. Nothing of it is done:
 * each request that is no reading is refused as one of somebody who only looks, and afterwards every table is what it was.
 */

export interface Looked {
  readonly asked: number;
  /** What was answered otherwise than that one is only looking. */
  readonly passed: readonly string[];
  /** Tables that are otherwise afterwards, and refusals that are written down as another's than who looks. */
  readonly changed: readonly string[];
}

/** What ends the look, and doors through which somebody comes in anew, whoever stands before them. */
const isNobodys = (path: string): boolean =>
  /^\/_\/(?:look|session|password|password-link|first-administrator|sign-up(?:\/\w+)?)$/u.test(path);

const READS = 40;

/** As somebody of a pair in which nothing is otherwise; undefined where nobody looks as them. */
export const asOneWhoLooks = async (pair: Pair, person: Somebody, seed: number): Promise<Looked | undefined> => {
  const look = person.others.find(({ headers }) => headers === undefined);
  if (look === undefined) return undefined;
  const { store, served } = pair.one;
  await served.refusals.write();
  await pair.begin([]);
  const random = randomFrom(seed);
  const asking = await askingAs(pair, person, pair.rows, random);
  const looker = pair.in(pair.one, look.cookie);
  const platform = Object.values(platformRequests(asking)).flat();
  const all = [
    ...random.some(readRequests(asking), READS),
    ...random.some(platform, platform.length),
    ...writeRequests(asking, 1),
  ].filter(({ path }) => !isNobodys(path));
  const passed: string[] = [];
  for (const { method, path, body, headers } of all) {
    const answer = await looker.send(method, path, body, { headers: { ...headers, "accept-language": "en" } });
    const isRefused = answer.status === 403 && answer.text.includes("You are only looking as");
    if (method !== "GET" && !isRefused) passed.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  await served.refusals.write();
  const { rows: others } = await store.query(
    `select distinct 'refused to ' || person as who from ninefold.refusal
     where person not in (select person from ninefold.session where viewed is not null)`,
  );
  const changed = (await pair.changed()).filter((table) => table !== "ninefold.refusal");
  return { asked: all.length, passed, changed: [...changed, ...others.map(({ who }) => String(who))] };
};
