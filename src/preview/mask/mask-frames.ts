import { createHash } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { compile } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { collectReadSet } from "../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../core/model/entity.ts";
import { computedExpr, type Field } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import { type BackupFrame, jsonBytes } from "../../postgres/backup/backup-file.ts";
import type { Header, TableHead } from "../../postgres/backup/copied-tables.ts";
import { formatRow, mapArray, parseRow } from "./copy-text.ts";
import { maskJson, maskValue } from "./mask-value.ts";

/** Platform tables in a masked copy. Others quote records, or show where people were and when. */
const copiedTables: ReadonlySet<string> = new Set([
  ...["version", "audit", "credential", "sample", "sequence", "file", "file_chunk"],
  ...["renaming", "retired", "visit", "preference"],
]);

const PLACEHOLDER = Buffer.from("This file is not part of the preview.\n");
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const isPicture = (type: unknown): boolean => String(type).startsWith("image/");
const standIn = (type: unknown) =>
  isPicture(type)
    ? { name: "picture.png", type: "image/png", bytes: PICTURE }
    : { name: "file.txt", type: "text/plain", bytes: PLACEHOLDER };

/** Names of personal fields, as `Entity.field` with the names of the live version. */
const personalFields = (live: Model, draft: Model): ReadonlySet<string> => {
  const own = [...live.entities.values()].flatMap((entity) =>
    [...entity.fields.values()].filter(({ personal }) => personal).map(({ name }) => `${entity.name}.${name}`),
  );
  const old = (of: string, entity: string | null, now: string): string =>
    draft.renamings.find(
      (renaming) => renaming.of === of && renaming.now === now && (entity === null || renaming.entity === entity),
    )?.old ?? now;
  const coming = [...draft.entities.values()].flatMap((entity) =>
    [...entity.fields.values()]
      .filter(({ personal }) => personal)
      .flatMap(({ name }) => {
        const formerly = [old("entity", null, entity.name), old("field", entity.name, name)].join(".");
        return [`${entity.name}.${name}`, formerly];
      }),
  );
  return new Set([...own, ...coming]);
};

/** True if the values of a field are derived from personal ones: slugs and stored formulas. */
const follows = (
  entity: Entity,
  field: Field,
  personal: ReadonlySet<string>,
  seen: readonly string[] = [],
): boolean => {
  if (personal.has(`${entity.name}.${field.name}`)) return true;
  if (seen.includes(field.name)) return false;
  const expr = computedExpr(field);
  const read = expr === null ? [] : [...collectReadSet(expr).fields];
  const from = field.type === "slug" && field.from !== null ? [field.from, ...read] : read;
  return from.some((name) => {
    const other = entity.fields.get(name);
    // A formula can also read values of a referenced record.
    return (
      other !== undefined &&
      (other.type === "reference"
        ? field.ruleType.kind === "text"
        : follows(entity, other, personal, [...seen, field.name]))
    );
  });
};

/** The masked value of a column for its original value. */
type Change = (text: string, row: string) => string | null;

const changeFile: Change = (text) => {
  const was = JSON.parse(text) as { readonly [name: string]: Json };
  const { name, type, bytes } = standIn(was.type);
  return JSON.stringify({ ...was, name, type, size: bytes.length });
};

class Masking {
  readonly #key: string;
  readonly #live: Model;
  readonly #personal: ReadonlySet<string>;
  readonly #starter: string | null;
  readonly #pictures = new Set<string>();
  readonly #incomplete = new Set<string>();
  readonly #retired = new Set<string>();

  constructor(key: string, live: Model, draft: Model, starter: string | null) {
    this.#key = key;
    this.#live = live;
    this.#personal = personalFields(live, draft);
    this.#starter = starter;
  }

