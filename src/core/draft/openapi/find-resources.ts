import { toWords } from "../names.ts";
import { type ApiObject, type ApiSchema, type ApiValue, isApiObject, type SchemaReader } from "./api-schema.ts";

/** A schema whose values are records: calls give or take them. */
export interface Resource {
  readonly name: string;
  readonly schema: ApiSchema;
  /** The calls that give or take it: `GET /pets`. */
  readonly calls: readonly string[];
  /** Calls whose request has properties that no response has. */
  readonly forms: readonly RequestForm[];
}

/** A request that takes a record in another form than the response. */
interface RequestForm {
  readonly call: string;
  /** The properties that the record does not have. */
  readonly more: readonly string[];
}

/** The resources of a description, and the calls that do something else than read and write one. */
export interface Resources {
  readonly resources: readonly Resource[];
  readonly others: readonly string[];
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

const jsonSchema = (reader: SchemaReader, value: ApiValue | undefined): ApiValue | undefined => {
  const { object } = reader.resolve(value);
  // Version 2 has the schema in place.
  if (object.schema !== undefined) return object.schema;
  const content = isApiObject(object.content) ? object.content : {};
  const [, media] = Object.entries(content).find(([type]) => /json/u.test(type)) ?? [];
  return isApiObject(media) ? media.schema : undefined;
};

/** The schemas that a call takes, and those that it gives if all goes well. */
const schemasOf = (reader: SchemaReader, operation: ApiObject): { takes: ApiValue[]; gives: ApiValue[] } => {
  const [takes, gives]: [ApiValue[], ApiValue[]] = [[], []];
  const body = jsonSchema(reader, operation.requestBody);
  if (body !== undefined) takes.push(body);
  if (Array.isArray(operation.parameters))
    for (const parameter of operation.parameters) {
      const { object } = reader.resolve(parameter);
      if (object.in === "body" && object.schema !== undefined) takes.push(object.schema);
    }
  if (isApiObject(operation.responses))
    for (const [status, response] of Object.entries(operation.responses)) {
      const schema = /^2/u.test(status) ? jsonSchema(reader, response) : undefined;
      if (schema !== undefined) gives.push(schema);
    }
  return { takes, gives };
};

const isRecord = (schema: ApiSchema): boolean => schema.kind === "object" && schema.properties.size > 0;

/** True for an object in place without a record: `{ data: "x", meta: { count: 1 } }`, or a single value such as `{ token: "x" }`. */
const isMessage = ({ name, properties }: ApiSchema): boolean => {
  const [first] = properties.values();
  const only = properties.get("data") ?? (properties.size === 1 ? first : undefined);
  if (name !== undefined || only === undefined) return false;
  const schema = only();
  return schema.kind === "array" ? !isRecord(schema.items?.() ?? schema) : !isRecord(schema);
};

/** The record inside a list, or inside an envelope such as `{ data: [...], next: "..." }`. */
const findRecord = (schema: ApiSchema, depth = 0, isItem = false): ApiSchema | undefined => {
  if (depth > 3) return undefined;
  if (schema.kind === "array")
    return schema.items === undefined ? undefined : findRecord(schema.items(), depth + 1, true);
  if (!isRecord(schema) || (!isItem && isMessage(schema))) return undefined;
  const inner = [...schema.properties.values()]
    .map((read) => read())
    .filter((apiSchema) => apiSchema.kind === "array" || isRecord(apiSchema));
  const [only] = inner;
  const records = inner.flatMap((apiSchema) => {
    const item = apiSchema.kind === "array" ? apiSchema.items?.() : undefined;
    return item !== undefined && isRecord(item) ? [item] : [];
  });
  const hasIdentity = [...schema.properties.keys()].some((name) => toWords(name).at(-1) === "id");
  if (!hasIdentity && records.length === 1 && inner.length <= 2) return records[0];
  const isEnvelope = schema.properties.size === 1 || (schema.name === undefined && schema.properties.size === 2);
  return !hasIdentity && isEnvelope && inner.length === 1 && only !== undefined && only !== schema && isRecord(only)
    ? findRecord(only, depth + 1)
    : schema;
};

/** `/v1/pets/{petId}/photos` → photos: the last words of an address that are no parameter. */
const nameByPath = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "" && !part.includes("{"))
    .at(-1) ?? "record";

