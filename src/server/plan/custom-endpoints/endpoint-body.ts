import { missingMemberRefusal, unknownMemberRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Call, CallStep, TakenField } from "../../../core/model/endpoint.ts";
import { jsonPointer, placeInBody } from "../../../core/model/facts/place-in-body.ts";
import { isList } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";
import { type Refusal, type RefusalAt, refuseAt, typeMismatch } from "../../refusal.ts";

/** Maps between a custom endpoint's body and the fields of its steps. */

/**
 * The field values in a body, at the positions that the payload declares. In the parts of a list, members that no field takes
 * are passed on under their pointers, like those of `unknownMembers`, unless the call ignores them.
 */
export const extractValues = (takes: readonly TakenField[], body: Values, ignoresUnknown = false): Values => {
  const own = takes.filter((take) => take.isCredential !== true);
  const { values } = readBody(own, body);
  const lists = own.flatMap(({ field, parts }) => {
    const sent = values[field];
    return parts === undefined || !Array.isArray(sent)
      ? []
      : [[field, sent.map((part) => toPart(parts.takes, part))] as const];
  });
  return lists.length === 0 ? values : { ...values, ...Object.fromEntries(lists) };

  function toPart(fields: readonly TakenField[], part: Json): Json {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const { unknown, unlike } = readBody(fields, part as Values);
    const others = ignoresUnknown ? unlike : [...unknown, ...unlike];
    return {
      ...extractValues(fields, part as Values, ignoresUnknown),
      ...Object.fromEntries(others.map((path) => [jsonPointer(path), null])),
    };
  }
};

/** The values of the members that are not fields: `password` and `current_password`. */
export const extractCredentials = (takes: readonly TakenField[], body: Values): Values =>
  readBody(
    takes.filter((take) => take.isCredential === true),
    body,
  ).values;

/**
 * Refuses members of a body that no payload of the endpoint declares, and other values where an object is expected.
 * Undefined if a step accepts its fields under their own names. A step that writes refuses unknown members itself, together
 * with its other errors (`unknownMembers`).
 */
export const refuseUnknownMembers = (
  call: Call,
  steps: readonly Pick<CallStep, "takes">[],
  body: Values,
): Refusal | undefined => {
  if (steps.some(({ takes }) => takes === null)) return undefined;
  const { unknown, unlike } = readBody(
    steps.flatMap(({ takes }) => takes ?? []),
    body,
  );
  const clause = call.clause.id;
  const at = [
    ...unlike.map((path) => typeMismatch(jsonPointer(path), clause, { field: path.at(-1) ?? "", type: "object" })),
    ...(call.ignoresUnknown || reportsUnknownLater(call) ? [] : unknown).map((path): RefusalAt => {
      return { ...unknownMemberRefusal(call), at: jsonPointer(path), values: { field: path.at(-1) ?? "" } };
    }),
  ].slice(0, 50);
  return at.length === 0 ? undefined : refuseAt(at);
};

const writes: ReadonlySet<CallStep["does"]["kind"]> = new Set(["create", "update", "put", "transition"]);

/** True if unknown members are reported together with the other errors of the body: in one write, and in signing in or up. */
const reportsUnknownLater = ({ does }: Call): boolean =>
  does.kind === "steps"
    ? does.steps.length === 1 && does.steps.every((step) => writes.has(step.does.kind))
    : does.kind === "sign in" || does.kind === "sign up";

/**
 * Unknown members as values, under names that no field has: their JSON pointers. The plan of the write refuses them like
 * unknown fields, and `relocateRefusal` gives the refusals their place.
 */
export const unknownMembers = (call: Call, { takes }: Pick<CallStep, "takes">, body: Values): Values =>
  takes === null || call.ignoresUnknown || !reportsUnknownLater(call)
    ? {}
    : Object.fromEntries(readBody(takes, body).unknown.map((path) => [jsonPointer(path), null]));

/** The refusals of unknown members, to be reported with others; `relocateRefusal` gives them their place. */
export const unknownMemberErrors = (call: Call, step: Pick<CallStep, "takes">, body: Values): readonly RefusalAt[] =>
  Object.keys(unknownMembers(call, step, body)).map((member) => ({
    ...unknownMemberRefusal(call),
    at: jsonPointer([member]),
    values: {},
  }));

