import { setTimeout as sleep } from "node:timers/promises";
import type { ChangesJson } from "../../src/core/wire/changes.ts";
import { Timers } from "../../src/jobs/timers.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import { withoutPlaces } from "./compare.ts";
import { OURS } from "./named.ts";
import type { Pair, World, WorldRequest } from "./pair.ts";
import type { WorldPerson } from "./people.ts";
import { type RequestSource, writeRequests } from "./requests.ts";
import type { Moment, Rows } from "./rows.ts";
import type { Leak } from "./run.ts";
import { differences, sightOf } from "./sight.ts";

/*
 * Events while a person is idle: in one world, others write data that the person cannot see, while the person waits for
 * changes; and in both worlds time passes, so that scheduled transitions run, also on hidden data.
 */

export interface EventContext {
  readonly pair: Pair;
  readonly person: WorldPerson;
  readonly others: readonly WorldPerson[];
  readonly moment: Moment;
  readonly asking: RequestSource;
  /** Number of writes by others to try. */
  readonly tries: number;
}

export interface EventResult {
  /** The difference observed while waiting. */
  readonly leak: Pick<Leak, "asked" | "what" | "one" | "other"> | undefined;
  /** The clause by which the person legitimately sees a difference; undefined if the worlds must look equal. */
  readonly shown: string | undefined;
  /** The operations performed; empty if none of them was hidden. */
  readonly done: readonly string[];
}

/** A write by another person. */
interface Theirs {
  readonly who: WorldPerson;
  readonly asked: WorldRequest;
}

const MOST = 2;
/** Maximum wait in milliseconds for an expected event. */
const PATIENCE = 80_000;
/** Wait in milliseconds for an unexpected event, longer than the servers' polling interval. */
const EARLY = 1_500;

/** Others write hidden data in the second world while the person waits for changes. */
export const meanwhile = async (happening: EventContext): Promise<EventResult> => {
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

/** Reminders begin on the first of these days. Their moments are within a week of the second, and timeouts before the last. */
const LATER_DAYS = [0, 4, 400];

/** Time passes in both worlds. */
export const laterOn = async (happening: EventContext): Promise<EventResult> => {
  const { pair } = happening;
  const created = await Promise.all(
    [pair.one, pair.other].map(async ({ served }) => {
      const timers = new Timers(() => undefined);
      let count = 0;
      for (const days of LATER_DAYS)
        count += await timers.run(served.opened.service, new Date(pair.now.getTime() + days * 86_400_000));
      return count;
    }),
  );
  const shown = await seesNow(happening, await pair.present());
  return { leak: undefined, shown, done: created.some((count) => count > 0) ? ["what was due"] : [] };
};

const doneBy = async (pair: Pair, { who, asked }: Theirs): Promise<boolean> => {
  const { method, path, body, headers = {} } = asked;
  return (await pair.in(pair.other, who.cookie).send(method, path, body, { headers })).status < 300;
};

/** Writes by others after which the person sees the same records and no notifications. */
const hiddenWrites = async (happening: EventContext): Promise<readonly Theirs[]> => {
  const { pair, others, asking, tries } = happening;
  const { random } = asking;
  const hidden: Theirs[] = [];
  const writes = new Map<WorldPerson, readonly WorldRequest[]>();
  const writesOf = async (who: WorldPerson): Promise<readonly WorldRequest[]> => {
    const known = writes.get(who);
    if (known !== undefined) return known;
    const document = (await pair.in(pair.other, who.cookie).get("/api/openapi.json")).body as OpenApi;
    const all = writeRequests({ ...asking, person: who, document, operations: operationsOf(document) }, 3);
    writes.set(who, all);
    return all;
  };
  // Most attempts are refused; only actual writes count.
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

/** The difference for a person between two states of the records, or by a notification in one world. */
const seesNow = async (
  { pair, person, moment }: EventContext,
  states: readonly [Rows, Rows],
): Promise<string | undefined> => {
  const [was, is] = states.map((rows) => sightOf(pair.model, rows, person, moment));
  if (was === undefined || is === undefined) return undefined;
  const [told, other] = await Promise.all(
    [pair.one, pair.other].map((world) =>
      world.store.query(
        // Generated records have different ids in each world.
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

/** Ensures that each audit line is newer than everything the server saw before its world was prepared. */
let round = 0;

/** A person who waits in both worlds until a visible write happens in both. Undefined if the person sees nothing. */
const waiting = async ({ pair, person, asking }: EventContext) => {
  const sight = sightOf(pair.model, asking.rows[1], person, { now: pair.now.toISOString(), today: "" });
  const [entity, record] = [...sight.seen.keys()].find((key) => !key.includes("."))?.split("/") ?? [];
  if (entity === undefined || record === undefined) return undefined;
  const worlds = [pair.one, pair.other];
  /** An audit line of the test itself, by id; removed afterwards. */
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
  /**
   * A position after all earlier writes. A server polls only while somebody waits, so this writes until it is noticed.
   */
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
    for (let { at } = await answered; (await changes.place()).last < last; )
      ({ at } = await ask(world, `?after=${at}`));
    return ask(world, "");
  };
  const begun = await all(begin);
  /** The answer, the next one after its place, and the one to a person who was not waiting. */
  const follow = async (world: World, answer: ChangesJson): Promise<readonly ChangesJson[]> => {
    const late = await ask(world, `?after=${begun[worlds.indexOf(world)]?.at}`);
    const next = ask(world, `?after=${answer.at}`);
    await write(world);
    return [answer, late, await next];
  };
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
      const answered = await answers;
      const [one = "", other = ""] = await all(async (world) => {
        const answer = answered[worlds.indexOf(world)];
        const told = came === undefined && answer !== undefined ? await follow(world, answer) : [answer];
        return told.map((each) => withoutPlaces(JSON.stringify(each))).join("\n");
      });
      for (const { store } of worlds)
        await store.query(
          "delete from ninefold.audit where id > $1 and changes = '{}' and person is null and record = $2",
          [first, record],
        );
      if (came !== undefined) return { one: "nothing comes", other: withoutPlaces(JSON.stringify(came)) };
      return one === other ? undefined : { one, other };
    },
  };
};
