import { isAdministrator, type Principal } from "../../src/core/derive/authorization/grants.ts";
import { isSearched } from "../../src/core/derive/http/list-capabilities.ts";
import { namedPeriods } from "../../src/core/expression/values/periods.ts";
import type { Signing } from "../../src/core/model/endpoint.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import { findPartLists, type PartList } from "../../src/core/model/facts/parts.ts";
import { isOfRecord } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { OpenApi, Operation } from "../app/openapi/described.ts";
import { draftsOf } from "./drafts.ts";
import type { WorldRequest } from "./pair.ts";
import { TRASHED, trashedId } from "./people.ts";
import type { Row, Rows } from "./rows.ts";

/*
 * The requests of a person to two worlds. Operations, parameters and payloads come from the person's description,
 * further addresses from the registered routes, and values from both worlds, so that hidden data are requested by name,
 * value and id.
 */

export interface RequestSource {
  readonly model: Model;
  readonly person: Principal;
  readonly document: OpenApi;
  readonly operations: readonly Operation[];
  /** The rows of both worlds. */
  readonly rows: readonly [Rows, Rows];
  readonly random: Random;
  /** The document's text with the hash on which drafts are based. */
  readonly text: string;
  readonly base: string;
  /** The text of proposal 1; null if there is none. */
  readonly proposed: string | null;
  /** Ids of other people's personal data, as in the first world. */
  readonly kept: Readonly<Record<Kept, readonly string[]>>;
}

/** Kinds of personal data with ids. */
export const keeps = ["view", "notification", "token", "session"] as const;
export type Kept = (typeof keeps)[number];

export interface Random {
  readonly next: () => number;
  readonly pick: <T>(from: readonly T[]) => T | undefined;
  readonly some: <T>(from: readonly T[], most: number) => readonly T[];
}

/** A random number generator with a seed (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    pick: (from) => from[Math.floor(next() * from.length)],
    some: (from, most) => {
      const remaining = [...from];
      for (let i = remaining.length - 1; i > 0; i--) {
        const j = Math.floor(next() * (i + 1));
        [remaining[i], remaining[j]] = [
          remaining[j] as (typeof remaining)[number],
          remaining[i] as (typeof remaining)[number],
        ];
      }
      return remaining.slice(0, most);
    },
  };
};

export const USED_KEY = "a key of somebody else";

const NOT_THERE = "01a1f40a-58ca-7a05-9984-7eae99dc592e";

/** The wire form of a column's value. */
const wireOf = (stored: unknown): unknown => {
  if (stored === null || stored === undefined) return null;
  if (typeof stored === "object" && !Array.isArray(stored) && "id" in stored && "size" in stored) return stored.id;
  if (Array.isArray(stored)) return stored.map(wireOf);
  if (typeof stored === "string" && /^\d{4}-\d\d-\d\dT/u.test(stored)) return new Date(stored).toISOString();
  return stored;
};

const inAddress = (value: unknown): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Values in the worlds; differing ones first. */
const poolOf = ({ rows: [one, other] }: RequestSource, entity: string, field: string): readonly unknown[] => {
  const differing: unknown[] = [];
  const alike: unknown[] = [];
  const before = one.get(entity) ?? new Map<string, Row>();
  for (const [id, row] of other.get(entity) ?? []) {
    const was = before.get(id)?.[field];
    const is = row[field];
    if (JSON.stringify(was) !== JSON.stringify(is)) differing.push(is, was);
    else alike.push(is);
  }
  for (const [id, row] of before) if (other.get(entity)?.has(id) !== true) differing.push(row[field]);
  const known = new Set<string>();
  return [...differing, ...alike]
    .filter((value) => value !== null && value !== undefined)
    .map(wireOf)
    .filter((value) => {
      const text = JSON.stringify(value);
      return known.has(text) ? false : known.add(text);
    });
};

const idsOf = ({ rows: [one, other] }: RequestSource, entity: string): readonly string[] => [
  ...new Set([...(other.get(entity)?.keys() ?? []), ...(one.get(entity)?.keys() ?? []), NOT_THERE]),
];

const fieldsOf = (entity: Entity) => [...entity.fields.values()].filter(isOfRecord);

const address = (path: string, words: readonly (readonly [string, unknown])[]): string => {
  const query = new URLSearchParams(words.map(([name, value]) => [name, inAddress(value)])).toString();
  return query === "" ? path : `${path}?${query}`;
};

const specialWords = new Set(["where", "limit", "sort", "after", "count", "search", "label", "may", "among", "offset"]);

