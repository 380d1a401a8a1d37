import type { FastifyInstance } from "fastify";
import { allowancesOf, isAdministrator } from "../core/derive/access.ts";
import { doingOf, isKnownTo } from "../core/derive/why.ts";
import { isId } from "../core/field/reference.ts";
import type { Entity, Transition } from "../core/model/model.ts";
import { constant, identifier, join, render, sql } from "../core/sql.ts";
import type { QuestionJson, QuestionsJson } from "../core/wire.ts";
import type { Row } from "../postgres/database.ts";
import { type Door, textIn } from "./account-calls.ts";
import { MANAGES, SIGN_IN } from "./plan/account.ts";
import { refuse } from "./refusal.ts";
import type { Service } from "./service.ts";

/** Lines of the audit in which somebody asked for a decision. */
const ASKED = "ask";

/** As many clauses as can be weighed against each other. */
const MOST_ANSWERS = 3;

/** Counting goes no further. */
const COUNTED = 10_000;

/**
 * What nobody decided yet, and who wants to know: somebody who was refused for it asks, and the author finds the question
 * with its case, the clauses that would answer it, and what each would change. A question whose point was decided is gone.
 */
export const serveQuestions = (app: FastifyInstance, { service, clock, personOf, refuseWith }: Door): void => {
  const { database, model, version } = service;

  app.post("/_/questions", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    const [what, record] = [textIn(request.body, "do"), textIn(request.body, "record")];
    const open = undecidedOf(service, what);
    if (open === undefined || !isKnownTo(model, open.entity, { kind: "transition", ...open }, person))
      return refuseWith(reply, refuse("BAD_QUERY", undefined, { detail: `nothing is undecided about “${what}”` }));
    await database.query({
      text: `insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
             select $2, $1, 'User', $1, '${ASKED}', $3, $4, $5
             where not exists (select from ninefold.audit
                               where record = $1 and action = '${ASKED}' and clause = $3 and document = $4)`,
      values: [
        person.id,
        clock().toISOString(),
        open.transition.clause.id,
        version,
        JSON.stringify({ do: what, record: isId(record) ? record : null }),
      ],
    });
    return reply.code(204).send();
  });

  app.get("/_/questions", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", MANAGES));
    return reply.send({ items: await questionsIn(service) } satisfies QuestionsJson);
  });
};

/** A transition of which the document does not say who makes it. */
const undecidedOf = (
  { model }: Service,
  what: string,
): { readonly entity: Entity; readonly transition: Transition } | undefined => {
  const [name = "", action = ""] = what.split(".");
  const entity = model.entities.get(name);
  const doing = entity && doingOf(entity, action);
  return entity && doing?.kind === "transition" && doing.transition.by === null
    ? { entity, transition: doing.transition }
    : undefined;
};

const questionsIn = async (service: Service): Promise<readonly QuestionJson[]> => {
  const rows = await service.database.query({
    name: "questions",
    text: `select "a".at, "a".person, "u".name, "a".changes->>'do' as "do", "a".changes->>'record' as "record"
           from ninefold.audit as "a" left join app."user" as "u" on "u".id = "a".person
           where "a".action = '${ASKED}' order by "a".at desc limit 500`,
    values: [],
  });
  const asked = new Map<string, Row[]>();
  for (const row of rows) asked.set(String(row.do), [...(asked.get(String(row.do)) ?? []), row]);
  const questions = await Promise.all(
    [...asked].map(async ([what, lines]) => {
      const open = undecidedOf(service, what);
      if (open === undefined) return [];
      return [
        {
          do: what,
          title: open.transition.title,
          clause: open.transition.clause.id,
          entity: open.entity.name,
          asked: lines.map((line) => ({
            at: String(line.at),
            name: line.name === null ? null : String(line.name),
            record: line.record === null ? null : String(line.record),
          })),
          ...(await answersTo(service, open.entity, open.transition)),
        },
      ];
    }),
  );
  return questions.flat();
};

/** The roles that would answer it, those that change such records first, and what each would open. */
const answersTo = async (
  { database, model }: Service,
  entity: Entity,
  { from }: Transition,
): Promise<Pick<QuestionJson, "records" | "answers">> => {
  const roles = [
    ...new Set([
      ...allowancesOf(entity, "update").map(({ role }) => role),
      ...[...model.roles.values()].filter(({ members }) => members === "granted").map(({ name }) => name),
      ...entity.roles.keys(),
      ...[...model.roles.values()].filter(({ members }) => members === "signed in").map(({ name }) => name),
    ]),
  ].slice(0, MOST_ANSWERS);
  const state = identifier(entity.states?.field ?? "");
  const states = join(
    from.map((one) => constant(one)),
    ", ",
  );
  const count = sql`(SELECT count(*)::integer FROM (SELECT FROM "app".${identifier(entity.table)} WHERE ${state} IN (${states}) LIMIT ${constant(COUNTED)}) AS "some") AS "records"`;
  const holding = (role: string) => {
    const members = model.roles.get(role)?.members;
    return members === "granted" || role === "administrator" ? sql` AND "roles" @> ARRAY[${constant(role)}]` : sql``;
  };
  const people = roles.map(
    (role, i) =>
      sql`(SELECT count(*)::integer FROM "app"."user" WHERE "active"${holding(role)}) AS ${identifier(`people:${i}`)}`,
  );
  const { text } = render(sql`SELECT ${join([count, ...people], ", ")}`);
  const [row] = await database.query({ text, values: [] });
  return {
    records: Number(row?.records ?? 0),
    answers: roles.map((role, i) => ({
      role,
      people: entity.roles.has(role) ? null : Number(row?.[`people:${i}`] ?? 0),
    })),
  };
};
