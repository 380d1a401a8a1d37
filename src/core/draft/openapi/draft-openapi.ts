import {
  chooseColumns,
  type DraftEntity,
  type DraftField,
  type DraftValue,
  findTakenNames,
  labelFor,
  listFor,
} from "../draft-entities.ts";
import { createEntityNames, titleEqualsHeader, toChoiceNames, toFieldName, toWords, wordsOfEntity } from "../names.ts";
import { isProse, isSecret, isWriteTime } from "../telling-names.ts";
import { type ApiObject, type ApiSchema, type ApiValue, SchemaReader } from "./api-schema.ts";
import { findResources, type Resource } from "./find-resources.ts";
import { readNinefoldApi } from "./ninefold-api.ts";

/** The entities of a description, and sentences about calls that do something else than read and write one. */
export interface DraftedApi {
  readonly title: string | undefined;
  readonly entities: readonly DraftEntity[];
  readonly calls: readonly string[];
}

const LONGEST_HELP = 500;
const LONGEST_LINE = 1000;
const LONGEST_EXAMPLE = 60;
const MOST_EMBEDDED = 12;

const formats: Readonly<Record<string, string>> = {
  date: "date",
  "date-time": "datetime",
  time: "time",
  duration: "duration",
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  iri: "url",
  phone: "phone",
};

interface ApiField {
  readonly field: DraftField;
  /** The entity of a reference. */
  readonly target: string | undefined;
}

/** Numbers in a document have no exponents, and at most ten decimal places. */
const isPlain = (value: number): boolean => /^-?\d{1,15}(?:\.\d{1,10})?$/u.test(String(value));