/**
 * Refuses a body that lacks a required member, or has no value for it, and names its unknown members too. The step itself
 * refuses null for a list, as without `asks`.
 */
export const refuseMissingMembers = (
  model: Model,
  call: Call,
  steps: readonly CallStep[],
  body: Values,
): Refusal | undefined => {
  const at = steps.flatMap((step) => {
    const sent = step.takes === null ? body : extractValues(step.takes, body);
    const fields = model.entities.get(step.entity)?.fields;
    return step.asks
      .filter(
        (name) => sent[name] === undefined || sent[name] === "" || (sent[name] === null && !isList(fields?.get(name))),
      )
      .map((name): RefusalAt => {
        const field = fields?.get(name)?.title ?? name;
        return { ...missingMemberRefusal(call, placeInBody(step.takes, `/${name}`)), values: { field } };
      });
  });
  if (at.length === 0) return undefined;
  return refuseAt([...at, ...steps.flatMap((step) => unknownMemberErrors(call, step, body).map(atMember))]);
};

/** An unknown member at its own place in the body. */
const atMember = (error: RefusalAt): RefusalAt => ({ ...error, ...findPassedMember(error.at) });

const readBody = (
  takes: readonly TakenField[],
  body: Values,
): {
  readonly values: Values;
  readonly unknown: readonly (readonly string[])[];
  /** Paths at which an object was expected. */
  readonly unlike: readonly (readonly string[])[];
} => {
  const values: Record<string, Json> = {};
  const unknown: string[][] = [];
  const unlike: string[][] = [];
  const walk = (at: Json, path: readonly string[]): void => {
    const exact = takes.filter(
      (take) => take.path.length === path.length && take.path.every((part, i) => part === path[i]),
    );
    for (const { field } of exact) values[field] = at;
    if (exact.length > 0) return;
    const isPrefix = takes.some((take) => path.every((part, i) => part === take.path[i]));
    if (!isPrefix) unknown.push([...path]);
    else if (typeof at !== "object" || at === null || Array.isArray(at)) unlike.push([...path]);
    else for (const [name, inner] of Object.entries(at)) walk(inner, [...path, name]);
  };
  for (const [name, inner] of Object.entries(body)) walk(inner, [name]);
  return { values, unknown, unlike };
};

/** Adjusts the pointers of a refusal to the positions in the body. */
export const relocateRefusal = (step: Pick<CallStep, "takes">, refusal: Refusal, call?: Call): Refusal => {
  const at = refusal.at.map((error) => {
    const unknown = error.code === "UNKNOWN_FIELD" ? findPassedMember(placeInBody(step.takes, error.at)) : undefined;
    if (unknown === undefined) return { ...error, at: placeInBody(step.takes, error.at) };
    const isInPart = !error.at.startsWith("/~1");
    return { ...error, ...(call === undefined || isInPart ? {} : unknownMemberRefusal(call)), ...unknown };
  });
  return call !== undefined && at.length > 0 ? { ...refusal, ...refuseAt(at) } : { ...refusal, at };
};

/** The place and the name of a member that was passed on under its pointer: `/lines/0/~1colour` is `/lines/0/colour`. */
const findPassedMember = (at: string): Pick<RefusalAt, "at" | "values"> | undefined => {
  const start = at.indexOf("/~1");
  if (start === -1) return undefined;
  const member = unescaped(at.slice(start + 1));
  return { at: at.slice(0, start) + member, values: { field: unescaped(member.slice(member.lastIndexOf("/") + 1)) } };
};

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/**
 * Adjusts a refusal of several steps that were checked together. Each pointer begins with the index of its step,
 * because two steps can share a position.
 */
export const relocateStepRefusal = (steps: readonly Pick<CallStep, "takes">[], refusal: Refusal): Refusal => {
  const at = refusal.at.map((error) => {
    const [, nth, at = ""] = /^(\d+)(.*)$/su.exec(error.at) ?? [];
    const step = nth === undefined ? undefined : steps[Number(nth)];
    return step === undefined ? error : { ...error, at: placeInBody(step.takes, at) };
  });
  return at.length > 1 ? { ...refusal, ...refuseAt(at) } : { ...refusal, at };
};
