import { pino } from "pino";
import { grantsFor, type Principal } from "../../core/derive/authorization/grants.ts";
import { getPhrasesFor } from "../../core/explain/language.ts";
import { permissionSentence } from "../../core/explain/who-may.ts";
import { findQuestions } from "../../core/import/settings.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { ImportJson } from "../../core/wire/imports.ts";
import type { Service } from "../../server/execution/service.ts";
import { refusedRows, toImportJson } from "../../server/imports/import-json.ts";
import { ImportRunner } from "../../server/imports/import-runner.ts";
import { beginState, findImport, type StoredImport } from "../../server/imports/import-store.ts";
import { isReceiveFault, type ReceiveFault, receiveTable } from "../../server/imports/receive-table.ts";
import { findImportFields } from "../../server/imports/rows/fillable-fields.ts";
import { MAX_COLUMNS, MAX_ROWS } from "../../server/imports/table-parts.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import type { ImportServer } from "./import-server.ts";

/** A person whose permissions an import has. */
export type ImportPerson = Principal & { readonly id: string };

/** The active person with an email address. Throws one sentence if there is none. */
export const findImportPerson = async ({ database }: Service, email: string): Promise<ImportPerson> => {
  const [row] = await database.query({
    text: `select "id", "roles" from app."user" where lower("email") = lower($1) and "active"`,
    values: [email],
  });
  if (row === undefined)
    throw new CommandFailed(
      exits.usage,
      `Nobody with the address ${email} can sign in.`,
      "Name a person of the application with --as: the rows are checked with their permissions.",
    );
  return { id: String(row.id), granted: new Set(Array.isArray(row.roles) ? row.roles.map(String) : []) };
};

const refuse = (message: string, hint?: string) => new CommandFailed(exits.changeRefused, message, hint);

const faults: Readonly<Record<Exclude<ReceiveFault["reason"], "open quote" | "too large">, string>> = {
  "not a table": "is not a table of a spreadsheet.",
  "no rows": "has no header row with data below it.",
  "not one table": "must contain exactly one CSV, TSV or XLSX file outside of folders.",
  "too many files": "contains more files that rows name, or larger ones, than can be imported at once. Split it.",
};

/** The sentence about a file, after its name. */
const toSentence = (fault: ReceiveFault): string => {
  if (fault.reason === "open quote")
    return `has a quotation mark in cell ${fault.cell} that is never closed. Close or delete it.`;
  if (fault.reason !== "too large") return faults[fault.reason];
  const { found } = fault;
  switch (found.of) {
    case "ROWS":
      return `has ${found.count.toLocaleString("en")} rows; an import has at most ${MAX_ROWS.toLocaleString("en")}. Split it.`;
    case "COLUMNS":
      return `has ${found.count} columns; an import has at most ${MAX_COLUMNS}. Remove some.`;
    case "BYTES":
      return `has a table of ${Math.ceil(found.count / 2 ** 20)} MB, which is too large. Split it.`;
    case "UNPACKED":
      return "unpacks to more than can be imported. Save its sheet as CSV.";
  }
};

/** Imports into a database without a server in between, as a person. `end` stops when the current rows are written. */
export const connectToService = (
  service: Service,
  person: ImportPerson,
): ImportServer & { readonly end: () => Promise<void> } => {
  const { model, database } = service;
  const clock = () => new Date();
  const phrases = getPhrasesFor("en");
  const runner = new ImportRunner(service, clock, pino({ level: "silent" }));
  const getEntity = (name: string): Entity => {
    const entity = model.entities.get(name);
    if (entity === undefined) throw new Error(`there is no entity ${name}`);
    return entity;
  };
  const toJson = (stored: StoredImport): ImportJson => {
    const entity = getEntity(stored.entity);
    return toImportJson(stored, entity, findImportFields(model, entity, person, stored), phrases, null);
  };
  const find = async ({ id, entity }: ImportJson): Promise<StoredImport> => {
    const stored = await findImport(database, id, { person: person.id, entity });
    if (stored === undefined) throw refuse("The import was deleted.");
    return stored;
  };
  return {
    send: async (list, name, bytes) => {
      const entity = [...model.entities.values()].find(
        (candidate) => candidate.path === list && candidate.served && candidate.rows === null,
      );
      if (entity === undefined)
        throw refuse(`There is no list ${list}.`, "Name the list by its address: “things” for /api/things.");
      const may = (["create", "update"] as const).some((action) => grantsFor(model, entity, action, person).length > 0);
      if (!may) throw refuse(permissionSentence(phrases, entity, "create"));
      const sent = { name, content: bytes, person, roles: null, language: "" };
      const received = await receiveTable(service, entity, sent, { quota: null, now: clock() });
      if (isReceiveFault(received)) throw refuse(`${name} ${toSentence(received)}`);
      return toJson(received);
    },
    begin: async (job, act, settings) => {
      const stored = await find(job);
      const open = findQuestions(
        findImportFields(model, getEntity(stored.entity), person, stored),
        stored.columns,
        settings,
      );
      if (open.length > 0)
        throw refuse(
          `The order of dates or the sign before decimals is not certain in ${open.map((at) => `“${stored.columns[at]?.header ?? ""}”`).join(", ")}.`,
          "Say it with --days or --decimal.",
        );
      const to = act === "check" ? "checking" : "running";
      const begun = await beginState(database, stored.id, { to, from: ["mapping", "checked"], settings, now: clock() });
      if (begun === undefined) throw refuse("Another command works on this import.");
      runner.poll();
      return toJson(begun);
    },
    read: async (job) => {
      const stored = await find(job);
      // A part that others prevented for a moment is tried again.
      if (stored.state === "running" || stored.state === "checking") runner.poll();
      return toJson(stored);
    },
    refused: async (job) => {
      const lines: string[] = [];
      for await (const line of refusedRows(database, await find(job), phrases.language)) lines.push(line);
      return lines.join("");
    },
    end: () => runner.stop(),
  };
};