/** All query parameters of a list, individually, then some combined. */
const listRequests = (
  asking: RequestSource,
  entity: Entity,
  path: string,
  operation?: Operation,
): readonly WorldRequest[] => {
  const { model, random } = asking;
  const requests: WorldRequest[] = [];
  const get = (what: string, ...words: readonly (readonly [string, unknown])[]) =>
    requests.push({ method: "GET", path: address(path, words), what: `${path} ${what}` });
  get("as it is");
  get("with all", ["count", "true"], ["label", "true"], ["may", "true"], ["limit", 100]);
  get("counted", ["count", "exact"], ["limit", 1]);
  const described = (operation?.parameters ?? []).map((one) => resolved(asking.document, one));
  const own = described.filter((one) => one.in === "query" && !specialWords.has(one.name)).map(({ name }) => name);
  // Includes names that the person may not know.
  const names = [
    ...new Set([
      ...own,
      ...fieldsOf(entity).flatMap(({ name }) => [name, `${name}>`, `${name}<`, `${name}@`, `${name}~`]),
    ]),
  ];
  const words = new Map<string, (readonly [string, unknown])[]>();
  for (const name of names) {
    const field = name.replace(/[<>@~]$/u, "");
    const pool = entity.fields.has(field) ? poolOf(asking, entity.name, field).flat() : [];
    const values = name.endsWith("@")
      ? random.some([...namedPeriods, "last_30_days", "next_400_days"], 4)
      : [...pool.slice(0, 3), ...random.some(pool, 2)].map((value) =>
          name.endsWith("~") ? String(value).slice(0, 6) : value,
        );
    for (const value of [...new Set(values), null]) {
      get(`by ${name}`, [name, value], ["count", "true"]);
      if (own.includes(name)) words.set(name, [...(words.get(name) ?? []), [name, value]]);
    }
  }
  const sorts = [...fieldsOf(entity).map(({ name }) => name), "created_at", "updated_at", "id"];
  for (const name of sorts)
    for (const sort of [name, `-${name}`]) {
      get(`sorted by ${sort}`, ["sort", sort], ["limit", 3]);
      get(`sorted by ${sort}, all`, ["sort", sort]);
    }
  const texts = fieldsOf(entity)
    .flatMap(({ name }) => poolOf(asking, entity.name, name).slice(0, 6).flat())
    .filter((value): value is string => typeof value === "string");
  for (const text of random.some(texts, 8)) get("searched", ["search", text.slice(0, 8)], ["count", "true"]);
  // Labels of referenced records, readable or not.
  const targets = new Set(fieldsOf(entity).flatMap((field) => field.entity ?? []));
  for (const target of targets)
    for (const { name } of fieldsOf(model.entities.get(target) ?? entity).filter(isSearched))
      for (const text of poolOf(asking, target, name).slice(0, 2).flat())
        get("searched by a reference", ["search", `"${String(text).slice(0, 8)}`], ["count", "true"]);
  for (const screen of model.screens) {
    const shown = screen.kind === "tiles" ? screen.tiles : screen.kind === "list" ? [screen] : [];
    for (const one of shown)
      if (one.entity === entity.name) get(`where ${one.clause.id}`, ["where", one.clause.id], ["count", "true"]);
  }
  for (const owner of model.entities.values())
    for (const field of fieldsOf(owner)) {
      if (field.entity !== entity.name) continue;
      get(`among ${owner.name}.${field.name}`, ["among", `${owner.name}.${field.name}`], ["count", "true"]);
      for (const id of random.some(idsOf(asking, owner.name), 3))
        get(`among ${owner.name}.${field.name} of one`, ["among", `${owner.name}.${field.name}/${id}`]);
      for (const beside of fieldsOf(owner)) {
        const [value] = poolOf(asking, owner.name, beside.name);
        if (value !== undefined)
          get(
            `among ${owner.name}.${field.name} beside ${beside.name}`,
            ["among", `${owner.name}.${field.name}`],
            [`given.${beside.name}`, value],
          );
      }
    }
  const each = [...words.values()];
  for (let i = 0; i < 6 && each.length > 1; i++) {
    const together = random.some(each, 2).flatMap((some) => random.pick(some) ?? []);
    const pairs = [together.slice(0, 2), together.slice(2)].flatMap(([name, value]) =>
      typeof name === "string" ? [[name, value] as const] : [],
    );
    get("by two", ...pairs, ["sort", random.pick(sorts)], ["limit", 4], ["count", "true"]);
  }
  return requests;
};

const resolved = <T extends { readonly $ref?: string }>(document: OpenApi, one: T): T => {
  if (one.$ref === undefined) return one;
  let at: unknown = document;
  for (const part of one.$ref.slice(2).split("/")) at = (at as Record<string, unknown>)[part];
  return at as T;
};

/** A path with parameter values: ids of visible and invisible records, or values of the named fields. */
const pathsOf = (asking: RequestSource, operation: Operation, most: number): readonly string[] => {
  const [name = ""] = operation.tags;
  const parameters = [...operation.path.matchAll(/\{([^}]*)\}/gu)].map((match) => match[1] ?? "");
  if (parameters.length === 0) return [operation.path];
  const valuesFor = (parameter: string): readonly string[] => {
    if (parameter === "id") return idsOf(asking, name);
    const last = parameter.split(".").at(-1) ?? "";
    const all = [...asking.model.entities.keys()].flatMap((entity) => poolOf(asking, entity, last));
    return [...all.map(String), "nothing"];
  };
  const pools = parameters.map(valuesFor);
  return Array.from({ length: most }, () => {
    let at = 0;
    return operation.path.replace(/\{[^}]*\}/gu, () =>
      encodeURIComponent(asking.random.pick(pools[at++] ?? []) ?? "nothing"),
    );
  });
};

