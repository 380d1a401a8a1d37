import { keysAllowedEverywhere } from "../document/shape/record.ts";
import { iterators } from "../expression/operations/iterators.ts";
import { listEnds } from "../expression/operations/list-ends.ts";
import { operationTable } from "../expression/operations/operations.ts";
import { fieldKinds } from "../field/kinds.ts";
import { type DocumentCursor, findCursor, type Step } from "./cursor.ts";
import { entityAround, keysOfPath, type NameKindAt, nameKindAt } from "./name-kind.ts";
import { type PlainShape, shapesAt } from "./shapes-at.ts";
import { snippets } from "./snippets.ts";
import { type EntityNames, type FieldNames, ownerOf, type SymbolIndex, targetOf } from "./symbols.ts";

/** Something that an author can write at a place. */
export interface CompletionItem {
  readonly label: string;
  readonly kind:
    | "key"
    | "word"
    | "entity"
    | "field"
    | "value"
    | "role"
    | "transition"
    | "error"
    | "limit"
    | "type"
    | "function"
    | "snippet";
  /** The type or meaning beside it. */
  readonly detail: string;
  /** The text to write; a snippet has places in the form `${1:name}`. */
  readonly insert: string;
}

export interface Completions {
  /** The offset from which the text is replaced. */
  readonly from: number;
  readonly items: readonly CompletionItem[];
}

/** So many letters are looked for inside a name, and not only at its beginning. */
const FEWEST_INSIDE = 3;

const systemFields = ["id", "version", "created_at", "updated_at"];

const fieldTypeNames = Object.keys(fieldKinds).filter((name) => name !== "reference" && name !== "state");

const item = (label: string, kind: CompletionItem["kind"], detail = "", insert = label): CompletionItem => ({
  label,
  kind,
  detail,
  insert,
});

const entityOf = (index: SymbolIndex, name: string | undefined): EntityNames | undefined =>
  name === undefined ? undefined : index.entities.get(name);

const describeField = ({ type, list, isMany, values }: FieldNames): string =>
  list !== undefined
    ? `list of ${list}`
    : `${isMany ? "several, " : ""}${type}${values.length > 0 ? `: ${values.join(", ")}` : ""}`;

/** The fields of an entity; with `acts`, also values that only its transitions ask for. */
const fieldItems = (index: SymbolIndex, entity: string | undefined, acts = false): readonly CompletionItem[] =>
  [...(entityOf(index, entity)?.fields ?? [])].flatMap(([name, field]) =>
    field.isAct === true && !acts ? [] : [item(name, "field", describeField(field))],
  );

const namesFor = (index: SymbolIndex, kind: NameKindAt): readonly CompletionItem[] => {
  switch (kind.of) {
    case "entity":
      return [...index.entities.keys()].map((name) => item(name, "entity", "entity"));
    case "type":
      return [
        ...fieldTypeNames.map((name) => item(name, "type", "field type")),
        ...[...index.entities.keys()].map((name) => item(name, "entity", `reference to ${name}`)),
      ];
    case "inverse":
      return [...index.entities].flatMap(([name, { fields }]) =>
        [...fields].flatMap(([field, about]) =>
          targetOf(about) === undefined || about.list !== undefined
            ? []
            : [item(`${name}.${field}`, "field", `reference to ${targetOf(about)}`)],
        ),
      );
    case "choice":
      return [...index.entities].flatMap(([name, { fields, stateField }]) =>
        [...fields].flatMap(([field, { values, sharedBy, isAct }]) =>
          values.length === 0 || sharedBy !== undefined || isAct === true || field === stateField
            ? []
            : [item(`${name}.${field}`, "field", values.join(", "))],
        ),
      );
    case "field":
      return fieldItems(index, ownerOf(kind, index.entities), kind.acts === true);
    case "state":
      return (entityOf(index, kind.entity)?.states ?? []).map((name) => item(name, "value", "state"));
    case "value":
      return (entityOf(index, kind.entity)?.fields.get(kind.field)?.values ?? []).map((name) =>
        item(name, "value", "choice"),
      );
    case "stored value": {
      const field = entityOf(index, kind.entity)?.fields.get(kind.field);
      const values = field?.values ?? [];
      const records = index.records.get(targetOf(field) ?? "") ?? [];
      return [
        ...values.map((name) => item(name, "value", "choice")),
        ...records.map((name) => item(name, "value", "record")),
      ];
    }
    case "transition":
      return (entityOf(index, kind.entity)?.transitions ?? []).map((name) => item(name, "transition", "transition"));
    case "role":
      return [...index.roles, "administrator"].map((name) => item(name, "role", "role"));
    case "error":
      return index.errors.map((name) => item(name, "error", "error"));
    case "limit":
      return index.limits.map((name) => item(name, "limit", "constant"));
    default:
      return [];
  }
};

