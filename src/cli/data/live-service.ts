import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { type Database, StoreRefusal } from "../../postgres/database.ts";
import { createService, type Service } from "../../server/execution/service.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

const UNDEFINED_TABLE = "42P01";

/** Loads the document that the database runs, which may differ from the file. */
export const openLiveService = async (database: Database): Promise<Service> => {
  const [last] = await database
    .query({ text: "select number, file, source from ninefold.version order by number desc limit 1", values: [] })
    .catch((error: unknown) => {
      if (error instanceof StoreRefusal && error.code === UNDEFINED_TABLE) return [];
      throw error;
    });
  if (last === undefined)
    throw new CommandFailed(
      exits.databaseRefused,
      "The database has never run a specification.",
      "Check that the address is correct.",
    );
  const { model } = compile(unpackSources({ file: String(last.file), text: String(last.source) }));
  if (model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      "The specification that the database runs has errors in this release.",
      "Run a specification without errors first.",
    );
  return createService(model, Number(last.number), database);
};
