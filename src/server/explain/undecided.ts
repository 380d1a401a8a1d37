import { type EntityOperation, isUndecided, parseOperation } from "../../core/derive/authorization/access-trace.ts";
import { permissionRulesFor } from "../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { roleGroupName } from "../../core/explain/who-may.ts";
import type { CallStep } from "../../core/model/endpoint.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { Screen } from "../../core/model/screen.ts";
import { constant, identifier, join, render, type Sql, sql } from "../../core/sql.ts";
import type { AnswerJson } from "../../core/wire/authoring/questions.ts";
import type { Service } from "../execution/service.ts";
import { type ResultColumn, readColumn, resultColumn, selectAs } from "../plan/result-columns.ts";

/** Maximum number of suggested clauses. */
const MAX_ANSWERS = 3;

/** Counting stops at this number. */
const MAX_COUNTED = 10_000;

/** An undecided permission, and the field it was wanted for. */
export interface UndecidedPermission {
  readonly entity: Entity;
  readonly operation: EntityOperation;
  readonly field: Field | null;
}

/** `Box.read`, perhaps with a field; or the screen or call where it was wanted. */
export interface WantedPermission {
  readonly do: string;
  readonly field: string;
  readonly where: string;
}

/** Finds the undecided permission; undefined if the document decides. */
export const findUndecided = (
  { model }: Service,
  { do: permission, field, where }: WantedPermission,
): UndecidedPermission | undefined => {
  for (const item of permission === "" ? listWanted(model, where) : [permission]) {
    const [name = "", action = ""] = item.split(".");
    const entity = model.entities.get(name);
    const operation = entity && parseOperation(entity, action);
    if (entity === undefined || operation === undefined || !entity.served || !isUndecided(entity, operation)) continue;
    return { entity, operation, field: entity.fields.get(field) ?? null };
  }
  return undefined;
};

/** The name of the permission: `Box.read`. */
export const formatUndecided = ({ entity, operation }: Pick<UndecidedPermission, "entity" | "operation">): string =>
  `${entity.name}.${operation.kind === "action" ? operation.action : operation.transition.name}`;

/** Finds the first undecided permission of each entity on a screen or in a call. */
const listWanted = (model: Model, where: string): readonly string[] => {
  const screen = model.screens.find(({ path }) => isAt(path, where));
  if (screen !== undefined) return listWantedOnScreen(screen);
  // Without screens in the document, each entity has a default screen at its path.
  const entity = [...model.entities.values()].find(({ path }) => where === `/${path}` || where.startsWith(`/${path}/`));
  if (entity !== undefined && model.screens.length === 0)
    return where.endsWith("/new") ? [`${entity.name}.create`, `${entity.name}.read`] : [`${entity.name}.read`];
  const call = model.calls.find(({ name, method, path }) => name === where || isAt(`${method} ${path}`, where));
  return call === undefined || call.does.kind !== "steps" ? [] : call.does.steps.map(getWantedByStep);
};

/** True if an address matches a path with placeholders. */
const isAt = (path: string, address: string): boolean => {
  const [parts, segments] = [path.split("/"), address.split("/")];
  return parts.length === segments.length && parts.every((part, i) => part === segments[i] || part.startsWith("{"));
};

const listWantedOnScreen = (screen: Screen): readonly string[] => {
  if (screen.kind === "tiles") return screen.tiles.map(({ entity }) => `${entity}.read`);
  if (screen.kind !== "form") return [`${screen.entity}.read`];
  return [`${screen.entity}.${screen.path.includes("{") ? "update" : "create"}`, `${screen.entity}.read`];
};

const getWantedByStep = ({ entity, does }: CallStep): string => {
  switch (does.kind) {
    case "transition":
      return `${entity}.${does.transition}`;
    case "create":
    case "ensure":
      return `${entity}.create`;
    case "update":
    case "put":
      return `${entity}.update`;
    case "delete":
    case "delete all":
      return `${entity}.delete`;
    default:
      return `${entity}.read`;
  }
};

/** A suggested clause before its effect is counted. */
interface Candidate {
  readonly role: string;
  /** The reference that names the owner of a record; null for all records. */
  readonly own: Field | null;
}

const asCount = (value: unknown): number => Number(value ?? 0);
const RECORDS = resultColumn("records", asCount);
/**
 * The column with the counts of the candidate with this index: the people of its role, and the records that name their
 * own person.
 */
const peopleColumn = (nth: number): ResultColumn<number> => resultColumn(`people:${nth}`, asCount);
const ownRecordsColumn = (nth: number): ResultColumn<number> => resultColumn(`records:${nth}`, asCount);