/** Drafts the entities of one description. */
class ApiDraft {
  readonly #resources: readonly Resource[];
  readonly #entities: ReadonlyMap<string, string>;
  readonly #toEntityName = createEntityNames();
  /** Records that exist only inside others: rows of an order. */
  readonly #parts: {
    readonly entity: string;
    readonly schema: ApiSchema;
    readonly parent: string;
    readonly of: string;
  }[] = [];

  constructor(resources: readonly Resource[], known: ReadonlyMap<string, string>) {
    this.#resources = resources;
    this.#entities = new Map([...known, ...resources.map(({ name }) => [name, this.#toEntityName(name)] as const)]);
  }

  draft(): readonly DraftEntity[] {
    const drafted = this.#resources.map(({ name, schema, calls, forms }) => {
      const entity = this.#entities.get(name) ?? name;
      const { fields, remarks, questions } = this.#fields(entity, schema);
      const all: readonly string[] = [...questions, ...forms.map(askAboutForm)];
      return { entity, schema, calls, fields, remarks, questions: all };
    });
    // Parts can have parts: the list grows while it is read.
    const inner: typeof drafted = [];
    for (let at = 0; at < this.#parts.length; at++) {
      const part = this.#parts[at];
      if (part === undefined) break;
      const { fields, ...rest } = this.#fields(part.entity, part.schema, part.of);
      const parent = {
        field: { name: part.of, type: part.parent, keys: { "part of": true } },
        target: undefined,
      };
      inner.push({
        entity: part.entity,
        schema: part.schema,
        calls: [`inside ${part.parent}`],
        ...rest,
        fields: [parent, ...fields],
      });
    }
    const all = [...drafted, ...inner];
    const incoming = new Map<string, { readonly from: string; readonly field: string }[]>();
    for (const { entity, fields } of all)
      for (const { field, target } of fields)
        if (target !== undefined)
          incoming.set(target, [...(incoming.get(target) ?? []), { from: entity, field: field.name }]);
    return all.map(({ entity, schema, calls, fields: own, remarks, questions }) => {
      const fields = own.map(({ field }) => field);
      const taken = findTakenNames(fields);
      const sources = incoming.get(entity) ?? [];
      const lists = sources.map((source) => {
        const list = listFor(source, taken, sources.filter(({ from }) => from === source.from).length === 1);
        taken.add(list.name);
        return list;
      });
      const label = labelFor(fields, entity, sources.length > 0);
      return {
        name: entity,
        source: [schema.name === undefined ? [] : `schema ${schema.name}`, calls.slice(0, 4)].flat().join(", "),
        about: schema.description,
        label,
        fields: [...fields, ...lists],
        columns: chooseColumns(
          label,
          fields.filter(({ type, keys }) => type !== "" && !/^json/u.test(type) && keys.many !== true),
        ),
        filters: fields
          .filter(({ type, keys }) => /^(?:choice|boolean|[A-Z])/u.test(type) && keys.many !== true)
          .map(({ name }) => name),
        remarks,
        questions,
      };
    });
  }

  #fields(
    entity: string,
    schema: ApiSchema,
    parent?: string,
  ): {
    readonly fields: readonly ApiField[];
    readonly remarks: readonly string[];
    readonly questions: readonly string[];
  } {
    const [fields, remarks, questions]: [ApiField[], string[], string[]] = [[], [], []];
    const taken = new Set<string>(parent === undefined ? [] : [parent]);
    const add = (name: string, property: ApiSchema, isRequired: boolean, isInner: boolean): void => {
      const words = toWords(name);
      if (!isInner && (words.join("_") === "id" || words.join("_") === `${wordsOfEntity(entity).join("_")}_id`)) {
        remarks.push(`“${name}” tells records apart; each record has an id.`);
        return;
      }
      if (isWriteTime(name) && /date/u.test(property.format ?? "")) {
        remarks.push(`“${name}” is a time that each record has.`);
        return;
      }
      if (property.isWriteOnly || property.format === "password" || property.format === "binary") {
        remarks.push(`“${name}” is ${property.format === "binary" ? "a file" : "only written, such as a password"}.`);
        return;
      }
      if (property.kind === "string" && isSecret(name)) {
        remarks.push(`“${name}” is a password, or a part of one.`);
        return;
      }
      const embedded = this.#embedded(property);
      if (embedded !== undefined && !isInner) {
        for (const [inner, read] of embedded.properties)
          add(`${name}_${inner}`, read(), isRequired && embedded.required.has(inner), true);
        return;
      }
      const { target, field } = this.#field(entity, name, property, isRequired, taken, questions);
      taken.add(field.name);
      const isLong = isPlainText(field) && isProse(name, [...schema.properties.keys()]);
      fields.push({ target, field: isLong ? { ...field, type: `long ${field.type}` } : field });
    };
    for (const [name, read] of schema.properties) add(name, read(), schema.required.has(name), false);
    return { fields, remarks, questions };
  }

  /** A record inside a record that has no identity of its own: an address. */
  #embedded(schema: ApiSchema): ApiSchema | undefined {
    if (schema.kind !== "object" || schema.properties.size === 0 || schema.properties.size > MOST_EMBEDDED)
      return undefined;
    if (this.#entityFor(schema) !== undefined || schema.properties.has("id")) return undefined;
    const inner = [...schema.properties.values()].map((read) => read());
    return inner.every(({ kind }) => kind !== "object" && kind !== "array" && kind !== "any") ? schema : undefined;
  }

  #entityFor({ name }: ApiSchema): string | undefined {
    return name === undefined ? undefined : this.#entities.get(name);
  }

  /** The entity that a name such as `petId` says, if its value can be an id. */
  #entityByName(name: string, { kind }: ApiSchema): string | undefined {
    const words = toWords(name);
    if (words.length < 2 || words.at(-1) !== "id" || (kind !== "integer" && kind !== "string")) return undefined;
    const withoutId = words.slice(0, -1).join("_");
    return [...this.#entities.values()].find((entity) => wordsOfEntity(entity).join("_") === withoutId);
  }

  #field(
    entity: string,
    name: string,
    schema: ApiSchema,
    isRequired: boolean,
    taken: ReadonlySet<string>,
    questions: string[],
  ): ApiField {
    const evidence: string[] = [];
    const keys: Record<string, DraftValue> = {};
    const isList = schema.kind === "array";
    const item = isList ? schema.items?.() : schema;
    const byName = item === undefined || isList ? undefined : this.#entityByName(name, item);
    const expanded = item?.idOf?.();
    const record = item === undefined ? undefined : this.#entityFor(expanded ?? item);
    const target = record ?? byName;
    const words = byName === undefined ? toWords(name) : toWords(name).slice(0, -1);
    let fieldName = toFieldName(words, taken);
    if (target !== undefined && fieldName.startsWith("original_"))
      fieldName = toFieldName(wordsOfEntity(target), taken);
    const help = schema.description?.replaceAll(/\s+/gu, " ").trim() ?? "";
    if (help !== "" && help.length <= LONGEST_HELP) keys.help = help;
    const isPart =
      isList && target === undefined && item !== undefined && item.kind === "object" && item.properties.size > 0;
    if (isPart && item !== undefined) return this.#list(entity, fieldName, name, item);

    let type = "json";
    if (target !== undefined) {
      type = target;
      const shown = expanded === undefined ? `schema ${item?.name}` : `an id or schema ${expanded.name}`;
      evidence.push(record === undefined ? `“${name}” is named after it` : shown);
    } else if (item !== undefined && !item.isOneOf) type = this.#type(name, item, keys, evidence, questions);
    if (item?.isOneOf === true && target === undefined)
      questions.push(`Which of several forms “${name}” has is not shown.`);
    if (isList && type !== "json" && type !== "boolean") {
      keys.many = true;
      // That of an item is no default of the list.
      delete keys.default;
    }
    if (schema.isReadOnly) questions.push(`How “${name}” gets its value, which the API only gives, is not shown.`);
    const isOptional = (!isRequired || schema.canBeNull) && type !== "boolean";
    const isSaid = titleEqualsHeader(fieldName, name) || target !== undefined;
    return {
      target: target !== undefined && keys.many !== true ? target : undefined,
      field: {
        name: fieldName,
        type: `${type}${isOptional ? "?" : ""}`,
        keys: {
          ...(isSaid ? {} : { title: name }),
          ...keys,
          ...(evidence.length === 0 ? {} : { source: evidence.join(", ") }),
        },
      },
    };
  }

  /** A list of records that exist only inside this one: an entity of its own whose records are parts. */
  #list(entity: string, fieldName: string, name: string, item: ApiSchema): ApiField {
    const inner = this.#toEntityName(item.name ?? `${entity}_${name}`);
    const of = toFieldName(wordsOfEntity(entity), new Set());
    this.#parts.push({ entity: inner, schema: item, parent: entity, of });
    return { target: undefined, field: { name: fieldName, type: "", keys: { list: `${inner}.${of}` } } };
  }

  #type(
    name: string,
    schema: ApiSchema,
    keys: Record<string, DraftValue>,
    evidence: string[],
    questions: string[],
  ): string {
    const { kind, values, format, min, max } = schema;
    if (values !== undefined && values.length > 0 && (kind === "string" || kind === "any")) {
      const choices = toChoiceNames(values, true);
      keys.values = [...choices.values()];
      const others = [...choices].filter(([label, choice]) => label !== choice && !titleEqualsHeader(choice, label));
      evidence.push("its enum", ...others.map(([label, choice]) => `${choice} is “${label}”`));
      const chosen = typeof schema.default === "string" ? choices.get(schema.default) : undefined;
      if (chosen !== undefined) keys.default = chosen;
      return "choice";
    }
    if (kind === "boolean") {
      if (schema.default === true) keys.default = true;
      return "boolean";
    }
    if (kind === "integer" || kind === "number") {
      const step = kind === "integer" ? 1 : 0;
      if (min !== undefined && isPlain(min) && (!schema.aboveMin || step > 0))
        keys.min = min + (schema.aboveMin ? step : 0);
      if (max !== undefined && isPlain(max) && (!schema.belowMax || step > 0))
        keys.max = max - (schema.belowMax ? step : 0);
      if ((schema.aboveMin || schema.belowMax) && step === 0)
        questions.push(
          `“${name}” excludes its limit (${[min, max].filter((item) => item !== undefined).join(", ")}), and a rule about it is not shown.`,
        );
      const isWhole = kind === "integer";
      if (
        typeof schema.default === "number" &&
        isPlain(schema.default) &&
        (!isWhole || Number.isInteger(schema.default))
      )
        keys.default = String(schema.default);
      return isWhole ? "integer" : "decimal";
    }
    if (kind !== "string") return "json";
    const typed = formats[format ?? ""];
    if (schema.pattern !== undefined)
      questions.push(`How the pattern of “${name}” (“${schema.pattern}”) applies here is not shown.`);
    if (typed !== undefined) {
      evidence.push(`format ${format}`);
      return typed;
    }
    const type = max !== undefined && max > LONGEST_LINE ? "long text" : "text";
    if (min !== undefined && min > 1 && min <= LONGEST_LINE) keys.min = min;
    if (max !== undefined && max > 0 && max <= 100_000) keys.max = max;
    const example = sampleOf(schema.example);
    const fits = example !== undefined && example.length >= (min ?? 0) && example.length <= (max ?? LONGEST_EXAMPLE);
    if (fits && example !== undefined) keys.examples = [example];
    return type;
  }
}

