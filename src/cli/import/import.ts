import { readFile, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ImportColumnSettings, ImportJson, ImportRefusals, ImportSettings } from "../../core/wire/imports.ts";
import { connect } from "../../postgres/database.ts";
import { dataOptions, withConnections } from "../data/data-store.ts";
import { openLiveService } from "../data/live-service.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { connectToService, findImportPerson } from "./import-database.ts";
import { connectToServer, type ImportServer } from "./import-server.ts";

/** The server refuses larger tables. */
const MAX_TABLE_BYTES = 32 * 2 ** 20;

/** The server refuses ZIP files by the largest upload of its document. More is never read. */
const MAX_ZIP_BYTES = 2 ** 30;

const POLL_MS = 250;

const readRows = async (path: string): Promise<Buffer> => {
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t read ${path} (${error.code ?? error.message}).`, undefined, error);
  });
  const most = /\.zip$/iu.test(path) ? MAX_ZIP_BYTES : MAX_TABLE_BYTES;
  if (!about.isFile() || about.size > most)
    throw new CommandFailed(
      exits.usage,
      about.isFile() ? `${path} has more than ${most / 2 ** 20} MB.` : `${path} is no file.`,
      "Name a CSV, TSV, XLSX or ZIP file. Split a larger one.",
    );
  return readFile(path);
};

interface Choices {
  readonly match: readonly string[];
  readonly columns: readonly string[];
  readonly days: string | undefined;
  readonly decimal: string | undefined;
  readonly isAll: boolean;
}

const orders = ["dmy", "mdy", "ymd"] as const;
const signs = [".", ","] as const;

/** Adds the choices of the command line to the settings of the import. */
export const chooseSettings = (job: ImportJson, { match, columns, days, decimal, isAll }: Choices): ImportSettings => {
  const order = orders.find((candidate) => candidate === days);
  const sign = signs.find((candidate) => candidate === decimal);
  if ((days !== undefined && order === undefined) || (decimal !== undefined && sign === undefined))
    throw new CommandFailed(exits.usage, "Write --days dmy, mdy or ymd, and --decimal “.” or “,”.", usage.import);
  const named = new Map(
    columns.map((column) => {
      const at = column.lastIndexOf("=");
      return [column.slice(0, at), column.slice(at + 1)] as const;
    }),
  );
  for (const [header, field] of named)
    if (
      !job.columns.some((column) => column.header === header) ||
      (field !== "" && !job.fields.some((candidate) => candidate.name === field))
    )
      throw new CommandFailed(
        exits.usage,
        `--column “${header}=${field}” names no column of ${job.file}, or no field that you can write.`,
        `Columns: ${job.columns.map((column) => column.header).join(", ")}. Fields: ${job.fields.map(({ name }) => name).join(", ")}.`,
      );
  return {
    columns: job.columns.map(({ header }, at): ImportColumnSettings => {
      const own = named.get(header);
      const field = own === undefined ? (job.settings.columns[at]?.field ?? null) : own === "" ? null : own;
      return { field, days: order ?? null, decimal: sign ?? null };
    }),
    match: [...match],
    mode: isAll ? "all" : "fitting",
  };
};

/** Refused rows that have one reason, with their numbers. */
export const describeRefusals = ({ code, clause, message, differs, rows, count, values }: ImportRefusals): string => {
  const shown = rows.slice(0, 10).join(", ");
  const more = count > 10 ? ` and ${count - Math.min(rows.length, 10)} more` : "";
  const cells = values.length === 0 ? "" : `\n      ${values.map((value) => `“${value}”`).join(", ")}`;
  return `  ${message}${differs ? " (and similar)" : ""} ${code}${clause === null ? "" : `, ${clause}`}\n      ${count === 1 ? "row" : "rows"} ${shown}${more}${cells}`;
};

/** Sentences about cells that were changed or left out. */
export const describeRemarks = ({ adjustments, remarks }: ImportJson): readonly string[] =>
  [...adjustments.map(({ message }) => message), ...remarks].map((remark) => `  ${remark}`);

const number = (count: number): string => count.toLocaleString("en");

const summary = (job: ImportJson): string => {
  const [add, update, same] =
    job.state === "checked" ? ["to add", "to update", "unchanged"] : ["added", "updated", "unchanged"];
  return `${number(job.added)} ${add}, ${number(job.updated)} ${update}, ${number(job.unchanged)} ${same}, ${number(job.refused)} refused.`;
};

/** Waits until an import is checked or written; shows its progress on a terminal. */
export const waitForImport = async (server: ImportServer, begun: ImportJson): Promise<ImportJson> => {
  let job = begun;
  for (let shown = -1; ["checking", "running"].includes(job.state); ) {
    if (process.stderr.isTTY && job.done !== shown)
      process.stderr.write(
        `\r${job.state === "checking" ? "Checking" : "Importing"} ${number(job.done)} of ${number(job.rows)}…`,
      );
    shown = job.done;
    await sleep(POLL_MS);
    job = await server.read(job);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  return job;
};

const readToken = async (path: string | undefined): Promise<string> => {
  const token = path === undefined ? process.env.NINEFOLD_TOKEN : await readFile(path, "utf8").catch(() => undefined);
  if (token === undefined || token.trim() === "")
    throw new CommandFailed(
      exits.usage,
      path === undefined
        ? "Name the token with --token-file F, or in NINEFOLD_TOKEN."
        : `Can’t read a token in ${path}.`,
      "You create a token on your account page.",
    );
  return token.trim();
};

/** Imports rows from a file, or only checks them, and prints the result. */
const importFile = async (
  server: ImportServer,
  [list, path]: readonly [string, string],
  { choices, isTrial, out, json }: { choices: Choices; isTrial: boolean; out: string | undefined; json: boolean },
): Promise<number> => {
  const sent = await server.send(list, basename(path), await readRows(path));
  const settings = chooseSettings(sent, choices);
  const job = await waitForImport(server, await server.begin(sent, isTrial ? "check" : "run", settings));
  if (out !== undefined && job.refused > 0) await writeFile(out, await server.refused(job));
  if (json) process.stdout.write(`${JSON.stringify(job, undefined, 2)}\n`);
  else {
    const unmatched = job.columns.filter((_, at) => settings.columns[at]?.field === null).map(({ header }) => header);
    const prefix = job.state !== "done" && !isTrial ? "Nothing was imported. " : "";
    const lines = [
      `${prefix}${summary(job)}`,
      ...(unmatched.length === 0 ? [] : [`Columns that no field matches: ${unmatched.join(", ")}.`]),
      ...job.refusals.map(describeRefusals),
      ...describeRemarks(job),
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return job.refused > 0 || job.waits !== null ? exits.changeRefused : exits.done;
};

/** Imports the rows of a file into a list: of a running application, or of a database as one of its people. */
export const importRows = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: "string" },
      "token-file": { type: "string" },
      ...dataOptions,
      as: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      match: { type: "string", multiple: true, default: [] },
      column: { type: "string", multiple: true, default: [] },
      days: { type: "string" },
      decimal: { type: "string" },
      "all-or-nothing": { type: "boolean", default: false },
      out: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [list, path, ...more] = positionals;
  const { url, data, database, as } = values;
  const isDirect = data !== undefined || database !== undefined;
  if (list === undefined || path === undefined || more.length > 0 || (url === undefined) === !isDirect)
    throw new CommandFailed(exits.usage, "Name a list, one file, and --url, --data or --database.", usage.import);
  const options = {
    choices: {
      match: values.match,
      columns: values.column,
      days: values.days,
      decimal: values.decimal,
      isAll: values["all-or-nothing"],
    },
    isTrial: values["dry-run"],
    out: values.out,
    json: values.json,
  };
  if (url !== undefined)
    return importFile(connectToServer(url, await readToken(values["token-file"])), [list, path], options);
  if (as === undefined)
    throw new CommandFailed(
      exits.usage,
      "Name the person who imports with --as EMAIL.",
      "The rows are checked with their permissions, and the history names them.",
    );
  return withConnections({ data, database }, async ({ app }) => {
    const connected = connect({ connection: app });
    try {
      const service = await openLiveService(connected);
      const server = connectToService(service, await findImportPerson(service, as));
      return await importFile(server, [list, path], options).finally(() => server.end());
    } finally {
      await connected.end();
    }
  });
};
