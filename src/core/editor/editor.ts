import type { Compiled } from "../compile.ts";
import { applyEdits } from "../document/edits.ts";
import { readDocument } from "../document/read.ts";
import { capitalize } from "../document/shape/report.ts";
import { iterators } from "../expression/operations/iterators.ts";
import { listEnds } from "../expression/operations/list-ends.ts";
import { operationTable } from "../expression/operations/operations.ts";
import type { Finding } from "../findings.ts";
import { withArticle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Source, Span } from "../source-text.ts";
import { type Completions, completeAt, contextEntity, followNames } from "./complete.ts";
import { type DocumentCursor, findCursor } from "./cursor.ts";
import { EditedDocument } from "./edited-document.ts";
import { listFixes } from "./list-fixes.ts";
import { findReferenceEntry, type LanguageReference, noReference, type ReferenceEntry } from "./reference.ts";
import { type RenameResult, renameSymbol } from "./rename.ts";
import { shapesAt } from "./shapes-at.ts";
import { type DocumentSymbol, indexSymbols, type Occurrence, symbolKey } from "./symbols.ts";

/** A place in a file of the document. */
export interface EditorPlace {
  readonly file: string;
  readonly offset: number;
}

/** Sentences about the name or key at a place, with the place itself. */
export interface Hover {
  readonly span: Span;
  readonly lines: readonly string[];
  /** The place in the language reference that explains a key. */
  readonly reference?: Pick<ReferenceEntry, "id" | "heading">;
}

/** A change that a finding offers. */
export interface EditorFix {
  readonly finding: Finding;
  /** "Add TOO_HOT to point 8" */
  readonly label: string;
  /** The files after it. */
  readonly sources: readonly Source[];
}

/**
 * Everything that an editor asks about one document, while an author types in it. It remembers what it read before, so that each
 * answer costs as much as the part that changed.
 */
export interface Editor {
  /** Takes over a new text. It is compiled only when an answer needs that, so completion does not wait for it. */
  readonly open: (sources: readonly Source[]) => void;
  readonly compile: () => Compiled;
  readonly complete: (place: EditorPlace) => Completions;
  /** Sentences about a key that can be written at a place. */
  readonly describeKey: (place: EditorPlace, key: string) => readonly string[];
  readonly hover: (place: EditorPlace) => Hover | undefined;
  readonly findDefinition: (place: EditorPlace) => Span | undefined;
  readonly findReferences: (place: EditorPlace) => readonly Span[];
  /** All names in a file in the order of the text, without overlaps. */
  readonly findNames: (file: string) => readonly Occurrence[];
  /** The names that the document declares, each with its place. */
  readonly findDeclarations: () => readonly Occurrence[];
  /** The name at a place that can be renamed. */
  readonly findName: (place: EditorPlace) => Occurrence | undefined;
  /** `published`: the version whose names the database has, if there is one. Other names need no `was`. */
  readonly rename: (place: EditorPlace, to: string, published?: readonly Source[]) => RenameResult;
  /** The fixes of findings that touch a range. */
  readonly fixes: (span: Span) => readonly EditorFix[];
}

const touches = (span: Span, { file, offset }: EditorPlace): boolean =>
  span.file === file && span.start <= offset && offset <= span.end;

