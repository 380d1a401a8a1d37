import { type Grant, grantsFor, isAdministrator } from "../../src/core/derive/authorization/grants.ts";
import { collectReadSet } from "../../src/core/expression/inspect/read-set.ts";
import { type JsRecord, nobody } from "../../src/core/expression/values/value.ts";
import type { Entity, Transition } from "../../src/core/model/entity.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { WorldPerson } from "./people.ts";
import { evaluator, type Line, type Moment, type Row, type Rows, recordOf, recordsOf } from "./rows.ts";
import type { Sight } from "./sight.ts";

/*
 * The parts of history lines besides changed values: operation, author, time and cause. In the second world, each of
 * these differs where it would reveal hidden data.
 */

export interface OtherLine {
  readonly what: string;
  readonly entity: string;
  readonly record: string;
  readonly id: number;
  /** The columns that differ. */
  readonly columns: Readonly<Record<string, unknown>>;
}

interface Viewpoint {
  readonly model: Model;
  readonly rows: Rows;
  readonly person: WorldPerson;
  readonly sight: Sight;
  readonly moment: Moment;
}

/** The history lines of records that a person sees, with the parts that can differ without the person noticing. */
export const otherLines = ({ model, rows, person, sight, moment }: Viewpoint): readonly OtherLine[] => {
  let user: JsRecord = nobody;
  const records = recordsOf(model, rows, moment, () => user);
  user = records.one("User", person.id) ?? nobody;
  const isOpen = ({ conditions }: Grant, record: JsRecord): boolean =>
    conditions.every((one) => evaluator(one)(record, { user, rows: records.of, ...moment }) === true);
  const people = [...(rows.get("User")?.keys() ?? [])];

  return [...model.entities.values()].flatMap((entity) => {
    const grants = grantsFor(model, entity, "read", person);
    const [first] = grants;
    if (first === undefined || (isAdministrator(person) && entity.name === "User")) return [];
    const sees = (row: Row): boolean =>
      grants.some((grant) =>
        isOpen(
          grant,
          recordOf(entity, row, records, () => user),
        ),
      );
    return [...(rows.get(entity.name) ?? [])].flatMap(([record, row]) => {
      const at = `${entity.name}/${record}`;
      if (!sight.seen.has(at)) return [];
      const isShown = (field: string): boolean => sight.seen.has(`${at}.${field}`);
      const about: About = { entity, isShown, sees, people };
      return past(row, moment.lines?.get(record) ?? []).flatMap((step): readonly OtherLine[] => {
        const columns = otherwise(about, step, readByGrants(grants));
        const { id, action } = step.line;
        return columns === undefined
          ? []
          : [{ what: `${at}: ${action} otherwise`, entity: entity.name, record, id, columns }];
      });
    });
  });
};

/** A line with the record before and after it; before the first line there is no record. */
export interface Step {
  readonly line: Line;
  readonly after: Row;
  readonly before: Row | undefined;
}

/** `lines`: newest first. */
export const past = (row: Row, lines: readonly Line[]): readonly Step[] => {
  let after = row;
  return lines.map((line) => {
    const was = Object.entries(line.changes).map(([field, [before]]) => [field, before] as const);
    const before = { ...after, ...Object.fromEntries(was) };
    const step = { line, after, before: line.action === "create" ? undefined : before };
    after = before;
    return step;
  });
};

interface About {
  readonly entity: Entity;
  readonly isShown: (field: string) => boolean;
  readonly sees: (row: Row) => boolean;
  readonly people: readonly string[];
}

const readByGrants = (grants: readonly Grant[]): ReadonlySet<string> =>
  new Set(grants.flatMap(({ conditions }) => conditions.flatMap((one) => [...collectReadSet(one).fields])));

/** The hidden parts of a line with other values. */
const otherwise = (
  about: About,
  step: Step,
  gated: ReadonlySet<string>,
): Readonly<Record<string, unknown>> | undefined => {
  const { entity, isShown, sees, people } = about;
  const { line, after, before } = step;
  const person = people.find((one) => one !== line.person) ?? null;
  const at = new Date(Date.parse(line.at) - 3_600_000).toISOString();
  if (!sees(after)) {
    // The person never saw the value of that time.
    const changes = Object.entries(line.changes).map(([field, change]) => {
      const isText = ["text", "long text"].includes(entity.fields.get(field)?.type ?? "");
      return [field, isText && !gated.has(field) ? [null, "Xyzzyq then"] : change];
    });
    return { person, at, changes: Object.fromEntries(changes) };
  }
  const transition = entity.states?.transitions.get(line.action);
  const field = entity.states?.field ?? "";
  const other = transition === undefined ? undefined : alike(about, transition, step);
  if (transition !== undefined && other !== undefined) {
    const wasSeen = before !== undefined && sees(before) && isShown(field);
    const [from] = other.from;
    const changes = wasSeen ? line.changes : { ...line.changes, [field]: [from, other.to] };
    return { action: other.name, clause: other.clause.id, person, at, changes };
  }
  if (line.cause !== null) return undefined;
  const set =
    transition?.set ??
    new Map(
      line.action !== "create"
        ? []
        : [...entity.fields.values()].flatMap(({ name, set }) => (set === null ? [] : [[name, set] as const])),
    );
  const hides = (kinds: readonly string[]): boolean => {
    const own = [...set].filter(([, { kind }]) => kinds.includes(kind)).map(([name]) => name);
    return own.length > 0 && !own.some(isShown);
  };
  const columns = {
    ...(hides(["user"]) ? { person } : {}),
    ...(hides(["now", "today"]) && line.action !== "create" ? { at } : {}),
  };
  return Object.keys(columns).length === 0 ? undefined : columns;
};

/** Another transition to the same state, if the condition of one of them reads hidden data. */
const alike = ({ entity, isShown, sees }: About, transition: Transition, { before }: Step): Transition | undefined => {
  const state = entity.states?.field ?? "";
  const readsHidden = ({ guardAndPreconditions: when }: Transition): boolean =>
    when !== null && [...collectReadSet(when).fields].some((name) => entity.fields.has(name) && !isShown(name));
  const isFrom = ({ from }: Transition): boolean => {
    if (before === undefined) return false;
    if (sees(before) && isShown(state)) return from.includes(String(before[state]));
    return from[0] !== undefined && !sees({ ...before, [state]: from[0] });
  };
  return [...(entity.states?.transitions.values() ?? [])].find(
    (one) =>
      one !== transition &&
      one.to.some((target) => transition.to.includes(target)) &&
      !one.to.some((target) => one.from.includes(target)) &&
      !transition.to.some((target) => transition.from.includes(target)) &&
      (readsHidden(one) || readsHidden(transition)) &&
      isFrom(one),
  );
};
