import { conventional, type Dialect, type Draft } from "./dialect.ts";
import { ask, type Load, type LoadRequest, type LoadResult, run } from "./load.ts";

/** The caller: the number of the person in the data. */
export const people = { few: 10_000, many: 9_000, manager: 500, payroll: 9_907 } as const;
export type PersonName = keyof typeof people;

export interface Case {
  /** `list/manager`. */
  readonly name: string;
  /** Prepares the run, which is not measured; the returned function is. */
  readonly prepare: () => Promise<() => Promise<LoadResult>>;
}

interface Options {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The numbers of requests that are created to be submitted or granted: of one person or team, and of many. */
  readonly made?: { readonly hot: number; readonly spread: number };
  /** `conventional` by default. */
  readonly dialect?: Dialect;
}

/** People without reports, and the ten of the manager. */
const spread = Array.from({ length: 2_000 }, (_, i) => 1_001 + i);
const reports = Array.from({ length: 10 }, (_, i) => 4_992 + i);
const managerOf = (person: number): number => Math.floor((person - 2) / 10) + 1;

/** A record and its owner. */
type CreatedLeave = readonly [id: string, person: number];

/** The nth created request for leave: one day, within five years. */
export const draftOf = (nth: number): Draft => {
  const day = new Date(Date.UTC(2022, 0, 1) + ((nth * 7_919) % 1_826) * 86_400e3).toISOString().slice(0, 10);
  return { kind: "holiday", first_day: day, last_day: day, note: `Note ${nth} of the load, please decide.` };
};

/** The requests that were measured for the server by hand, each after those that it depends on. */
export const casesOf = ({
  port,
  connections,
  seconds,
  made = { hot: 1_024, spread: 4_096 },
  dialect = conventional,
}: Options): readonly Case[] => {
  let drafted = 0;
  const draft = (person: number): LoadRequest => {
    drafted++;
    return dialect.create(draftOf(drafted), person);
  };
  const getPage = async (status: string, after: string | null, person: number) =>
    dialect.toPage(await ask(port, dialect.list(status, after, person)));
  const loaded = (next: Load["next"], more: Partial<Load> = {}): Promise<LoadResult> =>
    run({ port, connections, seconds, next, isRefused: dialect.isRefused, ...more });
  const around = (shots: readonly LoadRequest[]): Load["next"] => {
    let at = 0;
    return () => shots[at++ % shots.length];
  };
  const once = <T>(input: readonly T[], shot: (one: T) => LoadRequest): Load["next"] => {
    let at = 0;
    return () => {
      const one = input[at++];
      return one === undefined ? undefined : shot(one);
    };
  };
  const keep = (into: CreatedLeave[]): NonNullable<Load["onAnswer"]> => {
    return (answer) => {
      if (dialect.isRefused(answer)) return;
      const { id, employee } = dialect.toRecord(answer);
      into.push([id, Number(employee.label.slice("Person ".length))]);
    };
  };
  const move = (act: string, made: readonly CreatedLeave[], as: (person: number) => number): Load["next"] =>
    once(made, ([id, person]) => dialect.move(act, id, as(person)));
  const themselves = (person: number): number => person;

  /** Drafts of these people, who take turns. */
  const drafts = async (of: readonly number[], count: number): Promise<readonly CreatedLeave[]> => {
    const done: CreatedLeave[] = [];
    const turns = Array.from({ length: count }, (_, i) => of[i % of.length] ?? 0);
    await loaded(once(turns, draft), { seconds: 60, onAnswer: keep(done) });
    return done;
  };
  const submitted = async (of: readonly number[], count: number): Promise<readonly CreatedLeave[]> => {
    const done: CreatedLeave[] = [];
    await loaded(move("submit", await drafts(of, count), themselves), { seconds: 60, onAnswer: keep(done) });
    return done;
  };
  /** Up to 500 ids of records that a person can read, page by page. */
  const visible = async (person: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const status of ["submitted", "granted", "draft", "refused"]) {
      let after: string | null = null;
      do {
        const { items, next } = await getPage(status, after, person);
        ids.push(...items.map(({ id }) => id));
        after = next;
      } while (after !== null && ids.length < 500);
    }
    return ids.slice(0, 500);
  };
  const deep = async (person: number): Promise<string | null> => {
    let after: string | null = null;
    for (let page = 0; page < 6; page++) after = (await getPage("submitted", after, person)).next ?? after;
    return after;
  };

  let created: CreatedLeave[] = [];
  let sent: CreatedLeave[] = [];
  const forWho = (
    make: (person: number, who: PersonName) => Case["prepare"],
    action: string,
    of = Object.keys(people),
  ) => (of as PersonName[]).map((who): Case => ({ name: `${action}/${who}`, prepare: make(people[who], who) }));
  return [
    ...forWho(
      (person) => async () => {
        const shots = (await visible(person)).map((id) => dialect.read(id, person));
        return () => loaded(around(shots));
      },
      "read",
    ),
    ...forWho((person) => async () => () => loaded(around([dialect.list("submitted", null, person)])), "list"),
    ...forWho(
      (person) => async () => {
        const shot = dialect.list("submitted", await deep(person), person);
        return () => loaded(around([shot]));
      },
      "next page",
      ["many", "manager", "payroll"],
    ),
    ...forWho((person) => async () => () => loaded(() => draft(person)), "create"),
    {
      name: "create/spread",
      prepare: async () => () => {
        created = [];
        return loaded(() => draft(spread[drafted % spread.length] ?? 0), { onAnswer: keep(created) });
      },
    },
    {
      name: "submit/spread",
      prepare: async () => {
        const all = created.length > 0 ? created : await drafts(spread, made.spread);
        created = [];
        sent = [];
        return () => loaded(move("submit", all, themselves), { onAnswer: keep(sent) });
      },
    },
    {
      name: "grant/spread",
      prepare: async () => {
        const all = sent.length > 0 ? sent : await submitted(spread, made.spread);
        sent = [];
        return () => loaded(move("grant", all, managerOf));
      },
    },
    ...forWho(
      (person) => async () => {
        const all = await drafts([person], made.hot);
        return () => loaded(move("submit", all, themselves));
      },
      "submit",
    ),
    {
      name: "grant/manager",
      prepare: async () => {
        const all = await submitted(reports, made.hot);
        return () => loaded(move("grant", all, () => people.manager));
      },
    },
  ];
};
