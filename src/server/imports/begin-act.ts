import type { FastifyRequest } from "fastify";
import { findQuestions, parseSettings } from "../../core/import/settings.ts";
import type { ImportState } from "../../core/wire/imports.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { badQuery, forbid, type Refusal, refuse } from "../refusal.ts";
import { type EntityImports, refuseUndo } from "./import-access.ts";
import type { ImportRunner } from "./import-runner.ts";
import { beginState, type StoredImport } from "./import-store.ts";
import { findImportFields } from "./rows/fillable-fields.ts";
import { countTouchedQuery } from "./rows/undo-rows.ts";

/** The acts of a person on an import: the states from which each can begin, and the state during it. */
const acts = {
  check: { from: ["mapping", "checked"], during: "checking" },
  run: { from: ["mapping", "checked"], during: "running" },
  undo: { from: ["done"], during: "undoing" },
} as const satisfies Readonly<Record<string, { readonly from: readonly ImportState[]; readonly during: ImportState }>>;

export type ImportAct = keyof typeof acts;

export const isImportAct = (text: string): text is ImportAct => Object.hasOwn(acts, text);

/** A request to act on an import: the person, and the settings that they sent. */
interface ImportActRequest {
  readonly act: ImportAct;
  readonly settings: unknown;
  readonly person: SignedIn;
  readonly request: FastifyRequest;
}

/** Begins an act with the settings of a request. A runner then carries it out. */
export const beginAct = async (
  imports: EntityImports,
  runner: ImportRunner,
  stored: StoredImport,
  { act, settings: sentSettings, person, request }: ImportActRequest,
): Promise<StoredImport | Refusal> => {
  const { context, entity } = imports;
  const { model, database } = context.service;
  const importFields = findImportFields(model, entity, person, stored);
  const settings = parseSettings(sentSettings, importFields.fields, stored.columns, stored.settings);
  if (settings === undefined) return badQuery("IMPORT_SETTINGS");
  if (act !== "undo" && findQuestions(importFields, stored.columns, settings).length > 0)
    return badQuery("IMPORT_OPEN");
  if (act === "undo") {
    const refused = refuseUndo(imports, stored, person, request);
    if (refused !== null) return forbid(refused.clause, refused.because);
    const [touched] = await database.query(countTouchedQuery(entity, stored.id));
    if (Number(touched?.count) > 0) return refuse("IMPORT_TOUCHED", undefined, { count: String(touched?.count) });
  }
  const { from, during } = acts[act];
  const started = await beginState(database, stored.id, { to: during, from, settings, now: context.clock() });
  if (started === undefined) return refuse("IMPORT_BUSY");
  runner.poll();
  return started;
};
