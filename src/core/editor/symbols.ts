import type { Document, PointNumber } from "../document/read.ts";
import { locate, type Scalar, type Tree } from "../document/tree.ts";
import { type Expr, subexpressions } from "../expression/expr.ts";
import { listComparedRoles } from "../expression/inspect/compared-roles.ts";
import type { Mention } from "../model/mention.ts";
import type { Model } from "../model/model.ts";
import type { Source, Span } from "../source-text.ts";
import type { Step } from "./cursor.ts";
import { keysOfPath, type NameKindAt, nameKindAt } from "./name-kind.ts";

/** A name that the document declares. Values and states belong to a field of an entity. */
export interface DocumentSymbol {
  readonly of: "entity" | "field" | "value" | "transition" | "record" | "role" | "error" | "limit" | "shape";
  readonly entity: string | null;
  readonly field: string | null;
  readonly name: string;
}

/** A place where a name is declared or used. */
export interface Occurrence {
  readonly symbol: DocumentSymbol;
  readonly span: Span;
  readonly isDefinition: boolean;
  /** For one word with two meanings, `{ title }`: the meaning of this occurrence. */
  readonly standsFor?: Mention["standsFor"];
}

export interface FieldNames {
  /** As written: `decimal?`. */
  readonly type: string;
  readonly isMany: boolean;
  readonly values: readonly string[];
  /** `Repair.urgency`, for a choice with the values of another one. */
  readonly sharedBy?: string;
  /** `Comment.request`, for the other side of a reference. */
  readonly list: string | undefined;
  /** Set for a value that only transitions ask for. */
  readonly isAct?: true;
}

export interface EntityNames {
  readonly fields: ReadonlyMap<string, FieldNames>;
  readonly stateField: string;
  readonly states: readonly string[];
  readonly transitions: readonly string[];
}

/** Every name of a document, and where it is. */
export interface SymbolIndex {
  readonly occurrences: readonly Occurrence[];
  readonly entities: ReadonlyMap<string, EntityNames>;
  /** The names of the records in the document, by entity. */
  readonly records: ReadonlyMap<string, readonly string[]>;
  readonly roles: readonly string[];
  readonly errors: readonly string[];
  readonly limits: readonly string[];
  /** The words in the values of constants, which can name choices and states. */
  readonly constantWords: ReadonlyMap<string, readonly WordInConstant[]>;
}

interface WordInConstant {
  readonly text: string;
  readonly span: Span;
}

/** Two symbols with the same key are the same. */
export const symbolKey = ({ of, entity, field, name }: DocumentSymbol): string => [of, entity, field, name].join(" ");

interface MutableEntity {
  fields: Map<string, FieldNames>;
  stateField: string;
  states: string[];
  transitions: string[];
}

const child = (tree: Tree | undefined, key: string): Tree | undefined =>
  tree?.kind === "mapping" ? tree.entries.find((entry) => entry.key.text === key)?.value : undefined;

const textOf = (tree: Tree | undefined): string => (tree?.kind === "scalar" ? tree.text : "");

const itemNames = (tree: Tree | undefined): readonly string[] => {
  const items = tree?.kind === "list" ? tree.items : tree === undefined ? [] : [tree];
  return items.flatMap((item) =>
    item.kind === "scalar" ? [item.text] : item.kind === "mapping" ? item.entries.map(({ key }) => key.text) : [],
  );
};

const wordsIn = (tree: Tree | undefined): readonly WordInConstant[] => {
  if (tree?.kind === "list") return tree.items.flatMap(wordsIn);
  return tree?.kind === "scalar" && /^[a-z]\w*$/u.test(tree.text)
    ? [{ text: tree.text, span: partOf(tree, 0, tree.text.length) }]
    : [];
};

const ofPeople = (isMany: boolean): FieldNames => ({ type: "User", isMany, values: [], list: undefined });

const readField = (definition: Tree): FieldNames => {
  const values = child(definition, "values");
  return {
    type: definition.kind === "scalar" ? definition.text : textOf(child(definition, "type")),
    isMany: textOf(child(definition, "many")) === "true",
    values: values?.kind === "scalar" ? [] : itemNames(values),
    ...(values?.kind === "scalar" ? { sharedBy: values.text } : {}),
    list: child(definition, "list") === undefined ? undefined : textOf(child(definition, "list")),
  };
};

/** Gives choices the values of those that they name. */
const addSharedValues = (entities: ReadonlyMap<string, MutableEntity>): void => {
  for (const { fields } of entities.values())
    for (const [name, field] of fields) {
      const [entity = "", other = ""] = field.sharedBy?.split(".") ?? [];
      const values = entities.get(entity)?.fields.get(other)?.values;
      if (field.sharedBy !== undefined && values !== undefined) fields.set(name, { ...field, values });
    }
};

