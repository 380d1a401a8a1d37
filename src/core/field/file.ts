import type { Json } from "../wire/json.ts";
import { entered, type FieldKind, reject, stored } from "./kind.ts";
import { isId } from "./reference.ts";

/** Image types that browsers display without running code. Only these are served inline. */
export const PICTURES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/** Accepts the id returned by an upload, or a file as returned in a record. */
const findId = (json: Json): string | undefined => {
  const id =
    typeof json === "object" && json !== null && !Array.isArray(json)
      ? (json as { readonly [key: string]: Json }).id
      : json;
  return typeof id === "string" && isId(id) ? id.toLowerCase() : undefined;
};

const fileKind: FieldKind = {
  column: "jsonb",
  type: () => ({ kind: "file" }),
  // The write statement replaces the id with the file's metadata.
  read: (json) => {
    const id = findId(json);
    return id === undefined ? reject("WRONG_TYPE") : stored(JSON.stringify(id));
  },
  answer: (value) => value as Json,
  refuses: () => ["WRONG_TYPE"],
  wire: () => {
    const id = { type: "string", format: "uuid" };
    const schema = {
      type: "object",
      required: ["id", "name", "type", "size"],
      properties: {
        id,
        name: { type: "string" },
        type: { type: "string", description: "The media type, detected from the content." },
        size: { type: "integer", description: "Bytes." },
      },
    };
    return { response: schema, request: id };
  },
  lists: { sorts: "beginning", filters: false, searches: false },
  fields: { ...entered, suggestions: false },
};

export const file = fileKind;
export const image = fileKind;
