import { decidingClauseId, transitionGrantsFor } from "../../../core/derive/authorization/grants.ts";
import { closedFieldRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { findFirstSteps, isByHand } from "../../../core/import/find-way.ts";
import type { Entity, States } from "../../../core/model/entity.ts";
import { slot, sql } from "../../../core/sql.ts";
import type { Database } from "../../../postgres/database.ts";
import type { Service } from "../../execution/service.ts";
import type { Values } from "../../intent.ts";
import { type Caller, callerParams, principalKey } from "../../plan/context.ts";
import type { Outcome } from "../../plan/outcome.ts";
import type { Plan } from "../../plan/plan.ts";
import { asCondition, readScope } from "../../plan/row/read-scope.ts";
import { tableSql } from "../../plan/row/sql-env.ts";
import { toQuery } from "../../plan/statements.ts";
import { isRefusal, type Refusal, refuse, refuseAt } from "../../refusal.ts";

/** Executes plans in the transaction of an import, and reads in it. */
export interface ImportTransaction {
  readonly run: (plans: readonly (Plan | Refusal)[]) => Promise<readonly (Outcome | Refusal)[]>;
  readonly send: Database["batch"];
}

/** A record, and the state into which it should come. */
export interface RecordMove {
  readonly id: string;
  readonly to: string;
  /** Its state, if it was just created; undefined if it must be read. */
  readonly from: string | undefined;
  readonly version: number | null;
  /** The values of the row, for transitions that ask for them. */
  readonly values: Values;
  /** Those of them that only transitions write. */
  readonly left: ReadonlySet<string>;
}

/** A journey that is not at its end. */
interface Place {
  readonly journey: RecordMove;
  readonly state: string | undefined;
  readonly version: number | null;
  readonly left: ReadonlySet<string>;
}

/**
 * Brings records into states by the transitions that a person would make, each with its permissions, rules and effects.
 * Of several ways it takes the shortest. A refused transition refuses the journey.
 */
export class RecordMover {
  readonly #service: Service;
  readonly #entity: Entity;
  readonly #states: States;

  constructor(service: Service, entity: Entity, states: States) {
    this.#service = service;
    this.#entity = entity;
    this.#states = states;
  }

  /** The version of each record at its end, or the refusal of its next transition. A version that the caller cannot read is null. */
  async move(
    journeys: readonly RecordMove[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly (Refusal | { readonly version: number | null })[]> {
    const ends = new Map<RecordMove, Refusal | { readonly version: number | null }>();
    let places: readonly Place[] = journeys.map((journey) => ({
      journey,
      state: journey.from,
      version: journey.version,
      left: journey.left,
    }));
    const transitions = [...this.#states.transitions.values()].filter(isByHand);
    // A transition can have effects that lead elsewhere, so the number of steps is limited.
    for (let steps = 0; places.length > 0; steps++) {
      const known = await this.#read(places, caller, transaction.send);
      const moving: { readonly place: Place; readonly first: readonly string[] }[] = [];
      for (const place of known) {
        const { journey, state, version, left } = place;
        if (state === journey.to) {
          ends.set(journey, left.size === 0 ? { version } : this.#refuseLeft(left));
          continue;
        }
        const granted = transitions.filter(
          (transition) =>
            transitionGrantsFor(this.#service.model, this.#entity, transition, caller.principal).length > 0,
        );
        const own = findFirstSteps(granted, state, journey.to);
        const first = own.length > 0 ? own : findFirstSteps(transitions, state, journey.to).slice(0, 1);
        if (first.length === 0 || steps > this.#states.states.length)
          ends.set(journey, this.#refuseWay(state ?? this.#states.initial, journey.to, caller));
        else moving.push({ place, first: first.map(({ name }) => name) });
      }
      places = await this.#step(moving, ends, caller, transaction);
    }
    return journeys.map((journey) => ends.get(journey) ?? { version: journey.version });
  }

  /** Makes one transition for each record: the first that is not refused. */
  async #step(
    moving: readonly { readonly place: Place; readonly first: readonly string[] }[],
    ends: Map<RecordMove, Refusal | { readonly version: number | null }>,
    caller: Caller,
    { run }: ImportTransaction,
  ): Promise<readonly Place[]> {
    const moved: Place[] = [];
    const reasons = new Map<Place, Refusal>();
    let waiting = moving;
    for (let choice = 0; waiting.length > 0; choice++) {
      const tried = waiting.flatMap(({ place, first }) => {
        const transition = this.#states.transitions.get(first[choice] ?? "");
        return transition === undefined ? [] : [{ place, first, transition }];
      });
      const outcomes = await run(
        tried.map(({ place: { journey }, transition }) => {
          const values = Object.fromEntries(
            transition.asks.flatMap((name) => (name in journey.values ? [[name, journey.values[name] ?? null]] : [])),
          );
          return this.#service.plan(
            {
              kind: "transition",
              entity: this.#entity.name,
              id: journey.id,
              transition: transition.name,
              values,
              version: null,
              label: false,
            },
            caller,
          );
        }),
      );
      waiting = tried.filter(({ place, first, transition }, at) => {
        const outcome = outcomes[at];
        if (outcome === undefined) throw new Error(`${transition.name} has no outcome`);
        if (!isRefusal(outcome)) {
          const version = outcome.kind === "changed" ? outcome.version : null;
          const left = new Set([...place.left].filter((name) => !transition.asks.includes(name)));
          moved.push({ ...place, state: transition.to[0], version, left });
          return false;
        }
        if (!reasons.has(place)) reasons.set(place, outcome);
        if (first[choice + 1] !== undefined) return true;
        ends.set(place.journey, reasons.get(place) ?? outcome);
        return false;
      });
    }
    return moved;
  }

  /** Reads the states of the records, as far as the caller can read them. */
  async #read(places: readonly Place[], caller: Caller, send: Database["batch"]): Promise<readonly Place[]> {
    const { model, statements } = this.#service.context;
    const entity = this.#entity;
    const statement = statements.get(["import states", entity.name, principalKey(caller.principal)], () => {
      const scope = readScope(model, entity, caller.principal, "t");
      const state = scope.column(this.#states.field) ?? sql`NULL::text`;
      return {
        more: undefined,
        sql: sql`SELECT "t"."id", "t"."version", ${state} AS "state" FROM ${tableSql(entity)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(scope.rows)}`,
      };
    });
    const ids = places.map(({ journey }) => journey.id);
    const [rows = []] = await send([toQuery(statement, { ...callerParams(caller), ids })]);
    const found = new Map(rows.map((row) => [String(row.id), row]));
    return places.map((place) => {
      const row = found.get(place.journey.id);
      return row === undefined
        ? place
        : {
            ...place,
            version: Number(row.version),
            state: typeof row.state === "string" ? row.state : place.state,
          };
    });
  }

  #refuseWay(from: string, to: string, { phrases }: Caller): Refusal {
    const title = (name: string): string =>
      phrases.say(this.#states.states.find((state) => state.name === name)?.title ?? name);
    return refuse("NO_WAY_TO_STATE", this.#states.clause.id, { from: title(from), to: title(to) });
  }

  /** Refuses values of fields that none of the transitions asked for. */
  #refuseLeft(left: ReadonlySet<string>): Refusal {
    const clause = decidingClauseId(this.#entity, "update");
    return refuseAt(
      [...left].map((name) => ({
        ...closedFieldRefusal(clause),
        at: `/${name}`,
        values: { field: this.#entity.fields.get(name)?.title ?? name },
      })),
    );
  }
}
