import { LONGEST_NAME } from "./shape/name.ts";
import { keysAllowedEverywhere } from "./shape/record.ts";
import type { EntryForm, Parts, Shape, ShapeForm } from "./shape.ts";

/** The subset of JSON Schema, draft 2020-12, that shapes need. */
export type Schema = {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
};

/** Editors read typed YAML: a place for text may hold a number or `true`. */
const text: Schema = { type: ["string", "number", "boolean"] };
const notShown: Schema = { enum: ["not shown"] };

/**
 * A JSON Schema 2020-12 of the blocks, for editors: one schema that accepts a block of any of the shapes. Shared and
 * recursive parts are written once, under `$defs`. `toJsonSchema("Ninefold, point 9", [limits])` accepts `{ page_size: 50
 * }`.
 */
export const toJsonSchema = (title: string, shapes: readonly Shape<unknown>[]): Schema => {
  const shared = sharedForms(shapes);
  const names = new Map<ShapeForm, string>();
  const definitions: Record<string, Schema> = {};

  const write = (shape: Shape<unknown>): Schema => {
    const form = resolveForm(shape);
    if (!shared.has(form)) return { ...written(form), description: shape.expected };
    let name = names.get(form);
    if (name === undefined) {
      name = getName(shape.expected, definitions);
      names.set(form, name);
      // Reserve the name first: a recursive shape refers to itself.
      definitions[name] = {};
      definitions[name] = { ...written(form), description: shape.expected };
    }
    return { $ref: `#/$defs/${name}` };
  };

  /** Any value may be left open. */
  const value = (shape: Shape<unknown>): Schema =>
    takesAnyText(shape)
      ? write(shape)
      : { ...mergeAlternatives([write(shape), notShown]), description: shape.expected };

  const written = (form: ResolvedForm): Schema => {
    switch (form.kind) {
      case "text":
      case "expression":
        return text;
      case "whole number":
        return {
          anyOf: [
            { type: "integer", minimum: 0, maximum: 999_999_999 },
            { type: "string", pattern: "^\\d{1,9}$" },
          ],
        };
      case "nothing":
        return { type: "null" };
      case "word":
        return {
          enum: form.words.flatMap((word) => [word, ...(word === "true" || word === "false" ? [word === "true"] : [])]),
        };
      case "name":
        return { type: "string", pattern: form.pattern.source, maxLength: LONGEST_NAME };
      case "list":
        return { type: "array", items: write(form.of) };
      case "one of":
        return mergeAlternatives(form.shapes.map(write));
      case "mapping":
        return {
          type: "object",
          ...entries(form.entries, form.offers ?? []),
          ...(form.single ? { minProperties: 1, maxProperties: 1 } : {}),
        };
      case "keys":
        return keys(form.parts);
    }
  };

  const entries = (forms: readonly EntryForm[], offers: readonly string[]): Schema => {
    const [open] = forms.filter(({ keys }) => keys === undefined);
    const named = forms.flatMap(({ keys, of }) => (keys === undefined ? [] : [[keys.source, value(of)] as const]));
    return {
      ...(open === undefined || offers.length === 0
        ? {}
        : { properties: Object.fromEntries(offers.map((key) => [key, value(open.of)])) }),
      ...(named.length === 0 ? {} : { patternProperties: Object.fromEntries(named) }),
      additionalProperties: open === undefined ? false : value(open.of),
    };
  };

  const keys = (parts: Parts): Schema => {
    const required = Object.keys(parts).filter((key) => parts[key]?.need === "required");
    const all = Object.entries({ ...parts, ...keysAllowedEverywhere });
    return {
      type: "object",
      properties: Object.fromEntries(all.map(([key, { shape }]) => [key, value(shape)])),
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required }),
    };
  };

  const blocks = shapes.map(value);
  const [only] = blocks;
  const anyBlock = blocks.length === 1 && only !== undefined ? only : mergeAlternatives(blocks);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...anyBlock,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
};

/** Flattens nested alternatives and merges their keywords into one list. */
const mergeAlternatives = (schemas: readonly Schema[]): Schema => {
  const flat = schemas.flatMap((schema) => schema.anyOf ?? [schema]);
  const words = flat.flatMap((schema) => schema.enum ?? []);
  const others = flat.filter((schema) => schema.enum === undefined);
  if (others.length === 0) return { enum: words };
  return { anyOf: words.length === 0 ? others : [...others, { enum: words }] };
};

/** A form that is not deferred. */
type ResolvedForm = Exclude<ShapeForm, { kind: "later" }>;

const resolveForm = ({ form }: Shape<unknown>): ResolvedForm => (form.kind === "later" ? resolveForm(form.of()) : form);

const takesAnyText = (shape: Shape<unknown>): boolean => {
  const form = resolveForm(shape);
  if (form.kind === "one of") return form.shapes.some(takesAnyText);
  return form.kind === "text" || form.kind === "expression";
};

const listInnerShapes = (form: ResolvedForm): readonly Shape<unknown>[] => {
  switch (form.kind) {
    case "list":
      return [form.of];
    case "mapping":
      return form.entries.map(({ of }) => of);
    case "keys":
      return Object.values({ ...form.parts, ...keysAllowedEverywhere }).map(({ shape }) => shape);
    case "one of":
      return form.shapes;
    default:
      return [];
  }
};

/** The composite forms that occur in several places. */
const sharedForms = (shapes: readonly Shape<unknown>[]): ReadonlySet<ShapeForm> => {
  const seen = new Set<ShapeForm>();
  const shared = new Set<ShapeForm>();
  const visit = (shape: Shape<unknown>): void => {
    const form = resolveForm(shape);
    if (seen.has(form)) {
      if (listInnerShapes(form).length > 0) shared.add(form);
      return;
    }
    seen.add(form);
    for (const part of listInnerShapes(form)) visit(part);
  };
  for (const shape of shapes) visit(shape);
  return shared;
};

/** "names with expressions" becomes `names-with-expressions`. */
const getName = (expected: string, taken: Readonly<Record<string, Schema>>): string => {
  const name = expected
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name}-${count}`;
    if (!Object.hasOwn(taken, numbered)) return numbered;
  }
};
