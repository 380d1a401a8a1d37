import type { LikelyRename } from "./change/likely-renames.ts";
import type { Compile } from "./compile.ts";
import { addMemberTo, definitionAt } from "./document/definition-text.ts";
import type { Field } from "./model/field.ts";
import { toValueTitle } from "./model/inflection.ts";
import type { Model } from "./model/model.ts";
import type { NamedThing, Rename } from "./model/renaming.ts";
import type { Source, Span } from "./source-text.ts";

/** The member that a plain value stands for: a field is its type, a role its members. */
const shortForm: { readonly [T in NamedThing]: string } = {
  entity: "fields",
  field: "type",
  value: "title",
  transition: "to",
  record: "name",
  role: "members",
  limit: "value",
};

const changeFile = (
  files: readonly Source[],
  { file }: Span,
  change: (text: string) => string | undefined,
): readonly Source[] | undefined => {
  const text = files.find((source) => source.file === file)?.text;
  const changed = text === undefined ? undefined : change(text);
  return changed === undefined
    ? undefined
    : files.map((source) => (source.file === file ? { file, text: changed } : source));
};

const hasRenaming = (model: Model | undefined, { of, entity, field, old, now }: Rename): boolean =>
  model?.renamings.some(
    (renaming) =>
      renaming.of === of &&
      renaming.entity === entity &&
      renaming.field === field &&
      renaming.old === old &&
      renaming.now === now,
  ) === true;

/**
 * Adds `was` to a document, which declares a renaming or a merge of two values. Undefined if the document is written in
 * a form where that is not possible.
 */
export const writeWas = (
  files: readonly Source[],
  rename: LikelyRename,
  compile: Compile,
): readonly Source[] | undefined => {
  const candidates =
    rename.of === "value"
      ? valueForms(files, rename)
      : [
          changeFile(files, rename.span, (text) =>
            addMemberTo(text, rename.span.start, shortForm[rename.of], `was: ${rename.old}`),
          ),
        ];
  return candidates.find((conditions) => conditions !== undefined && hasRenaming(compile(conditions).model, rename));
};

/** The text with `was` at each occurrence of the value's name, which may be written with options or a former name. */
const valueForms = (
  files: readonly Source[],
  { old, now, span }: LikelyRename,
): readonly (readonly Source[] | undefined)[] => {
  const text = files.find((file) => file.file === span.file)?.text ?? "";
  const region = definitionAt(text, span.start);
  const begin = text.startsWith(region, span.start) ? span.start : text.lastIndexOf("\n", span.start) + 1;
  const name = now.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return [...region.matchAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "gu"))].flatMap(({ index }) => {
    const at = begin + index;
    const rest = text.slice(at + now.length);
    const put = (end: number, by: string) =>
      changeFile(files, span, (text) => text.slice(0, at) + by + text.slice(at + end));
    const options = /^\s*:\s*\{\s*/u.exec(rest)?.[0];
    if (options === undefined) return [put(now.length, `{ ${now}: { was: ${old} } }`)];
    const known = /^(?<before>[^}]*?\bwas:\s*)(?:\[(?<list>[^\]]*)\]|(?<one>[\w-]+))/u.exec(rest);
    if (known === null) return [put(now.length + options.length, `${now}${options}was: ${old}, `)];
    const { before = "", list, one } = known.groups ?? {};
    return [put(now.length + known[0].length, `${now}${before}[${list ?? one}, ${old}]`)];
  });
};

/**
 * Adds `fill` to a field: the value for records without one, or with `was` the conversion of its values of that former
 * type. Undefined if that is not possible.
 */
export const writeFill = (
  files: readonly Source[],
  {
    entity,
    field,
    fill,
    was,
  }: { readonly entity: string; readonly field: string; readonly fill: string; readonly was?: string | undefined },
  compile: Compile,
): readonly Source[] | undefined => {
  const span = compile(files).model?.entities.get(entity)?.fields.get(field)?.clause.span;
  if (span === undefined) return undefined;
  const members = [`fill: ${fill}`, ...(was === undefined ? [] : [`was: { ${field}: ${was} }`])];
  const changed = members.reduce<readonly Source[] | undefined>(
    (known, says) => known && changeFile(known, span, (text) => addMemberTo(text, span.start, "type", says)),
    files,
  );
  if (changed === undefined) return undefined;
  return compile(changed).model?.entities.get(entity)?.fields.get(field)?.fill == null ? undefined : changed;
};

/** Types whose values have an order. */
const ranked: ReadonlySet<string> = new Set(["integer", "decimal", "money", "date", "datetime", "time", "duration"]);

/**
 * An expression for `fill` that converts the values of a former type, for the author to adapt. Values that fit are kept,
 * also if they are written as people see them. Others lead to `null`, which a required field refuses. Undefined if no
 * function converts the values.
 */
export const suggestConversion = ({ name, type, values }: Field, was: string): string | undefined => {
  const former = `was.${name}`;
  const isList = was.startsWith("[");
  if (values.length === 0) return isList && ranked.has(type) ? `${former}.max()` : undefined;
  const isValue = (value: string) => {
    if (isList) return `'${value}' in ${former}`;
    const title = toValueTitle(value);
    return values.includes(title) ? `${former} == '${value}'` : `${former} in ['${value}', '${title}']`;
  };
  return `"${[...values.map((value) => `${isValue(value)} ? '${value}'`), "null"].join(" : ")}"`;
};

/** The writes that check a rule once stored records can stay as they are. */
export const WRITES = "[create, update]";

/**
 * Adds `during` to a rule, so that stored records can stay as they are. Undefined if the document is written in a form
 * where that is not possible.
 */
export const writeDuring = (
  files: readonly Source[],
  { entity, rule }: { readonly entity: string; readonly rule: string },
  compile: Compile,
): readonly Source[] | undefined => {
  const always = (sources: readonly Source[]) =>
    (compile(sources).model?.entities.get(entity)?.rules ?? []).filter(
      ({ clause, during }) => clause.id === rule && during === null,
    );
  const [found, ...others] = always(files);
  if (found === undefined || others.length > 0) return undefined;
  const { span } = found.clause;
  const changed = changeFile(files, span, (text) => {
    const isInBraces = text[span.start] === "{";
    const lead = (isInBraces ? /[,{\n]\s*(?=else:)/u : /(?:^|\n[ \t]*)(?=else:)/u).exec(
      text.slice(span.start, span.end),
    );
    if (lead === null) return undefined;
    const at = span.start + lead.index + lead[0].length;
    const column = span.start - (text.lastIndexOf("\n", span.start) + 1);
    return `${text.slice(0, at)}during: ${WRITES}${isInBraces ? ", " : `\n${" ".repeat(column)}`}${text.slice(at)}`;
  });
  return changed !== undefined && compile(changed).model !== undefined && always(changed).length === 0
    ? changed
    : undefined;
};
