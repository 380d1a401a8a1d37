import type { Schema } from "../../src/core/document/schema.ts";
import type { Tree } from "../../src/core/document/tree.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A tree as JSON, as typed YAML tools read it; with `asText`, every scalar is text. */
export const jsonOf = (tree: Tree, asText: boolean): Json => {
  if (tree.kind === "list") return tree.items.map((item) => jsonOf(item, asText));
  if (tree.kind === "mapping")
    return Object.fromEntries(tree.entries.map(({ key, value }) => [key.text, jsonOf(value, asText)]));
  if (tree.quoted) return tree.text;
  if (tree.text === "") return null;
  if (asText) return tree.text;
  if (tree.text === "true" || tree.text === "false") return tree.text === "true";
  return /^-?(0|[1-9]\d*)(\.\d+)?$/u.test(tree.text) ? Number(tree.text) : tree.text;
};

const typeOf = (json: Json): string =>
  json === null ? "null" : Array.isArray(json) ? "array" : typeof json === "number" ? "number" : typeof json;

/** A validator for the part of JSON Schema 2020-12 that shapes use. */
export const takes = (schema: Schema, json: Json, root: Schema = schema): boolean => {
  const { $ref, anyOf, type, enum: words, pattern, items, required: needed = [] } = schema;
  if ($ref !== undefined) {
    const definition = root.$defs?.[$ref.replace("#/$defs/", "")];
    if (definition === undefined || !takes(definition, json, root)) return false;
  }
  if (anyOf !== undefined && !anyOf.some((schema) => takes(schema, json, root))) return false;
  const types = type === undefined ? undefined : [type].flat();
  const isInteger = types?.includes("integer") === true && Number.isInteger(json);
  if (types !== undefined && !types.includes(typeOf(json)) && !isInteger) return false;
  if (words !== undefined && !words.includes(json as string | boolean)) return false;
  if (typeof json === "string")
    return (
      (pattern === undefined || new RegExp(pattern, "u").test(json)) &&
      [...json].length <= (schema.maxLength ?? Infinity)
    );
  if (typeof json === "number") return json >= (schema.minimum ?? -Infinity) && json <= (schema.maximum ?? Infinity);
  if (json === null || typeof json === "boolean") return true;
  if (Array.isArray(json)) return json.every((item) => items === undefined || takes(items, item, root));
  const entries = Object.entries(json as { readonly [key: string]: Json });
  if (entries.length < (schema.minProperties ?? 0) || entries.length > (schema.maxProperties ?? Infinity)) return false;
  if (!needed.every((key) => Object.hasOwn(json, key))) return false;
  return entries.every(([key, value]) => {
    const own = schema.properties?.[key];
    const fitting = Object.entries(schema.patternProperties ?? {}).filter(([inner]) =>
      new RegExp(inner, "u").test(key),
    );
    const all = [...(own === undefined ? [] : [own]), ...fitting.map(([, inner]) => inner)];
    if (all.length > 0) return all.every((schema) => takes(schema, value, root));
    const more = schema.additionalProperties;
    return more !== false && (more === undefined || takes(more, value, root));
  });
};
