/**
 * SQL as a value: text with numbered holes and what goes into them. Values are always parameters; only `identifier`
 * makes a name and only `constant` makes a literal, so nothing that a person wrote can become part of the text.
 *
 * `sql\`select ${identifier("name")} from t where id = ${value(id)}\`` renders as
 * `select "name" from t where id = $1` with `[id]`.
 */
export type Sql = { readonly kind: "sql"; readonly parts: readonly (string | Parameter)[] };

/**
 * A hole. Values given by position are known when the statement is made; a *slot* is filled anew each time a prepared
 * statement runs (see `fill`). `cast` names the Postgres type where the place does not tell it.
 */
export type Parameter =
  | { readonly kind: "value"; readonly value: unknown; readonly cast?: string }
  | { readonly kind: "slot"; readonly slot: string; readonly cast?: string };

const isSql = (part: Sql | Parameter): part is Sql => part.kind === "sql";

/** The tagged template. Holes take SQL, parameters or lists of them; a bare string is refused by its type. */
export const sql = (texts: TemplateStringsArray, ...holes: readonly (Sql | Parameter)[]): Sql => {
  const parts: (string | Parameter)[] = [];
  texts.forEach((text, i) => {
    if (text !== "") parts.push(text);
    const hole = holes[i];
    if (hole === undefined) return;
    if (isSql(hole)) parts.push(...hole.parts);
    else parts.push(hole);
  });
  return { kind: "sql", parts };
};

/** A quoted name: `identifier("order")` is `"order"`. Postgres cuts names beyond 63 bytes; the checker refuses them before. */
export const identifier = (name: string): Sql => ({ kind: "sql", parts: [`"${name.replaceAll('"', '""')}"`] });

/** A literal in the text, for what must be part of the statement (constants of the document, DDL). Never for a request's values. */
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
export const value = (given: unknown, cast?: string): Parameter =>
  cast === undefined ? { kind: "value", value: given } : { kind: "value", value: given, cast };

/** A hole that is filled by name when the statement runs: the person, the day, a page's cursor. */
export const slot = (name: string, cast?: string): Parameter =>
  cast === undefined ? { kind: "slot", slot: name } : { kind: "slot", slot: name, cast };

/** Joins pieces: `join([a, b], " and ")`. */
export const join = (pieces: readonly Sql[], separator: string): Sql => ({
  kind: "sql",
  parts: pieces.flatMap((piece, i) => (i === 0 ? piece.parts : [separator, ...piece.parts])),
});

/**
 * The same with SQL in the place of its slots: for a definition, which takes no parameters, and for a statement that has
 * many of what others have one of.
 */
export const withSlots = ({ parts }: Sql, stands: { readonly [slot: string]: Sql }): Sql => ({
  kind: "sql",
  parts: parts.flatMap((part) =>
    typeof part === "string" || part.kind !== "slot" ? [part] : (stands[part.slot]?.parts ?? [part]),
  ),
});

/** A statement ready to be named and prepared: equal slots share one number. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Numbers the holes of a piece of SQL. */
export const render = (piece: Sql): Statement => {
  const parameters: Parameter[] = [];
  const numbers = new Map<string, number>();
  let text = "";
  for (const part of piece.parts) {
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

/** The text of a definition, which takes no parameters: of a column, an index, a constraint. */
export const textOf = (piece: Sql): string => {
  const { text, parameters } = render(piece);
  if (parameters.length > 0) throw new Error(`a definition holds no parameters: ${text}`);
  return text;
};

/** The values of a statement for one run. A slot without a value is a fault of ours, not of the request. */
export const fill = (statement: Statement, slots: Readonly<Record<string, unknown>>): readonly unknown[] =>
  statement.parameters.map((parameter) => {
    if (parameter.kind === "value") return parameter.value;
    if (!(parameter.slot in slots)) throw new Error(`no value for the slot ${parameter.slot}`);
    return slots[parameter.slot];
  });