/** All read operations of the description. */
export const readRequests = (asking: RequestSource): readonly WorldRequest[] => {
  const { model, random } = asking;
  return asking.operations
    .filter(({ method }) => method === "GET")
    .flatMap((operation): readonly WorldRequest[] => {
      const [name = ""] = operation.tags;
      const entity = model.entities.get(name);
      if (entity === undefined) return [];
      if (operation.operationId.endsWith(".list") && operation.path === `/api/${entity.path}`)
        return listRequests(asking, entity, operation.path, operation);
      const words = (operation.parameters ?? [])
        .map((one) => resolved(asking.document, one))
        .filter((one) => one.in === "query");
      const all = pathsOf(asking, operation, 40);
      const plain = [...new Set(all)].map(
        (path): WorldRequest => ({ method: "GET", path, what: operation.operationId }),
      );
      const screens = model.screens
        .filter((screen) => screen.kind === "record" && screen.entity === name)
        .flatMap((screen) =>
          random.some(all, 6).map(
            (path): WorldRequest => ({
              method: "GET",
              path: address(path, [
                ["screen", screen.path],
                ["label", "true"],
              ]),
              what: `${operation.operationId} on ${screen.path}`,
            }),
          ),
        );
      const asked = words.flatMap((word) => {
        const pool = [...model.entities.values()].flatMap(({ name: of }) => poolOf(asking, of, word.name).slice(0, 3));
        const sorts = word.name === "sort" ? fieldsOf(entity).flatMap((field) => [field.name, `-${field.name}`]) : [];
        // Members of a response have names of their own. Those of other readers are asked for too.
        const members = word.name === "fields" ? ["id", "title", "cost", "project", "owner", "late", "late,cost"] : [];
        return [...pool, ...sorts, ...members, "2", ""].map(
          (value): WorldRequest => ({
            method: "GET",
            path: address(random.pick(all) ?? operation.path, [[word.name, value]]),
            what: `${operation.operationId} by ${word.name}`,
          }),
        );
      });
      // A parameter in a header, with values of any field.
      const headers = (operation.parameters ?? [])
        .map((one) => resolved(asking.document, one))
        .filter((one) => one.in === "header" && !platformHeaders.has(one.name.toLowerCase()))
        .flatMap(({ name: header }) =>
          random
            .some(
              [...model.entities.values()].flatMap((of) =>
                fieldsOf(of).flatMap((field) => poolOf(asking, of.name, field.name).slice(0, 2)),
              ),
              6,
            )
            .map(
              (value): WorldRequest => ({
                method: "GET",
                path: random.pick(all) ?? operation.path,
                headers: { [header]: encodeURIComponent(inAddress(value)).slice(0, 60).replaceAll("%20", " ") },
                what: `${operation.operationId} by ${header}`,
              }),
            ),
        );
      const parts = random.some(all, 4).map(
        (path): WorldRequest => ({
          method: "GET",
          path: `${path}?parts=true&label=true`,
          what: `${operation.operationId} with its parts`,
        }),
      );
      return [...plain, ...(operation.path.endsWith("{id}") ? [...screens, ...parts] : []), ...asked, ...headers];
    });
};

/** Headers of every operation. */
const platformHeaders = new Set(["if-match", "idempotency-key", "if-none-match", "accept-language"]);

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The member names of a schema, including all alternatives. */
const namesIn = (schema: Schema | undefined): readonly string[] => [
  ...new Set([...Object.keys(schema?.properties ?? {}), ...(schema?.anyOf ?? []).flatMap(namesIn)]),
];

const FORM = "application/x-www-form-urlencoded";

/** All write operations, with values of both worlds' records and single values from the second world. */
export const writeRequests = (asking: RequestSource, most: number): readonly WorldRequest[] => {
  const { model, random, rows } = asking;
  return asking.operations
    .filter(({ method, path }) => method !== "GET" && !path.startsWith("/_/"))
    .flatMap((operation): readonly WorldRequest[] => {
      const [name = ""] = operation.tags;
      const entity = model.entities.get(name);
      if (entity === undefined) return [];
      const schema = operation.requestBody?.content["application/json"].schema as Schema | undefined;
      const properties = (schema && resolved(asking.document, schema).properties) ?? {};
      const lists = findPartLists(model, entity).filter(({ list }) => Object.hasOwn(properties, list.name));
      const isList = new Set(lists.map(({ list }) => list.name));
      const input = Object.keys(properties).filter((field) => !isList.has(field));
      const templates = [...(rows[1].get(name)?.values() ?? [])];
      const takesForms = Object.hasOwn(operation.requestBody?.content ?? {}, FORM);
      const ask = (path: string, body: Record<string, unknown> | undefined, what: string): WorldRequest => ({
        method: operation.method,
        ...(takesForms && random.next() < 0.5 ? { isForm: true } : {}),
        // Some responses include the label.
        path: random.next() < 0.2 ? `${path}?label=true` : path,
        ...(body === undefined ? {} : { body }),
        ...(random.next() < 0.1 ? { headers: { "if-match": random.pick(['"1"', '"2"', '"3"']) ?? '"1"' } } : {}),
        // Another person has used this key in one of the worlds.
        ...(random.next() < 0.1 ? { headers: { "idempotency-key": USED_KEY } } : {}),
        what: `${operation.operationId} ${what}`,
      });
      const like = (row: Row | undefined, names: readonly string[], of = entity): Record<string, unknown> =>
        Object.fromEntries(
          names.flatMap((field) => {
            const value = wireOf(row?.[field]);
            const isFile = of.fields.get(field)?.type === "file" || of.fields.get(field)?.type === "image";
            return row === undefined || value === null || isFile ? [] : [[field, value]];
          }),
        );
      /** Parts of the record and one of another, visible or not, unchanged or changed, and a new one. */
      const partsAt = (path: string, { list, entity: part, field }: PartList): readonly Record<string, unknown>[] => {
        const all = rows.flatMap((world) => [...(world.get(part.name) ?? [])]);
        const isOwn = ([, row]: (typeof all)[number]) => path.includes(String(row[field.name]));
        const some = [...random.some(all.filter(isOwn), 3), ...random.some(all, random.next() < 0.3 ? 1 : 0)];
        const names = namesIn(properties[list.name]?.items).filter((name) => name !== "id" && name !== "version");
        return [
          ...[...new Map(some)].map(([id, row]) => ({
            id,
            ...(random.next() < 0.5 ? {} : like(random.next() < 0.5 ? row : random.pick(all)?.[1], names, part)),
          })),
          ...(random.next() < 0.5 ? [] : [like(random.pick(all)?.[1], names, part)]),
        ];
      };
      const requests: WorldRequest[] = [];
      for (const path of pathsOf(asking, operation, most)) {
        const row = random.pick(templates);
        if (schema === undefined) {
          requests.push(ask(path, undefined, "as it is"));
          continue;
        }
        requests.push(ask(path, like(row, input), "like another"));
        requests.push(ask(path, {}, "with nothing"));
        for (const list of lists)
          requests.push(
            ask(
              path,
              { ...(random.next() < 0.5 ? like(row, input) : {}), [list.list.name]: partsAt(path, list) },
              `with ${list.list.name}`,
            ),
          );
        const field = random.pick([...input, ...(random.next() < 0.2 ? [...entity.fields.keys()] : [])]);
        if (field === undefined) continue;
        const value = random.pick(poolOf(asking, name, field).slice(0, 6)) ?? null;
        const all = random.next() < 0.6 ? like(row, input) : {};
        requests.push(ask(path, { ...all, [field]: value }, `with another ${field}`));
        const reference = random.pick(input.filter((one) => entity.fields.get(one)?.entity != null));
        const target = reference === undefined ? undefined : entity.fields.get(reference)?.entity;
        if (reference !== undefined && target != null)
          requests.push(
            ask(path, { ...all, [reference]: random.pick(idsOf(asking, target)) }, `with another ${reference}`),
          );
      }
      return requests;
    });
};