/** Reads the names that points 3, 4, 6, 8 and 9 declare. */
const readDeclared = (document: Document): Omit<SymbolIndex, "occurrences"> => {
  const entities = new Map<string, MutableEntity>();
  const entityOf = (name: string): MutableEntity => {
    const known = entities.get(name) ?? { fields: new Map(), stateField: "state", states: [], transitions: [] };
    entities.set(name, known);
    return known;
  };
  const entriesOf = (point: PointNumber) =>
    (document.points.get(point)?.blocks ?? []).flatMap((block) => (block.kind === "mapping" ? block.entries : []));
  entityOf("User").fields = new Map(
    Object.entries({ name: "text", email: "email", avatar: "image?", roles: "text" }).map(([name, type]) => [
      name,
      { type, isMany: name === "roles", values: [], list: undefined },
    ]),
  );
  for (const { key, value } of entriesOf(3)) {
    const entity = entityOf(key.text);
    const sources = child(value, "rows of");
    for (const source of sources?.kind === "mapping" ? sources.entries : [])
      entity.fields.set(source.key.text, { type: textOf(source.value), isMany: false, values: [], list: undefined });
    const fields = child(value, "fields");
    for (const field of fields?.kind === "mapping" ? fields.entries : [])
      entity.fields.set(field.key.text, readField(field.value));
  }
  for (const { key, value } of entriesOf(4)) {
    const entity = entityOf(key.text);
    const field = child(value, "field");
    if (field !== undefined) entity.stateField = itemNames(field)[0] ?? "state";
    entity.states.push(...itemNames(child(value, "states")));
    const transitions = child(value, "transitions");
    for (const transition of transitions?.kind === "mapping" ? transitions.entries : []) {
      entity.transitions.push(transition.key.text);
      // It adds this field.
      const recorded = textOf(child(transition.value, "recorded in"));
      if (recorded !== "" && !entity.fields.has(recorded)) entity.fields.set(recorded, ofPeople(true));
      const asks = child(transition.value, "asks");
      for (const item of asks?.kind === "list" ? asks.items : asks === undefined ? [] : [asks])
        for (const act of item.kind === "mapping" ? item.entries : [])
          if (!entity.fields.has(act.key.text))
            entity.fields.set(act.key.text, { ...readField(act.value), isAct: true });
    }
  }
  if (entriesOf(6).some(({ key }) => key.text === "deputies")) {
    const day = { type: "date", isMany: false, values: [], list: undefined };
    const own = [...entityOf("Deputy").fields];
    entityOf("Deputy").fields = new Map([
      ["person", ofPeople(false)],
      ["deputy", ofPeople(false)],
      ["first_day", day],
      ["last_day", day],
      ...own,
    ]);
  }
  for (const entity of entities.values())
    if (entity.states.length > 0)
      entity.fields.set(entity.stateField, { type: "choice", isMany: false, values: entity.states, list: undefined });
  addSharedValues(entities);
  const roles = entriesOf(6).flatMap(({ key, value }) =>
    key.text === "roles" && value.kind === "mapping"
      ? value.entries.flatMap((role) =>
          /^[A-Z]/u.test(role.key.text)
            ? role.value.kind === "mapping"
              ? role.value.entries.map((entry) => entry.key.text)
              : []
            : [role.key.text],
        )
      : [],
  );
  const records = new Map(
    entriesOf(3).map(({ key, value }) => {
      const written = child(value, "records");
      return [key.text, written?.kind === "mapping" ? written.entries.map((entry) => entry.key.text) : []];
    }),
  );
  return {
    entities,
    records,
    roles: [...new Set(roles)],
    errors: entriesOf(8).map(({ key }) => key.text),
    limits: entriesOf(9).map(({ key }) => key.text),
    constantWords: new Map(
      entriesOf(9).map(({ key, value }) => [
        key.text,
        wordsIn(value.kind === "mapping" ? child(value, "value") : value),
      ]),
    ),
  };
};

const isDefinitionAt = (
  point: PointNumber,
  keys: readonly string[],
  kind: NameKindAt["of"],
  slot: "key" | "value",
): boolean => {
  switch (kind) {
    case "entity":
      return point === 3 && keys.length === 0;
    case "field":
      if (point === 4) return keys.at(-1) === "field" || (slot === "key" && keys.at(-1) === "asks");
      return point === 3 && slot === "key" && keys[1] !== "records";
    case "record":
      return true;
    case "value":
      return point === 3 || (point === 4 && keys[3] === "asks");
    case "state":
      return keys[1] === "states";
    case "transition":
      return point === 4 && keys[1] === "transitions" && slot === "key";
    case "role":
      return keys[0] === "roles";
    case "error":
      return point === 8;
    case "shape":
      return point === 7;
    default:
      return kind === "limit" && point === 9;
  }
};