/** Functions by name, each with the first sentence about it. */
const functions: readonly CompletionItem[] = [
  ...new Map(
    [...Object.entries(operationTable), ...Object.entries(iterators), ...Object.entries(listEnds)].flatMap(
      ([signature, { about }]) => {
        const name = /^[a-z]\w*(?=\(|$)/u.exec(signature)?.[0];
        return name === undefined ? [] : [[name, item(name, "function", about, `${name}(\${1})`)] as const];
      },
    ),
  ).values(),
];

const listFunctions: ReadonlySet<string> = new Set([
  "filter",
  "map",
  "all",
  "exists",
  "size",
  "count",
  "sum",
  "min",
  "max",
  "avg",
  "one",
  "first",
  "last",
  "sorted",
]);

/** Actions beside transitions that effects can follow. */
const actionItems: readonly CompletionItem[] = ["create", "update", "delete"].map((name) =>
  item(name, "word", "of a record"),
);

/** The source from whose records the lists in `rows of` are read: the last entity before this source. */
const sourceEntity = (around: readonly string[], source: string | undefined): string | undefined => {
  const own = new RegExp(`^[^]*?(?=\\b${source ?? ""}:)`, "u");
  const [before = ""] = around.map((region) => own.exec(region)?.[0] ?? "").filter((text) => text.trim() !== "");
  return [...before.matchAll(/:\s*([A-Z]\w*)/gu)].at(-1)?.[1];
};

/** The entity whose record an expression reads at a place. */
export const contextEntity = ({ point, path, around }: DocumentCursor): string | undefined => {
  const keys = keysOfPath(path);
  if (point === 3 && keys[1] === "rows of") return sourceEntity(around, keys[2]);
  if (point === 3 || point === 4 || point === 5) return keys[0];
  if (point === 6 || (point === 7 && keys[0] === "shapes")) return keys.find((key) => /^[A-Z]/u.test(key));
  return point === 2 || point === 7 ? entityAround(around) : undefined;
};

/** The names of the list that a variable runs over, `order.lines` in `order.lines.filter(l, …).map(m, …)`, and the text before. */
const listOver = (
  variable: string,
  text: string,
): { readonly names: readonly string[]; readonly before: string } | undefined => {
  if (variable === "") return undefined;
  const [call] = [...text.matchAll(new RegExp(`\\.\\w+\\(\\s*${variable}\\s*,`, "gu"))].slice(-1);
  if (call === undefined) return undefined;
  let before = text.slice(0, call.index);
  // Calls in between, such as `filter`, keep the records of the list.
  for (let begin = openingOf(before); begin >= 0; begin = openingOf(before))
    before = before.slice(0, begin).replace(/\.?\w+$/u, "");
  const [chain = ""] = /[\w.]*$/u.exec(before) ?? [];
  return chain === "" ? undefined : { names: chain.split("."), before: before.slice(0, before.length - chain.length) };
};

/** The index of the bracket that the last character of a text closes; -1 if it closes none. */
const openingOf = (text: string): number => {
  if (!text.endsWith(")")) return -1;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text[at] === ")") depth += 1;
    if (text[at] === "(") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
};

