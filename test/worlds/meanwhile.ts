import { setTimeout as sleep } from "node:timers/promises";
import type { ChangesJson } from "../../src/core/wire/changes.ts";
import { Timers } from "../../src/jobs/timers.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import { OURS } from "./named.ts";
import type { Asked, Pair, World } from "./pair.ts";
import type { Somebody } from "./people.ts";
import { type Asking, writeRequests } from "./requests.ts";
import type { Moment, Rows } from "./rows.ts";
import type { Leak } from "./run.ts";
import { differences, sightOf } from "./sight.ts";

/*
 * What happens while somebody does nothing: others write in one of the worlds what that person may not see, while they wait
 * for what changes; and in both worlds time passes, so that what is due happens, on what is hidden as well.
 */

export interface Happening {
  readonly pair: Pair;
  readonly person: Somebody;
  readonly others: readonly Somebody[];
  readonly moment: Moment;
  readonly asking: Asking;
  /** How many writes of others are tried to find some that are hidden. */
  readonly tries: number;
}

export interface Happened {
  /** Where the worlds were told apart by what came while they waited. */
  readonly leak: Pick<Leak, "asked" | "what" | "one" | "other"> | undefined;
  /** By what they see something else, as the document says; undefined where they may still not tell the worlds apart. */
  readonly shown: string | undefined;
  /** What was done; nothing where nothing was found that is hidden. */
  readonly done: readonly string[];
}

/** A write of somebody else. */
interface Theirs {
  readonly who: Somebody;
  readonly asked: Asked;
}

const MOST = 2;
/** How long is waited for what must come. */
const PATIENCE = 20_000;
/** How long is waited for what would come where something leaks: the servers look more often. */
const EARLY = 1_500;

/** Others write in the other world what this person does not see, while they wait for what changes. */
export const meanwhile = async (happening: Happening): Promise<Happened> => {
  const { pair, person } = happening;
  const hidden = await hiddenWrites(happening);
  await pair.again();
  if (hidden.length === 0) return { leak: undefined, shown: undefined, done: [] };
  const waits = await waiting(happening);
  for (const one of hidden) await doneBy(pair, one);
  const leak = await waits?.end();
  const done = hidden.map(({ who, asked }) => `${who.name} did ${asked.what}`);
  return {
    leak: leak && {
      asked: `GET /_/changes, as ${person.name} while ${done.join(", ")}`,
      what: "live updates",
      ...leak,
    },
    shown: await seesNow(happening, [happening.asking.rows[1], (await pair.present())[1]]),
    done,
  };
};

/** Time passes in both worlds. */
export const laterOn = async (happening: Happening): Promise<Happened> => {
  const { pair } = happening;
  const later = new Date(pair.now.getTime() + 400 * 86_400_000);
  const made = await Promise.all(
    [pair.one, pair.other].map(({ served }) => new Timers(() => undefined).run(served.opened.service, later)),
  );
  const shown = await seesNow(happening, await pair.present());
  return { leak: undefined, shown, done: made.some((count) => count > 0) ? ["what was due"] : [] };
};

const doneBy = async (pair: Pair, { who, asked }: Theirs): Promise<boolean> => {
  const { method, path, body, headers = {} } = asked;
  return (await pair.in(pair.other, who.cookie).send(method, path, body, { headers })).status < 300;
};

/** Writes of others after each of which this person sees what they saw, and was told nothing. */
const hiddenWrites = async (happening: Happening): Promise<readonly Theirs[]> => {
  const { pair, others, asking, tries } = happening;
  const { random } = asking;
  const hidden: Theirs[] = [];
  const writes = new Map<Somebody, readonly Asked[]>();
  const writesOf = async (who: Somebody): Promise<readonly Asked[]> => {
    const known = writes.get(who);
    if (known !== undefined) return known;
    const document = (await pair.in(pair.other, who.cookie).get("/api/openapi.json")).body as OpenApi;
    const all = writeRequests({ ...asking, person: who, document, operations: operationsOf(document) }, 3);
    writes.set(who, all);
    return all;
  };
  // Most of what is tried is refused; what counts is what was written.
  for (let tried = 0, wrote = 0; tried < tries * 12 && wrote < tries && hidden.length < MOST; tried++) {
    const who = random.pick(others);
    const asked = who && random.pick(await writesOf(who));
    if (who === undefined || asked === undefined || !(await doneBy(pair, { who, asked }))) continue;
    wrote += 1;
    if ((await seesNow(happening, [asking.rows[1], (await pair.present())[1]])) === undefined) {
      hidden.push({ who, asked });
      continue;
    }
    await pair.again();
    for (const one of hidden) await doneBy(pair, one);
  }
  return hidden;
};

