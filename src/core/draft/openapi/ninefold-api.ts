import { type ApiObject, type ApiValue, isApiObject } from "./api-schema.ts";

/** The entity of people, which each application of Ninefold has already. */
const PEOPLE = "User";

const partOf = (value: ApiValue | undefined, key: string): ApiObject => {
  const part = isApiObject(value) ? value[key] : undefined;
  return isApiObject(part) ? part : {};
};

const isNullable = ({ type, anyOf }: ApiObject): boolean =>
  (Array.isArray(type) && type.includes("null")) ||
  (Array.isArray(anyOf) && anyOf.some((one) => isApiObject(one) && one.type === "null"));

/** The entity that a property refers to. */
const findTarget = (...properties: readonly ApiObject[]): ApiValue | undefined =>
  properties.flatMap((property) => property["x-refers-to"] ?? partOf(property, "items")["x-refers-to"] ?? [])[0];

/** A property as the response has it, with the bounds and examples that only the request says. */
const toProperty = (read: ApiObject, written: ApiObject): ApiObject => {
  const target = findTarget(read, written);
  const { pattern: _, ...bounds } = written;
  if (typeof target !== "string") return { ...bounds, ...read };
  const reference = { $ref: `#/components/schemas/${target}` };
  return read.type === "array" ? { type: "array", items: reference } : reference;
};

/** The schema of a record with the fields that clauses of the document declare. */
const toRecord = (schema: ApiObject, requests: readonly ApiObject[]): ApiObject => {
  const fields = Object.entries(partOf(schema, "properties")).flatMap(([name, property]) => {
    if (!isApiObject(property) || property["x-clause"] === undefined) return [];
    const written = requests.map((request) => partOf(partOf(request, "properties"), name));
    return [{ name, property, plain: toProperty(property, Object.assign({}, ...written.toReversed()) as ApiObject) }];
  });
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, plain }) => [name, plain])),
    required: fields.flatMap(({ name, property }) => (isNullable(property) ? [] : [name])),
  };
};

/** An API that an application of Ninefold describes, as plain schemas of its own records. */
export interface NinefoldApi {
  readonly document: ApiObject;
  /** Schemas whose entity exists already, with its name. */
  readonly known: ReadonlyMap<string, string>;
}

/**
 * Leaves out of a description by Ninefold what each application has: history, imports, sessions, and the members of every
 * record. Undefined for other descriptions.
 */
export const readNinefoldApi = (document: ApiObject): NinefoldApi | undefined => {
  const components = partOf(document, "components");
  const schemas = partOf(components, "schemas");
  const records = Object.entries(schemas).flatMap(([name, schema]) =>
    isApiObject(schema) && schema["x-clause"] === `3.${name}` && name !== PEOPLE ? [[name, schema] as const] : [],
  );
  if (records.length === 0) return undefined;
  const plain = records.map(
    ([name, schema]) =>
      [name, toRecord(schema, [partOf(schemas, `${name}.create`), partOf(schemas, `${name}.update`)])] as const,
  );
  const lists = Object.entries(schemas).filter(([name]) => name.endsWith(".list"));
  const paths = Object.entries(partOf(document, "paths")).flatMap(([path, calls]) => {
    if (/^\/_\/|\{list\}|\/history$|^\/api\/users(?:\/|$)/u.test(path)) return [];
    // The calls that write records are those of each entity. Transitions have addresses of their own.
    const { get } = isApiObject(calls) ? calls : {};
    return [[path, get === undefined ? calls : { get }] as const];
  });
  return {
    document: {
      ...document,
      paths: Object.fromEntries(paths),
      components: { ...components, schemas: Object.fromEntries([...lists, ...plain, [PEOPLE, { type: "object" }]]) },
    },
    known: new Map([[PEOPLE, PEOPLE]]),
  };
};