/** Follows `device.keeper` from a record; variables of lists are found by the list that they run over. */
export const followNames = (
  index: SymbolIndex,
  entity: string | undefined,
  names: readonly string[],
  text: string,
): { readonly entity: string | undefined; readonly field: FieldNames | undefined } => {
  const [first = "", ...rest] = names;
  let at: string | undefined = entity;
  let field: FieldNames | undefined;
  if (first === "user") at = "User";
  else if (first === "this" || first === "old") at = entity;
  else if (index.entities.has(first)) at = first;
  else {
    field = entityOf(index, entity)?.fields.get(first);
    const over = field === undefined ? listOver(first, text) : undefined;
    at = over === undefined ? targetOf(field) : followNames(index, entity, over.names, over.before).entity;
  }
  for (const name of rest) {
    field = entityOf(index, at)?.fields.get(name);
    at = targetOf(field);
  }
  return { entity: at, field };
};

/** The fields of all entities, where other clauses decide whose record it is: in messages of point 8 and in outgoing calls. */
const allFieldItems = (index: SymbolIndex): readonly CompletionItem[] =>
  [...index.entities.keys()].flatMap((entity) => fieldItems(index, entity, true));

/** The expression in the braces of a text, up to the cursor: `thing.na` in “{thing.na”. */
const openBrace = (before: string): string | undefined => /\{([^{}]*)$/u.exec(before)?.[1];

/** The values of the choice whose default, computed or new value an author writes. */
const ownValues = (index: SymbolIndex, { point, path, around }: DocumentCursor): readonly string[] => {
  const keys = keysOfPath(path);
  const [entity, part, field = "", key] = keys;
  if (point === 4 && keys.at(-2) === "set") {
    const of = nameKindAt({ point, path: path.slice(0, -1), slot: "key", around });
    const owner = of?.of === "field" ? ownerOf(of, index.entities) : undefined;
    return entityOf(index, owner)?.fields.get(keys.at(-1) ?? "")?.values ?? [];
  }
  return point === 3 && part === "fields" && (key === "default" || key === "computed")
    ? (entityOf(index, entity)?.fields.get(field)?.values ?? [])
    : [];
};

/** The values of all choices and the states, of which point 9 can name some. */
const allValueItems = (index: SymbolIndex): readonly CompletionItem[] =>
  [...index.entities.values()].flatMap(({ fields }) =>
    [...fields.values()].flatMap(({ values }) => values.map((value) => item(value, "value", "choice"))),
  );

const inExpression = (index: SymbolIndex, cursor: DocumentCursor, before: string): readonly CompletionItem[] => {
  const [first = ""] = /[\w.]*$/u.exec(before)?.[0].split(".") ?? [];
  const isAnyRecord = cursor.point === 8 || isOutgoing(cursor);
  const entity = isAnyRecord
    ? [...index.entities].find(([, { fields }]) => fields.has(first))?.[0]
    : contextEntity(cursor);
  const [chain = ""] = /[\w.]*$/u.exec(before) ?? [];
  const names = chain.split(".").slice(0, -1);
  if (names[0] === "limits") return namesFor(index, { of: "limit" });
  if (names.length > 0) {
    const reached = followNames(index, entity, names, before);
    const shapes = shapeItems(index, names);
    const isList =
      reached.field?.list !== undefined || reached.field?.isMany === true || index.entities.has(names.at(-1) ?? "");
    if (isList) return [...shapes, ...functions.filter(({ label }) => listFunctions.has(label))];
    return reached.entity === undefined
      ? functions
      : [...fieldItems(index, reached.entity), ...systemFields.map((name) => item(name, "field", "of every record"))];
  }
  const [, compared] = /([\w.]+)\s*(?:(?:==|!=)|in\s*\[[^\]]*)\s*\w*$/u.exec(before) ?? [];
  const values =
    compared === undefined
      ? ownValues(index, cursor)
      : (followNames(index, entity, compared.split("."), before).field?.values ?? []);
  return [
    ...values.map((name) => item(name, "value", "choice")),
    ...(isAnyRecord ? allFieldItems(index) : fieldItems(index, entity, cursor.point === 4 || cursor.point === 5)),
    ...(cursor.point === 8 ? [item("limits", "word", "the constants of point 9")] : []),
    ...(cursor.point === 7 ? [item("input", "word", "what the client sent")] : []),
    ...["user", "today", "now", "this", "old"].map((name) => item(name, "word", "of the request")),
    ...index.limits.map((name) => item(name, "limit", "constant")),
    ...[...index.entities.keys()].map((name) => item(name, "entity", "all its records")),
    ...functions,
  ];
};

/** The shapes of an entity in point 7: `open` after `Line.`. */
const shapeItems = (index: SymbolIndex, [entity, ...rest]: readonly string[]): readonly CompletionItem[] =>
  rest.length > 0
    ? []
    : index.occurrences.flatMap(({ symbol, isDefinition }) =>
        isDefinition && symbol.of === "shape" && symbol.entity === entity
          ? [item(symbol.name, "function", "shape of point 7", `${symbol.name}(\${1:this})`)]
          : [],
      );

const isOutgoing = ({ point, path }: DocumentCursor): boolean => point === 7 && keysOfPath(path)[0] === "outgoing";

/** Keys of point 7 below which a name alone stands for the field of that name. */
const byField: ReadonlySet<string> = new Set(["takes", "gives", "sends", "query", "set"]);

/** Values of point 7 that name fields. */
const fieldLists: ReadonlySet<string> = new Set(["sort", "sortable", "asks", "selectable"]);

/** The names of fields and transitions in the calls of point 7. */
const namesInCalls = (index: SymbolIndex, cursor: DocumentCursor): readonly CompletionItem[] => {
  if (cursor.point !== 7) return [];
  const keys = keysOfPath(cursor.path);
  const last = keys.at(-1) ?? "";
  const fields = () => (isOutgoing(cursor) ? allFieldItems(index) : fieldItems(index, contextEntity(cursor)));
  if (cursor.slot === "key")
    return keys.some((key) => byField.has(key)) || (keys[0] === "shapes" && keys.length > 2)
      ? [...fields(), item("id", "field", "of every record")]
      : [];
  if (fieldLists.has(last)) return fields();
  return last === "transition"
    ? [...index.entities].flatMap(([entity, { transitions }]) =>
        transitions.map((name) => item(`${entity}.${name}`, "transition", "transition")),
      )
    : [];
};

/** Blocks that an author begins often. */
const snippetItems = ({ point, path }: DocumentCursor): readonly CompletionItem[] => {
  const [above, ...further] = keysOfPath(path);
  return further.length > 0
    ? []
    : (snippets[point] ?? [])
        .filter(({ below }) => below === above)
        .map(({ label, about, text }) => item(label, "snippet", about, text));
};

const keysFor = (shapes: readonly PlainShape[], { siblings }: DocumentCursor): readonly CompletionItem[] =>
  shapes.flatMap(({ form }) => {
    if (form.kind === "keys")
      return Object.entries({ ...form.parts, ...keysAllowedEverywhere }).flatMap(([key, { shape, need }]) =>
        siblings.has(key)
          ? []
          : [item(key, "key", `${need === "required" ? "required: " : ""}${shape.expected}`, `${key}: `)],
      );
    return form.kind === "mapping"
      ? (form.offers ?? []).flatMap((key) =>
          siblings.has(key) ? [] : [item(key, "key", form.entries[0]?.of.expected ?? "", `${key}: `)],
        )
      : [];
  });

const valuesFor = (
  index: SymbolIndex,
  shapes: readonly PlainShape[],
  cursor: DocumentCursor,
): readonly CompletionItem[] => {
  const words = shapes.flatMap(({ form, expected }) =>
    form.kind === "word" ? form.words.map((word) => item(word, "word", expected)) : [],
  );
  const kind = nameKindAt(cursor);
  const names = kind === undefined ? [] : namesFor(index, kind);
  const isExpression = shapes.some(({ form }) => form.kind === "expression");
  const inBraces = isExpression ? undefined : openBrace(cursor.before);
  const isEmpty = cursor.before === "";
  return [
    ...words,
    ...names,
    ...namesInCalls(index, cursor),
    ...(isExpression ? inExpression(index, cursor, cursor.before) : []),
    ...(inBraces === undefined ? [] : inExpression(index, cursor, inBraces)),
    ...(cursor.point === 9 ? allValueItems(index) : []),
    ...(cursor.point === 8 && keysOfPath(cursor.path).at(-1) === "at" ? allFieldItems(index) : []),
    ...(isEmpty ? [item("not shown", "word", "nobody has decided it: a default applies")] : []),
  ];
};

/**
 * The names, keys and values that fit at an offset, those that begin with what is written first. The document need not be
 * complete: an author is typing there.
 */
export const completeAt = (text: string, offset: number, index: SymbolIndex): Completions => {
  const cursor = findCursor(text, offset);
  if (cursor === undefined) return { from: offset, items: [] };
  const shapes = shapesAt(cursor);
  // A value without brackets can be the item of a list.
  const asItem: Step = { kind: "item" };
  const all =
    cursor.slot === "value" ? [...shapes, ...shapesAt({ ...cursor, path: [...cursor.path, asItem] })] : shapes;
  const kind = nameKindAt(cursor);
  const isFresh = kind?.of === "entity" && cursor.point === 3;
  const found =
    cursor.slot === "key"
      ? [
          ...keysFor(all, cursor),
          ...namesInCalls(index, cursor),
          ...(kind === undefined || isFresh
            ? []
            : [
                ...namesFor(index, kind),
                // Point 6 can give roles on the records of an entity.
                ...(kind.of === "role" && keysOfPath(cursor.path).length === 1
                  ? namesFor(index, { of: "entity" })
                  : []),
                ...(kind.of === "transition" && keysOfPath(cursor.path)[1] === "after" ? actionItems : []),
              ].map((completionItem) => ({
                ...completionItem,
                insert: `${completionItem.label}: `,
              }))),
          ...snippetItems(cursor),
        ]
      : [...valuesFor(index, all, cursor), ...(cursor.path.at(-1)?.kind === "item" ? keysFor(all, cursor) : [])];
  const isExpression =
    all.some(({ form }) => form.kind === "expression") ||
    (cursor.slot === "value" && openBrace(cursor.before) !== undefined);
  const [prefix = ""] =
    (isExpression ? /(?<=[=!]=\s*)[\w-]*$|\w*$/u : /(?:\w[\w .-]*|[\w .]*)$/u).exec(cursor.before) ?? [];
  const typed = prefix.trimStart();
  const lower = typed.toLowerCase();
  const unique = [
    ...new Map(
      found.map((completionItem) => [`${completionItem.label} ${completionItem.kind}`, completionItem]),
    ).values(),
  ];
  const begins = ({ label }: CompletionItem) => label.toLowerCase().startsWith(lower);
  const fitting = unique.filter(
    (completionItem) =>
      begins(completionItem) || (lower.length >= FEWEST_INSIDE && completionItem.label.toLowerCase().includes(lower)),
  );
  return {
    from: offset - typed.length,
    items: [...fitting.filter(begins), ...fitting.filter((completionItem) => !begins(completionItem))],
  };
};
