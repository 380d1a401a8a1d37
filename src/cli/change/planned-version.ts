import { basename } from "node:path";
import { alignNames } from "../../core/change/align/align-names.ts";
import type { PlannedVersion } from "../../core/change/plan.ts";
import { type Compiled, compile } from "../../core/compile.ts";
import type { Entity } from "../../core/model/entity.ts";
import { definitionText, identifier, sql } from "../../core/sql.ts";
import type { Database } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import { listVersions, readVersion } from "../../server/authoring/versions.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";

/** A version that was read from a file or folder. */
export interface VersionRead extends PlannedVersion {
  readonly compiled: Compiled;
}

/** Reads and compiles a version of a document. Throws `CommandFailed` if it has an error. */
export const readPlannedVersion = async (path: string): Promise<VersionRead> => {
  const compiled = compile(await readSources(path));
  if (compiled.model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `${path} has an error, so it cannot be compared.`,
      `“${program} check ${path}” says which.`,
    );
  return { compiled, model: compiled.model, file: path, hash: hashDocument(compiled.source.text) };
};

/**
 * Gives the files of a draft the names that the live version uses, because a draft can be in any folder. Returns the
 * draft unchanged if the two consist of different files.
 */
export const withNamesOf = (live: VersionRead, draft: VersionRead): VersionRead => {
  const names = live.compiled.sources.map(({ file }) => file);
  const files = draft.compiled.sources;
  const [only, ...more] = names;
  const renamed =
    only !== undefined && more.length === 0 && files.length === 1
      ? files.map(({ text }) => ({ file: only, text }))
      : files.map(({ file, text }) => ({
          file: names.find((name) => basename(name) === basename(file)) ?? file,
          text,
        }));
  const compiled = compile(renamed);
  if (compiled.model === undefined || renamed.length !== names.length) return draft;
  return { ...draft, compiled, model: compiled.model, hash: hashDocument(compiled.source.text) };
};

/** An entity that the specification declares. Every application has users. */
const isWritten = ({ name, clause }: Entity): boolean => clause.span.file !== "" && name !== "User";

/**
 * True if the later version has none of the entities of the earlier one: it probably specifies another application.
 */
export const hasOtherEntities = (before: VersionRead, after: VersionRead): boolean => {
  const known = [...alignNames(before.model, after.model).entities.values()].filter(isWritten);
  return known.length > 0 && known.every(({ name }) => !after.model.entities.has(name));
};

/** A version that a database has run. */
export interface VersionStored extends VersionRead {
  readonly number: number;
}

/** True if the database has a record of an entity that the version declares. A plan may not have counted all of them. */
export const hasRecords = async (owner: Database, { model }: VersionStored): Promise<boolean> => {
  for (const { table } of [...model.entities.values()].filter(isWritten)) {
    const text = definitionText(sql`select exists (select from "app".${identifier(table)}) as "found"`);
    const [row] = await owner.query({ text, values: [] });
    if (row?.found === true) return true;
  }
  return false;
};

/**
 * Reads and compiles a version that a database has run. Throws `CommandFailed` if it does not exist or has an error.
 */
export const readStoredVersion = async (owner: Database, number: number): Promise<VersionStored> => {
  const version = await readVersion(owner, number);
  if (version === undefined)
    throw new CommandFailed(
      exits.usage,
      `This database has no version ${number}.`,
      `List all versions with “${program} versions”.`,
    );
  const compiled = compile(version.files);
  if (compiled.model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `Version ${number} has errors in this release.`,
      `Write its text to a file with “${program} versions ${number} --out FILE”, and fix it there.`,
    );
  return { compiled, model: compiled.model, file: `version ${number}`, hash: version.hash, number };
};

/** Reads the live version of a database. */
export const readLiveVersion = async (owner: Database): Promise<VersionStored> => {
  const [newest] = (await listVersions(owner, null)).items;
  if (newest === undefined)
    throw new CommandFailed(
      exits.databaseRefused,
      "This database has never run a specification.",
      "Start the application first.",
    );
  return readStoredVersion(owner, newest.number);
};
