import { type FileHandle, open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { findDefinition } from "../../core/bring-back-clause.ts";
import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Database } from "../../postgres/database.ts";
import { deleteRetired, lastVersionWith, listRetired, type RetiredData } from "../../postgres/schema/retired-data.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { ask } from "./ask.ts";

interface Options {
  readonly json: boolean;
  readonly yes: boolean;
  readonly export?: string | undefined;
}

const wrongUse = (message: string): CommandFailed => new CommandFailed(exits.usage, message, usage.retired);

/** Lists retired fields and entities, says how to bring one back, or deletes one for good. */
export const retired = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      export: { type: "string" },
      json: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
    },
  });
  const [action = "list", name, ...more] = positionals;
  if (
    !["list", "bring-back", "delete"].includes(action) ||
    more.length > 0 ||
    (action === "list") !== (name === undefined)
  )
    throw wrongUse("Write “list”, “bring-back NAME” or “delete NAME”.");
  return withData(values, async (owner) => {
    const all = await listRetired(owner);
    if (name === undefined) return list(all, values.json);
    const one = all.find((other) => other.name === name);
    if (one === undefined)
      throw new CommandFailed(
        exits.usage,
        `There is no retired data called ${name}.`,
        all.length === 0 ? "There is no retired data." : `Retired: ${all.map((other) => other.name).join(", ")}.`,
      );
    return action === "delete" ? await remove(owner, one, values) : await bringBack(owner, one, values.json);
  });
};

const records = (count: number): string => (count === 1 ? "1 record" : `${count.toLocaleString("en")} records`);

const print = (text: string): number => {
  process.stdout.write(`${text}\n`);
  return exits.done;
};

const list = (all: readonly RetiredData[], json: boolean): number => {
  if (json) return print(JSON.stringify(all, undefined, 2));
  if (all.length === 0) return print("There is no retired data.");
  const rows = all.map((item) => [
    item.name,
    item.kind,
    records(item.records),
    `since version ${item.version}`,
    item.at.slice(0, 10),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return print(
    rows
      .map((row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd(),
      )
      .join("\n"),
  );
};

/** The clause of the last version that had it, for the author to add. */
const bringBack = async (owner: Database, one: RetiredData, json: boolean): Promise<number> => {
  const last = await lastVersionWith(owner, one);
  const clause = last === undefined ? undefined : findDefinition(compile(unpackSources(last)), one);
  if (last === undefined || clause === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `No version that this release can read has ${one.name}.`,
      "Add it to point 3 with the type that it had.",
    );
  if (json)
    return print(JSON.stringify({ ...one, point: clause.point, from: last.number, lines: clause.text }, undefined, 2));
  const place = one.kind === "entity" ? `point ${clause.point}` : `point ${clause.point}, at ${one.entity}`;
  return print(
    [
      `Add these lines of version ${last.number} to ${place} of the specification, and apply it. The values of ${records(one.records)} come back with it.`,
      "",
      clause.text,
      "",
      `Version ${last.number} also has the clauses of other points about it.`,
    ].join("\n"),
  );
};

const remove = async (owner: Database, one: RetiredData, { yes, json, export: path }: Options): Promise<number> => {
  if (path === undefined)
    throw wrongUse("Add --export FILE. The values are written to that file before they are deleted.");
  if (!yes) await confirm(one);
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      exits.usage,
      error.code === "EEXIST"
        ? `The file ${path} already exists.`
        : `${path} cannot be written (${error.code ?? error.message}).`,
      "Nothing was deleted. Name another file.",
    );
  });
  const deleted = await writeExport(file, (write) => deleteRetired(owner, { name: one.name }, { write }));
  if (deleted === undefined)
    throw new CommandFailed(exits.usage, `${one.name} is no longer retired.`, "Nothing was deleted.");
  return print(
    json
      ? JSON.stringify({ deleted: one.name, records: deleted.records, file: path }, undefined, 2)
      : `Deleted ${one.name}. The values of ${records(deleted.records)} are in ${path}.`,
  );
};

/** Completes the file on disk before the transaction that deletes the values commits. */
const writeExport = async <T>(
  file: FileHandle,
  work: (write: (line: string | null) => Promise<void>) => Promise<T>,
): Promise<T> => {
  try {
    return await work(async (line) => {
      if (line === null) await file.sync();
      else await file.appendFile(`${line}\n`);
    });
  } finally {
    await file.close();
  }
};

const confirm = async (one: RetiredData): Promise<void> => {
  if (process.stdin.isTTY !== true) throw wrongUse("Deleting asks for a confirmation. Without a terminal, add --yes.");
  const typed = await ask(
    `The values of ${records(one.records)} will be deleted for good. Type ${one.name} to delete them: `,
  );
  if (typed !== one.name) throw new CommandFailed(exits.usage, "Nothing was deleted.");
};
