import { toJs } from "../../core/expression/compile/to-js.ts";
import { noRecord } from "../../core/expression/values/value.ts";
import type { ErrorShape } from "../../core/model/endpoint.ts";
import { entryFor, parameterAt } from "../../core/model/error-entry.ts";
import type { Model } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { Refusal } from "../refusal.ts";
import { fieldAt, pathAt, type RequestDetails, sentValue } from "./request-details.ts";

/**
 * The form of a refusal by a custom endpoint: `shape` and `at` of its entry in point 8. A null shape means a problem
 * document; `at` names an error that belongs to no field.
 */
export const formOfRefusal = (
  model: Model,
  { code, clause, at }: Refusal,
  { entity, call }: RequestDetails,
): { readonly shape: ErrorShape | "none" | null; readonly field: string | null } => {
  const [only] = at.length === 1 ? at : [];
  const entry = entryFor(model, call?.errors.get(code) ?? code, { clause, at: only?.at, entity });
  // The entry can name an error of an address too, but not one of the body.
  const isOfBody = at.some((error) => parameterAt(error.at) === undefined);
  return { shape: entry?.shape ?? model.callSettings.errorShape, field: isOfBody ? null : (entry?.at ?? null) };
};

/** A problem with everything that an error shape can read. */
interface ShapedProblem {
  readonly problem: Problem;
  /** The name of an error that belongs to no field. */
  readonly field: string | null;
  readonly now: Date;
  readonly request: RequestDetails;
  /** As in the header of the response. */
  readonly requestId: string;
}

/** Converts a problem into the document's own error shape. */
export const shapeProblem = (shape: ErrorShape, shaped: ShapedProblem): Json => {
  const { code, status, title, detail, clause, help, errors = [] } = shaped.problem;
  const problem = {
    code,
    status,
    title,
    message: detail,
    clause: clause ?? null,
    help: help ?? null,
    request: shaped.requestId,
  };
  return shapeMembers(shape, { single: problem, value: null }, shaped, () =>
    errors.length === 0
      ? [{ single: { ...problem, at: null, field: shaped.field, path: shaped.field }, value: null }]
      : errors.map((error) => ({
          single: {
            ...problem,
            code: error.code,
            message: error.message,
            clause: error.clause,
            help: error.help ?? null,
            at: error.at === "" ? null : error.at,
            field: fieldAt(error.at, shaped.field),
            path: pathAt(error.at, shaped.field),
          },
          value: sentValue(error, shaped.request) ?? null,
        })),
  );
};

/** The members of an error, or of the problem. */
interface ShapedMembers {
  /** Those with a single value, as expressions read them. */
  readonly single: Readonly<Record<string, string | number | null>>;
  /** The JSON that was sent. */
  readonly value: Json;
}

const shapeMembers = (
  shape: ErrorShape,
  members: ShapedMembers,
  shaped: ShapedProblem,
  list: () => readonly ShapedMembers[],
): Json => {
  switch (shape.kind) {
    case "names":
      return Object.fromEntries(
        shape.of.map(([name, errorShape]) => [name, shapeMembers(errorShape, members, shaped, list)]),
      );
    case "each":
      return list().map((shapedMembers) => shapeMembers(shape.of, shapedMembers, shaped, list));
    case "fields":
      return Object.fromEntries(
        [...groupByField(list(), shape.by, shaped)].map(([name, [first = members, ...others]]) => [
          name,
          shapeMembers(shape.of, first, shaped, () => [first, ...others]),
        ]),
      );
    case "value": {
      const now = shaped.now.toISOString();
      return toJs(shape.value)(noRecord, {
        names: members.single,
        now,
        today: now.slice(0, 10),
        rows: () => [],
      }) as Json;
    }
    case "member":
      if (shape.member === "value") return members.value;
      if (shape.member === "errors") return (shaped.problem.errors ?? []).map((error) => ({ ...error }));
      return shape.member === "messages"
        ? shapeMembers(MESSAGES, members, shaped, list)
        : (members.single[shape.member] ?? null);
  }
};

/** The messages of a problem by field. */
const MESSAGES = {
  kind: "fields",
  by: "field",
  of: { kind: "each", of: { kind: "member", member: "message" } },
} as const;

/** The errors of a problem by field name; general ones under their own name, or under `body`. */
const groupByField = (
  errors: readonly ShapedMembers[],
  by: "field" | "path",
  { field }: ShapedProblem,
): ReadonlyMap<string, readonly ShapedMembers[]> => {
  const fields = new Map<string, ShapedMembers[]>();
  for (const error of errors) {
    const name = String(error.single[by] ?? field ?? "body");
    fields.set(name, [...(fields.get(name) ?? []), error]);
  }
  return fields;
};