/** Suggests clauses, narrowest first, with the number of people and records affected. */
export const suggestAnswers = async (
  { database, model }: Service,
  undecided: UndecidedPermission,
  phrases: Phrases,
): Promise<{ readonly records: number; readonly answers: readonly AnswerJson[] }> => {
  const { entity, operation } = undecided;
  const candidates = getCandidates(model, undecided);
  const table = sql`"app".${identifier(entity.table)}`;
  const countSql = (where: Sql): Sql =>
    sql`(SELECT count(*)::integer FROM (SELECT FROM ${table} WHERE ${where} LIMIT ${constant(MAX_COUNTED)}) AS "some")`;
  const about =
    operation.kind === "action"
      ? sql`TRUE`
      : sql`${identifier(entity.states?.field ?? "")} IN (${join(
          operation.transition.from.map((item) => constant(item)),
          ", ",
        )})`;
  const hasRoleSql = (role: string) => {
    const isGranted = role === ADMINISTRATOR || model.roles.get(role)?.members === "granted";
    return isGranted ? sql` AND "roles" @> ARRAY[${constant(role)}]` : sql``;
  };
  const { text } = render(
    sql`SELECT ${join(
      [
        selectAs(countSql(about), RECORDS),
        ...candidates.flatMap(({ role, own }, i) => [
          selectAs(
            sql`(SELECT count(*)::integer FROM "app"."user" WHERE "active"${hasRoleSql(role)})`,
            peopleColumn(i),
          ),
          ...(own === null ? [] : [selectAs(countSql(sql`${identifier(own.name)} IS NOT NULL`), ownRecordsColumn(i))]),
        ]),
      ],
      ", ",
    )}`,
  );
  const [row = {}] = await database.query({ text, values: [] });
  const records = readColumn(row, RECORDS);
  const isMade = operation.kind === "action" && operation.action === "create";
  return {
    records,
    answers: candidates.map(({ role, own }, i) => ({
      role,
      whom: roleGroupName(phrases, role, entity),
      own: own?.title ?? null,
      writes: writeClause(undecided, role, own),
      people: entity.roles.has(role) ? null : readColumn(row, peopleColumn(i)),
      records: isMade ? null : own === null ? records : readColumn(row, ownRecordsColumn(i)),
    })),
  };
};

const writeClause = ({ operation, field }: UndecidedPermission, role: string, own: Field | null): string => {
  if (operation.kind === "transition") return `by: ${role}`;
  const parts = [
    `role: ${role}`,
    ...(own === null ? [] : [`when: "${own.name} == user"`]),
    ...(field === null || operation.action === "delete" ? [] : [`fields: [${field.name}]`]),
  ];
  return `${operation.action}: [${parts.length === 1 ? role : `{ ${parts.join(", ")} }`}]`;
};

const getCandidates = (model: Model, { entity, operation }: UndecidedPermission): readonly Candidate[] => {
  const roles = [...model.roles.values()];
  const granted = roles.filter(({ members }) => members === "granted").map(({ name }) => name);
  const everybody = roles.filter(({ members }) => members === "signed in").map(({ name }) => name);
  const withoutField = (names: readonly string[]): readonly Candidate[] => names.map((role) => ({ role, own: null }));
  const known =
    operation.kind === "transition"
      ? [
          ...withoutField(permissionRulesFor(entity, "update").map(({ role }) => role)),
          ...withoutField(granted),
          ...withoutField([...entity.roles.keys()]),
          ...withoutField(everybody),
        ]
      : [
          ...(operation.action === "create" ? [] : findOwnCandidates(entity, everybody)),
          ...withoutField(entity.permissions?.actions.update.map(({ role }) => role) ?? []),
          ...withoutField(granted),
          ...withoutField(everybody),
          ...withoutField([ADMINISTRATOR]),
        ];
  const seen = new Set<string>();
  return known
    .filter(({ role, own }) => {
      const key = `${role} ${own?.name}`;
      return seen.has(key) ? false : seen.add(key);
    })
    .slice(0, MAX_ANSWERS);
};

/** Finds clauses by which signed-in users can act on records that name them as the creator. */
const findOwnCandidates = (entity: Entity, everybody: readonly string[]): readonly Candidate[] => {
  const own = [...entity.fields.values()].find(
    ({ set, entity: target, many }) => set?.kind === "user" && target === "User" && !many,
  );
  const [role] = everybody;
  return own === undefined || role === undefined ? [] : [{ role, own }];
};
