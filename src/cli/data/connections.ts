import { BackupUnreadable } from "../../postgres/backup/backup-file.ts";
import { isAddress, isDiskFull, StoreAway, StoreRefusal, StoreSlow } from "../../postgres/database.ts";
import { StartError } from "../../postgres/embedded/index.ts";
import { ChangeRefused } from "../../postgres/schema/apply-steps.ts";
import { DatabaseRefused } from "../../postgres/schema/prepare-system.ts";
import { isPooler } from "../../postgres/wait-for-database.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { ObjectStoreAway } from "../../storage/object-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/**
 * Creates the connections to an external database. Without an owner's address, one role does everything. With one,
 * requests use the first role, which only needs privileges on rows. `replicas`: the addresses of
 * standbys, for the role of requests.
 */
export const createConnections = (
  url: string,
  owner: string | undefined = undefined,
  pooled = false,
  replicas: readonly string[] = [],
): Connections => {
  for (const [value, name] of [
    [url, "--database"],
    [owner ?? url, "--owner"],
    ...replicas.map((replica) => [replica, "--replica"] as const),
  ] as const) {
    if (!/^postgres(?:ql)?:\/\//u.test(value))
      throw new CommandFailed(
        exits.usage,
        "The address of the database must begin with postgresql://.",
        `Write ${name} postgresql://user:password@host:5432/name.`,
      );
    if (!isAddress(value))
      throw new CommandFailed(
        exits.usage,
        "The address of the database is not valid.",
        `Write ${name} postgresql://user:password@host:5432/name, with %40 for an @ in the password.`,
      );
  }
  return { owner: owner ?? url, app: url, pooled, replicas };
};

/** Explains in one sentence, with an exit code, why a database could not be opened. Never contains a password. */
export const openingFailed = (error: unknown): CommandFailed => {
  if (error instanceof CommandFailed) return error;
  if (error instanceof StartError)
    return new CommandFailed(
      error.kind === "data in use" ? exits.dataInUse : exits.databaseRefused,
      error.message,
      error.hint,
      error,
    );
  if (error instanceof ChangeRefused)
    return new CommandFailed(
      exits.changeRefused,
      `${error.message} Nothing was changed.\n${error.refused.map((refused) => `  ${refused.says}`).join("\n")}`,
      "Change the stored records or the specification, or run the specification on new data with --data.",
      error,
    );
  if (error instanceof BackupUnreadable)
    return new CommandFailed(exits.badBackup, error.message, "Nothing was changed. Use another backup.", error);
  if (error instanceof DatabaseRefused)
    return new CommandFailed(exits.databaseRefused, error.message, error.hint, error);
  if (isDiskFull(error))
    return new CommandFailed(
      exits.databaseRefused,
      `The database is out of space (${(error as StoreAway).reason}).`,
      "Free some space on its disk, then run the command again. What was stored before is unchanged.",
      error,
    );
  if (error instanceof ObjectStoreAway)
    return new CommandFailed(
      exits.databaseRefused,
      `Can’t use the object store for files: ${error.message}.`,
      "Check NINEFOLD_FILES, its credentials and its region.",
      error,
    );
  if (error instanceof StoreSlow)
    return new CommandFailed(
      exits.databaseRefused,
      `The database took too long, and the command was cancelled: ${error.reason}.`,
      "Perhaps somebody else is publishing a version. Run the command again in a moment.",
      error,
    );
  if (error instanceof StoreAway)
    return new CommandFailed(
      exits.databaseRefused,
      `Can’t reach the database: ${error.reason === "" ? "it does not answer" : error.reason}.`,
      isPooler(error)
        ? "The address seems to belong to a pooler. Add --pooler, and give the address of the database itself with --owner."
        : "Check that it is running and that the address is correct.",
      error,
    );
  if (error instanceof StoreRefusal && /^(?:28|3D|42501|0A)/u.test(error.code))
    return new CommandFailed(
      exits.databaseRefused,
      `The database refused the connection: ${error.message}.`,
      "The role must be able to log in and to create schemas in that database.",
      error,
    );
  throw error;
};
