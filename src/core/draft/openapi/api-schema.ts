/** A JSON value as a description has it. */
export type ApiValue = null | boolean | number | string | readonly ApiValue[] | ApiObject;
export interface ApiObject {
  readonly [key: string]: ApiValue | undefined;
}

/** A schema without references and combinations: the keys that a field needs. */
export interface ApiSchema {
  /** The name of a component; undefined for a schema in place. */
  readonly name: string | undefined;
  readonly kind: "string" | "integer" | "number" | "boolean" | "array" | "object" | "any";
  readonly format: string | undefined;
  readonly description: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** True if `min` itself is not allowed. */
  readonly aboveMin: boolean;
  readonly belowMax: boolean;
  readonly pattern: string | undefined;
  readonly default: ApiValue | undefined;
  readonly example: ApiValue | undefined;
  readonly canBeNull: boolean;
  readonly isReadOnly: boolean;
  readonly isWriteOnly: boolean;
  /** The schemas of its properties, which are read when they are asked for: schemas can contain themselves. */
  readonly properties: ReadonlyMap<string, () => ApiSchema>;
  readonly required: ReadonlySet<string>;
  readonly items: (() => ApiSchema) | undefined;
  /** True if it is one of several schemas. */
  readonly isOneOf: boolean;
  /** The record, if it is either an id or the record itself, as in APIs that expand references. */
  readonly idOf: (() => ApiSchema) | undefined;
}

export const isApiObject = (value: ApiValue | undefined): value is ApiObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (value: ApiValue | undefined): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: ApiValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const list = (value: ApiValue | undefined): readonly ApiValue[] => (Array.isArray(value) ? value : []);

/** References that lead to references; more are a circle. */
const MOST_STEPS = 20;

/** Reads the schemas of one description. */
export class SchemaReader {
  readonly #document: ApiObject;
  readonly #read = new Map<ApiObject, ApiSchema>();

  constructor(document: ApiObject) {
    this.#document = document;
  }

  /** The named schemas: `components.schemas`, or `definitions` in version 2. */
  get named(): ReadonlyMap<string, () => ApiSchema> {
    const { components, definitions } = this.#document;
    const schemas = isApiObject(components) ? components.schemas : definitions;
    return new Map(
      Object.entries(isApiObject(schemas) ? schemas : {}).map(([name, schema]) => [
        name,
        () => this.read(schema, name),
      ]),
    );
  }

  /** Follows references inside the document: to the object, and the name of the last one. */
  resolve(value: ApiValue | undefined): { readonly object: ApiObject; readonly name: string | undefined } {
    let [object, name]: [ApiObject, string | undefined] = [isApiObject(value) ? value : {}, undefined];
    for (let step = 0; step < MOST_STEPS; step++) {
      const reference = text(object.$ref);
      if (reference === undefined) return { object, name };
      const path = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
      let found: ApiValue | undefined = path.length === 0 ? undefined : this.#document;
      for (const part of path) {
        const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
        found = isApiObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
      }
      name = decode(path.at(-1) ?? "");
      object = isApiObject(found) ? found : {};
    }
    return { object: {}, name };
  }

  read(value: ApiValue | undefined, name?: string): ApiSchema {
    const found = this.resolve(value);
    const known = this.#read.get(found.object);
    if (known !== undefined) return known;
    const schema = this.#build(found.object, found.name ?? name);
    this.#read.set(found.object, schema);
    return schema;
  }

  /** The schemas that `allOf` joins, and the only one beside null of `oneOf` or `anyOf`. */
  #parts(object: ApiObject, depth = 0): readonly ApiObject[] {
    if (depth > MOST_STEPS) return [];
    const joined = list(object.allOf).flatMap((apiValue) => this.#parts(this.resolve(apiValue).object, depth + 1));
    const [only, ...more] = [...list(object.oneOf), ...list(object.anyOf)].filter((apiValue) => !isNull(apiValue));
    const single = only === undefined || more.length > 0 ? [] : this.#parts(this.resolve(only).object, depth + 1);
    return [...joined, ...single, object];
  }

  /** The record of two forms, if the other one is an id. */
  #recordOf(forms: readonly ApiValue[]): (() => ApiSchema) | undefined {
    const ids = forms.filter((form) => ["string", "integer"].includes(text(this.resolve(form).object.type) ?? ""));
    const record = forms.find((form) => !ids.includes(form));
    return forms.length === 2 && ids.length === 1 ? () => this.read(record) : undefined;
  }

  #build(object: ApiObject, name: string | undefined): ApiSchema {
    const parts = this.#parts(object);
    const last = (key: string): ApiValue | undefined =>
      parts.findLast((apiObject) => apiObject[key] !== undefined)?.[key];
    const properties = new Map<string, () => ApiSchema>();
    for (const part of parts)
      if (isApiObject(part.properties))
        for (const [key, value] of Object.entries(part.properties)) properties.set(key, () => this.read(value));
    const alternatives = [...list(object.oneOf), ...list(object.anyOf)];
    const types = [...list(last("type")), last("type")].flatMap((item) => text(item) ?? []);
    const [type = ""] = types.filter((type) => type !== "null");
    const values = list(last("enum"));
    const named = ["string", "integer", "number", "boolean", "array", "object"] as const;
    const kind =
      named.find((item) => item === type) ??
      (properties.size > 0 ? "object" : values.some((apiValue) => typeof apiValue === "string") ? "string" : "any");
    const size = kind === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
    const exclusive = ["exclusiveMinimum", "exclusiveMaximum"].map((key) => last(key));
    const items = last("items");
    const forms = alternatives.filter((alternative) => !isNull(alternative));
    return {
      name,
      kind,
      format: text(last("format")),
      description: text(last("description")),
      values: values.length === 0 ? undefined : values.flatMap((value) => (isNothing(value) ? [] : [String(value)])),
      min: number(last(size[0] ?? "")) ?? number(exclusive[0]),
      max: number(last(size[1] ?? "")) ?? number(exclusive[1]),
      aboveMin: exclusive[0] !== undefined && exclusive[0] !== false,
      belowMax: exclusive[1] !== undefined && exclusive[1] !== false,
      pattern: text(last("pattern")),
      default: last("default"),
      example: last("example") ?? list(last("examples"))[0],
      canBeNull:
        last("nullable") === true || types.includes("null") || alternatives.some(isNull) || values.some(isNothing),
      isReadOnly: last("readOnly") === true,
      isWriteOnly: last("writeOnly") === true,
      properties,
      required: new Set(parts.flatMap((part) => list(part.required).flatMap((apiValue) => text(apiValue) ?? []))),
      items: items === undefined ? undefined : () => this.read(items),
      isOneOf: forms.length > 1,
      idOf: this.#recordOf(forms),
    };
  }
}

const isNull = (value: ApiValue): boolean => isApiObject(value) && value.type === "null";

/** True for the values of an enum that mean no choice. */
const isNothing = (value: ApiValue): boolean => value === null || value === "";

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
