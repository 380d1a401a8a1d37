import type { Compile } from "../compile.ts";
import { applyEdits } from "../document/edits.ts";
import type { PagePart } from "../document/rendered-page.ts";
import { toFieldName } from "../draft/names.ts";
import { toListBlock, toPermissions, toRolesBlock, toScalar, toStatesBlock } from "../draft/write-step.ts";
import type { Entity } from "../model/entity.ts";
import type { Field } from "../model/field.ts";
import { toPathName } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Source } from "../source-text.ts";
import { addError } from "./add-error.ts";

/** An example that answers an open point. */
interface PointExample {
  readonly block: string;
  /** The error of point 8 that the block raises. */
  readonly raises?: { readonly code: string; readonly message: string };
}

/** Entities of the document whose records people write; people come last, because a document is rarely about them. */
const listEntities = ({ entities }: Model): readonly Entity[] =>
  [...entities.values()]
    .filter(({ clause, rows }) => clause.span.file !== "" && rows === null)
    .toSorted((a, b) => Number(a.name === "User") - Number(b.name === "User"));

/** Roles that the document declares, those that are granted first. */
const listRoles = ({ roles }: Model): readonly string[] =>
  ["granted", "signed in"].flatMap((members) =>
    [...roles.values()]
      .filter((role) => role.members === members && role.clause.span.file !== "")
      .map(({ name }) => name),
  );

/** Fields that people write, required ones first. */
const listFields = ({ fields, states }: Entity): readonly Field[] =>
  [...fields.values()]
    .filter(({ storage, many, name }) => storage.as === "column" && !many && name !== states?.field)
    .toSorted((a, b) => Number(a.optional) - Number(b.optional));

const toList = ({ name, fields }: Entity): PointExample => ({
  block: toListBlock({
    entity: name,
    path: toPathName(name),
    columns: [...fields.values()]
      .filter(({ storage }) => storage.as === "column")
      .slice(0, 4)
      .map((field) => field.name),
  }),
});

const toStates = ({ name, fields }: Entity, role: string | undefined): PointExample => ({
  block: toStatesBlock({
    entity: name,
    field: toFieldName(["status"], new Set(fields.keys())),
    states: ["open", "done"],
    actions: ["finish"],
    role,
  }),
});

/** A rule about a text or a date; undefined for other fields. */
const toRule = (entity: Entity, { name, type, optional }: Field, { errors }: Model): PointExample | undefined => {
  const isText = type === "text" || type === "long text";
  if (!isText && type !== "date") return undefined;
  const proposed = `${name.toUpperCase()}_${isText ? "TOO_SHORT" : "IN_THE_PAST"}`;
  let code = proposed;
  for (let count = 2; errors.has(code); count++) code = `${proposed}_${count}`;
  const when = optional ? `, when: "${name} != null"` : "";
  const rule = isText ? `"size(${name}) > 2"${when}` : `"${name} >= today"${when}, during: create`;
  return {
    block: `${entity.name}:\n  - { rule: ${rule}, else: ${code} }`,
    raises: { code, message: isText ? `“{${name}}” is too short.` : `{${name}} is in the past.` },
  };
};

const toRoles = (model: Model): readonly PointExample[] => {
  const entities = listEntities(model)
    .filter(({ permissions }) => permissions === null)
    .map(({ name }) => name);
  const roles = listRoles(model);
  const [writer] = roles;
  if (writer === undefined) return [{ block: toRolesBlock("staff", "keeper", entities) }];
  if (entities.length === 0) return [];
  return [{ block: ["permissions:", ...toPermissions(roles.at(-1) ?? writer, writer, entities)].join("\n") }];
};

/**
 * Examples that answer a point with the names of the document, the best one first. Without a model, those for which it is
 * not needed.
 */
