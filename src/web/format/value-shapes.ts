import type { FileJson, MoneyJson, ReferenceJson } from "../../core/wire/records.ts";

/** True for a value without content: none, an empty text, an empty list. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

export const isMoney = (json: unknown): json is MoneyJson =>
  typeof json === "object" && json !== null && "amount" in json && "currency" in json;

export const isFile = (json: unknown): json is FileJson =>
  typeof json === "object" && json !== null && "id" in json && "name" in json && "size" in json;

export const isReference = (json: unknown): json is { readonly id: string; readonly label: string } =>
  typeof json === "object" && json !== null && "id" in json && typeof json.id === "string" && "label" in json;

export const areFiles = (entered: unknown): entered is readonly FileJson[] =>
  Array.isArray(entered) && entered.every(isFile);

export const areReferences = (entered: unknown): entered is readonly ReferenceJson[] =>
  Array.isArray(entered) && entered.every(isReference);
