import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../../core/compile.ts";
import { draftDatabase } from "../../core/draft/database/draft-database.ts";
import type { DraftEntity } from "../../core/draft/draft-entities.ts";
import { toWords } from "../../core/draft/names.ts";
import { draftOpenapi, MOST_RESOURCES } from "../../core/draft/openapi/draft-openapi.ts";
import { findTable } from "../../core/draft/table.ts";
import { draftDocument, writeDocument } from "../../core/draft/write-document.ts";
import { format } from "../../core/format.ts";
import type { OpenPoint } from "../../core/model/model.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { isDatabaseAddress, readDatabase } from "./read-database.ts";
import { readFileOfSheets } from "./read-file.ts";
import { isDescription, readDescription } from "./read-openapi.ts";

const toTitle = (name: string): string => {
  const words = toWords(name).join(" ");
  return words === "" ? "Draft" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** A table, sheet or schema that became an entity, for programs. */
interface DraftedTable {
  readonly name: string;
  readonly source: string;
  readonly rows?: number;
  readonly columns: number;
  readonly leftOut: readonly string[];
}

/** The text of a document before it is formatted. */
interface Drafted {
  readonly write: (title: string) => string;
  /** The title if the command names none. */
  readonly title: string;
  readonly tables: readonly DraftedTable[];
  readonly remarks: readonly string[];
}

const draftSheets = async (paths: readonly string[]): Promise<Drafted> => {
  const read = await Promise.all(paths.map(readFileOfSheets));
  const sheets = read.flatMap((file) => file.sheets);
  const tables = sheets.flatMap((sheet) => findTable(sheet) ?? []);
  const withRows = new Set(tables.map(({ source }) => source));
  const remarks = [
    ...read.flatMap((file) => file.remarks),
    ...sheets.flatMap(({ source }) => (withRows.has(source) ? [] : [`${source} has no header with rows below it.`])),
  ];
  if (tables.length === 0)
    throw new CommandFailed(
      exits.badDocument,
      `There is no table in ${paths.join(", ")}.`,
      remarks.join(" ") || "A table has a header and at least one row.",
    );
  const [first = ""] = paths;
  return {
    write: (title) => draftDocument(title, tables),
    title: basename(first, extname(first)),
    tables: tables.map(({ name, source, rows, columns, remarks: leftOut }) => ({
      name,
      source,
      rows,
      columns: columns.length,
      leftOut,
    })),
    remarks,
  };
};

const draftTables = async (url: string, schemas: readonly string[], tables: readonly string[]): Promise<Drafted> => {
  const content = await readDatabase({ url, schemas, tables });
  const entities = draftDatabase(content.tables, { keepsNumbers: false, seen: content.seen });
  const kind = {
    from: `Drafted from the database ${content.name}, ${entities.length} tables.`,
    fields: "A field is required if its column is. `source` names the constraint or the type that shows the rest.",
  };
  return {
    write: (title) => writeDocument(title, kind, entities),
    title: content.name,
    tables: describeEntities(entities),
    remarks: [],
  };
};

const describeEntities = (entities: readonly DraftEntity[]): readonly DraftedTable[] =>
  entities.map(({ name, source, fields, remarks }) => ({
    name,
    source,
    columns: fields.filter(({ keys }) => keys.list === undefined).length,
    leftOut: remarks,
  }));

const draftDescription = async (path: string): Promise<Drafted> => {
  const { title, entities, calls } = draftOpenapi(await readDescription(path));
  if (entities.length === 0)
    throw new CommandFailed(
      exits.badDocument,
      `${path} has no call that gives or takes a record.`,
      "A record is a JSON object with properties in the body of a call.",
    );
  const kind = {
    from: `Drafted from the API description ${basename(path)}, ${entities.length} schemas.`,
    fields:
      "A field is required if its schema says so. `source` names the schema, the calls and the format that show the rest.",
    calls,
  };
  return {
    write: (name) => writeDocument(name, kind, entities),
    title: title ?? basename(path, extname(path)),
    tables: describeEntities(entities),
    remarks: entities.length < MOST_RESOURCES ? [] : [`The draft has the first ${MOST_RESOURCES} kinds of records.`],
  };
};

/** Formats and checks a draft: it has no error, or it is a defect. */
const finish = (file: string, drafted: string): { readonly text: string; readonly open: readonly OpenPoint[] } => {
  const { sources, findings } = format([{ file, text: drafted }]);
  const text = sources[0]?.text ?? drafted;
  const compiled = compile([{ file, text }]);
  const error = findings[0] ?? compiled.findings.find(({ severity }) => severity === "error");
  if (error !== undefined) throw new Error(`The draft has an error: ${error.code} ${error.message}\n\n${text}`);
  return { text, open: compiled.open };
};

/** Drafts a document from spreadsheets, an API description or a database, and prints it or writes it to a new file. */
export const draft = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      out: { type: "string" },
      name: { type: "string" },
      schema: { type: "string", multiple: true, default: [] },
      table: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
    },
  });
  const [first, ...more] = positionals;
  if (first === undefined)
    throw new CommandFailed(
      exits.usage,
      "Name CSV, TSV or XLSX files, an OpenAPI description, or the address of a database.",
      usage.draft,
    );
  const isDatabase = isDatabaseAddress(first);
  if (isDatabase ? more.length > 0 : more.some(isDatabaseAddress))
    throw new CommandFailed(exits.usage, "Draft from files, or from one database.", usage.draft);
  if (!isDatabase && values.schema.length + values.table.length > 0)
    throw new CommandFailed(exits.usage, "--schema and --table belong to a database.", usage.draft);
  if (more.length > 0 && positionals.some(isDescription))
    throw new CommandFailed(exits.usage, "Draft from one API description at a time.", usage.draft);
  const drafted = isDatabase
    ? await draftTables(first, values.schema, values.table)
    : isDescription(first)
      ? await draftDescription(first)
      : await draftSheets(positionals);
  const { tables, remarks } = drafted;
  const title =
    values.name ?? toTitle(values.out === undefined ? drafted.title : basename(values.out, extname(values.out)));
  const { text, open } = finish(basename(values.out ?? "draft.md"), drafted.write(title));
  if (values.out !== undefined) await writeNew(values.out, text);
  if (values.json) {
    const json = {
      ...(values.out === undefined ? { text } : { file: values.out }),
      tables,
      remarks,
      openPoints: open.map(({ point, statement }) => ({ point, statement })),
    };
    process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return exits.done;
  }
  if (values.out === undefined) process.stdout.write(text);
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  if (values.out !== undefined)
    process.stderr.write(
      `${values.out}: ${tables.length} ${tables.length === 1 ? "entity" : "entities"}, ${open.length} open points. Try it with “ninefold run ${values.out}”.\n`,
    );
  return exits.done;
};

const writeNew = async (path: string, text: string): Promise<void> => {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw code === "EEXIST"
      ? new CommandFailed(
          exits.usage,
          `The file ${path} already exists.`,
          "A draft never overwrites a file. Choose another name.",
        )
      : new CommandFailed(exits.usage, `Can’t write ${path} (${code}).`, undefined, error);
  }
};
