import { deciderOf, holdsRole } from "../core/derive/access.ts";
import { rolesThat } from "../core/explain/who.ts";
import { isId } from "../core/field/reference.ts";
import type { Call, Entity } from "../core/model/model.ts";
import type { Json } from "../core/wire.ts";
import { bodyOf, type Intent, type Request, type Values, versionOf } from "./ask.ts";
import { newId } from "./ids.ts";
import type { Reply } from "./plan/action.ts";
import { findByPath, planCalledList, planCalledRecord } from "./plan/called.ts";
import { type Asker, entityOf } from "./plan/context.ts";
import { plan } from "./plan.ts";
import { forbid, type Refusal, type RefusalAt, refuse } from "./refusal.ts";
import { run } from "./run.ts";
import type { Service } from "./service.ts";
import { type Asking, withReasons } from "./why.ts";

/** What was asked of a call of point 7, before anybody looks at who asks. */
export interface Called extends Omit<Request, "params"> {
  /** What stood in the path, in the order of its parameters. */
  readonly path: readonly string[];
}

/**
 * Carries out a call that the document shows. What it does is planned and judged as the conventional call of the same
 * kind; what it answers is read afterwards, by the eyes of who asks.
 */
export const performCall = async (
  service: Service,
  call: Call,
  called: Called,
  asking: Asking,
): Promise<Reply | Refusal> => {
  const { context, database, format, model } = service;
  const { person, now, tongue } = asking;
  const asker = service.asker(person, now, tongue);
  if (call.by?.some((role) => holdsRole(model, role, person)) === false) {
    const could = rolesThat(tongue, call.by);
    return {
      ...forbid(call.clause.id, tongue.sentences.whoMayCall(call.name, call.by)),
      ...(could === null ? {} : { could }),
    };
  }
  const answer = async (settled: ReturnType<typeof plan>): Promise<Reply | Refusal> =>
    settled.kind === "refusal" ? settled : run(database, settled);

  const { does } = call;
  if (does.kind === "list") {
    const address = { parameters: called.path, query: called.query };
    return finished(call, await answer(planCalledList(context, { ...call, does }, address, asker, format)));
  }
  if (Object.keys(called.query).length > 0)
    return refuse("BAD_QUERY", call.clause.id, { detail: "this call takes no words in its address" });
  if (does.kind === "read" && call.gives !== null)
    return finished(call, await answer(planCalledRecord(context, call, { path: called.path }, asker, format)));
  const intent = await intentOf(service, call, called, asker);
  if ("code" in intent) return intent;
  const outcome = await answer(plan(context, intent, asker, format, newId(now)));
  if (outcome.kind === "refusal") return relocated(call, await withReasons(service, intent, outcome, asking));
  if (call.gives === null || does.kind === "delete") return finished(call, outcome);
  const id = idOf(outcome);
  const shown = await answer(planCalledRecord(context, call, { id }, asker, format));
  // Who wrote it may not be one who may read it.
  if (shown.kind === "refusal") return finished(call, outcome);
  return finished(call, {
    ...shown,
    status: call.status ?? outcome.status,
    headers: { ...outcome.headers, ...shown.headers },
  });
};

const idOf = ({ body }: Reply): string => String((body as { readonly id: unknown }).id);

/** With the status and the headers that the document shows. A place that is not served is not told. */
const finished = (call: Call, outcome: Reply | Refusal): Reply | Refusal => {
  if (outcome.kind === "refusal") return outcome;
  const { location, ...headers } = outcome.headers;
  return {
    ...outcome,
    status: call.status ?? outcome.status,
    headers: { ...headers, ...(location === undefined ? {} : { location }), ...Object.fromEntries(call.headers) },
  };
};