const isSame = (path: string): boolean => !path.replace(/\/\{[^}]+\}$/u, "").includes("{");

/** True if the properties of one record are among those of another of a similar name: `NewPet` and `Pet`. */
const isVariant = (one: Resource, other: Resource): boolean => {
  const [words, others] = [toWords(one.name), toWords(other.name)];
  const isNamed = others.every((word) => words.includes(word)) || words.every((word) => others.includes(word));
  const own = [...one.schema.properties.keys()];
  const shared = own.filter((name) => other.schema.properties.has(name)).length;
  return isNamed && shared * 5 >= own.length * 4;
};

interface FoundSchema {
  readonly schema: ApiSchema;
  readonly calls: string[];
}

/** Schemas in place that a call takes and answers with the record. They are no records of their own. */
const findForms = (
  { properties }: ApiSchema,
  calls: readonly string[],
  requestSchemas: ReadonlyMap<string, FoundSchema>,
): readonly RequestForm[] =>
  [...requestSchemas.values()].flatMap((taken) => {
    const call = taken.schema.name === undefined ? taken.calls.find((one) => calls.includes(one)) : undefined;
    const names = [...taken.schema.properties.keys()];
    const more = names.filter((name) => !properties.has(name));
    // A request without any property of the record is something else, such as the keys of several records.
    return call === undefined || more.length === 0 || more.length === names.length ? [] : [{ call, more }];
  });

/** Finds the schemas whose values are records: what calls give, and what they take if no call gives the same. */
export const findResources = (document: ApiObject, reader: SchemaReader): Resources => {
  const responseSchemas = new Map<string, FoundSchema>();
  const requestSchemas = new Map<string, FoundSchema>();
  const others: string[] = [];
  const paths = isApiObject(document.paths) ? document.paths : {};
  for (const [path, value] of Object.entries(paths)) {
    const item = reader.resolve(value).object;
    for (const method of methods) {
      const operation = item[method];
      if (!isApiObject(operation)) continue;
      const call = `${method.toUpperCase()} ${path}`;
      const { takes, gives } = schemasOf(reader, operation);
      let isPlain = method === "delete";
      for (const [schemas, into] of [
        [gives, responseSchemas],
        [takes, requestSchemas],
      ] as const)
        for (const schema of schemas) {
          const record = findRecord(reader.read(schema));
          if (record === undefined) continue;
          const name = record.name ?? nameByPath(path);
          const known = into.get(name) ?? { schema: record, calls: [] };
          into.set(name, known);
          if (!known.calls.includes(call)) known.calls.push(call);
          isPlain = true;
        }
      const isWrite = method === "post" && (/\}\/[^/{]+$/u.test(path) || !isPlain);
      if (isWrite || !isSame(path) || (method !== "get" && !isPlain)) others.push(call);
    }
  }
  const given = [...responseSchemas].map(([name, { schema, calls }]) => {
    const forms = findForms(schema, calls, requestSchemas);
    return { name, schema, calls, forms };
  });
  const all: Resource[] = [...given];
  for (const [name, { schema, calls }] of requestSchemas) {
    const known = all.find((resource) => resource.name === name);
    const item = { name, schema, calls, forms: [] };
    const isForm = schema.name === undefined && given.some((other) => calls.some((call) => other.calls.includes(call)));
    if (known === undefined && !isForm && !all.some((other) => isVariant(item, other))) all.push(item);
  }
  const resources = all.filter(
    (resource, at) =>
      !all.some(
        (other, place) =>
          other !== resource &&
          isVariant(resource, other) &&
          (other.schema.properties.size > resource.schema.properties.size ||
            (other.schema.properties.size === resource.schema.properties.size && place < at)),
      ),
  );
  // A schema that is only sent, or only answers something sent, is a message: credentials, a token, the result of an upload.
  const isStored = ({ calls }: Resource): boolean => calls.some((call) => !call.startsWith("POST "));
  if (!resources.some(isStored)) return { resources, others: [...new Set(others)] };
  const messages = resources.filter((resource) => !isStored(resource));
  return {
    resources: resources.filter(isStored),
    others: [...new Set([...others, ...messages.flatMap(({ calls }) => calls)])],
  };
};
