import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../../core/compile.ts";
import { draftDatabase } from "../../core/draft/database/draft-database.ts";
import { type DraftEntity, draftEntities } from "../../core/draft/draft-entities.ts";
import { toWords } from "../../core/draft/names.ts";
import { draftOpenapi, MOST_RESOURCES } from "../../core/draft/openapi/draft-openapi.ts";
import { findTable } from "../../core/draft/table.ts";
import { draftDocument, writeDocument } from "../../core/draft/write-document.ts";
import { format } from "../../core/format.ts";
import type { OpenPoint } from "../../core/model/model.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";
import type { ReadSourceRows, RowFormat } from "./import-drafted.ts";
import { publishWithRows, type RowsTarget } from "./publish-with-rows.ts";
import { isDatabaseAddress, readDatabase, readOnly } from "./read-database.ts";
import { readFileOfSheets } from "./read-file.ts";
import { isDescription, readDescription } from "./read-openapi.ts";
import { readSheetRows, readTableRows } from "./read-rows.ts";

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
  readonly entities: readonly DraftEntity[];
  /** Calls `work` with the rows of the source. */
  readonly withRows: <T>(work: (read: ReadSourceRows, format: RowFormat) => Promise<T>) => Promise<T>;
  readonly write: (title: string) => string;
  /** The title if the command names none. */
  readonly title: string;
  readonly tables: readonly DraftedTable[];
  readonly remarks: readonly string[];
}

const draftSheets = async (paths: readonly string[], format: RowFormat): Promise<Drafted> => {
  const read = await Promise.all(paths.map(readFileOfSheets));
  const sheets = read.flatMap((file) => file.sheets);
  const tables = sheets.flatMap((sheet) => findTable(sheet) ?? []);
  const withRows = new Set(tables.map(({ source }) => source));
  const remarks = [
    ...read.flatMap((file) => file.remarks),
    ...sheets.flatMap(({ source }) =>
      withRows.has(source) ? [] : [`${source} has no header row with data below it.`],
    ),
  ];
  if (tables.length === 0)
    throw new CommandFailed(
      exits.badDocument,
      `There is no table in ${paths.join(", ")}.`,
      remarks.join(" ") || "A table has a header and at least one row.",
    );
  const [first = ""] = paths;
  const entities = draftEntities(tables);
  return {
    entities,
    withRows: (work) => work(readSheetRows(entities, tables), format),
    write: (title) => draftDocument(title, tables),
    title: basename(first, extname(first)),
    tables: tables.map(({ name, source, rowNumbers, columns, remarks: leftOut }) => ({
      name,
      source,
      rows: rowNumbers.length,
      columns: columns.length,
      leftOut,
    })),
    remarks,
  };
};

const draftTables = async (
  url: string,
  {
    schema,
    table,
    isWithRows,
  }: { readonly schema: readonly string[]; readonly table: readonly string[]; readonly isWithRows: boolean },
): Promise<Drafted> => {
  const content = await readDatabase({ url, schemas: schema, tables: table });
  const entities = draftDatabase(content.tables, { keepsNumbers: isWithRows, seen: content.seen, most: content.most });
  const kind = {
    from: `Drafted from the database ${content.name}, ${entities.length} tables.`,
    fields: "A field is required if its column is. `source` names the constraint or the type that shows the rest.",
  };
  return {
    entities,
    withRows: (work) => readOnly(url, (client) => work(readTableRows(client), { days: "ymd", decimal: "." })),
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
    entities,
    withRows: () => {
      throw new Error("an API description has no rows");
    },
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
      "with-rows": { type: "boolean", default: false },
      data: { type: "string" },
      database: { type: "string" },
      "admin-email": { type: "string" },
      "admin-password-file": { type: "string" },
      days: { type: "string" },
      decimal: { type: "string" },
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
  if (values["with-rows"] && isDescription(first))
    throw new CommandFailed(exits.usage, "An API description has no rows.", "Leave out --with-rows.");
  const target = values["with-rows"] ? toTarget(values) : undefined;
  const drafted = isDatabase
    ? await draftTables(first, { schema: values.schema, table: values.table, isWithRows: target !== undefined })
    : isDescription(first)
      ? await draftDescription(first)
      : await draftSheets(positionals, { days: values.days, decimal: values.decimal });
  const { tables, remarks } = drafted;
  const title =
    values.name ?? toTitle(values.out === undefined ? drafted.title : basename(values.out, extname(values.out)));
  const { text, open } = finish(basename(values.out ?? "draft.md"), drafted.write(title));
  if (values.out !== undefined) await writeNew(values.out, text);
  const written =
    target === undefined
      ? undefined
      : await drafted.withRows((read, format) =>
          publishWithRows({ file: basename(values.out ?? ""), text }, drafted.entities, read, format, target),
        );
  const exit = written !== undefined && written.refused > 0 ? exits.changeRefused : exits.done;
  if (values.json) {
    const json = {
      ...(values.out === undefined ? { text } : { file: values.out }),
      tables,
      remarks,
      openPoints: open.map(({ point, statement }) => ({ point, statement })),
      ...(written === undefined ? {} : { imported: written.lines }),
    };
    process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return exit;
  }
  if (values.out === undefined) process.stdout.write(text);
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  if (values.out !== undefined)
    process.stderr.write(
      `${values.out}: ${tables.length} ${tables.length === 1 ? "entity" : "entities"}, ${open.length} open points. Try it with “${program} run ${values.out}${values.data === undefined ? "" : ` --data ${values.data}`}”.\n`,
    );
  if (written !== undefined) process.stdout.write(`${written.lines.join("\n")}\n`);
  return exit;
};

/** Where the rows go; each option is needed. */
const toTarget = (values: {
  readonly out?: string | undefined;
  readonly data?: string | undefined;
  readonly database?: string | undefined;
  readonly "admin-email"?: string | undefined;
  readonly "admin-password-file"?: string | undefined;
}): RowsTarget => {
  const { out, data, database, "admin-email": email, "admin-password-file": passwordFile } = values;
  if (
    out === undefined ||
    (data === undefined) === (database === undefined) ||
    email === undefined ||
    passwordFile === undefined
  )
    throw new CommandFailed(
      exits.usage,
      "--with-rows needs --out FILE, --data DIR or --database URL, --admin-email A and --admin-password-file F.",
      "The rows are written as this administrator, into new data.",
    );
  return { data, database, email, passwordFile };
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
