import type { FastifyRequest } from "fastify";
import { decidingClauseId, grantsFor } from "../../core/derive/authorization/grants.ts";
import { permissionSentence } from "../../core/explain/who-may.ts";
import { isId } from "../../core/field/reference.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { ImportJson } from "../../core/wire/imports.ts";
import { isPersonal } from "../auth/api-tokens.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { forbid, type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { toImportJson } from "./import-json.ts";
import { findImport, listImports, type StoredImport } from "./import-store.ts";
import { findImportFields } from "./rows/fillable-fields.ts";

/** The imports into the records of one entity. */
export interface EntityImports {
  readonly context: RouteContext;
  readonly entity: Entity;
}

/** The person of a request, if they can add or change records of the entity. */
export const authenticateImporter = async (
  { context, entity }: EntityImports,
  request: FastifyRequest,
): Promise<SignedIn | Refusal> => {
  const person = await context.authenticate(request);
  if (person === null) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
  const { model } = context.service;
  return (["create", "update"] as const).some((action) => grantsFor(model, entity, action, person).length > 0)
    ? person
    : forbid(decidingClauseId(entity, "create"), permissionSentence(context.phrasesFor(request), entity, "create"));
};

/**
 * The person of a request, to look at an import that they sent. They can do so when they can no longer import: what became
 * of their rows is theirs.
 */
export const authenticateSender = async (
  { context }: EntityImports,
  request: FastifyRequest,
): Promise<SignedIn | Refusal> => (await context.authenticate(request)) ?? refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);

/** The roles of the request's API token; null for a session. */
export const rolesOfToken = (
  context: RouteContext,
  request: FastifyRequest,
  person: SignedIn,
): readonly string[] | null => {
  const token = context.readToken(request);
  return token !== undefined && isPersonal(token) ? [...person.granted] : null;
};

/**
 * A token cannot open an import of a session, or of a token with more roles, because it would act and read with their
 * roles.
 */
const canOpen = (roles: readonly string[] | null, stored: StoredImport): boolean =>
  roles === null || stored.roles?.every((role) => roles.includes(role)) === true;

/** The import in the address of a request. */
export const findOwnImport = async (
  { context, entity }: EntityImports,
  request: FastifyRequest,
  person: SignedIn,
): Promise<StoredImport | Refusal> => {
  const { id = "" } = request.params as { readonly id?: string };
  const owner = { person: person.id, entity: entity.name };
  const stored = isId(id) ? await findImport(context.service.database, id, owner) : undefined;
  return stored !== undefined && canOpen(rolesOfToken(context, request, person), stored)
    ? stored
    : refuse("NOT_FOUND", entity.clause.id);
};

export const listOwnImports = async (
  { context, entity }: EntityImports,
  request: FastifyRequest,
  person: SignedIn,
): Promise<readonly StoredImport[]> => {
  const roles = rolesOfToken(context, request, person);
  const stored = await listImports(context.service.database, { person: person.id, entity: entity.name });
  return stored.filter((item) => canOpen(roles, item));
};

/** Undoing an import deletes the records that it added, which the person may not be permitted to do. */
export const refuseUndo = (
  { context, entity }: EntityImports,
  { counts }: StoredImport,
  person: SignedIn,
  request: FastifyRequest,
): { readonly clause: string; readonly because: string } | null =>
  counts.added > 0 && grantsFor(context.service.model, entity, "delete", person).length === 0
    ? {
        clause: decidingClauseId(entity, "delete"),
        because: permissionSentence(context.phrasesFor(request), entity, "delete"),
      }
    : null;

export const showImport = (
  imports: EntityImports,
  request: FastifyRequest,
  stored: StoredImport,
  person: SignedIn,
): ImportJson => {
  const { context, entity } = imports;
  return toImportJson(
    stored,
    entity,
    findImportFields(context.service.model, entity, person, stored),
    context.phrasesFor(request),
    refuseUndo(imports, stored, person, request),
  );
};