/** Part of a scalar, by offsets in its text. */
const partOf = (scalar: Scalar, from: number, length: number): Span => ({
  file: scalar.span.file,
  start: locate(scalar, from),
  end: locate(scalar, from + length),
});

/** The entity that a field leads to: a reference, or the other side of one. */
export const targetOf = (field: FieldNames | undefined): string | undefined =>
  field?.list?.split(".")[0] ?? /^[A-Z]\w*/u.exec(field?.type ?? "")?.[0];

/** The entity whose field a place names. */
export const ownerOf = (
  { entity, list }: NameKindAt & { readonly of: "field" },
  entities: SymbolIndex["entities"],
): string => (list === undefined ? entity : (targetOf(entities.get(entity)?.fields.get(list)) ?? entity));

/** The names in a scalar whose place says what kind of name it is. */
const namesIn = (
  kind: NameKindAt,
  scalar: Scalar,
  entities: ReadonlyMap<string, EntityNames>,
): readonly { readonly symbol: DocumentSymbol; readonly span: Span }[] => {
  const { text } = scalar;
  const plain = (of: DocumentSymbol["of"], entity: string | null, field: string | null, skip = 0) => [
    { symbol: { of, entity, field, name: text.slice(skip) }, span: partOf(scalar, skip, text.length - skip) },
  ];
  switch (kind.of) {
    case "type": {
      const [name = ""] = /^[A-Z]\w*/u.exec(text) ?? [];
      return name === ""
        ? []
        : [{ symbol: { of: "entity", entity: null, field: null, name }, span: partOf(scalar, 0, name.length) }];
    }
    case "inverse":
    case "choice": {
      const [, entity = "", field = ""] = /^([A-Z]\w*)\.(\w+)$/u.exec(text) ?? [];
      return entity === ""
        ? []
        : [
            {
              symbol: { of: "entity", entity: null, field: null, name: entity },
              span: partOf(scalar, 0, entity.length),
            },
            {
              symbol: { of: "field", entity, field: null, name: field },
              span: partOf(scalar, entity.length + 1, field.length),
            },
          ];
    }
    case "role":
      return /^[A-Z]/u.test(text) ? plain("entity", null, null) : plain("role", null, null);
    case "field":
      return plain("field", ownerOf(kind, entities), null, text.startsWith("-") ? 1 : 0);
    case "transition":
      // `after` can name several: `submit, resubmit: …`.
      return [...text.matchAll(/\w+/gu)].map(({ 0: name, index }) => ({
        symbol: { of: "transition", entity: kind.entity, field: null, name },
        span: partOf(scalar, index, name.length),
      }));
    case "shape":
      return plain("shape", kind.entity, null);
    case "state":
      return plain("value", kind.entity, entities.get(kind.entity)?.stateField ?? "state");
    case "value":
      return plain("value", kind.entity, kind.field);
    case "record":
      return plain("record", kind.entity, null);
    case "stored value": {
      const field = entities.get(kind.entity)?.fields.get(kind.field);
      const target = targetOf(field);
      if (target !== undefined) return plain("record", target, null);
      return field?.values.includes(text) ? plain("value", kind.entity, kind.field) : [];
    }
    case "limit":
      return /^[a-z]\w*$/u.test(text) ? plain("limit", null, null) : [];
    case "entity":
    case "error":
      return plain(kind.of, null, null);
    default:
      return [];
  }
};

/** Finds the names that blocks declare and use, outside of expressions. */
export const indexSymbols = (document: Document): SymbolIndex => {
  const declared = readDeclared(document);
  const texts = new Map(document.sources.map(({ file, text }) => [file, text]));
  const occurrences: Occurrence[] = [];
  const regionOf = ({ span }: Tree): string => texts.get(span.file)?.slice(span.start, span.end) ?? "";
  const note = (
    point: PointNumber,
    path: readonly Step[],
    around: readonly string[],
    slot: "key" | "value",
    scalar: Scalar,
  ) => {
    const kind = nameKindAt({ point, path, around, slot });
    if (kind === undefined || scalar.text === "none" || scalar.text === "not shown") return;
    if (kind.of === "transition" && ["create", "update", "delete"].includes(scalar.text)) return;
    const keys = keysOfPath(path);
    for (const { symbol, span } of namesIn(kind, scalar, declared.entities))
      occurrences.push({
        symbol,
        span,
        isDefinition: symbol.of === kind.of || kind.of === "state" ? isDefinitionAt(point, keys, kind.of, slot) : false,
      });
  };
  const visit = (point: PointNumber, tree: Tree, path: readonly Step[], around: readonly string[]): void => {
    if (tree.kind === "scalar") note(point, path, around, "value", tree);
    else if (tree.kind === "list")
      for (const item of tree.items) visit(point, item, [...path, { kind: "item" }], around);
    else {
      const inner = [regionOf(tree), ...around];
      for (const { key, value } of tree.entries) {
        note(point, path, inner, "key", key);
        visit(point, value, [...path, { kind: "key", name: key.text }], inner);
      }
    }
  };
  for (const { number, blocks } of document.points.values()) for (const block of blocks) visit(number, block, [], []);
  return { ...declared, occurrences };
};

