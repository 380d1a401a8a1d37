import { type Answer, type ApiClient, compiled, type TestServer } from "../program.ts";
import {
  describeApplication,
  isMet,
  isProblem,
  type MayRefuse,
  type OpenApi,
  type Operation,
  operationsOf,
  resolvedIn,
  type Schema,
} from "./described.ts";

/*
 * Drives each operation of an application to each response in its description. A file per application tells how to
 * perform each operation; this file derives all usual invalid requests from that. Refusals that depend on stored
 * records (rules, guards, limited references) are triggered by that file one by one.
 */

/** A request to send. */
export interface Sent {
  readonly by: ApiClient;
  /** Values of the path parameters. */
  readonly id?: string;
  readonly query?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export type Way = () => Sent | Promise<Sent>;

export interface Ways {
  /** How to perform each operation by name, such as `Loan.create`. */
  readonly done: Readonly<Record<string, Way>>;
  /** Requests that trigger refusals depending on records, by operation and code: `Loan.create DUE_BEFORE_START`. */
  readonly refused: Readonly<Record<string, Way | readonly Way[]>>;
  /** All persons who send requests, including those without permissions. */
  readonly people: readonly ApiClient[];
}

export interface Drive {
  /** Described responses that did not occur. */
  readonly unreached: readonly string[];
  /** Responses that occurred and are not described. */
  readonly wrong: readonly string[];
  readonly requests: number;
}

/** The changes to a valid request that trigger a response. */
interface Try {
  readonly by?: ApiClient;
  readonly id?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly raw?: string;
}

const NOWHERE = "01a1f40a-58ca-7a05-9984-7eae99dc592e";

export const driveEverything = async (served: TestServer, text: string, ways: Ways): Promise<Drive> => {
  const { model } = compiled(text);
  const { document, complaintsOf } = describeApplication(model);
  const resolved = resolvedIn(document);
  const visitor = served.visitor();
  const wrong: string[] = [];
  const unreached: string[] = [];
  let requests = 0;

  const send = async (operation: Operation, good: Sent, aim: Try): Promise<Answer> => {
    const { by = good.by, id = good.id ?? "", query = good.query, headers = {}, raw } = { ...aim };
    const path = `${operation.path.replace(/\{[^}]*\}/gu, () => encodeURIComponent(id))}${query === undefined ? "" : `?${query}`}`;
    const body = operation.requestBody === undefined || raw !== undefined ? undefined : (aim.body ?? good.body ?? {});
    const answer = await by.send(operation.method, path, body, raw === undefined ? { headers } : { headers, raw });
    requests++;
    for (const complaint of complaintsOf(operation, answer))
      wrong.push(
        `${operation.method} ${path} ${JSON.stringify(body ?? raw)?.slice(0, 300)}\n  ${answer.status} ${answer.text.slice(0, 500)}\n  ${complaint}`,
      );
    return answer;
  };

  /** The refusals in a response; several validation errors count individually. */
  const cameIn = (answer: Answer) => {
    if (answer.status < 400 || !isProblem(answer)) return [];
    const { code, clause, errors } = answer.problem();
    return errors ?? [{ code, ...(clause === undefined ? {} : { clause }) }];
  };

  // Signing in and imports work alike in all applications. Only files with `done` entries drive the former, and imports
  // have a test of their own.
  const operations = operationsOf(document).filter(
    ({ operationId, tags }) =>
      !tags.includes("import") && (!operationId.startsWith("session.") || operationId in ways.done),
  );
  for (const operation of operations) {
    const { operationId } = operation;
    const messages: string[] = [];
    const way = ways.done[operationId];
    if (way === undefined) {
      unreached.push(`${operationId}: nothing says how it is carried out`);
      continue;
    }
    let good = await way();
    const open = new Map<MayRefuse, string>(
      Object.entries(operation.responses).flatMap(([status, { "x-refusals": refusals = [] }]) =>
        refusals.map((one) => [one, status] as const),
      ),
    );
    const remember = (answer: Answer) => {
      const came = cameIn(answer);
      messages.push(`${answer.status} ${came.map(({ code, ...of }) => `${code} ${(of as { at?: string }).at ?? ""}`)}`);
      for (const [one] of open) if (came.some((each) => isMet(one, each))) open.delete(one);
    };
    const aimed: Aim = { operation, good, document, resolved, visitor, people: ways.people };
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith("2"));

    for (const [key, way] of Object.entries(ways.refused)) {
      if (!key.startsWith(`${operationId} `)) continue;
      for (const one of typeof way === "function" ? [way] : way) {
        const answer = await send(operation, await one(), {});
        const code = key.slice(operationId.length + 1);
        if (!cameIn(answer).some((each) => each.code === code))
          unreached.push(`${key}: ${answer.status} ${answer.text.slice(0, 300)}`);
        remember(answer);
      }
    }
    for (const code of new Set([...open.keys()].map((one) => one.code)))
      for (const aim of triesFor(
        aimed,
        code,
        [...open.keys()].filter((one) => one.code === code),
      )) {
        if (![...open.keys()].some((one) => one.code === code)) break;
        const answer = await send(operation, good, aim);
        remember(answer);
        // A request meant to be refused can succeed; its effect then remains.
        if (answer.status < 300 && operation.method !== "GET") good = await way();
      }
    const key = [...open.keys()].some(({ code }) => code === "KEY_REUSED") ? { "idempotency-key": operationId } : {};
    const done = await send(operation, good, { headers: key });
    if (!successes.includes(String(done.status)))
      unreached.push(`${operationId} ${successes.join()}: ${done.status} ${done.text.slice(0, 400)}`);
    // Another request with the key, which belongs to the person; then the same one again, as of a record that has moved.
    if ("idempotency-key" in key)
      remember(await send(operation, { ...otherThan(aimed, await way()), by: good.by }, { headers: key }));
    if (open.size > 0) remember(await send(operation, good, {}));
    // Readers of the result can still lack the permission.
    for (const by of ways.people)
      if ([...open.keys()].some(({ code }) => code === "FORBIDDEN")) remember(await send(operation, good, { by }));
    for (const [{ code, at, "x-clause": clause }, status] of open)
      unreached.push(
        `${operationId} ${status} ${code} by ${clause} at ${at} (came: ${[...new Set(messages)].join("; ")})`,
      );
  }
  const known = new Set(operations.map(({ operationId }) => operationId));
  for (const name of [...Object.keys(ways.done), ...Object.keys(ways.refused).map((key) => key.replace(/ \w+$/u, ""))])
    if (!known.has(name)) unreached.push(`${name}: there is no such operation`);
  return { unreached, wrong, requests };
};

