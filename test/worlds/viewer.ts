import type { Pair } from "./pair.ts";
import type { WorldPerson } from "./people.ts";
import { platformRequests, randomFrom, readRequests, writeRequests } from "./requests.ts";
import { requestSourceFor } from "./run.ts";

/*
 * An administrator views the application as another person and sends all requests that this person could send, and
 * invalid ones. Nothing is written: each request except reads is refused as one of a viewer, and all tables stay
 * unchanged.
 */

export interface ViewerResult {
  readonly asked: number;
  /** Requests refused for another reason, or not refused. */
  readonly passed: readonly string[];
  /** Tables that changed, and refusals logged under the wrong person. */
  readonly changed: readonly string[];
}

/** Requests that end the viewing, and endpoints for signing in, which are open to everybody. */
const isNobodys = (path: string): boolean =>
  /^\/_\/(?:look|session|password|password-link|forgotten-password|mail\/unsubscribe|mail\/transition(?:-link)?|first-administrator|sign-up(?:\/\w+)?)$/u.test(
    path,
  );

const READS = 40;

/** Views as a person of a pair without differences; undefined if nobody views as that person. */
export const requestAsViewer = async (
  pair: Pair,
  person: WorldPerson,
  seed: number,
): Promise<ViewerResult | undefined> => {
  const look = person.others.find(({ headers }) => headers === undefined);
  if (look === undefined) return undefined;
  const { store, served } = pair.one;
  await served.refusals.write();
  await pair.begin([]);
  const random = randomFrom(seed);
  const asking = await requestSourceFor(pair, person, pair.rows, random);
  const administrator = pair.in(pair.one, look.cookie);
  const platform = Object.values(platformRequests(asking)).flat();
  const all = [
    ...random.some(readRequests(asking), READS),
    ...random.some(platform, platform.length),
    ...writeRequests(asking, 1),
  ].filter(({ path }) => !isNobodys(path));
  const passed: string[] = [];
  for (const { method, path, body, headers } of all) {
    const answer = await administrator.send(method, path, body, { headers: { ...headers, "accept-language": "en" } });
    const isRefused = answer.status === 403 && answer.text.includes("You’re viewing as");
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
