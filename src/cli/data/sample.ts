import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../postgres/database.ts";
import { defaultFolder } from "../../postgres/embedded/index.ts";
import { removeSample } from "../../server/sample/removal.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { dataOptions, withStore } from "./data-store.ts";
import { openLiveService } from "./live-service.ts";

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
    const { removed, retained } = await openLiveService(database)
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
