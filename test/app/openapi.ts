import Ajv, { type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { everybody, openapiOf } from "../../src/core/derive/openapi/openapi.ts";
import type { RecordJson } from "../../src/core/wire.ts";
import { type Answer, compiled, type Served, type Somebody, serveText } from "./program.ts";

/*
 * An application driven from what it says of itself: requests made of its OpenAPI description, good ones and bad ones,
 * each answer held against it.
 *
 *   const driven = await drive(text, 1);      // the seed makes the same requests again
 *   await driven.some(100);                   // a hundred requests of any operation
 *   await driven.all();                       // until each operation has answered all that it may
 *   expect(driven.wrong).toEqual([]);         // what did not fit the description
 */

interface Schema {
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

interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly "x-refusals"?: readonly { readonly code: string; readonly "x-clause"?: string; readonly at?: string }[];
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

/** What an operation may answer: `200`, `422 REQUIRED`. */
const outcomesOf = (operation: Operation): readonly string[] =>
  Object.entries(operation.responses).flatMap(([status, response]) => {
    const refusals = response["x-refusals"];
    if (refusals !== undefined) return [...new Set(refusals.map(({ code }) => `${status} ${code}`))];
    return /^2/u.test(status) ? [status] : [];
  });

/** A small generator of the same numbers from the same seed. */
const randomOf = (seed: number) => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (most: number) => Math.floor(next() * most),
    chance: (of: number) => next() < of,
    pick: <T>(from: readonly T[]): T => {
      const one = from[Math.floor(next() * from.length)];
      if (one === undefined) throw new Error("nothing to pick from");
      return one;
    },
  };
};

interface Known {
  readonly id: string;
  readonly version: number;
  readonly [field: string]: unknown;
}

export interface Driven {
  readonly served: Served;
  readonly document: OpenApi;
  readonly operations: readonly Operation[];
  readonly requests: () => number;
  /** What came that the description does not say, each with the request that made it come. */
  readonly wrong: readonly string[];
  /** What each operation has answered so far. */
  readonly answered: ReadonlyMap<string, ReadonlySet<string>>;
  /** One request of an operation; `wanted`, such as `422 TAKEN`, makes what leads there likelier. */
  one(operation: Operation, wanted?: string): Promise<Answer>;
  some(count: number): Promise<void>;
  /** Until each operation has answered all that it may, or so many requests of it were not enough; what was not answered. */
  all(patience: number, of?: (outcome: string) => boolean): Promise<readonly string[]>;
}