/** Another valid request with different content. */
const otherThan = (aim: Aim, one: Sent): Sent => {
  if (JSON.stringify(one.body) !== JSON.stringify(aim.good.body)) return one;
  const text = Object.keys(one.body ?? {}).find((name) => {
    const { type, format, enum: choices, "x-refers-to": of } = schemaAt(aim, `/${name}`);
    return [type].flat().includes("string") && format === undefined && choices === undefined && of === undefined;
  });
  return text === undefined ? one : { ...one, body: { ...one.body, [text]: "something else" } };
};

interface Aim {
  readonly operation: Operation;
  readonly good: Sent;
  readonly document: OpenApi;
  readonly resolved: ReturnType<typeof resolvedIn>;
  readonly visitor: ApiClient;
  readonly people: readonly ApiClient[];
}

const json = { "content-type": "application/json" };

/** The variations of a request that can trigger a refusal, in the order to try. */
const triesFor = (aim: Aim, code: string, refusals: readonly MayRefuse[]): readonly Try[] => {
  const { operation, good, visitor, people } = aim;
  const { method } = operation;
  const places = refusals.flatMap(({ at }) => (at === undefined ? [] : [at]));
  switch (code) {
    case "NOT_SIGNED_IN":
      return [{ by: visitor }];
    case "NOT_FOUND":
      return [{ id: NOWHERE }, { by: visitor, id: NOWHERE }, ...people.map((by) => ({ by }))];
    case "FOREIGN_ORIGIN":
      return [{ headers: { origin: "https://elsewhere.example" } }];
    case "MALFORMED":
      return [{ headers: json, raw: "[" }];
    case "TOO_MUCH":
      return [{ headers: json, raw: `{"x":"${"x".repeat(1_100_000)}"}` }];
    case "UNSUPPORTED":
      return [{ headers: { "content-type": "text/plain" }, raw: "x" }];
    case "BAD_CURSOR":
      return [{ query: "after=x" }];
    case "BAD_QUERY":
      if (method === "GET" || operation.operationId.includes(" ")) return [{ query: "nothing=1" }];
      return [{ headers: { "if-match": "3", "idempotency-key": "" } }];
    case "CHANGED_MEANWHILE":
      return [
        { headers: { "if-match": '"999999"' } },
        ...places.map((at) => ({ body: withAt(good.body, at, 999_999) })),
      ];
    case "UNKNOWN_FIELD":
      return [{ body: { ...good.body, surprise: 1 } }];
    case "NOT_YOURS_TO_WRITE":
      return closedTo(aim).map((name) => ({ body: { ...good.body, [name]: null } }));
    case "FORBIDDEN":
      return people.map((by) => ({ by }));
    case "KEY_REUSED":
    case "WRONG_STATE":
      return [];
    default:
      return places.length === 0
        ? []
        : [
            { body: places.reduce((body, at) => withAt(body, at, spoilt(aim, code, at)), good.body ?? {}) },
            ...places.map((at) => ({ body: withAt(good.body, at, spoilt(aim, code, at)) })),
          ];
  }
};

