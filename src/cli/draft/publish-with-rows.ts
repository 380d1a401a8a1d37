import { compile } from "../../core/compile.ts";
import type { DraftEntity } from "../../core/draft/draft-entities.ts";
import type { Source } from "../../core/source-text.ts";
import { startEmbedded } from "../../postgres/embedded/index.ts";
import { chooseVersion } from "../../server/proposals/start-version.ts";
import { type Connections, openVersion } from "../../server/serving/open-document.ts";
import { createConnections, openingFailed } from "../data/connections.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { findImportPerson } from "../import/import-database.ts";
import { createAdministrator } from "../run/fill-database.ts";
import { readPasswordFile } from "../run/password-file.ts";
import { importDrafted, type ReadSourceRows, type RowFormat } from "./import-drafted.ts";

/** Where the rows go, and as whom they are written. */
export interface RowsTarget {
  readonly data: string | undefined;
  readonly database: string | undefined;
  readonly email: string;
  readonly passwordFile: string;
}

const withTarget = async <T>(
  { data, database }: RowsTarget,
  name: string,
  work: (connections: Connections) => Promise<T>,
): Promise<T> => {
  if (database !== undefined) return work(createConnections(database));
  const embedded = await startEmbedded({ folder: data ?? "", name, demonstration: false });
  try {
    return await work({ owner: { ...embedded.owner }, app: { ...embedded.app }, folder: embedded.folder });
  } finally {
    await embedded.stop();
  }
};

/** Publishes a drafted document on new data, and imports the rows of its source as the first administrator. */
export const publishWithRows = async (
  source: Source,
  entities: readonly DraftEntity[],
  readRows: ReadSourceRows,
  format: RowFormat,
  target: RowsTarget,
): Promise<{ readonly lines: readonly string[]; readonly refused: number }> => {
  const password = await readPasswordFile(target.passwordFile);
  const compiled = compile([source]);
  try {
    return await withTarget(target, source.file, async (connections) => {
      const opened = await openVersion((owner) => chooseVersion(owner, compiled, "never"), connections);
      try {
        if (opened.change !== null)
          throw new CommandFailed(
            exits.changeRefused,
            "The data belongs to another specification, so nothing was imported.",
            "Name a new folder with --data, or an empty database.",
          );
        await createAdministrator(opened, { email: target.email }, password, new Date());
        const person = await findImportPerson(opened.service, target.email);
        return await importDrafted(opened.service, person, entities, readRows, format);
      } finally {
        await opened.close();
      }
    });
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  }
};