/** More properties in a sentence are hard to read. */
const MOST_PROPERTIES = 6;

const askAboutForm = ({ call, more }: Resource["forms"][number]): string => {
  const named = more.slice(0, MOST_PROPERTIES).map((name) => `“${name}”`);
  const others = more.length - named.length;
  const all = others === 0 ? named.join(", ") : `${named.join(", ")} and ${others} more`;
  return `${call} also takes ${all}, which no answer has, so the ${more.length === 1 ? "field for it is" : "fields for these are"} not shown.`;
};

/** True for a text without a limit. */
const isPlainText = ({ type, keys }: DraftField): boolean =>
  /^text\??$/u.test(type) && keys.max === undefined && keys.many !== true;

const sampleOf = (value: ApiValue | undefined): string | undefined =>
  typeof value === "string" &&
  value.trim() === value &&
  value.length > 0 &&
  value.length <= LONGEST_EXAMPLE &&
  !/\p{Cc}/u.test(value)
    ? value
    : undefined;

/** The most entities that an author reads. */
export const MOST_RESOURCES = 300;

/** An OpenAPI description, versions 2 to 3.1 → entities, each with the schema and the calls that show it. */
export const draftOpenapi = (description: ApiObject): DraftedApi => {
  const { document, known } = readNinefoldApi(description) ?? {
    document: description,
    known: new Map<string, string>(),
  };
  const reader = new SchemaReader(document);
  const { resources, others } = findResources(document, reader);
  const info = document.info;
  const title = typeof info === "object" && info !== null && "title" in info ? info.title : undefined;
  return {
    title: typeof title === "string" ? title : undefined,
    entities: new ApiDraft(resources.slice(0, MOST_RESOURCES), known).draft(),
    calls: others.map((call) => `What ${call} does here is not shown.`),
  };
};