const isExpr = (value: object): value is Expr =>
  "kind" in value && "type" in value && "missing" in value && "span" in value && typeof value.missing === "boolean";

/** The names that clauses outside of expressions use, as the compiler resolved them. */
export const indexMentions = (mentions: readonly Mention[], sources: readonly Source[]): readonly Occurrence[] => {
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  return mentions.flatMap(({ of, entity, name, span: around, standsFor }) => {
    // A part of an expression, which `indexExpressions` finds.
    if (of === "role as text") return [];
    // A role held on a record and one held everywhere share their names.
    const owner = of === "entity" || of === "role" || of === "error" ? null : entity;
    const span = nameSpan(texts, around, name);
    const symbol = { of, entity: owner, field: null, name };
    return span === undefined
      ? []
      : [{ symbol, span, isDefinition: false, ...(standsFor === undefined ? {} : { standsFor }) }];
  });
};

const nameSpan = (texts: ReadonlyMap<string, string>, { file, start, end }: Span, name: string): Span | undefined => {
  const text = texts.get(file)?.slice(start, end) ?? "";
  const isPart = (at: number): boolean => /\w/u.test(text.charAt(at - 1)) || /\w/u.test(text.charAt(at + name.length));
  for (let at = text.lastIndexOf(name); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(name, at - 1))
    if (!isPart(at)) return { file, start: start + at, end: start + at + name.length };
  return undefined;
};

const symbolOf = (expr: Expr): DocumentSymbol | undefined => {
  if (expr.kind === "field") return { of: "field", entity: expr.entity.name, field: null, name: expr.field.name };
  if (expr.kind === "name" && expr.seedRecord !== undefined && expr.type.kind === "record")
    return { of: "record", entity: expr.type.entity, field: null, name: expr.seedRecord.key };
  if (expr.kind === "all") return { of: "entity", entity: null, field: null, name: expr.entity.name };
  if (expr.kind !== "constant") return undefined;
  return expr.limit === undefined ? choiceOf(expr) : { of: "limit", entity: null, field: null, name: expr.limit };
};

const choiceOf = ({ type, value }: Expr & { kind: "constant" }): DocumentSymbol | undefined => {
  if (type.kind !== "choice" || typeof value !== "string") return undefined;
  const [entity = "", field = ""] = type.of.split(".");
  return { of: "value", entity, field, name: value };
};

/** Finds the names that expressions use. Only a document without errors has a model. */
export const indexExpressions = (
  model: Model,
  sources: readonly Source[],
  constantWords: SymbolIndex["constantWords"],
): readonly Occurrence[] => {
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const found = new Map<string, Occurrence>();
  const seen = new Set<object>();
  const noteSymbol = (symbol: DocumentSymbol, around: Span): void => {
    const span = nameSpan(texts, around, symbol.name);
    // A role is written as a text. Conditions that follow from a clause have its place, and do not name it again.
    const isQuoted = span !== undefined && /['"]/u.test(texts.get(span.file)?.charAt(span.start - 1) ?? "");
    if (span !== undefined && (symbol.of !== "role" || isQuoted))
      found.set(`${span.file} ${span.start}`, { symbol, span, isDefinition: false });
  };
  const noteExpr = (expr: Expr): void => {
    const symbol = symbolOf(expr);
    if (symbol !== undefined) noteSymbol(symbol, expr.span);
    for (const { value, span } of listComparedRoles(expr))
      noteSymbol({ of: "role", entity: null, field: null, name: String(value) }, span);
    // A constant names choices and states in its own place.
    const choice = expr.kind === "constant" && expr.limit !== undefined ? choiceOf(expr) : undefined;
    if (choice !== undefined && expr.kind === "constant")
      for (const word of constantWords.get(expr.limit ?? "") ?? [])
        if (word.text === choice.name)
          found.set(`${word.span.file} ${word.span.start}`, { symbol: choice, span: word.span, isDefinition: false });
    for (const part of subexpressions(expr)) noteExpr(part);
  };
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isExpr(value)) noteExpr(value);
    else if (value instanceof Map) for (const item of value.values()) walk(item);
    else if (Array.isArray(value) || value instanceof Set) for (const item of value) walk(item);
    else for (const item of Object.values(value)) walk(item);
  };
  walk(model);
  return [...found.values()];
};