/** Response fields that a request cannot contain, because the program or another person sets them. */
const closedTo = ({ operation, document, resolved }: Aim): readonly string[] => {
  const [entity = ""] = operation.tags;
  const taken = resolved(operation.requestBody?.content["application/json"].schema ?? {}).properties ?? {};
  const answered = (document.components.schemas?.[entity] as Schema | undefined)?.properties ?? {};
  return Object.keys(answered)
    .filter((name) => !["id", "version", "created_at", "updated_at", "may", "_label"].includes(name))
    .sort((a, b) => Number(a in taken) - Number(b in taken));
};

/** A body with a value at a pointer; `*` is the first item. */
const withAt = (body: Readonly<Record<string, unknown>> = {}, at: string, value: unknown): Record<string, unknown> => {
  const copy = structuredClone(body) as Record<string, unknown>;
  const names = at.slice(1).split("/");
  let into: Record<string, unknown> = copy;
  for (const [i, name] of names.entries()) {
    const own = name === "*" ? "0" : name;
    if (i === names.length - 1) into[own] = value;
    else {
      if (typeof into[own] !== "object" || into[own] === null) into[own] = names[i + 1] === "*" ? [] : {};
      into = into[own] as Record<string, unknown>;
    }
  }
  return copy;
};

const schemaAt = ({ operation, resolved }: Aim, at: string): Schema => {
  let schema = resolved(operation.requestBody?.content["application/json"].schema ?? {});
  for (const name of at.slice(1).split("/"))
    schema = resolved((name === "*" ? schema.items : schema.properties?.[name]) ?? {});
  return schema;
};

/** A value that triggers the error at the pointer. */
const spoilt = (aim: Aim, code: string, at: string): unknown => {
  const schema = schemaAt(aim, at);
  const isMany = schema.type === "array" || (Array.isArray(schema.type) && schema.type.includes("array"));
  const each = (value: unknown) => (isMany && schema.items?.type !== "object" ? [value] : value);
  const isDay = schema.format === "date";
  switch (code) {
    case "REQUIRED":
      return null;
    case "WRONG_TYPE":
      return at.endsWith("/*") ? 5 : { a: { b: 1 } };
    case "NOT_A_CHOICE":
      return "none of them";
    case "NO_SUCH_REFERENCE":
    case "NO_SUCH_FILE":
    case "NO_SUCH_PICTURE":
    case "NO_SUCH_PART":
      return each(crypto.randomUUID());
    case "TOO_LONG":
      return "1".repeat((schema.maxLength ?? 10_000) + 1);
    case "TOO_SHORT":
      return "";
    case "TOO_SMALL":
      return isDay ? "0001-01-01" : -1_000_000;
    case "TOO_LARGE":
      return isDay ? "9999-12-31" : 1_000_000_000;
    case "TOO_MANY_PARTS":
      return Array.from({ length: 1_001 }, () => ({}));
    default:
      return null;
  }
};