  #changeOf(entity: Entity, field: Field): Change | undefined {
    const isFile = field.type === "file" || field.type === "image";
    if (!isFile && !follows(entity, field, this.#personal)) return undefined;
    const change: Change = isFile
      ? changeFile
      : (text, row) => maskValue(this.#key, field, `${row} ${field.name}`, text);
    return field.many ? (text, row) => mapArray(text, (element) => change(element, row) ?? "") : change;
  }

  /** Changes a row of a table; null leaves the row out. Undefined if the table has nothing to mask. */
  rowsOf({
    schema,
    name,
    columns,
  }: TableHead): ((row: readonly (string | null)[]) => readonly (string | null)[] | null) | undefined {
    const at = (column: string) => columns.indexOf(column);
    if (schema === "ninefold") {
      if (!copiedTables.has(name)) return () => null;
      if (name === "audit") return this.#audit(at);
      if (name === "file") return this.#file(at);
      if (name === "file_chunk") return this.#chunk(at);
      if (name === "retired")
        return (row) => {
          this.#retired.add([row[at("table_name")], row[at("column_name")]].join(" "));
          return row;
        };
      return undefined;
    }
    if (this.#retired.has(`${name} `)) return () => null;
    const entity = [...this.#live.entities.values()].find(({ table }) => table === name);
    const changes = columns.map((column): Change | undefined => {
      if (this.#retired.has(`${name} ${column}`)) return () => null;
      const field = entity?.fields.get(column);
      return entity === undefined || field === undefined ? undefined : this.#changeOf(entity, field);
    });
    if (changes.every((change) => change === undefined)) return undefined;
    const id = at("id");
    return (row) => {
      const record = row[id] ?? "";
      // The person who starts the preview must be able to sign in.
      if (entity?.name === "User" && record === this.#starter) return row;
      return row.map((value, i) =>
        value === null ? null : (changes[i]?.(value, record) ?? (changes[i] === undefined ? value : null)),
      );
    };
  }

  /** Audit lines contain former and later values. */
  #audit(at: (column: string) => number) {
    const [entity, record, action, changes] = [at("entity"), at("record"), at("action"), at("changes")];
    return (row: readonly (string | null)[]): readonly (string | null)[] | null => {
      const recorded = row[changes];
      // A question contains an address.
      if (row[action] === "ask") return null;
      if (recorded === null || recorded === undefined || recorded === "{}") return row;
      const of = this.#live.entities.get(row[entity] ?? "");
      const id = row[record] ?? "";
      if (of?.name === "User" && id === this.#starter) return row;
      const after = Object.fromEntries(
        Object.entries(JSON.parse(recorded) as { readonly [name: string]: Json }).map(([name, value]) => [
          name,
          this.#told(of, name, id, value),
        ]),
      );
      return row.map((item, i) => (i === changes ? JSON.stringify(after) : item));
    };
  }

  #told(entity: Entity | undefined, name: string, record: string, value: Json): Json {
    if (entity?.name === "User" && (name === "roles" || name === "active")) return value;
    const field = entity?.fields.get(name);
    // A field that was removed or renamed may have been personal.
    if (entity === undefined || field === undefined) return maskJson(this.#key, value);
    const change = this.#changeOf(entity, { ...field, many: false });
    if (change === undefined) return value;
    const each = (json: Json): Json => {
      if (json === null) return null;
      if (Array.isArray(json)) return json.map(each);
      if (typeof json === "object") return JSON.parse(change(JSON.stringify(json), record) ?? "null") as Json;
      const masked = change(String(json), record);
      return masked === null ? null : typeof json === "string" ? masked : (JSON.parse(masked) as Json);
    };
    return each(value);
  }

  #file(at: (column: string) => number) {
    return (row: readonly (string | null)[]): readonly (string | null)[] | null => {
      if (row[at("size")] === null) {
        this.#incomplete.add(row[at("id")] ?? "");
        return null;
      }
      const { name, type, bytes } = standIn(row[at("type")]);
      if (isPicture(type)) this.#pictures.add(row[at("id")] ?? "");
      const masked = [...row];
      masked[at("name")] = name;
      masked[at("type")] = type;
      masked[at("size")] = String(bytes.length);
      masked[at("sha256")] = `\\x${createHash("sha256").update(bytes).digest("hex")}`;
      return masked;
    };
  }

  #chunk(at: (column: string) => number) {
    const files = new Set<string>();
    return (row: readonly (string | null)[]): readonly (string | null)[] | null => {
      const file = row[at("file")] ?? "";
      if (files.has(file) || this.#incomplete.has(file)) return null;
      files.add(file);
      const bytes = this.#pictures.has(file) ? PICTURE : PLACEHOLDER;
      return row.map((item, i) =>
        i === at("number") ? "0" : i === at("bytes") ? `\\x${bytes.toString("hex")}` : item,
      );
    };
  }
}

/**
 * Replaces personal values in the frames of a copy. `starter` is the person whose account stays unchanged. Different
 * keys give different made-up values.
 */
export async function* maskFrames(
  frames: AsyncIterable<BackupFrame>,
  { key, draft, starter }: { readonly key: string; readonly draft: Model; readonly starter: string | null },
): AsyncGenerator<BackupFrame> {
  let masking: Masking | undefined;
  let change: ReturnType<Masking["rowsOf"]>;
  let [rest, rows] = ["", 0];
  let decoder = new StringDecoder("utf8");
  for await (const frame of frames) {
    if (frame.kind === "header") {
      const { document } = JSON.parse(frame.bytes.toString("utf8")) as Header;
      const { model } = compile(unpackSources({ file: document.file, text: document.source }));
      if (model === undefined) throw new Error("the live version cannot be read");
      masking = new Masking(key, model, draft, starter);
    }
    if (frame.kind === "table") {
      change = masking?.rowsOf(JSON.parse(frame.bytes.toString("utf8")) as TableHead);
      [rest, rows] = ["", 0];
      decoder = new StringDecoder("utf8");
    }
    if (change !== undefined && frame.kind === "data") {
      const lines = (rest + decoder.write(frame.bytes)).split("\n");
      rest = lines.pop() ?? "";
      const masked = lines.flatMap((line) => {
        const row = change?.(parseRow(line)) ?? null;
        return row === null ? [] : [`${formatRow(row)}\n`];
      });
      rows += masked.length;
      if (masked.length > 0) yield { kind: "data", bytes: Buffer.from(masked.join(""), "utf8") };
    } else if (change !== undefined && frame.kind === "rows") yield { kind: "rows", bytes: jsonBytes({ rows }) };
    else yield frame;
  }
}
