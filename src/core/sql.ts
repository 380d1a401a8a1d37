/**
 * SQL as a value: text with numbered placeholders and their values. Values are always parameters; only `identifier`
 * makes a name and only `constant` a literal, so no user input can become part of the text. `sql\`select
 * ${identifier("name")} from t where id = ${value(id)}\`` renders as `select "name" from t where id = $1` with `[id]`.
 */
export type Sql = { readonly kind: "sql"; readonly parts: readonly Part[] };

/** Fragments have no text beside another text: most of them are then a single text, which is not copied to be contained. */
type Part = string | Parameter;

/**
 * A placeholder. A value is known when the statement is built; a *slot* is filled each time a prepared statement runs
 * (see `fill`). `cast` names the Postgres type where the context does not determine it.
 */
export type Parameter =
  | { readonly kind: "value"; readonly value: unknown; readonly cast?: string }
  | { readonly kind: "slot"; readonly slot: string; readonly cast?: string };

const isSql = (part: Sql | Parameter): part is Sql => part.kind === "sql";

/** Adds a part behind others. */
const add = (parts: Part[], part: Part): void => {
  const before = parts.at(-1);
  if (typeof part === "string" && typeof before === "string") parts[parts.length - 1] = before + part;
  else if (part !== "") parts.push(part);
};

/** The template tag. Accepts SQL, parameters or lists of them; a plain string is a type error. */
export const sql = (texts: TemplateStringsArray, ...holes: readonly (Sql | Parameter)[]): Sql => {
  const parts: Part[] = [];
  texts.forEach((text, i) => {
    add(parts, text);
    const hole = holes[i];
    if (hole === undefined) return;
    if (isSql(hole)) for (const part of hole.parts) add(parts, part);
    else parts.push(hole);
  });
  return { kind: "sql", parts };
};

/**
 * A quoted name: `identifier("order")` is `"order"`. Postgres truncates names beyond 63 bytes; the checker rejects them
 * earlier.
 */
export const identifier = (name: string): Sql => ({ kind: "sql", parts: [`"${name.replaceAll('"', '""')}"`] });

/** A literal, for constants of the document and DDL. Never for values of a request. */
export const constant = (value: string | number | boolean | null): Sql => {
  if (value === null) return { kind: "sql", parts: ["NULL"] };
  if (typeof value === "boolean") return { kind: "sql", parts: [value ? "TRUE" : "FALSE"] };
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError(`not a number of SQL: ${value}`);
    return { kind: "sql", parts: [String(value)] };
  }
  if (value.includes("\0")) throw new RangeError("Postgres text holds no NUL");
  const quoted = `'${value.replaceAll("'", "''")}'`;
  return { kind: "sql", parts: [value.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted] };
};

/** A value of this request. */
export const value = (content: unknown, cast?: string): Parameter =>
  cast === undefined ? { kind: "value", value: content } : { kind: "value", value: content, cast };

/** A placeholder filled by name when the statement runs: the user, the date, a page's cursor. */
export const slot = (name: string, cast?: string): Parameter =>
  cast === undefined ? { kind: "slot", slot: name } : { kind: "slot", slot: name, cast };

/** Joins fragments: `join([a, b], " and ")`. */
export const join = (fragments: readonly Sql[], separator: string): Sql => {
  const parts: Part[] = [];
  fragments.forEach((fragment, i) => {
    if (i > 0) add(parts, separator);
    for (const part of fragment.parts) add(parts, part);
  });
  return { kind: "sql", parts };
};

/**
 * Replaces slots with SQL: in a definition, which takes no parameters, and in a statement that has several values for a
 * slot.
 */
export const withSlots = ({ parts }: Sql, replacements: { readonly [slot: string]: Sql }): Sql =>
  join(
    parts.map((part): Sql => {
      const replacement = typeof part === "string" || part.kind === "value" ? undefined : replacements[part.slot];
      return replacement ?? { kind: "sql", parts: [part] };
    }),
    "",
  );

/** A statement ready to be prepared. Equal slots share one number. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Renders SQL as text with numbered placeholders. */
export const render = (fragment: Sql): Statement => {
  const parameters: Parameter[] = [];
  const numbers = new Map<string, number>();
  let text = "";
  for (const part of fragment.parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const known = part.kind === "slot" ? numbers.get(part.slot) : undefined;
    const number = known ?? parameters.push(part);
    if (part.kind === "slot") numbers.set(part.slot, number);
    text += part.cast === undefined ? `$${number}` : `$${number}::${part.cast}`;
  }
  return { text, parameters };
};

/** The text of a definition without parameters: of a column, an index, a constraint. */
export const definitionText = (fragment: Sql): string => {
  const { text, parameters } = render(fragment);
  if (parameters.length > 0) throw new Error(`a definition holds no parameters: ${text}`);
  return text;
};

/** The parameter values for one run. A slot without a value is a bug, never the user's mistake. */
export const fill = (statement: Statement, slots: Readonly<Record<string, unknown>>): readonly unknown[] =>
  statement.parameters.map((parameter) => {
    if (parameter.kind === "value") return parameter.value;
    if (!(parameter.slot in slots)) throw new Error(`no value for the slot ${parameter.slot}`);
    return slots[parameter.slot];
  });
