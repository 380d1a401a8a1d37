import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { allRoles, buildOpenapi } from "../../../src/core/derive/openapi/openapi.ts";
import type { Model } from "../../../src/core/model/model.ts";
import type { Answer } from "../program.ts";

/* Reads an application's description and compares responses with it. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
  readonly "x-refers-to"?: string;
  readonly "x-minimum"?: string;
  readonly "x-maximum"?: string;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly explode?: boolean;
  readonly schema: Schema;
}

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface MayRefuse {
  readonly code: string;
  readonly "x-clause"?: string;
  readonly at?: string;
}

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly "x-refusals"?: readonly MayRefuse[];
}

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface Operation extends Described {
  readonly method: string;
  readonly path: string;
}

export const operationsOf = (document: OpenApi): readonly Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
  );

/** Resolves a `$ref` of the description. */
export const resolvedIn =
  (document: OpenApi) =>
  <T extends { readonly $ref?: string }>(one: T): T => {
    if (one.$ref === undefined) return one;
    let at: unknown = document;
    for (const part of one.$ref.slice(2).split("/")) at = (at as Record<string, unknown>)[part];
    return at as T;
  };

/** A pointer as in the description: any index is `*`. */
const anyOf = (at: string): string => at.replace(/\/\d+(?=\/|$)/gu, "/*");

/** True if a described refusal covers one that occurred. */
export const isMet = (
  described: MayRefuse,
  came: { readonly code: string; readonly clause?: string; readonly at?: string },
) =>
  described.code === came.code &&
  (described["x-clause"] === undefined || described["x-clause"] === came.clause) &&
  (described.at === undefined || came.at === undefined || described.at === anyOf(came.at));

/** A document can define another error format, which contains no clause. */
export const isProblem = ({ headers }: Answer): boolean =>
  headers.get("content-type")?.startsWith("application/problem+json") === true;

interface Description {
  readonly document: OpenApi;
  /** The differences between a response and its description. */
  readonly complaintsOf: (operation: Operation, answer: Answer) => readonly string[];
}

const descriptions = new WeakMap<Model, Description>();

/** The description of an application for everybody; its validators are compiled once. */
export const describeApplication = (model: Model): Description => {
  const known = descriptions.get(model);
  if (known !== undefined) return known;
  const document = buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" }) as unknown as OpenApi;
  const description = { document, complaintsOf: complaintsBy(document) };
  descriptions.set(model, description);
  return description;
};

const complaintsBy = (document: OpenApi): Description["complaintsOf"] => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, code: { optimize: false } });
  addFormats.default(ajv, ["date", "date-time", "duration", "uuid"]);
  ajv.addSchema(document, "openapi");
  const validators = new Map<string, ValidateFunction>();
  const escaped = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
  const validator = (...parts: readonly string[]): ValidateFunction => {
    const pointer = parts.map(escaped).join("/");
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
    validators.set(pointer, known);
    return known;
  };
  const resolved = resolvedIn(document);

  const complaintsOf = (operation: Operation, answer: Answer): readonly string[] => {
    const status = String(answer.status);
    const text = operation.responses[status];
    if (answer.status >= 500 || text === undefined) return [`the status ${status} is not described`];
    const found: string[] = [];
    const response = resolved(text);
    for (const [name, written] of Object.entries(response.headers ?? {})) {
      const header = resolved(written);
      const value = answer.headers.get(name);
      if (
        value === null
          ? header.required === true
          : header.schema.pattern !== undefined && !new RegExp(header.schema.pattern, "u").test(value)
      )
        found.push(`the header ${name} is ${value}`);
    }
    const types = Object.keys(response.content ?? {});
    const [usual] = types;
    if (usual === undefined) {
      if (answer.text !== "") found.push("there is a body where none is described");
      return found;
    }
    const type = types.find((one) => one === answer.headers.get("content-type")?.split(";")[0]) ?? usual;
    if (answer.headers.get("content-type")?.split(";")[0] !== type)
      found.push(`the type is ${answer.headers.get("content-type")}`);
    const validate = validator(
      "paths",
      operation.path,
      operation.method.toLowerCase(),
      "responses",
      status,
      "content",
      type,
      "schema",
    );
    if (!validate(type.startsWith("text/") ? answer.text : answer.body))
      found.push(`the body: ${ajv.errorsText(validate.errors)}`);
    if (answer.status >= 400 && isProblem(answer)) found.push(...undescribed(operation, answer));
    return found;
  };

  /** Each refusal must be described with its code, clause and pointer. */
  const undescribed = (operation: Operation, answer: Answer): readonly string[] => {
    const described = Object.values(operation.responses).flatMap((response) => response["x-refusals"] ?? []);
    const { code, clause, errors } = answer.problem();
    return (errors ?? [{ code, ...(clause === undefined ? {} : { clause }) }])
      .filter((error) => !described.some((one) => isMet(one, error)))
      .map(
        (error) => `the refusal ${error.code} by ${error.clause} at ${(error as { at?: string }).at} is not described`,
      );
  };

  return complaintsOf;
};
