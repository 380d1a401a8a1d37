import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { connect, type Database, StoreRefusal } from "../../postgres/database.ts";
import { defaultFolder } from "../../postgres/embedded/index.ts";
import { createService, type Service } from "../../server/execution/service.ts";
import { removeSample } from "../../server/sample/removal.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { dataOptions, withStore } from "./data-store.ts";

/** Removes the sample people and records. The application can be running. */
export const sample = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: dataOptions,
  });
  const [verb, path, ...more] = positionals;
  if (verb !== "remove" || path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Write “remove” and name one file or folder.", usage.sample);
  // The file only identifies the data: the database may run another version of the document.
  await readSources(path);

  const url = values.database ?? process.env.DATABASE_URL;
  const folder = values.data ?? (await defaultFolder(basename(resolve(path)).replace(/\.md$/u, "")));
  return withStore(url === undefined ? { folder } : { url }, async ({ app }) => {
    const database = connect({ connection: app });
    const { removed, retained } = await inForce(database)
      .then(removeSample)
      .finally(() => database.end());
    process.stdout.write(`Deleted ${removed} sample people and records${retainedText(retained)}.\n`);
    return exits.done;
  });
};

const retainedText = (retained: number): string => {
  if (retained === 0) return "";
  return retained === 1
    ? "; 1 was kept, because one of your own records refers to it"
    : `; ${retained} were kept, because your own records refer to them`;
};

const UNDEFINED_TABLE = "42P01";

/** Loads the document that the database runs, which may differ from the file. */
const inForce = async (database: Database): Promise<Service> => {
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
      "Run a specification without errors, then delete the sample data.",
    );
  return createService(model, Number(last.number), database);
};
