import type { RecordJson } from "../../../src/core/wire/records.ts";
import { type Answer, type ApiClient, compiled, serveText, type TestServer } from "../program.ts";
import {
  describeApplication,
  type OpenApi,
  type Operation,
  operationsOf,
  resolvedIn,
  type Schema,
} from "./described.ts";

/*
 * Drives an application by its OpenAPI description: sends valid and invalid requests and compares each response with
 * the description.
 *
 *   const driven = await drive(text, 1);      // the seed makes the requests repeatable
 *   await driven.some(100);                   // a hundred requests of any operation
 *   expect(driven.wrong).toEqual([]);         // deviations from the description
 */

/** A small random number generator with a seed. */
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
  readonly served: TestServer;
  readonly document: OpenApi;
  readonly operations: readonly Operation[];
  readonly requests: () => number;
  /** Deviations from the description, each with the request. */
  readonly wrong: readonly string[];
  some(count: number): Promise<void>;
}

/** Serves a document with sample data and one person per role. */
export const drive = async (text: string, seed: number, running?: TestServer): Promise<Driven> => {
  const { model } = compiled(text);
  const served = running ?? (await serveText(text, { demonstration: true }));
  const { document, complaintsOf } = describeApplication(model);
  const random = randomOf(seed);
  const visitor = served.visitor();
  const people: ApiClient[] = [visitor, await served.person("Nobody In Particular", [])];
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

  const resolved = resolvedIn(document);

  const operations = operationsOf(document);
  const wrong: string[] = [];
  /** Persons who can perform an operation on a record, according to `may` or to a success. */
  const able = new Map<string, (readonly [ApiClient, string])[]>();
  const isAble = (operationId: string, person: ApiClient, id: string) => {
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

  /** Files sent within the last day; their senders can use them. */
  const files: string[] = [];
  for (const person of people) {
    const raw = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const sent = await person.send("POST", "/_/files?name=a.png", undefined, {
      raw,
      headers: { "content-type": "image/png" },
    });
    if (sent.status === 201) files.push((sent.body as { readonly id: string }).id);
  }

  /** The entity and verb of each operation; for a custom endpoint, those of its last step. */
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
  // Too short for a password that a test keeps secret: the same words are sent as any value.
  const words = ["", "a", "Ü", "long", "words of it", "🙂", "'; drop x--", "%", "{}", "null", "0"];
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
    if (type === "array") {
      const length = random.chance(0.1) ? 0 : 1 + random.below(3);
      return Array.from({ length }, () => someOf(schema.items ?? {}));
    }
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
    const input: Record<string, unknown> = {};
    const share = random.pick([0, 0.5, 0.5, 1]);
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (schema.required?.includes(name) === true || random.chance(share)) input[name] = someOf(resolved(property));
    return input;
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

  const bodyOf = (operation: Operation, schema: Schema): Record<string, unknown> => {
    const body = objectOf(resolved(schema));
    const names = Object.keys(resolved(schema).properties ?? {});
    const [entity = ""] = operation.tags;
    const like = knownOf(entity);
    // Copies another record, which violates uniqueness and overlap rules.
    if (like.length > 0 && random.chance(0.03))
      for (const name of names) {
        const value = random.pick(like)[name];
        const sent = typeof value === "object" && value !== null && "id" in value ? value.id : value;
        if (sent !== undefined && (typeof sent !== "object" || sent === null)) body[name] = sent;
      }
    // Copies one value of another record, which violates unique fields.
    if (names.length > 0 && like.length > 0 && random.chance(0.1)) {
      const value = random.pick(like)[random.pick(names)];
      const name = random.pick(names);
      const own = random.pick(like)[name];
      body[name] = own !== undefined && typeof own !== "object" ? own : (value ?? null);
    }
    if (names.length > 0 && random.chance(0.15)) body[random.pick(names)] = strange();
    if (names.length > 0 && random.chance(0.05)) delete body[random.pick(names)];
    if (random.chance(0.03)) body[random.pick(["surprise", "id", "version", "__proto__", "a/b~c", ""])] = strange();
    // Sends a field that only the program sets.
    if (random.chance(0.03)) {
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

  /** A value for a path parameter: a record's id, or the value of a known record's field. */
  const pathValue = (name: string, id: string): string => {
    if (name === "id") return id;
    const last = name.split(".").at(-1) ?? name;
    const values = [...records.values()].flatMap((known) => [...known.values()].map((record) => record[last]));
    const texts = values.filter((value): value is string => typeof value === "string" && value !== "");
    return texts.length === 0 || random.chance(0.1) ? "nothing" : encodeURIComponent(random.pick(texts));
  };

  /** Uses mostly the record's own parts. */
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

  const request = async (operation: Operation): Promise<Answer> => {
    const [entity = ""] = operation.tags;
    const pairs = pairsFor(operation);
    const [person, id] =
      pairs.length > 0 && random.chance(0.5)
        ? (pairs[random.below(pairs.length)] ?? ([visitor, ""] as const))
        : ([random.chance(0.08) ? visitor : random.pick(people), idFor(entity)] as const);
    const query = queryOf(operation);
    const path = `${operation.path.replace(/\{([^}]*)\}/gu, (_, name: string) => pathValue(name, id))}${query === "" ? "" : `?${query}`}`;
    const headers: Record<string, string> = {};
    const takes = (name: string) => operation.parameters?.some((one) => resolved(one).name === name) === true;
    if (takes("If-Match") && random.chance(0.2))
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
    if (takes("Idempotency-Key") && random.chance(0.15))
      headers["idempotency-key"] = random.pick(["k1", "k2", "", "x".repeat(256)]);
    if (random.chance(0.01)) headers.origin = "https://elsewhere.example";
    const schema = operation.requestBody?.content["application/json"].schema;
    const body = schema === undefined ? undefined : withOwnParts(bodyOf(operation, schema), id);
    let answer: Answer;
    let raw: string | undefined;
    if (operation.method !== "GET" && random.chance(0.05)) {
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

  const remember = (operation: Operation, entity: string, person: ApiClient, answer: Answer) => {
    if (answer.status >= 400) return;
    const body = answer.body as { items?: readonly Known[]; next?: string | null; id?: string } | undefined;
    if (typeof body?.next === "string") tokens.set(operation.path, body.next);
    if (operation.operationId.endsWith(".list")) for (const item of body?.items ?? []) see(entity, person, item);
    else if (body?.id !== undefined) see(entity, person, body as Known);
  };

  const see = (entity: string, person: ApiClient, record: Known) => {
    keep(entity, record);
    const may = record.may as RecordJson["may"];
    if (may === undefined) return;
    for (const transition of may.transitions) isAble(`${entity}.${transition}`, person, record.id);
    if (may.update.length > 0) isAble(`${entity}.update`, person, record.id);
    if (may.delete) isAble(`${entity}.delete`, person, record.id);
  };

  /** Deletes rarely, since otherwise no records would remain. */
  const likely = operations.flatMap((operation) =>
    operation.method === "DELETE" ? [operation] : [operation, operation, operation, operation],
  );
  /** Signing out would end a session that later requests use. Imports have a test of their own. */
  const own = ({ path, tags }: Operation) =>
    !path.startsWith("/_/") && !tags.includes("session") && !tags.includes("import");

  return {
    served,
    document,
    operations,
    requests: () => requests,
    wrong,
    some: async (count) => {
      const asked = likely.filter(own);
      for (let i = 0; i < count; i++) await request(random.pick(asked));
    },
  };
};
