import type { Call, Step, Taken } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Values } from "../intent.ts";
import { type Refusal, type RefusalAt, refuseAt, wrongType } from "../refusal.ts";

/** Where the fields of a call stand in its body. */

const pointer = (path: readonly string[]): string =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The fields that a body gives, where a payload says that they stand. */
export const takenIn = (takes: readonly Taken[], body: Values): Values => readBody(takes, body).values;

/** What a body gives that no payload of the call has; nothing where a step takes its fields under their own names. */
export const strangersIn = (call: Call, steps: readonly Pick<Step, "takes">[], body: Values): Refusal | undefined => {
  if (steps.some(({ takes }) => takes === null)) return undefined;
  const { unknown, unlike } = readBody(
    steps.flatMap(({ takes }) => takes ?? []),
    body,
  );
  const clause = call.clause.id;
  const at = [
    ...unlike.map((path) => wrongType(pointer(path), clause, { field: path.at(-1) ?? "", type: "object" })),
    ...unknown.map((path): RefusalAt => {
      return { at: pointer(path), code: "UNKNOWN_FIELD", clause, values: { field: path.at(-1) ?? "" } };
    }),
  ].slice(0, 50);
  return at.length === 0 ? undefined : refuseAt(at);
};

const readBody = (
  takes: readonly Taken[],
  body: Values,
): {
  readonly values: Values;
  readonly unknown: readonly (readonly string[])[];
  /** Where fields should stand in an object, and something else stands. */
  readonly unlike: readonly (readonly string[])[];
} => {
  const values: Record<string, Json> = {};
  const unknown: string[][] = [];
  const unlike: string[][] = [];
  const walk = (at: Json, path: readonly string[]): void => {
    const exact = takes.filter(
      (one) => one.path.length === path.length && one.path.every((part, i) => part === path[i]),
    );
    for (const { field } of exact) values[field] = at;
    if (exact.length > 0) return;
    const leads = takes.some((one) => path.every((part, i) => part === one.path[i]));
    if (!leads) unknown.push([...path]);
    else if (typeof at !== "object" || at === null || Array.isArray(at)) unlike.push([...path]);
    else for (const [name, inner] of Object.entries(at)) walk(inner, [...path, name]);
  };
  for (const [name, inner] of Object.entries(body)) walk(inner, [name]);
  return { values, unknown, unlike };
};

/** A refusal that points into what was sent, where the payload has the field. */
export const relocated = (step: Pick<Step, "takes">, refusal: Refusal): Refusal => ({
  ...refusal,
  at: refusal.at.map((one) => ({ ...one, at: placeIn(step, one.at) })),
});

/** The same of steps that are judged together: each place begins with the number of its step. Two may have one place. */
export const relocatedAmong = (steps: readonly Pick<Step, "takes">[], refusal: Refusal): Refusal => {
  const at = refusal.at.map((one) => {
    const [, nth, at = ""] = /^(\d+)(.*)$/su.exec(one.at) ?? [];
    const step = nth === undefined ? undefined : steps[Number(nth)];
    return step === undefined ? one : { ...one, at: placeIn(step, at) };
  });
  return at.length > 1 ? { ...refusal, ...refuseAt(at) } : { ...refusal, at };
};

const placeIn = ({ takes }: Pick<Step, "takes">, at: string): string => {
  // Of a list of parts, what stands in one of them too.
  const place = takes?.find(({ field }) => `${at}/`.startsWith(`/${field}/`));
  return place === undefined ? at : `${pointer(place.path)}${at.slice(place.field.length + 1)}`;
};
