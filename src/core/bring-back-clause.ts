import type { Compiled } from "./compile.ts";
import { definitionAt } from "./document/definition-text.ts";
import type { Source, Span } from "./source-text.ts";

/** An entity, or a field of one. */
interface DefinedName {
  readonly entity: string;
  readonly field: string | null;
}

/** The lines that define a name in a document. */
export interface Definition {
  readonly file: string;
  /** "3" */
  readonly point: string;
  readonly text: string;
}

/** The lines that define an entity or a field; undefined if the document has none. */
export const findDefinition = (
  { model, sources }: Compiled,
  { entity: name, field }: DefinedName,
): Definition | undefined => {
  const entity = model?.entities.get(name);
  const clause = field === null ? entity?.clause : entity?.fields.get(field)?.clause;
  const source = sources.find((source) => source.file === clause?.span.file);
  if (clause === undefined || source === undefined) return undefined;
  return { file: source.file, point: clause.id.slice(0, 1), text: definitionAt(source.text, clause.span.start) };
};

/** The file with the restored definition, and the span of that definition. */
export interface RestoredText extends Source {
  readonly span: Span;
}

/**
 * Restores the definition of a retired entity or field in a document: a field in place of one with the same name, or
 * after the last one of its entity, an entity after the last block of its point. Undefined if the document has no such
 * place.
 */
export const writeDefinition = (
  { model, sources }: Compiled,
  { entity: name, field }: DefinedName,
  { file, point, text: lines }: Definition,
): RestoredText | undefined => {
  if (field === null) {
    const source = sources.find((source) => source.file === file) ?? sources.at(-1);
    return source && insertInPoint(source, point, lines);
  }
  const written = [...(model?.entities.get(name)?.fields.values() ?? [])].filter(
    ({ clause }) => clause.span.file !== "" && clause.id.startsWith(`3.${name}.`),
  );
  // A field whose type changed has the name still.
  const former = written.find((other) => other.name === field);
  const last = (former ?? written.at(-1))?.clause.span;
  const source = sources.find((source) => source.file === last?.file);
  if (last === undefined || source === undefined) return undefined;
  const { text } = source;
  const begin = text.lastIndexOf("\n", last.start - 1) + 1;
  const indent = text.slice(begin, last.start);
  const definition = definitionAt(text, last.start);
  const isInBlock = indent.trim() === "";
  const start = isInBlock ? begin : last.start;
  const end = start + definition.length;
  if (former !== undefined) {
    const rest = { file: source.file, text: text.slice(0, start) + text.slice(end) };
    return insert(rest, start, isInBlock ? indented(lines, indent) : lines.trim());
  }
  return insert(source, end, isInBlock ? `\n${indented(lines, indent)}` : `, ${lines.trim()}`);
};

const insert = ({ file, text }: Source, at: number, lines: string): RestoredText => ({
  file,
  text: text.slice(0, at) + lines + text.slice(at),
  span: { file, start: at + lines.length - lines.trimStart().length, end: at + lines.length },
});

const indented = (lines: string, indent: string): string => {
  const own = /^ */u.exec(lines)?.[0].length ?? 0;
  return lines
    .split("\n")
    .map((line) =>
      line.trim() === "" ? "" : indent + line.slice(Math.min(own, line.length - line.trimStart().length)),
    )
    .join("\n");
};

/** Inserts at the end of the last block of a point. */
const insertInPoint = (source: Source, point: string, lines: string): RestoredText | undefined => {
  const heading = new RegExp(`^## ${point}\\..*$`, "mu").exec(source.text);
  if (heading === null) return undefined;
  const from = heading.index + heading[0].length;
  const next = source.text.slice(from).search(/^## /mu);
  const section = next < 0 ? source.text.slice(from) : source.text.slice(from, from + next);
  const fence = section.lastIndexOf("\n```");
  return fence < 0
    ? insert(source, from + section.trimEnd().length, `\n\n\`\`\`yaml\n${lines}\n\`\`\``)
    : insert(source, from + fence, `\n${lines}`);
};
