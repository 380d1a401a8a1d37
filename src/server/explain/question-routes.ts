import type { FastifyInstance } from "fastify";
import { canAskAbout } from "../../core/derive/authorization/access-trace.ts";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { permissionSentence, transitionSentence } from "../../core/explain/who-may.ts";
import { isId } from "../../core/field/reference.ts";
import type { QuestionJson, QuestionsJson, UndecidedJson } from "../../core/wire/authoring/questions.ts";
import type { Row } from "../../postgres/database.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import type { Service } from "../execution/service.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { badQuery, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { findUndecided, formatUndecided, suggestAnswers, type UndecidedPermission } from "./undecided.ts";

/** Action of audit entries for questions. */
const ASKED = "ask";

/**
 * Questions about undecided permissions: somebody who was refused asks, and the author sees the question with its case,
 * possible clauses, and their effects. A question disappears once its permission is decided.
 */
export const serveQuestions = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, sendRefusal } = routeContext;
  const { database, version } = service;

  app.post(
    "/_/questions",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { body } = request;
      const [permission, record, field, where] = ["do", "record", "field", "where"].map((name) =>
        parseTextParam(body, name),
      );
      const wanted = { do: permission ?? "", field: field ?? "", where: where ?? "" };
      const open = findUndecided(service, wanted);
      if (open === undefined || !mayAsk(service, open, person))
        return sendRefusal(reply, badQuery("NOTHING_UNDECIDED", { word: wanted.do || wanted.where }));
      await database.query({
        text: `insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
             select $2, $1, 'Account', $1, '${ASKED}', $3, $4, $5
             where not exists (select from ninefold.audit
                               where record = $1 and action = '${ASKED}' and changes->>'do' = $5::jsonb->>'do' and document = $4)`,
        values: [
          person.id,
          clock().toISOString(),
          getClauseId(open),
          version,
          JSON.stringify({
            do: formatUndecided(open),
            record: isId(record ?? "") ? record : null,
            field: open.field?.name ?? null,
            where: wanted.where.slice(0, 200) || null,
          }),
        ],
      });
      return reply.code(204).send();
    }),
  );

  app.get(
    "/_/questions",
    forSignedIn(routeContext, async (person, request, reply) => {
      const where = parseTextParam(request.query, "where");
      if (where !== "") {
        const open = findUndecided(service, { do: "", field: "", where });
        const undecided = open !== undefined && mayAsk(service, open, person) ? formatUndecided(open) : null;
        return reply.send({ undecided } satisfies UndecidedJson);
      }
      if (!isAdministrator(person)) return sendRefusal(reply, refuse("FORBIDDEN", MANAGES_CLAUSE));
      return reply.send({ items: await readQuestions(service, phrasesFor(request)) } satisfies QuestionsJson);
    }),
  );
};

/**
 * True if the permission is undecided. Everybody who requests records of an undecided entity learns that it is
 * undecided.
 */
const mayAsk = (
  { model }: Service,
  { entity, operation }: UndecidedPermission,
  principal: Parameters<typeof canAskAbout>[3],
): boolean =>
  canAskAbout(model, entity, operation, principal) || (entity.permissions === null && operation.kind === "action");

const getClauseId = ({ entity, operation }: UndecidedPermission): string => {
  if (operation.kind === "transition") return operation.transition.clause.id;
  return entity.permissions === null ? "ADMINISTRATORS_ONLY" : "ACTION_BY_NOBODY";
};

const readQuestions = async (service: Service, phrases: Phrases): Promise<readonly QuestionJson[]> => {
  const rows = await service.database.query({
    name: "questions",
    text: `select "a".at, "a".person, "u".name, "a".changes->>'do' as "do", "a".changes->>'record' as "record",
                  "a".changes->>'field' as "field", "a".changes->>'where' as "where"
           from ninefold.audit as "a" left join app."user" as "u" on "u".id = "a".person
           where "a".action = '${ASKED}' order by "a".at desc limit 500`,
    values: [],
  });
  const linesByRecord = new Map<string, Row[]>();
  for (const row of rows) linesByRecord.set(String(row.do), [...(linesByRecord.get(String(row.do)) ?? []), row]);
  const questions = await Promise.all(
    [...linesByRecord].map(async ([permission, lines]) => {
      const open = findUndecided(service, { do: permission, field: String(lines[0]?.field ?? ""), where: "" });
      if (open === undefined) return [];
      const { entity, operation } = open;
      return [
        {
          do: permission,
          title: operation.kind === "transition" ? phrases.say(operation.transition.title) : null,
          says:
            operation.kind === "transition"
              ? transitionSentence(phrases, entity, operation.transition)
              : permissionSentence(phrases, entity, operation.action),
          clause: getClauseId(open),
          entity: entity.name,
          field: open.field ? phrases.say(open.field.title) : null,
          asked: lines.map((line) => ({
            at: String(line.at),
            name: line.name === null ? null : String(line.name),
            record: line.record === null ? null : String(line.record),
            where: line.where === null ? null : String(line.where),
          })),
          ...(await suggestAnswers(service, open, phrases)),
        },
      ];
    }),
  );
  return questions.flat();
};