/** Requests of a call that signs people in or out, or registers them: with what others have, and with what nobody has. */
const signingRequests = (
  asking: RequestSource,
  method: string,
  path: string,
  does: Signing,
): readonly WorldRequest[] => {
  const { model, random } = asking;
  const used = (name: string): readonly unknown[] => poolOf(asking, "User", name).slice(0, 6);
  const bodies = [true, true, false].map((isUsed, nth) => {
    const values: Readonly<Record<string, unknown>> = {
      email: (isUsed ? random.pick(used("email")) : null) ?? `nobody${nth}@example.com`,
      password: does.kind === "sign in" ? "wrong wrong wrong" : "long enough to be one",
      token: "none",
    };
    const body: Record<string, unknown> = {};
    for (const { path: at, field } of does.takes) {
      const value = values[field] ?? (isUsed ? random.pick(used(field)) : null) ?? `nobody ${nth}`;
      const last = at.at(-1) ?? field;
      const inner = at.slice(0, -1).reduce<Record<string, unknown>>((in_, name) => {
        in_[name] ??= {};
        return in_[name] as Record<string, unknown>;
      }, body);
      inner[last] = value;
    }
    return body;
  });
  // Each password takes long to hash.
  const most = does.kind === "sign up" && model.signIn.signUp?.verifiesEmail === false ? 2 : 3;
  return bodies.slice(-most).map((body) => ({
    method,
    path,
    ...(does.takes.length === 0 ? {} : { body }),
    what: `${does.kind}, by a call`,
  }));
};