const abouts: ReadonlyMap<string, string> = new Map(
  [...Object.entries(operationTable), ...Object.entries(iterators), ...Object.entries(listEnds)].flatMap(
    ([signature, { about }]) => {
      const name = /^[a-z]\w*(?=\(|$)/u.exec(signature)?.[0];
      return name === undefined ? [] : [[name, `\`${signature}\`: ${about}`] as const];
    },
  ),
);

const clauseOf = ({ of, entity, field, name }: DocumentSymbol): string => {
  switch (of) {
    case "entity":
      return `3.${name}`;
    case "field":
    case "record":
      return `3.${entity}.${name}`;
    case "value":
      return `3.${entity}.${field}`;
    case "transition":
      return `4.${entity}.${name}`;
    case "role":
      return `6.roles.${name}`;
    case "shape":
      return `7.shapes.${entity}.${name}`;
    default:
      return of === "error" ? `8.${name}` : `9.${name}`;
  }
};

const kindWords: Readonly<Record<DocumentSymbol["of"], string>> = {
  entity: "entity",
  field: "field",
  value: "value",
  transition: "transition",
  record: "record",
  role: "role",
  error: "error",
  limit: "constant",
  shape: "shape",
};

/** The symbol under the names that its entity and its field had in the published version. */
const underFormerNames = (symbol: DocumentSymbol, { renamings }: Model): DocumentSymbol => {
  const { entity, field } = symbol;
  const oldEntity = renamings.find(({ of, now }) => of === "entity" && now === entity)?.old ?? entity;
  const oldField =
    renamings.find(({ of, now, ...owner }) => of === "field" && owner.entity === entity && now === field)?.old ?? field;
  return { ...symbol, entity: oldEntity, field: oldField };
};

/** True if a document declares a name. */
const declares = (sources: readonly Source[], symbol: DocumentSymbol): boolean =>
  indexSymbols(readDocument(sources).value).occurrences.some(
    (occurrence) => occurrence.isDefinition && symbolKey(occurrence.symbol) === symbolKey(symbol),
  );

/** Creates what an editor needs for one document. Without a reference, keys are explained by their form alone. */
export const createEditor = (getReference: () => LanguageReference = () => noReference): Editor => {
  const document = new EditedDocument();
  const findName = (place: EditorPlace) => findNameAt(document, place);
  return {
    open: (sources) => document.open(sources),
    compile: () => document.compile(),
    complete: ({ file, offset }) => completeAt(document.textOf(file), offset, document.getIndex()),
    describeKey: ({ file, offset }, key) => {
      const cursor = findCursor(document.textOf(file), offset);
      return (cursor === undefined ? undefined : explainKey(getReference(), cursor, key)?.lines) ?? [];
    },
    findDeclarations: () => document.getIndex().occurrences.filter(({ isDefinition }) => isDefinition),
    findNames: (file) => {
      const names = document
        .getOccurrences()
        .filter(({ span }) => span.file === file && span.start < span.end)
        .toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
      return names.filter(({ span }, at) => span.start >= (names[at - 1]?.span.end ?? 0));
    },
    findName,
    hover: (place) => {
      const found = findName(place);
      if (found !== undefined) return { span: found.span, lines: describeSymbol(document, found.symbol) };
      const text = document.textOf(place.file);
      return explainKeyAt(text, place, getReference) ?? explainFunctionAt(text, place);
    },
    findDefinition: (place) => {
      const found = findName(place);
      return found === undefined
        ? undefined
        : document.findAll(found.symbol).find(({ isDefinition }) => isDefinition)?.span;
    },
    findReferences: (place) => {
      const found = findName(place);
      return found === undefined ? [] : document.findAll(found.symbol).map(({ span }) => span);
    },
    rename: (place, to, published) => {
      const found = findName(place);
      if (found === undefined) return { refusal: "There is no name here." };
      const { model } = document.compile();
      if (model === undefined) return { refusal: "Fix the errors first: names in expressions are found only then." };
      const isStored =
        published === undefined ||
        [found.symbol, underFormerNames(found.symbol, model)].some((symbol) => declares(published, symbol));
      const occurrences = document.getOccurrences();
      return renameSymbol(document.sources, occurrences, found.symbol, { to, isStored }, document.compileNext);
    },
    fixes: (range) =>
      document.compile().findings.flatMap((finding) =>
        finding.span.file === range.file && finding.span.start <= range.end && range.start <= finding.span.end
          ? listFixes(document.sources, finding).map(({ adds, edits }) => ({
              finding,
              label: adds === undefined ? finding.hint || finding.message : `Add ${adds.name} to point ${adds.point}`,
              sources: applyEdits(document.sources, edits),
            }))
          : [],
      ),
  };
};

/** The name at a place; in a document with errors, names of expressions are found by their context. */
const findNameAt = (document: EditedDocument, place: EditorPlace): Occurrence | undefined => {
  const found = document.getOccurrences().find(({ span }) => touches(span, place));
  if (found !== undefined || document.compile().model !== undefined) return found;
  const text = document.textOf(place.file);
  const end = place.offset + (/^\w*/u.exec(text.slice(place.offset))?.[0].length ?? 0);
  const cursor = findCursor(text, end);
  if (cursor === undefined || !shapesAt(cursor).some(({ form }) => form.kind === "expression")) return undefined;
  const [chain = ""] = /[\w.]*$/u.exec(cursor.before) ?? [];
  const names = chain.split(".");
  const name = names.at(-1) ?? "";
  const entity =
    names.length === 1
      ? contextEntity(cursor)
      : followNames(document.getIndex(), contextEntity(cursor), names.slice(0, -1), cursor.before).entity;
  if (entity === undefined || document.getIndex().entities.get(entity)?.fields.has(name) !== true) return undefined;
  const span = { file: place.file, start: end - name.length, end };
  return { symbol: { of: "field", entity, field: null, name }, span, isDefinition: false };
};

/** Sentences about a name: its kind, type and values, its clause, and how often it is used. */
const describeSymbol = (document: EditedDocument, symbol: DocumentSymbol): readonly string[] => {
  const { of, entity, name } = symbol;
  const field =
    of === "field" && entity !== null ? document.getIndex().entities.get(entity)?.fields.get(name) : undefined;
  const type =
    field === undefined
      ? ""
      : field.list === undefined
        ? `: ${field.isMany ? "several, " : ""}${field.type}`
        : `: list of ${field.list}`;
  const { model } = document.compile();
  const modelled = of === "field" && entity !== null ? model?.entities.get(entity)?.fields.get(name) : undefined;
  return [
    `**${name}** is ${withArticle(kindWords[of])}${entity === null ? "" : ` of ${entity}`}${type}.`,
    ...(field !== undefined && field.values.length > 0 ? [`Values: ${field.values.join(", ")}.`] : []),
    ...(modelled?.help ? [modelled.help] : []),
    `Clause \`${clauseOf(symbol)}\`, used in ${document.findAll(symbol).filter(({ isDefinition }) => !isDefinition).length} places.`,
  ];
};

/** Sentences about a key at a place of a block, with the entry in the reference that explains it. */
const explainKey = (reference: LanguageReference, cursor: DocumentCursor, key: string) => {
  const shapes = shapesAt({ point: cursor.point, path: [...cursor.path, { kind: "key", name: key }] });
  const expected = [...new Set(shapes.map((shape) => shape.expected))];
  if (expected.length === 0) return undefined;
  const entry = findReferenceEntry(reference, cursor.point, cursor.path, key);
  const lines = [
    `**${key}** takes ${expected.join(", or ")}.`,
    ...(entry === undefined ? [] : [capitalize(entry.about.replace(/\.?$/u, "."))]),
    ...(entry === undefined || entry.otherwise === "" ? [] : [`Default: ${entry.otherwise}.`]),
  ];
  return { entry, lines };
};

/** Explains the key at a place. */
const explainKeyAt = (text: string, place: EditorPlace, getReference: () => LanguageReference): Hover | undefined => {
  // The address of a screen is a key too: `/loans/{id}`.
  const before = /[\w/{}. -]*$/u.exec(text.slice(0, place.offset))?.[0].replace(/^[\s{-]+/u, "") ?? "";
  const start = place.offset - before.length;
  const word = /^[\w/{}.-]+(?: \w+)*/u.exec(text.slice(start))?.[0] ?? "";
  const end = start + word.length;
  if (word === "" || text.charAt(end) !== ":") return undefined;
  const cursor = findCursor(text, start);
  const explained = cursor === undefined ? undefined : explainKey(getReference(), cursor, word);
  if (cursor === undefined || explained === undefined) return undefined;
  const { entry, lines } = explained;
  return {
    span: { file: place.file, start, end },
    lines,
    reference: { id: entry?.id ?? `L${cursor.point}`, heading: entry?.heading ?? "" },
  };
};

/** Explains the function whose call is at a place. */
const explainFunctionAt = (text: string, place: EditorPlace): Hover | undefined => {
  const start = place.offset - (/\w*$/u.exec(text.slice(0, place.offset))?.[0].length ?? 0);
  const name = /^\w+(?=\()/u.exec(text.slice(start))?.[0] ?? "";
  const about = findCursor(text, start) === undefined ? undefined : abouts.get(name);
  return about === undefined
    ? undefined
    : { span: { file: place.file, start, end: start + name.length }, lines: [about] };
};
