import type { FastifyInstance } from "fastify";
import { grantsFor, type Principal, transitionGrantsFor } from "../../core/derive/authorization/grants.ts";
import { checksBeforeInput } from "../../core/derive/consistency/checks-before-input.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { TransitionRefusalJson, TransitionTrialJson } from "../../core/wire/records.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import type { TransitionIntent } from "../plan/write/plan-change.ts";
import { toProblem } from "../problems/to-problem.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { parseTriedRecords } from "./tried-records.ts";

/** The refusals that the capabilities of a record tell. */
const toldByRecord: ReadonlySet<string> = new Set(["FORBIDDEN", "GUARD"]);

/**
 * Says which transitions of records would be refused now, before anybody makes them: by rules that read other records,
 * which the capabilities of a record leave out. Each is checked by the statement of the transition itself, without
 * writing; all statements are one message to the database. Nobody was refused anything by a trial, so its refusals are
 * neither counted nor logged.
 */
export const serveTransitionTrials = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, sendRefusal } = routeContext;
  const { model } = service;

  app.get(
    "/_/transitions",
    forSignedIn(routeContext, async (person, request, reply) => {
      const entity = model.entities.get(parseTextParam(request.query, "of"));
      const ids = parseTriedRecords(request.query);
      if (entity?.served !== true || ids === null) return sendRefusal(reply, refuse("NOT_FOUND"));
      const caller = service.caller(person, clock(), phrasesFor(request));
      const tried = [...(entity.states?.transitions.values() ?? [])].filter(
        (transition) =>
          checksBeforeInput(entity, transition).areTried &&
          transitionGrantsFor(model, entity, transition, person).length > 0,
      );
      const trials = ids.flatMap((record) =>
        tried.flatMap(({ name: transition }) => {
          const intent: TransitionIntent = {
            kind: "transition",
            entity: entity.name,
            id: record,
            transition,
            version: null,
            values: {},
            label: false,
          };
          const plan = service.plan(intent, caller);
          const statement = isRefusal(plan) || !("tried" in plan) ? undefined : plan.tried?.();
          return statement === undefined ? [] : [{ record, transition, statement }];
        }),
      );
      const results =
        trials.length === 0 ? [] : await service.database.batch(trials.map(({ statement }) => statement.query));
      const items = trials.flatMap(({ record, transition, statement }, at): readonly TransitionRefusalJson[] => {
        const row = results[at]?.[0];
        // No row: the caller cannot read the record, or the transition does not start from its state.
        const refusal = row === undefined ? undefined : statement.decode(row);
        if (refusal === undefined || toldByRecord.has(refusal.code)) return [];
        const refused = toProblem(model, refusal, caller.phrases, { entity: entity.name });
        return [{ record, transition, refused, mendable: listMendable(model, entity, person, refused) }];
      });
      return reply.send({ items } satisfies TransitionTrialJson);
    }),
  );
};

/**
 * The fields that the broken rules read, or whose values are missing or wrong, and that the caller has a grant to
 * change.
 */
const listMendable = (
  model: Model,
  entity: Entity,
  person: Principal,
  { clause, errors = [] }: Problem,
): readonly string[] => {
  const clauses = new Set([clause, ...errors.map((error) => error.clause)]);
  const broken = [...entity.rules, ...entity.uniquenessRules].filter((rule) => clauses.has(rule.clause.id));
  const grants = grantsFor(model, entity, "update", person);
  const wrong = errors.flatMap(({ at }) => at.split("/")[1] ?? []).filter((field) => entity.fields.has(field));
  return [...new Set([...broken.flatMap(({ reads }) => reads), ...wrong])].filter((field) =>
    grants.some(({ fields }) => fields === null || fields.has(field)),
  );
};