/** Requests to routes outside the description, by registered route. */
export const platformRequests = (asking: RequestSource): Readonly<Record<string, readonly WorldRequest[]>> => {
  const { model, random, rows, person: principal } = asking;
  const get = (path: string, what = path): WorldRequest => ({ method: "GET", path, what });
  const entities = [...model.entities.values()].filter(({ served }) => served);
  const files = [
    ...new Set(
      rows.flatMap((world) =>
        [...model.entities.values()].flatMap((entity) =>
          [...(world.get(entity.name)?.values() ?? [])].flatMap((row) =>
            fieldsOf(entity)
              .filter(({ type }) => type === "file" || type === "image")
              .flatMap(({ name }) => [row[name]].flat())
              .flatMap((file) => (typeof file === "object" && file !== null && "id" in file ? [String(file.id)] : [])),
          ),
        ),
      ),
    ),
    NOT_THERE,
  ];
  const ids = Object.fromEntries(
    keeps.map((kind) => [kind, [...random.some(asking.kept[kind], 3), NOT_THERE]]),
  ) as unknown as Readonly<Record<Kept, readonly string[]>>;
  const people = idsOf(asking, "User");
  const emails = poolOf(asking, "User", "email").slice(0, 3);
  const doings = entities.flatMap((entity) => [
    ...["read", "create", "update", "delete"].map((action) => [entity, `${entity.name}.${action}`] as const),
    ...[...(entity.states?.transitions.keys() ?? [])].map((name) => [entity, `${entity.name}.${name}`] as const),
  ]);
  const drafts = isAdministrator(principal)
    ? draftsOf(asking.text, random, 6)
    : [{ what: "nothing changes", text: asking.text, point: "3.User.name" }];
  const draftOf = (text: string) => ({ base: asking.base, files: [{ file: "specification.md", text }] });
  const pages = model.screens.map(({ path }) => path.replace(/\{[^}]*\}/gu, NOT_THERE));
  const drivers: Record<string, readonly WorldRequest[]> = {
    "GET /_/application": [get("/_/application")],
    "GET /api/openapi.json": [get("/api/openapi.json")],
    "GET /api/why": doings.flatMap(([entity, what]) => [
      ...random
        .some(fieldsOf(entity), 2)
        .flatMap(({ name }) =>
          random
            .some(idsOf(asking, entity.name), 2)
            .map((id) => get(`/api/why?do=${what}&record=${id}&field=${name}`, `why ${what} of ${name}`)),
        ),
      get(`/api/why?do=${what}`),
      ...random.some(idsOf(asking, entity.name), 6).map((id) => get(`/api/why?do=${what}&record=${id}`, `why ${what}`)),
      ...random.some(people, 1).map((id) => get(`/api/why?do=${what}&as=${id}`, `why ${what} as another`)),
    ]),
    "GET /_/overview": model.screens.map(({ path }) => get(`/_/overview?screen=${encodeURIComponent(path)}`)),
    "GET /_/letters/:id": model.screens.flatMap((screen) =>
      screen.kind === "letter"
        ? random
            .some(idsOf(asking, screen.entity), 6)
            .flatMap((id) =>
              ["", "&language=de"].map((more) =>
                get(`/_/letters/${id}?screen=${encodeURIComponent(screen.path)}${more}`, `a letter${more}`),
              ),
            )
        : [],
    ),
    // The tag is a hash of the letter, so nothing has to be drawn.
    "GET /_/letters/:id/pdf": model.screens.flatMap((screen) =>
      screen.kind === "letter"
        ? random.some(idsOf(asking, screen.entity), 3).map((id) => ({
            ...get(
              `/_/letters/${id}/pdf?screen=${encodeURIComponent(screen.path)}&language=de`,
              "the tag of a letter as a file",
            ),
            headers: { "if-none-match": "*" },
          }))
        : [],
    ),
    "GET /_/groups/:entity": entities.flatMap((entity) => {
      const path = `/_/groups/${entity.path}`;
      const names = fieldsOf(entity).flatMap(({ name, type }) =>
        type === "date" ? [name, `quarter_of(${name})`, `year_of(${name})`] : [name],
      );
      const by = random.some(names, 8);
      return [
        ...by.map((name) => get(`${path}?groups.by=${name}`, `groups of ${entity.name} by ${name}`)),
        ...by.flatMap((name) =>
          random
            .some(names, 3)
            .flatMap((other) => [
              get(`${path}?groups.by=${name},${other}`, `groups of ${entity.name} by ${name} and ${other}`),
              get(`${path}?groups.by=${name}&groups.sums=${other}`, `sums of ${entity.name} by ${name}: ${other}`),
            ]),
        ),
        ...random.some(listRequests(asking, entity, path), 6).map((one) => ({
          ...one,
          path: `${one.path}${one.path.includes("?") ? "&" : "?"}groups.by=${by[0] ?? ""}`,
        })),
      ];
    }),
    "GET /_/pivot/:entity": entities.flatMap((entity) => {
      const names = fieldsOf(entity).map(({ name }) => name);
      return random.some(names, 8).flatMap((name) =>
        random.some(names, 3).flatMap((other) => {
          const path = `/_/pivot/${entity.path}?groups.by=${name},${other}`;
          const [sum = ""] = random.some(names, 1);
          return [
            get(path, `a pivot of ${entity.name}: ${name} by ${other}`),
            get(`${path}&groups.sums=${sum}`, `a pivot of ${entity.name}: ${name} by ${other}, sum of ${sum}`),
          ];
        }),
      );
    }),
    "GET /_/export/:entity": entities.flatMap((entity) => {
      const path = `/_/export/${entity.path}.csv`;
      return [
        get(path),
        ...fieldsOf(entity).map(({ name }) => get(`${path}?columns=${name}`, `${path} of ${name}`)),
        ...random.some(listRequests(asking, entity, path), 10),
      ];
    }),
    "GET /_/changes": [get("/_/changes"), get("/_/changes?after=none", "what changed since nobody knows when")],
    "GET /_/views": [get("/_/views")],
    "POST /_/views": [
      {
        method: "POST",
        path: "/_/views",
        body: { screen: pages[0] ?? "/", title: "Mine", query: "", shared: true },
        what: "a view",
      },
    ],
    "DELETE /_/views/:id": ids.view.map((id) => ({
      method: "DELETE",
      path: `/_/views/${id}`,
      what: "a view of another",
    })),
    "GET /_/notifications": [
      get("/_/notifications"),
      // Notifications with labels of their records, as far as readable.
      get("/_/notifications?label=true", "notifications and what they are about"),
      get("/_/notifications?label=true&unread=true", "unread notifications"),
      get("/_/notifications?label=true&whole=true", "notifications with whole texts"),
      ...ids.notification.map((id) => get(`/_/notifications?after=${id}`, "notifications after another's")),
    ],
    "POST /_/notifications/read": [
      ...ids.notification.map((until) => ({ until })),
      { record: NOT_THERE },
      { notifications: [...ids.notification, NOT_THERE] },
      ...entities.flatMap(({ name }) => random.some(idsOf(asking, name), 1).map((record) => ({ record }))),
    ].map((body) => ({ method: "POST", path: "/_/notifications/read", body, what: "notifications read" })),
    "GET /_/files/:file": files.map((file) => get(`/_/files/${file}`, "a file of one's own")),
    "POST /_/files": [
      {
        method: "POST",
        path: "/_/files?name=a.txt",
        body: { a: 1 },
        what: "a file",
        headers: { "content-type": "text/plain" },
      },
    ],
    // Files that are no tables; test/worlds/imports.test.ts compares imports of tables.
    ...Object.fromEntries(
      entities.flatMap((entity) => {
        const base = `/api/${entity.path}/import`;
        const post = (
          path: string,
          what: string,
          body: unknown,
          headers?: WorldRequest["headers"],
        ): readonly WorldRequest[] => [
          { method: "POST", path, body, what, ...(headers === undefined ? {} : { headers }) },
        ];
        return [
          [
            `POST ${base}`,
            post(`${base}?name=a.xlsx`, "an import of no table", { a: 1 }, { "content-type": "text/csv" }),
          ],
          [`GET ${base}`, [get(base, "imports of one's own")]],
          [`GET ${base}/:id`, [get(`${base}/${NOT_THERE}`, "no import")]],
          [`GET ${base}/:id/refused.csv`, [get(`${base}/${NOT_THERE}/refused.csv`, "refused rows of no import")]],
          [`POST ${base}/:id/:act`, post(`${base}/${NOT_THERE}/run`, "running no import", {})],
        ];
      }),
    ),
    "GET /_/docs": [get("/_/docs"), get("/_/docs?search=permissions", "documentation about permissions")],
    "GET /_/docs/:page": [get("/_/docs/language"), get("/_/docs/none", "a page that is not there")],
    "GET /_/docs/:page/:part": [get("/_/docs/how-to/import-records"), get("/_/docs/how-to/none", "no page")],
    "GET /_/app.webmanifest": [get("/_/app.webmanifest")],
    "GET /_/logo.png": [get("/_/logo.png")],
    "GET /_/logo.svg": [get("/_/logo.svg")],
    "GET /_/icon.svg": [get("/_/icon.svg")],
    "GET /_/icon-whole.svg": [get("/_/icon-whole.svg")],
    ...Object.fromEntries(
      ["icon", "icon-whole"].flatMap((name) =>
        [192, 512].map((side) => [`GET /_/${name}-${side}.png`, [get(`/_/${name}-${side}.png`)]]),
      ),
    ),
    "GET /_/offline.js": [get("/_/offline.js?language=de")],
    "GET /_/pictures": [get(`/_/pictures?of=${people.slice(0, 100).join(",")}`)],
    "GET /_/preferences": [get("/_/preferences")],
    "POST /_/preferences": [
      { method: "POST", path: "/_/preferences", body: { theme: "dark", roomy: true }, what: "how they like it" },
    ],
    "GET /_/account": [get("/_/account")],
    "GET /_/permissions": [
      get("/_/permissions"),
      get(`/_/permissions?of=Nothing&record=${NOT_THERE}&as=${NOT_THERE}`, "permissions on what is not there"),
      ...entities.flatMap(({ name }) => [
        get(`/_/permissions?of=${name}`),
        ...random
          .some(idsOf(asking, name), 6)
          .map((id) => get(`/_/permissions?of=${name}&record=${id}`, `permissions on a ${name}`)),
      ]),
      ...entities
        .slice(0, 2)
        .flatMap(({ name }) =>
          random.some(people, 2).map((id) => get(`/_/permissions?of=${name}&as=${id}`, "permissions of another")),
        ),
    ],
    "POST /_/account/tokens": [
      {
        method: "POST",
        path: "/_/account/tokens",
        body: { name: "program", days: 30, roles: [...principal.granted], reads: true },
        what: "a token for a program",
      },
    ],
    "GET /_/providers/:name": [get("/_/providers/none")],
    "GET /_/providers/:name/return": [get("/_/providers/none/return?code=a&state=b")],
    "GET /_/mail/unsubscribe": [get("/_/mail/unsubscribe?token=none")],
    "POST /_/mail/unsubscribe": [
      { method: "POST", path: "/_/mail/unsubscribe", body: { token: "none" }, what: "mails of somebody" },
    ],
    "POST /_/mail/transition-link": [
      { method: "POST", path: "/_/mail/transition-link", body: { token: "none" }, what: "a link of somebody" },
    ],
    "POST /_/mail/transition": [
      {
        method: "POST",
        path: "/_/mail/transition",
        body: { token: "none", values: {}, version: 1 },
        what: "a transition of somebody",
      },
    ],
    "POST /_/sign-up": emails
      .slice(0, 2)
      .map((email) => ({ method: "POST", path: "/_/sign-up", body: { email }, what: "an address to register" })),
    "POST /_/sign-up/link": [{ method: "POST", path: "/_/sign-up/link", body: { token: "none" }, what: "no link" }],
    "POST /_/sign-up/account": [
      {
        method: "POST",
        path: "/_/sign-up/account",
        body: { token: "none", name: "A", password: "long enough to be one", more: {} },
        what: "no link",
      },
    ],
    "POST /_/forgotten-password": emails.slice(0, 2).map((email) => ({
      method: "POST",
      path: "/_/forgotten-password",
      body: { email },
      what: "a forgotten password",
    })),
    ...Object.fromEntries(
      model.calls.flatMap(({ method, path, does }) =>
        does.kind === "steps" ? [] : [[`${method} ${path}`, signingRequests(asking, method, path, does)]],
      ),
    ),
    "GET /_/unsent": [get("/_/unsent"), get(`/_/unsent?after=${NOT_THERE}`)],
    "POST /_/unsent/send": [{ method: "POST", path: "/_/unsent/send", what: "every message" }],
    "POST /_/unsent/:id/send": [{ method: "POST", path: `/_/unsent/${NOT_THERE}/send`, what: "no message" }],
    "GET /_/held": [get("/_/held")],
    "POST /_/held/let-go": [{ method: "POST", path: "/_/held/let-go", body: { old: false }, what: "what waits" }],
    "GET /_/deletion": entities.flatMap(({ name }) => {
      const ids = [...random.some(idsOf(asking, name), 3), NOT_THERE];
      return [...ids, ids.join(",")].map((records) =>
        get(`/_/deletion?of=${name}&records=${records}`, `whether a ${name} can be deleted`),
      );
    }),
    "GET /_/transitions": entities.flatMap(({ name }) => {
      const ids = [...random.some(idsOf(asking, name), 3), NOT_THERE];
      return [...ids, ids.join(",")].map((records) =>
        get(`/_/transitions?of=${name}&records=${records}`, `which transitions of a ${name} are refused`),
      );
    }),
    "POST /_/deputies": [...random.some(idsOf(asking, "Deputy"), 4), NOT_THERE].flatMap((id) =>
      [null, "2026-12-02"].map((last_day) => ({
        method: "POST",
        path: "/_/deputies",
        body: {
          values: {
            deputy: random.pick(idsOf(asking, "User")) ?? null,
            first_day: "2026-12-03",
            last_day: "2026-12-04",
          },
          ends: [{ id, version: 1, last_day }],
        },
        what: "a deputy in the place of another",
      })),
    ),
    "GET /_/deputies/holders": [get("/_/deputies/holders", "people who hold the roles of the caller")],
    "GET /_/trash": [
      get("/_/trash"),
      get("/_/trash?of=Nothing", "deleted records of nothing"),
      get(`/_/trash?after=2026-12-01T00:00:00.000Z_${NOT_THERE}`, "the trash after a moment"),
      ...entities.map(({ name }) => get(`/_/trash?of=${name}`, `deleted records of ${name}`)),
      get("/_/trash?search=Xyzzyq", "deleted records by a word that only the hidden ones have"),
      get("/_/trash?search=e", "deleted records by a letter"),
      get("/_/trash?at%3E=2026-11-01T00:00:00.000Z&at%3C=2026-12-01T09:30:00.000Z", "deleted records of a time"),
      get("/_/trash?at%40=last_30_days", "deleted records of a period"),
      ...[...(rows[0]?.get("User")?.keys() ?? [])]
        .slice(0, 3)
        .map((id) => get(`/_/trash?person=${id}`, "deleted records of a person")),
    ],
    // A refusal quotes what the body has under the name of its field.
    "POST /_/trash/bring-back": entities.flatMap(({ name, fields }) =>
      [
        ...Array.from({ length: TRASHED }, (_, nth) => trashedId(name, nth)),
        ...random.some(idsOf(asking, name), 1),
      ].map((record) => ({
        method: "POST",
        path: "/_/trash/bring-back",
        body: { ...Object.fromEntries([...fields.keys()].map((field) => [field, null])), of: name, record },
        what: `bringing back a ${name}`,
      })),
    ),
    "GET /_/visits": entities.flatMap(({ name }) =>
      random.some(idsOf(asking, name), 6).map((id) => get(`/_/visits?of=${name}&record=${id}`, `visits of a ${name}`)),
    ),
    "POST /_/visits": entities.flatMap(({ name }) =>
      random.some(idsOf(asking, name), 3).map((record) => ({
        method: "POST",
        path: "/_/visits",
        body: { of: name, record, seen: "2026-11-01T00:00:00.000Z" },
        what: `a visit of a ${name}`,
      })),
    ),
    "GET /_/questions": [
      get("/_/questions"),
      get("/_/questions?where=/nowhere", "whether nothing is decided"),
      ...pages.map((path) => get(`/_/questions?where=${encodeURIComponent(path)}`, "whether that is decided")),
    ],
    "POST /_/questions": doings.slice(0, 3).map(([entity, what]) => ({
      method: "POST",
      path: "/_/questions",
      body: {
        do: what,
        record: random.pick(idsOf(asking, entity.name)) ?? "",
        field: random.pick(fieldsOf(entity))?.name ?? "",
        where: random.pick(pages) ?? "",
      },
      what: "a question to the author",
    })),
    "GET /_/sign-ins": [get("/_/sign-ins"), get("/_/sign-ins?failed=true"), get("/_/sign-ins?search=a&after=1")],
    "GET /_/sign-ups": [get("/_/sign-ups")],
    "POST /_/sign-ups/:id/link": [{ method: "POST", path: `/_/sign-ups/${NOT_THERE}/link`, what: "no address" }],
    "DELETE /_/sign-ups/:id": [{ method: "DELETE", path: `/_/sign-ups/${NOT_THERE}`, what: "no address" }],
    "DELETE /_/account/tokens/:id": ids.token.map((id) => ({
      method: "DELETE",
      path: `/_/account/tokens/${id}`,
      what: "a token of another",
    })),
    "DELETE /_/people/:id/tokens/:token": random.some(people, 2).flatMap((id) =>
      // An administrator deletes tokens and gets a confirmation.
      (isAdministrator(principal) ? [NOT_THERE] : ids.token).map((token) => ({
        method: "DELETE",
        path: `/_/people/${id}/tokens/${token}`,
        what: "a token of another",
      })),
    ),
    // Names that others have, or that a rule refuses.
    "POST /_/account/name": [...random.some(people, 2), ""].map((one) => ({
      method: "POST",
      path: "/_/account/name",
      body: { name: one },
      what: "a name of one’s own",
    })),
    "POST /_/account/close": [
      { method: "POST", path: "/_/account/close", body: { password: "wrong" }, what: "close the account" },
    ],
    "POST /_/account/password": [
      {
        method: "POST",
        path: "/_/account/password",
        body: { current: "wrong", password: "also wrong" },
        what: "password",
      },
    ],
    "DELETE /_/account/sessions/:id": ids.session.map((id) => ({
      method: "DELETE",
      path: `/_/account/sessions/${id}`,
      what: "a session of another",
    })),
    "DELETE /_/account/sessions": [{ method: "DELETE", path: "/_/account/sessions", what: "sessions" }],
    "GET /_/people": [
      get("/_/people?role=administrator", "people with a role"),
      get("/_/people"),
      get("/_/people?sample=true", "sample people"),
      get(
        `/_/people?${random
          .some(people, 2)
          .map((id) => `id=${id}`)
          .join("&")}`,
        "people by id",
      ),
      ...emails.map((one) => get(`/_/people?search=${encodeURIComponent(String(one))}`)),
      ...random.some(people, 2).map((id) => get(`/_/people?after=${id}`, "people after another")),
    ],
    "POST /_/samples/remove": [{ method: "POST", path: "/_/samples/remove", body: {}, what: "remove samples" }],
    "POST /_/people": [
      {
        method: "POST",
        path: "/_/people",
        body: { name: "New", email: emails[0], roles: [], more: {} },
        what: "invite",
      },
    ],
    "GET /_/people/:id": random.some(people, 4).map((id) => get(`/_/people/${id}`)),
    "GET /_/open-points": [get("/_/open-points")],
    "GET /_/document": [get("/_/document")],
    "POST /_/draft": [{ method: "POST", path: "/_/draft?name=a.csv", body: {}, what: "a draft from a file" }],
    "GET /_/document/states": [get("/_/document/states")],
    "POST /_/document/plan": drafts.map(({ what, text }) => ({
      method: "POST",
      path: "/_/document/plan",
      body: draftOf(text),
      what: `a plan by which ${what}`,
    })),
    "POST /_/document/plan/records": drafts.flatMap(({ what, text, point }, nth) =>
      ["", ...(nth === 0 ? [`&after=${NOT_THERE}`] : [])].map((more) => ({
        method: "POST",
        path: `/_/document/plan/records?at=${point}${more}`,
        body: draftOf(text),
        what: `the records of a plan by which ${what}`,
      })),
    ),
    "POST /_/document/replay": drafts.slice(0, 1).map(({ what, text }) => ({
      method: "POST",
      path: "/_/document/replay",
      body: draftOf(text),
      what: `a replay of a change by which ${what}`,
    })),
    "POST /_/document": drafts.slice(0, 1).map(({ what, text }) => ({
      method: "POST",
      path: "/_/document",
      body: draftOf(text),
      what: `a change by which ${what}`,
    })),
    "GET /_/job": [get("/_/job")],
    "POST /_/job/pause": [{ method: "POST", path: "/_/job/pause", body: {}, what: "pausing a version" }],
    "POST /_/job/resume": [{ method: "POST", path: "/_/job/resume", body: {}, what: "resuming a version" }],
    "POST /_/job/abandon": [{ method: "POST", path: "/_/job/abandon", body: {}, what: "abandoning a version" }],
    "GET /_/retired": [get("/_/retired")],
    "GET /_/retired/sample": [get("/_/retired/sample?name=Thing.place&version=2", "a sample of retired data")],
    "GET /_/retired/export": [get("/_/retired/export?name=Thing.place&version=2", "an export of retired data")],
    "POST /_/retired/delete": [
      {
        method: "POST",
        path: "/_/retired/delete",
        body: { name: "Thing.place", version: 2 },
        what: "deleting retired data",
      },
    ],
    "GET /_/versions": [get("/_/versions"), get("/_/versions?before=2", "versions before another")],
    "GET /_/versions/:number": [get("/_/versions/1", "a version"), get("/_/versions/999", "a version that is not")],
    "POST /_/versions/:number/plan": drafts.slice(0, 1).map(() => ({
      method: "POST",
      path: "/_/versions/1/plan",
      // Only the base is read; the comparison looks in the text of version 1 for words that the answer may quote.
      body: draftOf(asking.text),
      what: "a plan of going back",
    })),
    "POST /_/versions/:number/restore": [
      { method: "POST", path: "/_/versions/1/restore", body: { base: "another" }, what: "going back" },
    ],
    "GET /_/proposals": [get("/_/proposals"), get("/_/proposals?before=2", "proposals before another")],
    "POST /_/proposals": drafts.slice(0, 1).map(({ text }) => ({
      method: "POST",
      path: "/_/proposals",
      body: { ...draftOf(text), base: "another" },
      what: "a proposal",
    })),
    "GET /_/proposals/:number": [
      get("/_/proposals/1", "a proposal"),
      get("/_/proposals/999", "a proposal that is not"),
    ],
    "POST /_/proposals/:number": drafts.slice(0, 1).map(({ text }) => ({
      method: "POST",
      path: "/_/proposals/1?revision=1",
      body: { ...draftOf(text), base: "another" },
      what: "editing a proposal",
    })),
    ...Object.fromEntries(
      ["plan", "comment", "approve", "reject", "withdraw", "reopen"].map((act) => [
        `POST /_/proposals/:number/${act}`,
        [
          {
            method: "POST",
            path: `/_/proposals/1/${act}`,
            // The plan of a proposal reads no body; the comparison looks there for the words of the text.
            body: act === "plan" ? draftOf(asking.proposed ?? "") : { hash: "another", comment: "x" },
            what: `${act} of a proposal`,
          },
        ],
      ]),
    ),
    "POST /_/session": [
      ...emails.slice(0, 2).map((email) => ({ email, password: "wrong wrong wrong" })),
      ...(model.signIn.by === null ? [] : poolOf(asking, "User", model.signIn.by).slice(0, 2)).map((value) => ({
        [model.signIn.by ?? "email"]: value,
        password: "wrong wrong wrong",
      })),
      { demonstration: "none" },
      { preview: "none" },
    ].map((body) => ({ method: "POST", path: "/_/session", body, what: "signing in as somebody else" })),
    "DELETE /_/session": [{ method: "DELETE", path: "/_/session", what: "signing out" }],
    "POST /_/first-administrator": [
      {
        method: "POST",
        path: "/_/first-administrator",
        body: { token: "none", name: "A", email: emails[0] ?? "a@b.c", password: "long enough to be one" },
        what: "first administrator",
      },
    ],
    "POST /_/password-link": [{ method: "POST", path: "/_/password-link", body: { token: "none" }, what: "no link" }],
    "POST /_/password": [
      {
        method: "POST",
        path: "/_/password",
        body: { token: "none", password: "long enough to be one", name: "Ada" },
        what: "no link",
      },
    ],
    "GET /healthz": [get("/healthz")],
    "GET /readyz": [get("/readyz")],
    "GET /*": [
      ...[...pages, "/", "/nowhere"].map((path) => get(path)),
      // A page includes the responses to its first requests.
      ...model.screens
        .flatMap((screen) =>
          screen.kind === "record" || screen.kind === "form"
            ? random.some(idsOf(asking, screen.entity), 3).map((id) => screen.path.replace(/\{[^}]*\}/gu, id))
            : [screen.path],
        )
        .map((path) => ({ ...get(path, `the page at ${path}`), headers: { accept: "text/html" } })),
      // The address of a list contains its query.
      ...model.screens.flatMap((screen) => {
        const entity = screen.kind === "list" ? model.entities.get(screen.entity) : undefined;
        return random
          .some(entity === undefined ? [] : listRequests(asking, entity, screen.path), 3)
          .map((one) => ({ ...one, headers: { accept: "text/html" }, what: `the page at ${one.path}` }));
      }),
    ],
    "GET /_/assets/*": [get("/_/assets/none.js")],
    "POST /_/look": [NOT_THERE, ...random.some(isAdministrator(principal) ? [] : people, 2)].map((one) => ({
      method: "POST",
      path: "/_/look",
      body: { person: one },
      what: "looking as somebody else",
    })),
    "DELETE /_/look": [{ method: "DELETE", path: "/_/look", what: "looking as oneself again" }],
  };
  for (const what of ["activate", "deactivate", "end_sessions", "grant", "take", "password_link"])
    drivers[`POST /_/people/:id/${what}`] = random
      .some(
        people.filter((id) => id !== principal.id),
        2,
      )
      .map((id) => ({ method: "POST", path: `/_/people/${id}/${what}`, body: { role: "administrator" }, what }));
  for (const entity of entities)
    drivers[`GET /api/${entity.path}/:id/files/:file`] = random
      .some(idsOf(asking, entity.name), 12)
      .flatMap((id) =>
        random.some(files, 4).map((file) => get(`/api/${entity.path}/${id}/files/${file}`, `a file of ${entity.name}`)),
      );
  return drivers;
};
