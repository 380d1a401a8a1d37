import type { Model } from "../../model/model.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";
import { importedEntities } from "../http/routes.ts";
import { ID, object, ref } from "./components.ts";
import type { EntityView } from "./entity-view.ts";
import { content, errorResponses, header, tokenRefusals } from "./responses.ts";

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };
const field: JsonSchema = { type: ["string", "null"], description: "The name of a field." };
const states = ["mapping", "checking", "checked", "running", "done", "undoing", "undone"];
const dayOrders = ["dmy", "mdy", "ymd"];
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

const settings = {
  columns: {
    ...list(
      object(
        {
          field: { ...field, description: "The field that the column fills; null if it is left out." },
          days: { enum: [...dayOrders, null], description: "The order of its dates." },
          decimal: { enum: [".", ",", null], description: "The sign before its decimals." },
        },
        ["days", "decimal"],
      ),
    ),
    description: "One item for each column of the file, in order.",
  },
  match: {
    ...list(text),
    description: "Fields that find the record to change. Without them, each row adds a record.",
  },
  mode: { enum: ["fitting", "all"], description: "`all`: nothing is written if one row is refused." },
} as const;

const parent = object({ field: text, id: ID }, [], { description: "The record of which the rows become parts." });

/** The bodies of the calls for imports. They correspond to `core/wire/imports`. */
export const importSchemas: Readonly<Record<string, JsonSchema>> = {
  Import: object({
    id: ID,
    entity: text,
    file: { ...text, description: "The name of the file." },
    state: { enum: states },
    made_at: { type: "string", format: "date-time" },
    rows: { ...count, description: "Rows of the file." },
    done: { ...count, description: "Rows that were processed in this state." },
    added: count,
    updated: count,
    unchanged: count,
    refused: count,
    cancelled: { type: "boolean", description: "True if it was cancelled before the last row." },
    columns: list(
      object({
        header: text,
        samples: { ...list(text), description: "The first distinct values." },
        filled: { ...count, description: "Rows with a value." },
        days: { enum: [...dayOrders, "ask", "mixed", null], description: "`ask`: its dates fit two orders." },
        decimal: { enum: [".", ",", "ask", "mixed", null] },
      }),
    ),
    settings: object({ ...settings, parent }, ["parent"]),
    fields: {
      ...list(
        object({
          name: text,
          title: text,
          type: text,
          required: { type: "boolean" },
          matches: { type: "boolean", description: "True if records can be found by it." },
          fills: { type: "boolean", description: "False if it only identifies records." },
        }),
      ),
      description: "The fields that a column can fill.",
    },
    questions: { ...list(count), description: "Indexes of the columns that can be read in two ways: choose one." },
    remarks: { ...list(text), description: "Sentences about cells and files that were left out." },
    refusals: {
      ...list(
        object({
          code: text,
          clause: { type: ["string", "null"] },
          field,
          message: { ...text, description: "The sentence for the first of these rows." },
          differs: { type: "boolean", description: "True if the sentence differs from row to row." },
          count,
          rows: { ...list(count), description: "The first row numbers, as in the file." },
          values: { ...list(text), description: "The first distinct cells." },
        }),
      ),
      description: "Refused rows by reason and clause.",
    },
    adjustments: {
      ...list(
        object({
          field: text,
          kind: { enum: ["rounded", "without time"] },
          count,
          rows: { ...list(count), description: "The first row numbers, as in the file." },
          examples: { ...list(object({ from: text, to: text })), description: "The first distinct cells." },
          message: text,
        }),
      ),
      description: "Cells that were changed to fit their field, in rows that were not refused.",
    },
    waits: { type: ["string", "null"], description: "`busy` or `fault`: why it is not at work." },
    undoRefused: {
      ...object({ clause: text, because: text }),
      type: ["object", "null"],
      description: "Why you cannot undo it, with the clause; null if you can.",
    },
  }),
  ImportSettings: object(settings, Object.keys(settings), {
    description: "Settings to change; without a body, those of the import stay.",
  }),
  Imports: object({
    items: list(
      object(
        {
          id: ID,
          file: text,
          state: { enum: states },
          made_at: { type: "string", format: "date-time" },
          rows: count,
          added: count,
          updated: count,
          refused: count,
          parent,
        },
        ["parent"],
      ),
    ),
  }),
};

const query = (name: string, description: string, schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  name,
  in: "query",
  description,
  schema,
  ...more,
});

interface ImportCall {
  readonly reads: boolean;
  /** True if only the person who sent the file can call it, whatever their permissions are now. */
  readonly isOfSender?: boolean;
  /** Parameters and body. */
  readonly takes?: JsonSchema;
  readonly answers: JsonSchema;
  readonly refused?: readonly string[];
}

