import { parseArgs } from "node:util";
import { connect } from "../../postgres/database.ts";
import type { FilePlaces } from "../../server/files/file-bytes.ts";
import {
  checkFiles,
  countFiles,
  type FileCount,
  type FilePlace,
  moveFiles,
  type NamedFile,
} from "../../server/files/move-files.ts";
import { NoObjectStore } from "../../storage/object-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { openingFailed } from "./connections.ts";
import { dataOptions, withConnection, withConnections } from "./data-store.ts";
import { openObjectStore } from "./file-store.ts";
import { formatSize } from "./format-size.ts";

/** Says where the files are, moves them, or compares them with their checksums. The application can be running. */
export const files = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...dataOptions, to: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const [verb = "list", ...more] = positionals;
  const work = verbs[verb];
  const to = parsePlace(values.to);
  if (work === undefined || more.length > 0 || (verb === "move") !== (to !== undefined))
    throw new CommandFailed(exits.usage, "Write list, check, or move with --to database or --to store.", usage.files);
  const objects = await openObjectStore(process.env);
  try {
    return await withConnections(values, ({ owner }) =>
      withConnection(owner, async () => {
        const database = connect({ connection: owner });
        try {
          return await work({ database, objects }, to ?? "store", values.json ? writeJson : writeText);
        } finally {
          await database.end();
        }
      }),
    );
  } catch (error) {
    throw toFailure(error);
  } finally {
    objects?.close();
  }
};

interface Report {
  readonly sentences: readonly string[];
  readonly lost: readonly NamedFile[];
  readonly [name: string]: unknown;
}

type Write = (report: Report) => number;
type Work = (places: FilePlaces, to: FilePlace, write: Write) => Promise<number>;

const verbs: { readonly [verb: string]: Work } = {
  list: async ({ database, objects }, _, write) => {
    const counts = await countFiles(database);
    const where = objects === null ? "in an object store (NINEFOLD_FILES is not set)" : `in ${objects.address}`;
    return write({
      ...counts,
      sentences: [`${describe(counts.database)} in the database.`, `${describe(counts.store)} ${where}.`],
      lost: [],
    });
  },
  move: async (places, to, write) => {
    const { files, bytes, lost } = await moveFiles(places, to, showProgress());
    const into = to === "database" ? "the database" : (places.objects?.address ?? "the store");
    return write({ files, bytes, sentences: [`Moved ${describe({ files, bytes })} to ${into}.`], lost });
  },
  check: async (places, _, write) => {
    const { files, bytes, lost } = await checkFiles(places);
    return write({
      files,
      bytes,
      sentences: [
        `Compared ${describe({ files, bytes })} with their checksums${lost.length === 0 ? ": all are intact" : ""}.`,
      ],
      lost,
    });
  },
};

const parsePlace = (text: string | undefined): FilePlace | undefined =>
  text === "database" || text === "store" ? text : undefined;

const describe = ({ files, bytes }: FileCount): string =>
  `${files} ${files === 1 ? "file" : "files"} (${formatSize(bytes)})`;

/** Most lost files that are listed. */
const LISTED = 20;

const writeText: Write = ({ sentences, lost }) => {
  const names = lost.slice(0, LISTED).map(({ name, id }) => `  ${name} (${id})`);
  const rest = lost.length > LISTED ? [`  and ${lost.length - LISTED} more`] : [];
  const about =
    lost.length === 0
      ? []
      : [`${lost.length === 1 ? "1 file is" : `${lost.length} files are`} missing or damaged:`, ...names, ...rest];
  process.stdout.write(`${[...sentences, ...about].join("\n")}\n`);
  return lost.length === 0 ? exits.done : exits.filesLost;
};

const writeJson: Write = ({ sentences, lost, ...figures }) => {
  const listed = lost.map(({ id, name, size }) => ({ id, name, size }));
  process.stdout.write(`${JSON.stringify({ ...figures, lost: listed })}\n`);
  return lost.length === 0 ? exits.done : exits.filesLost;
};

/** Shows progress on a terminal, once a second. */
const showProgress = (): ((file: NamedFile) => void) => {
  let [files, bytes, shownAt] = [0, 0, Date.now()];
  return ({ size }) => {
    files++;
    bytes += size;
    if (process.stderr.isTTY !== true || Date.now() - shownAt < 1_000) return;
    shownAt = Date.now();
    process.stderr.write(`\r${describe({ files, bytes })} moved …`);
  };
};

const toFailure = (error: unknown): unknown => {
  if (error instanceof NoObjectStore)
    return new CommandFailed(
      exits.usage,
      "Files are in an object store, or should go there, and its address is missing.",
      "Set NINEFOLD_FILES, for example to s3://desk-files.",
      error,
    );
  return openingFailed(error);
};