/** The conventional call that it is, on the record that its path names. */
const intentOf = async (
  service: Service,
  call: Call,
  called: Called,
  asker: Asker,
): Promise<Exclude<Intent, { kind: "list" | "overview" }> | Refusal> => {
  const { context } = service;
  const entity = entityOf(context, call.entity);
  const { does } = call;
  const label = false;
  const notFound = refuse("NOT_FOUND", deciderOf(entity, "read"));
  const body = bodyOf(called);
  if (body === undefined) return refuse("MALFORMED");
  const values = taken(call, body);
  if ("code" in values) return values as Refusal;
  if (does.kind === "create") {
    const fixed: Record<string, Json> = {};
    for (const [i, parameter] of call.parameters.entries()) {
      const target = service.model.entities.get(entity.fields.get(parameter.fixes ?? "")?.entity ?? "");
      if (target === undefined || parameter.fixes === null) return notFound;
      const id = await found(service, target, { ...call, parameters: [parameter] }, [called.path[i] ?? ""], asker);
      if (id === undefined) return refuse("NOT_FOUND", deciderOf(target, "read"));
      fixed[parameter.fixes] = id;
    }
    const key = called.idempotencyKey ?? null;
    if (key !== null && (key === "" || key.length > 255))
      return refuse("BAD_QUERY", undefined, { detail: "an Idempotency-Key has 1 to 255 characters" });
    return { kind: "create", entity: entity.name, values: { ...values, ...fixed }, key, label };
  }
  const version = versionOf(called.ifMatch);
  if (version === undefined)
    return refuse("BAD_QUERY", undefined, { detail: 'If-Match is a version in quotes, such as "3"' });
  const id = await found(service, entity, call, called.path, asker);
  if (id === undefined) return notFound;
  const of = { entity: entity.name, id };
  switch (does.kind) {
    case "delete":
      return { kind: "delete", ...of, version };
    case "update":
      return { kind: "update", ...of, values, version, label };
    case "transition":
      return { kind: "transition", ...of, transition: does.transition, values, version, label };
    default:
      return { kind: "read", ...of, label, screen: null };
  }
};

/** The id of the record that a path names; undefined where it names none, or several. */
const found = async (
  service: Service,
  entity: Entity,
  { parameters }: Pick<Call, "parameters">,
  path: readonly string[],
  asker: Asker,
): Promise<string | undefined> => {
  const [only] = parameters;
  const [text = ""] = path;
  if (parameters.length === 1 && only?.at.kind === "field" && only.at.of.kind === "this" && only.field.name === "id")
    return isId(text) ? text.toLowerCase() : undefined;
  const query = findByPath(service.context, entity, parameters, path, asker);
  const [row, other] = query === undefined ? [] : await service.database.query(query);
  return row === undefined || other !== undefined ? undefined : String(row.id);
};

const pointer = (path: readonly string[]): string =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The fields that a body gives, where its payload says that they stand. Anything else in it is no field. */
const taken = (call: Call, body: Values): Values | Refusal => {
  const { takes } = call;
  if (takes === null) return body;
  const values: Record<string, Json> = {};
  const unknown: string[][] = [];
  const walk = (at: Json, path: readonly string[]): void => {
    const exact = takes.find((one) => one.path.length === path.length && one.path.every((part, i) => part === path[i]));
    if (exact !== undefined) {
      values[exact.field] = at;
      return;
    }
    const leads = takes.some((one) => path.every((part, i) => part === one.path[i]));
    if (leads && typeof at === "object" && at !== null && !Array.isArray(at))
      for (const [name, inner] of Object.entries(at)) walk(inner, [...path, name]);
    else unknown.push([...path]);
  };
  walk(body, []);
  if (unknown.length === 0) return values;
  const at = unknown.slice(0, 50).map(
    (path): RefusalAt => ({
      at: pointer(path),
      code: "UNKNOWN_FIELD",
      clause: call.clause.id,
      values: { field: path.at(-1) ?? "" },
    }),
  );
  const [first] = at;
  if (first === undefined) return values;
  return at.length === 1
    ? { ...first, kind: "refusal", at }
    : { kind: "refusal", code: "INVALID", clause: first.clause, values: {}, at };
};

/** A refusal that points into what was sent, where the payload has the field. */
const relocated = (call: Call, refusal: Refusal): Refusal => ({
  ...refusal,
  at: refusal.at.map((one) => {
    const field = one.at.slice(1);
    const place = call.takes?.find((each) => each.field === field);
    return place === undefined ? one : { ...one, at: pointer(place.path) };
  }),
});