/** The description of one call for imports. `shared`: the parameters of all of them. */
const describeImportCall =
  (model: Model, shared: readonly JsonSchema[], permitted: readonly string[]) =>
  (
    name: string,
    summary: string,
    { reads, isOfSender = false, takes = {}, answers, refused = [] }: ImportCall,
  ): JsonSchema => ({
    operationId: `import.${name}`,
    tags: ["import"],
    summary,
    "x-permitted-by": permitted,
    ...takes,
    parameters: [...shared, ...((takes.parameters as readonly JsonSchema[] | undefined) ?? [])],
    responses: {
      ...answers,
      ...errorResponses(model, [
        ...[
          "NOT_SIGNED_IN",
          ...(isOfSender ? [] : ["FORBIDDEN"]),
          ...(reads ? [] : ["FOREIGN_ORIGIN"]),
          ...refused,
        ].map((code) => ({ code })),
        ...tokenRefusals(model, reads),
      ]),
      "503": { $ref: "#/components/responses/Away" },
      default: { $ref: "#/components/responses/Fault" },
    },
  });

const answer = (status: string, description: string, schema: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  [status]: { description, headers: { "Ninefold-Version": header("Version"), ...more }, content: content(schema) },
});

/** The calls for imports, once for all lists into which the caller can import. */
export const importPaths = (model: Model, views: Iterable<EntityView>): Readonly<Record<string, Json>> => {
  const imported = new Set(importedEntities(model).map(({ name }) => name));
  const open = [...views].filter(
    ({ entity, creating, updating }) => imported.has(entity.name) && creating.length + updating.length > 0,
  );
  if (open.length === 0) return {};
  const permitted = new Set(
    open.flatMap(({ creating, updating }) => [...creating, ...updating]).map(({ clause }) => clause),
  );
  const inList: JsonSchema = {
    name: "list",
    in: "path",
    required: true,
    description: "The list into which rows are imported.",
    schema: { type: "string", enum: open.map(({ entity }) => entity.path) },
  };
  const describe = describeImportCall(model, [inList], [...permitted]);
  const id: JsonSchema = { $ref: "#/components/parameters/id" };
  return {
    "/api/{list}/import": {
      post: describe("create", "Send a file whose rows become records", {
        reads: false,
        takes: {
          parameters: [
            query("name", "The name of the file; that of a ZIP file must end in `.zip`.", text),
            query("then", "Check the rows or write them at once.", { type: "string", enum: ["check", "run"] }),
            query("match", "Fields that find the record to change.", list(text), { explode: true }),
            query("mode", "`all`: nothing is written if one row is refused.", {
              type: "string",
              enum: ["fitting", "all"],
              default: "fitting",
            }),
            query(
              "parent",
              "`order/ID`: the rows become parts of this record, to which their field `order` refers.",
              text,
            ),
          ],
          requestBody: {
            required: true,
            description: "A CSV, TSV or XLSX file, or a ZIP file that contains one and the files that its rows name.",
            content: { "application/octet-stream": {} },
          },
        },
        answers: answer("201", "The import.", ref("Import"), { Location: header("Location") }),
        refused: [
          "BAD_QUERY",
          "NOT_A_TABLE",
          "QUOTE_NOT_CLOSED",
          "NOT_ONE_TABLE",
          "TABLE_TOO_LARGE",
          "TOO_MUCH_IN_ZIP",
        ],
      }),
      get: describe("list", "Your 20 newest imports into this list", {
        reads: true,
        answers: answer("200", "Newest first.", ref("Imports")),
      }),
    },
    "/api/{list}/import/{id}": {
      get: describe("read", "Progress and result of an import", {
        reads: true,
        isOfSender: true,
        takes: { parameters: [id] },
        answers: answer("200", "The import.", ref("Import")),
        refused: ["NOT_FOUND"],
      }),
    },
    "/api/{list}/import/{id}/{act}": {
      post: describe("act", "Check or write the rows, or undo or cancel the import", {
        reads: false,
        takes: {
          parameters: [
            id,
            {
              name: "act",
              in: "path",
              required: true,
              schema: { type: "string", enum: ["check", "run", "undo", "cancel"] },
            },
          ],
          requestBody: { required: false, content: content(ref("ImportSettings")) },
        },
        answers: answer("202", "The import, which is now at work.", ref("Import")),
        refused: ["NOT_FOUND", "BAD_QUERY", "IMPORT_BUSY", "IMPORT_TOUCHED", "MALFORMED", "TOO_MUCH", "UNSUPPORTED"],
      }),
    },
    "/api/{list}/import/{id}/refused.csv": {
      get: describe("refused", "The refused rows as they were, with the reasons in a last column", {
        reads: true,
        isOfSender: true,
        takes: { parameters: [id] },
        answers: {
          "200": {
            description: "The rows; only the header if none was refused.",
            headers: { "Ninefold-Version": header("Version") },
            content: { "text/csv": { schema: text } },
          },
        },
        refused: ["NOT_FOUND"],
      }),
    },
  };
};