/** Serves a document with its sample data, and people of every role to ask it. */
export const drive = async (text: string, seed: number): Promise<Driven> => {
  const { model } = compiled(text);
  const served = await serveText(text, { demonstration: true });
  const document = openapiOf(model, everybody(model), { version: 1, cookie: "session" }) as unknown as OpenApi;
  const random = randomOf(seed);
  const visitor = served.visitor();
  const people: Somebody[] = [visitor, await served.person("Nobody In Particular", [])];
  const granted = [...model.roles.values()].filter(({ members }) => members === "granted").map(({ name }) => name);
  for (const role of [...granted, "administrator"]) people.push(await served.person(`A ${role}`, [role]));
  people.push(await served.person("All Roles", granted));
  const shown = await served.visitor().get("/_/application");
  const { signIn } = shown.body as { signIn: { demonstration: readonly { token: string }[] } };
  for (const { token } of signIn.demonstration) {
    const person = served.visitor();
    await person.post("/_/session", { demonstration: token });
    people.push(person);
  }

  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv, ["date", "date-time", "uuid"]);
  ajv.addSchema(document, "openapi");
  const validators = new Map<string, ValidateFunction>();
  const escaped = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
  const validator = (...parts: readonly string[]): ValidateFunction => {
    const pointer = parts.map(escaped).join("/");
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
    validators.set(pointer, known);
    return known;
  };
  const resolved = <T extends { readonly $ref?: string }>(one: T): T => {
    if (one.$ref === undefined) return one;
    let at: unknown = document;
    for (const part of one.$ref.slice(2).split("/")) at = (at as Record<string, unknown>)[part];
    return at as T;
  };

  const operations = operationsOf(document);
  const answered = new Map<string, Set<string>>(operations.map(({ operationId }) => [operationId, new Set()]));
  const wrong: string[] = [];
  /** The records that somebody has seen, by entity, and the page tokens, by list. */
  /** Who may do what an operation does, and with which record: as `may` said, or as they did. */
  const able = new Map<string, (readonly [Somebody, string])[]>();
  const isAble = (operationId: string, person: Somebody, id: string) => {
    const pairs = able.get(operationId) ?? [];
    able.set(operationId, pairs);
    pairs.push([person, id]);
    if (pairs.length > 40) pairs.shift();
  };
  const records = new Map<string, Map<string, Known>>();
  const tokens = new Map<string, string>();
  const keep = (entity: string, record: Known) => {
    const known = records.get(entity) ?? new Map<string, Known>();
    known.set(record.id, record);
    records.set(entity, known);
    if (known.size > 60) for (const id of known.keys()) return void known.delete(id);
  };
  const knownOf = (entity: string): readonly Known[] => [...(records.get(entity)?.values() ?? [])];
  for (const person of people)
    for (const { method, path, operationId, tags } of operations)
      if (method === "GET" && operationId.endsWith(".list")) {
        const answer = await person.get(`${path}?limit=20`);
        if (answer.status === 200) for (const item of answer.list().items) keep(tags[0] ?? "", item as Known);
      }

  /** Sent by somebody within the last day; whoever did may name them. */
  const files: string[] = [];
  for (const person of people) {
    const raw = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const sent = await person.send("POST", "/_/files?name=a.png", undefined, {
      raw,
      headers: { "content-type": "image/png" },
    });
    if (sent.status === 201) files.push((sent.body as { readonly id: string }).id);
  }

  /** What of an entity an operation does: of a call that the document shows, what its last step does. */
  const doings = new Map(
    model.calls.flatMap(({ name, does }) => {
      const { entity, does: step } =
        (does.kind === "steps" ? does.steps.findLast((one) => one.does.kind !== "read") : undefined) ?? {};
      if (entity === undefined || step === undefined) return [];
      return [[name, step.kind === "transition" ? `${entity}.${step.transition}` : `${entity}.${step.kind}`] as const];
    }),
  );
  const doingOf = ({ operationId }: Operation): string => doings.get(operationId) ?? operationId;
  const pairsFor = (operation: Operation) => able.get(doingOf(operation)) ?? [];

  // Values

  const day = () => new Date(Date.now() + (random.below(200) - 70) * 86_400_000).toISOString().slice(0, 10);
  const words = ["", "a", "Ü", "long", "words of it", "🙂", "'; drop table x; --", "%", "{}", "null", "0"];
  const someText = () => `${random.pick(words)}${random.chance(0.7) ? random.below(1_000) : ""}`;
  const cut = (text: string, { minLength = 0, maxLength = 1e6 }: Schema) =>
    [...text.padEnd(minLength, "x")].slice(0, maxLength).join("");

  const someOf = (schema: Schema): unknown => {
    const { type } = schema;
    if (schema.enum !== undefined) return random.pick(schema.enum);
    if (schema.const !== undefined) return schema.const;
    if (schema.anyOf !== undefined) return someOf(random.pick(schema.anyOf));
    if (Array.isArray(type)) {
      if (random.chance(0.2)) return null;
      return someOf({ ...schema, type: type.find((one) => one !== "null") });
    }
    if (schema.format === "uuid" && schema["x-refers-to"] === undefined)
      return files.length === 0 || random.chance(0.05) ? crypto.randomUUID() : random.pick(files);
    if (schema["x-refers-to"] !== undefined) {
      const known = knownOf(schema["x-refers-to"]);
      return known.length === 0 || random.chance(0.03) ? crypto.randomUUID() : random.pick(known).id;
    }
    const { minimum = -20, maximum = 400 } = schema;
    if (type === "boolean") return random.chance(0.5);
    const spread = Math.max(minimum, -1e4) + random.below(Math.min(maximum, 1e4) - Math.max(minimum, -1e4) + 1);
    if (type === "integer") return random.chance(0.6) ? Math.max(minimum, Math.min(maximum, random.below(40))) : spread;
    if (type === "number")
      return random.chance(0.5) ? Math.max(minimum, Math.min(maximum, random.below(90) + 0.25)) : spread;
    if (type === "array") return Array.from({ length: 1 + random.below(3) }, () => someOf(schema.items ?? {}));
    if (type === "object") return objectOf(schema);
    if (schema.format === "date") {
      const [from = "0001-01-01", to = "9999-12-31"] = [schema["x-minimum"], schema["x-maximum"]];
      const some = random.chance(0.02) ? random.pick(["0001-01-01", "9999-12-31"]) : day();
      return some < from ? from : some > to ? to : some;
    }
    if (schema.format === "date-time")
      return new Date(Date.now() + (random.below(4_000) - 2_000) * 3.6e6).toISOString();
    if (schema.examples !== undefined && random.chance(0.6)) return random.pick(schema.examples);
    if (schema.pattern === undefined) return cut(someText(), schema);
    const fits = new RegExp(schema.pattern, "u");
    const tries = [
      someText(),
      `a${random.below(1e6)}@example.com`,
      `https://example.com/${random.below(99)}`,
      "+49 30 123456",
      `${random.below(1_000)}.${random.below(9)}`,
      "12",
      "a",
    ];
    return tries.map((one) => cut(one, schema)).find((one) => fits.test(one)) ?? "a";
  };

  const objectOf = (schema: Schema): Record<string, unknown> => {
    const given: Record<string, unknown> = {};
    const share = random.pick([0, 0.5, 0.5, 1]);
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (schema.required?.includes(name) === true || random.chance(share)) given[name] = someOf(resolved(property));
    return given;
  };

  const strange = (): unknown =>
    random.pick<() => unknown>([
      () => null,
      () => "",
      () => "x".repeat(random.pick([50, 300, 1_001, 3_000])),
      () => 1e300,
      () => -1,
      () => 0,
      () => 2 ** 53,
      () => 1_000_000,
      () => 0.1234567890123,
      () => true,
      () => [],
      () => [1],
      () => ({}),
      () => ({ id: crypto.randomUUID() }),
      () => "a\u0000b",
      () => "two\nlines",
      () => "\ud800",
      () => "0000-01-01",
      () => "2026-02-30",
      () => "0001-01-01T00:00:00+14:00",
      () => "99999999999999999999999999999999",
      () => "00000000-0000-0000-0000-000000000000",
    ])();

  // Requests

  const spoilable = {
    REQUIRED: 0,
    WRONG_TYPE: 0,
    NOT_A_CHOICE: 0,
    NO_SUCH_REFERENCE: 0,
    NO_SUCH_FILE: 0,
    NO_SUCH_PICTURE: 0,
    TOO_LONG: 0,
    TOO_SMALL: 0,
    TOO_LARGE: 0,
  };

  /** A field and a value for it that leads to a refusal, where it is one about fields. */
  const spoiling = (operation: Operation, schema: Schema, wanted: string): readonly [string, unknown] | undefined => {
    const [status = "", code = ""] = wanted.split(" ");
    const places = (operation.responses[status]?.["x-refusals"] ?? []).filter(
      (one) => one.code === code && one.at !== undefined && /^\/[^/]+$/u.test(one.at),
    );
    if (places.length === 0 || random.chance(0.2)) return undefined;
    const name = random.pick(places).at?.slice(1) ?? "";
    const of = resolved(schema).properties?.[name];
    const isDay = of?.format === "date";
    const spoilt: Readonly<Record<string, unknown>> = {
      REQUIRED: null,
      WRONG_TYPE: {},
      NOT_A_CHOICE: "none of them",
      NO_SUCH_REFERENCE: crypto.randomUUID(),
      NO_SUCH_FILE: crypto.randomUUID(),
      NO_SUCH_PICTURE: crypto.randomUUID(),
      TOO_LONG: "1".repeat((of?.maxLength ?? 1_000) + 1),
      TOO_SMALL: isDay ? "0001-01-01" : -1_000_000,
      TOO_LARGE: isDay ? "9999-12-31" : 1_000_000_000,
    };
    return code in spoilt ? [name, spoilt[code]] : undefined;
  };

  /** Of how many fields a refusal can be about one alone. */
  const aimedAt = (operation: Operation, wanted: string): number => {
    const [status = "", code = ""] = wanted.split(" ");
    return (operation.responses[status]?.["x-refusals"] ?? []).filter(
      (one) => one.code === code && one.code in spoilable,
    ).length;
  };

  const bodyOf = (operation: Operation, schema: Schema, wanted: string): Record<string, unknown> => {
    const wants = (...codes: readonly string[]) => codes.some((code) => wanted.endsWith(` ${code}`));
    const body = objectOf(resolved(schema));
    const names = Object.keys(resolved(schema).properties ?? {});
    const [entity = ""] = operation.tags;
    const like = knownOf(entity);
    // As another record is: what may not stand there twice, or at the same time, meets it.
    const whole = /^4(?:09|22) /u.test(wanted) && aimedAt(operation, wanted) === 0;
    if (like.length > 0 && random.chance(whole ? 0.5 : 0.03))
      for (const name of names) {
        const value = random.pick(like)[name];
        const sent = typeof value === "object" && value !== null && "id" in value ? value.id : value;
        if (sent !== undefined && (typeof sent !== "object" || sent === null)) body[name] = sent;
      }
    // As in another record: what is unique is taken.
    if (names.length > 0 && like.length > 0 && random.chance(wants("TAKEN") ? 0.9 : 0.1)) {
      const value = random.pick(like)[random.pick(names)];
      const name = random.pick(names);
      const own = random.pick(like)[name];
      body[name] = own !== undefined && typeof own !== "object" ? own : (value ?? null);
    }
    const aimed = spoiling(operation, schema, wanted);
    if (aimed !== undefined) return { ...body, [aimed[0]]: aimed[1] };
    if (names.length > 0 && random.chance(wanted === "" ? 0.15 : 0.05)) body[random.pick(names)] = strange();
    if (names.length > 0 && random.chance(0.05)) delete body[random.pick(names)];
    if (random.chance(wants("UNKNOWN_FIELD") ? 0.8 : 0.03))
      body[random.pick(["surprise", "id", "version", "__proto__", "a/b~c", ""])] = strange();
    // What is answered and not taken: the program writes it.
    if (random.chance(wants("NOT_YOURS_TO_WRITE") ? 0.8 : 0.03)) {
      const closed = Object.keys(
        (document.components.schemas?.[entity] as Schema | undefined)?.properties ?? {},
      ).filter((name) => !names.includes(name));
      if (closed.length > 0) body[random.pick(closed)] = strange();
    }
    return body;
  };

  const queryOf = (operation: Operation): string => {
    const words: [string, string][] = [];
    for (const one of operation.parameters ?? []) {
      const { name, in: place, schema, explode } = resolved(one);
      if (place !== "query" || !random.chance(name === "may" || name === "label" ? 0.3 : 0.08)) continue;
      if (name === "after") {
        words.push([name, random.chance(0.8) ? (tokens.get(operation.path) ?? "none") : someText()]);
        continue;
      }
      const value = random.chance(0.1) ? strange() : someOf(schema);
      const all = (Array.isArray(value) ? value : [value]).map((item) =>
        item === null ? "" : typeof item === "object" ? JSON.stringify(item) : String(item),
      );
      if (explode === true) for (const item of all) words.push([name, item]);
      else words.push([name, all.join(",")]);
    }
    if (random.chance(0.03)) words.push([random.pick(["nothing", "limit", "sort", "constructor", "%"]), someText()]);
    return new URLSearchParams(words.map(([name, value]) => [name, value.replace(/\p{Cs}/gu, "?")])).toString();
  };

  const idFor = (entity: string): string => {
    const known = knownOf(entity);
    if (known.length === 0 || random.chance(0.06))
      return random.pick([
        crypto.randomUUID(),
        "00000000-0000-0000-0000-000000000000",
        "x",
        "%00",
        "new",
        "1".repeat(150),
      ]);
    return random.pick(known).id;
  };

  /** What stands in a path: a record's id, or what a known one has at the end of the parameter's path. */
  const pathValue = (name: string, id: string): string => {
    if (name === "id") return id;
    const last = name.split(".").at(-1) ?? name;
    const values = [...records.values()].flatMap((known) => [...known.values()].map((record) => record[last]));
    const texts = values.filter((value): value is string => typeof value === "string" && value !== "");
    return texts.length === 0 || random.chance(0.1) ? "nothing" : encodeURIComponent(random.pick(texts));
  };

  /** Parts that are named are mostly those of the record itself. */
  const withOwnParts = (body: Record<string, unknown>, record: string): Record<string, unknown> => {
    const isOf = (known: Known) =>
      Object.values(known).some((value) => (value as { readonly id?: unknown } | null)?.id === record);
    const parts = [...records.values()].flatMap((known) => [...known.values()].filter(isOf));
    for (const value of Object.values(body))
      for (const item of Array.isArray(value) ? (value as unknown[]) : [])
        if (typeof item === "object" && item !== null && "id" in item && parts.length > 0 && random.chance(0.8))
          Object.assign(item, { id: random.pick(parts).id });
    return body;
  };

  const request = async (operation: Operation, wanted = ""): Promise<Answer> => {
    const [entity = ""] = operation.tags;
    const pairs = pairsFor(operation);
    // What is wrong with what is sent is told to who may send it.
    const ready = wanted === "" ? 0.2 : /^(?:2|422|409)/u.test(wanted) && !wanted.endsWith("WRONG_STATE") ? 0.95 : 0.5;
    const [person, id] =
      pairs.length > 0 && random.chance(ready)
        ? (pairs[random.below(pairs.length)] ?? ([visitor, ""] as const))
        : ([random.chance(0.08) ? visitor : random.pick(people), idFor(entity)] as const);
    const query = queryOf(operation);
    const path = `${operation.path.replace(/\{([^}]*)\}/gu, (_, name: string) => pathValue(name, id))}${query === "" ? "" : `?${query}`}`;
    const headers: Record<string, string> = {};
    const takes = (name: string) => operation.parameters?.some((one) => resolved(one).name === name) === true;
    if (takes("If-Match") && random.chance(wanted.startsWith("412") ? 0.8 : 0.2))
      headers["if-match"] = random.pick([
        '"1"',
        '"2"',
        '"999"',
        "*",
        "1",
        'W/"1"',
        '""',
        `"${records.get(entity)?.get(id)?.version ?? 1}"`,
      ]);
    if (takes("Idempotency-Key") && random.chance(wanted.endsWith("KEY_REUSED") ? 0.9 : 0.15))
      headers["idempotency-key"] = random.pick(["k1", "k2", "", "x".repeat(256)]);
    if (random.chance(wanted.endsWith("FOREIGN_ORIGIN") ? 0.8 : 0.01)) headers.origin = "https://elsewhere.example";
    const schema = operation.requestBody?.content["application/json"].schema;
    const body = schema === undefined ? undefined : withOwnParts(bodyOf(operation, schema, wanted), id);
    let answer: Answer;
    let raw: string | undefined;
    if (operation.method !== "GET" && random.chance(/^4(?:00|13|15)/u.test(wanted) ? 0.8 : 0.05)) {
      headers["content-type"] = random.pick(["application/json", "application/json", "text/plain", "application/xml"]);
      raw = random.pick([
        "{",
        "[]",
        '"x"',
        "null",
        "",
        '{"a":1,"a":2}',
        '{"__proto__":{"x":1}}',
        "<x/>",
        `{"x":"${"x".repeat(1_100_000)}"}`,
      ]);
      answer = await person.send(operation.method, path, undefined, { headers, raw });
    } else answer = await person.send(operation.method, path, body, { headers });
    const asked = `${operation.method} ${path} ${JSON.stringify(headers)} ${(raw ?? JSON.stringify(body))?.slice(0, 500) ?? ""}`;
    for (const complaint of complaintsOf(operation, answer))
      wrong.push(`${asked}\n  ${answer.status} ${answer.text.slice(0, 600)}\n  ${complaint}`);
    requests++;
    if (answer.status < 300) isAble(doingOf(operation), person, id);
    else if ([403, 404, 409].includes(answer.status)) {
      const stale = pairs.findIndex((pair) => pair[0] === person && pair[1] === id);
      if (stale >= 0) pairs.splice(stale, 1);
    }
    remember(operation, entity, person, answer);
    return answer;
  };
  let requests = 0;

  /** What an answer has that its description does not say. */
  const complaintsOf = (operation: Operation, answer: Answer): readonly string[] => {
    const status = String(answer.status);
    const said = operation.responses[status];
    if (answer.status >= 500 || said === undefined) return [`the status ${status} is not described`];
    const found: string[] = [];
    const response = resolved(said);
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
    const [type] = Object.keys(response.content ?? {});
    if (type === undefined) {
      if (answer.text !== "") found.push("there is a body where none is described");
      return found;
    }
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
    if (!validate(answer.body)) found.push(`the body: ${ajv.errorsText(validate.errors)}`);
    if (answer.status >= 400 && isProblem(answer)) found.push(...undescribed(operation, answer));
    return found;
  };

  /** A document may show another form, which tells no clause. */
  const isProblem = ({ headers }: Answer): boolean =>
    headers.get("content-type")?.startsWith("application/problem+json") === true;

  /** Each refusal is described with its code, its clause and its place. */
  const undescribed = (operation: Operation, answer: Answer): readonly string[] => {
    const described = Object.values(operation.responses).flatMap((response) => response["x-refusals"] ?? []);
    const { code, clause, errors } = answer.problem();
    return (errors ?? [{ code, clause, at: undefined }])
      .filter(
        (error) =>
          !described.some(
            (one) =>
              one.code === error.code &&
              (one["x-clause"] === undefined || one["x-clause"] === error.clause) &&
              (one.at === undefined || error.at === undefined || one.at === error.at.replace(/\/\d+(?=\/|$)/gu, "/*")),
          ),
      )
      .map((error) => `the refusal ${error.code} by ${error.clause} at ${error.at} is not described`);
  };

  const remember = (operation: Operation, entity: string, person: Somebody, answer: Answer) => {
    const seen = answered.get(operation.operationId);
    if (answer.status >= 400 && !isProblem(answer)) return;
    if (answer.status >= 400) {
      const { code, errors } = answer.problem();
      const own = operation.responses[String(answer.status)]?.["x-refusals"] ?? [];
      for (const each of [code, ...(errors ?? []).map((error) => error.code)])
        if (own.some((refusal) => refusal.code === each)) seen?.add(`${answer.status} ${each}`);
      return;
    }
    seen?.add(String(answer.status));
    const body = answer.body as { items?: readonly Known[]; next?: string | null; id?: string } | undefined;
    if (typeof body?.next === "string") tokens.set(operation.path, body.next);
    if (operation.operationId.endsWith(".list")) for (const item of body?.items ?? []) see(entity, person, item);
    else if (body?.id !== undefined) see(entity, person, body as Known);
  };

  const see = (entity: string, person: Somebody, record: Known) => {
    keep(entity, record);
    const may = record.may as RecordJson["may"];
    if (may === undefined) return;
    for (const transition of may.transitions) isAble(`${entity}.${transition}`, person, record.id);
    if (may.update.length > 0) isAble(`${entity}.update`, person, record.id);
    if (may.delete) isAble(`${entity}.delete`, person, record.id);
  };

  /** Somebody looks at what there is and what they may do with it. */
  const look = async (entity: string) => {
    const list = operations.find(({ operationId }) => operationId === `${entity}.list`);
    const person = random.pick(people);
    const answer = await person.get(`${list?.path ?? "/api"}?may=true&limit=50`);
    if (answer.status === 200) for (const item of answer.list().items) see(entity, person, item as Known);
  };

  /** Finds somebody who may do what an operation does, or brings a record to where somebody may. */
  const prepare = async (operation: Operation, depth = 0): Promise<void> => {
    const [name = "", doing = ""] = doingOf(operation).split(".");
    const entity = model.entities.get(name);
    if (entity === undefined || pairsFor(operation).length > 0) return;
    const transition = entity.states?.transitions.get(doing);
    const list = operations.find(({ operationId }) => operationId === `${name}.list`);
    for (const person of people)
      for (const state of transition?.from ?? [""]) {
        const where = state === "" ? "" : `&${entity.states?.field}=${state}`;
        const answer = await person.get(`${list?.path ?? "/api"}?may=true&limit=20${where}`);
        if (answer.status === 200) for (const item of answer.list().items) see(name, person, item as Known);
        if (pairsFor(operation).length > 0) return;
      }
    if (depth > 3) return;
    const before = [...(entity.states?.transitions.values() ?? [])].filter(({ to }) => transition?.from.includes(to));
    const leading = [...before.map((one) => `${name}.${one.name}`), `${name}.create`];
    for (const id of leading) {
      const one = operations.find(({ operationId }) => operationId === id);
      if (one === undefined) continue;
      await prepare(one, depth + 1);
      for (let i = 0; i < 4; i++) if ((await request(one, "200")).status < 300) break;
    }
  };

  /** Deleting more than is made would leave nothing to ask for. */
  const likely = operations.flatMap((operation) =>
    operation.method === "DELETE" ? [operation] : [operation, operation, operation, operation],
  );
  /** Who signs out leaves a session that others are to ask with. */
  const own = ({ path, tags }: Operation) => !path.startsWith("/_/") && !tags.includes("session");

  return {
    served,
    document,
    operations,
    requests: () => requests,
    wrong,
    answered,
    one: request,
    some: async (count) => {
      const asked = likely.filter(own);
      for (let i = 0; i < count; i++) await request(random.pick(asked));
    },
    all: async (patience, of = () => true) => {
      const missing = (operation: Operation) =>
        outcomesOf(operation).filter(
          (outcome) => of(outcome) && answered.get(operation.operationId)?.has(outcome) !== true,
        );
      for (let round = 0; round < patience; round++) {
        const open = operations.filter((operation) => own(operation) && missing(operation).length > 0);
        if (open.length === 0) break;
        for (const operation of open) {
          if (round % 5 === 0) await look(operation.tags[0] ?? "");
          if (operation.path.includes("{")) await prepare(operation);
          for (let i = 0; i < 3 && missing(operation).length > 0; i++)
            await request(operation, random.chance(0.9) ? random.pick(missing(operation)) : "");
        }
        // What others need: records in other states, and new ones.
        for (let i = 0; i < 3; i++) await request(random.pick(likely.filter(own)));
      }
      return operations
        .filter(own)
        .flatMap((operation) => missing(operation).map((outcome) => `${operation.operationId} ${outcome}`));
    },
  };
};
