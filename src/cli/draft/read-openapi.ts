import { basename } from "node:path";
import { parse } from "yaml";
import { type ApiObject, type ApiValue, isApiObject } from "../../core/draft/openapi/api-schema.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { readFileBytes } from "./read-file.ts";

/** Larger descriptions are generated, and nobody reads a draft of them. */
const LARGEST_FILE = 16 * 2 ** 20;

const bad = (message: string, hint: string, cause?: unknown) =>
  new CommandFailed(exits.badDocument, message, hint, cause);

/** True for a file that can be a description of calls. */
export const isDescription = (path: string): boolean => /\.(?:json|ya?ml)$/iu.test(path);

/** Reads an OpenAPI description in JSON or YAML. Throws one sentence if it is none. */
export const readDescription = async (path: string): Promise<ApiObject> => {
  const bytes = await readFileBytes(path, LARGEST_FILE);
  const text = bytes.toString("utf8").replace(/^\ufeff/u, "");
  let value: ApiValue;
  try {
    value = (/\.json$/iu.test(path) ? JSON.parse(text) : parse(text)) as ApiValue;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    throw bad(`${path} can’t be read: ${why}`, "Name an OpenAPI description in JSON or YAML.", error);
  }
  if (!isApiObject(value) || (value.openapi === undefined && value.swagger === undefined))
    throw bad(
      `${basename(path)} is no OpenAPI description: it has neither “openapi” nor “swagger”.`,
      "Draft from CSV, TSV or XLSX files, from an OpenAPI description, or from the address of a database.",
    );
  return value;
};