/** What somebody sees or may otherwise between two states of the records, or is told in one of the worlds alone. */
const seesNow = async (
  { pair, person, moment }: Happening,
  states: readonly [Rows, Rows],
): Promise<string | undefined> => {
  const [was, is] = states.map((rows) => sightOf(pair.model, rows, person, moment));
  if (was === undefined || is === undefined) return undefined;
  const [told, other] = await Promise.all(
    [pair.one, pair.other].map((world) =>
      world.store.query(
        // What was made meanwhile has an id of its own in each world.
        `select coalesce(string_agg(it, ',' order by it), '') as all
         from (select entity || text || case when record::text like '${OURS}%' then record::text else '' end as it
               from ninefold.notification where person = $1) as told`,
        [person.id],
      ),
    ),
  );
  const isTold = JSON.stringify(told?.rows) !== JSON.stringify(other?.rows);
  const seen = [...differences(was.seen, is.seen), ...differences(was.may, is.may)][0];
  return seen?.replace(/\/[^.!]*/u, "") ?? (isTold ? "a notification" : undefined);
};

/** So that each line of the audit is newer than whatever a server has seen before its world became what it was. */
let round = 0;

/** Somebody who waits in both worlds; at the end something is written in both that they see. Undefined: they see nothing. */
const waiting = async ({ pair, person, asking }: Happening) => {
  const sight = sightOf(pair.model, asking.rows[1], person, { now: pair.now.toISOString(), today: "" });
  const [entity, record] = [...sight.seen.keys()].find((key) => !key.includes("."))?.split("/") ?? [];
  if (entity === undefined || record === undefined) return undefined;
  const worlds = [pair.one, pair.other];
  /** A line of the audit, by its id. It is the test's own, and goes with it: how many there are is a matter of time. */
  const write = async ({ store }: World): Promise<number> => {
    const { rows } = await store.query(
      `insert into ninefold.audit (entity, record, action, clause, document, changes) values ($1, $2, 'update', '3.${entity}', 1, '{}') returning id`,
      [entity, record],
    );
    return Number(rows[0]?.id);
  };
  const ask = async (world: World, after: string) =>
    (await pair.in(world, person.cookie).get(`/_/changes${after}`)).body as ChangesJson;
  const all = <T>(of: (world: World) => Promise<T>): Promise<readonly T[]> => Promise.all(worlds.map(of));

  round += 1;
  const first = round * 100_000;
  for (const { store } of worlds)
    await store.query("select setval(pg_get_serial_sequence('ninefold.audit', 'id'), $1)", [first]);
  /** A place after all that was written to begin with. A server looks from when somebody waits: that is written until it is noticed. */
  const begin = async (world: World): Promise<ChangesJson> => {
    const start = await ask(world, "");
    let noticed = false;
    const answered = ask(world, `?after=${start.at}`).then((answer) => {
      noticed = true;
      return answer;
    });
    let last = 0;
    for (const end = Date.now() + PATIENCE; !noticed && Date.now() < end; ) {
      last = await write(world);
      await Promise.race([answered, sleep(300)]);
    }
    const { changes } = world.served.opened.service;
    const knows = () => [...(changes.since(start.at)?.values() ?? [])].flat().includes(last);
    for (let { at } = await answered; !knows(); ) ({ at } = await ask(world, `?after=${at}`));
    return ask(world, "");
  };
  const begun = await all(begin);
  let early: ChangesJson | undefined;
  const answers = all(async (world) => {
    const answer = await ask(world, `?after=${begun[worlds.indexOf(world)]?.at}`);
    early ??= answer;
    return answer;
  });
  return {
    end: async (): Promise<{ readonly one: string; readonly other: string } | undefined> => {
      await sleep(EARLY);
      const came = early;
      await all(write);
      const [one, other] = (await answers).map(({ changed }) => JSON.stringify(changed));
      for (const { store } of worlds)
        await store.query(
          "delete from ninefold.audit where id > $1 and changes = '{}' and person is null and record = $2",
          [first, record],
        );
      if (came !== undefined) return { one: "nothing comes", other: JSON.stringify(came.changed) };
      return one === other ? undefined : { one: one ?? "", other: other ?? "" };
    },
  };
};