const listExamples = (point: number, model: Model | undefined): readonly PointExample[] => {
  const entities = model === undefined ? [] : listEntities(model);
  switch (point) {
    case 1:
      return [{ block: `ninefold: 1\nname: ${toScalar(model?.name ?? "My application")}` }];
    case 2:
      return entities.map(toList);
    case 3:
      return ["Thing", "OtherThing"]
        .filter((name) => model?.entities.has(name) !== true)
        .map((name) => ({ block: `${name}:\n  fields:\n    name: { type: text, max: 200 }\n    note: long text?` }));
    case 4:
      return entities
        .filter(({ states }) => states === null)
        .map((entity) => toStates(entity, model === undefined ? undefined : listRoles(model)[0]));
    case 5:
      return entities.flatMap((entity) =>
        listFields(entity).flatMap((field) => (model === undefined ? [] : (toRule(entity, field, model) ?? []))),
      );
    case 6:
      return model === undefined ? [] : toRoles(model);
    case 7:
      return [{ block: "conventional: all" }];
    case 8:
      return [
        ...entities.map(({ name, called }) => ({ block: `${name}.NOT_FOUND: "There is no such ${called.one}."` })),
        { block: 'NOT_FOUND: "There is nothing at this address."' },
      ];
    case 9:
      return [{ block: "page_size: 50" }];
    default:
      return [];
  }
};

/** A text with an answer, and the place of its block. */
export interface AnsweredPoint {
  readonly sources: readonly Source[];
  readonly from: number;
  readonly to: number;
}

/** The reason why a point has no example: the text has errors, or it has no entity yet. */
export type Unanswered = "errors" | "no entity" | "nothing to add";

/** Puts a block at the end of a point, in place of the sentences that leave it open. */
const insertBlock = (
  { file, text }: Source,
  parts: readonly PagePart[],
  point: number,
  block: string,
): { readonly text: string; readonly from: number; readonly to: number } | undefined => {
  const heading = parts.find((part) => part.kind === "heading" && part.level === 2 && part.point === point);
  if (heading?.kind !== "heading" || heading.span.file !== file) return undefined;
  const open = parts.flatMap((part) =>
    part.kind === "prose" && part.point === point ? part.sentences.filter((sentence) => sentence.open) : [],
  );
  let rest = text;
  for (const { span } of open.toSorted((a, b) => b.span.start - a.span.start))
    rest = rest.slice(0, span.start) + rest.slice(span.end).replace(/^ +/u, "");
  const next = rest.slice(heading.span.start).search(/\n## /u);
  const end = next < 0 ? rest.length : heading.span.start + next + 1;
  const opening = `${rest.slice(0, end).trimEnd()}\n\n\`\`\`yaml\n`;
  const after = rest.slice(end).replace(/^\n+/u, "");
  return {
    text: `${opening}${block}\n\`\`\`\n${after === "" ? "" : `\n${after}`}`,
    from: opening.length,
    to: opening.length + block.length,
  };
};

const insertExample = (
  sources: readonly Source[],
  source: Source,
  parts: readonly PagePart[],
  point: number,
  { block, raises }: PointExample,
): AnsweredPoint | undefined => {
  const placed = insertBlock(source, parts, point, block);
  if (placed === undefined) return undefined;
  const { text, from, to } = placed;
  const answered = sources.map((own) => (own.file === source.file ? { file: own.file, text } : own));
  const edit = raises && addError(answered, source.file, raises.code, raises.message);
  if (edit === undefined) return { sources: answered, from, to };
  const isBefore = edit.span.file === source.file && edit.span.end <= from;
  const moved = isBefore ? edit.text.length - (edit.span.end - edit.span.start) : 0;
  return { sources: applyEdits(answered, [edit]), from: from + moved, to: to + moved };
};

const countErrors = (found: ReturnType<Compile>): number =>
  found.findings.filter(({ severity }) => severity === "error").length;

/**
 * Answers an open point of a file with the first example that adds no error. `parts` are those of the file.
 */
export const answerPoint = (
  sources: readonly Source[],
  source: Source,
  parts: readonly PagePart[],
  point: number,
  compile: Compile,
): AnsweredPoint | Unanswered => {
  const before = compile(sources);
  const errors = countErrors(before);
  for (const example of listExamples(point, before.model)) {
    const answered = insertExample(sources, source, parts, point, example);
    if (answered !== undefined && countErrors(compile(answered.sources)) <= errors) return answered;
  }
  if (before.model === undefined) return "errors";
  return listEntities(before.model).length === 0 ? "no entity" : "nothing to add";
};
