import type { Call, CallParameter, CallStep, Gives, Signing, TakenField } from "../../model/endpoint.ts";
import { mapEntries, type Names, renamePath } from "./names.ts";
import { renameExpr, renameOptional } from "./rename-expr.ts";

export const renameCall = (call: Call, names: Names): Call => ({
  ...call,
  by: call.by === null ? null : call.by.map(names.role),
  does:
    call.does.kind === "steps"
      ? { kind: "steps", steps: call.does.steps.map((step) => renameStep(step, names)) }
      : renameSigning(call.does, names),
});

const renameSigning = (does: Signing, names: Names): Signing => {
  const gives = does.gives === null ? null : renameGives(does.gives, names);
  const renamed = { ...does, takes: renameTaken("User", does.takes, names), gives };
  return renamed.kind === "sign up" || renamed.kind === "close"
    ? { ...renamed, when: renameOptional(renamed.when, names) }
    : renamed;
};

const renameTaken = (entity: string, takes: readonly TakenField[], names: Names): readonly TakenField[] =>
  takes.map(({ path, field, by, isCredential, parts }) => {
    if (isCredential) return { path, field, isCredential };
    const key = by === undefined ? {} : { by: renameParameter(entity, by, names) };
    const own = { path, field: names.field(entity, field), ...key };
    if (parts === undefined) return own;
    return {
      ...own,
      parts: { entity: names.entity(parts.entity), takes: renameTaken(parts.entity, parts.takes, names) },
    };
  });

const renameParameter = (entity: string, parameter: CallParameter, names: Names): CallParameter => ({
  ...parameter,
  at: renameOptional(parameter.at, names),
  field: {
    entity: names.entity(parameter.field.entity),
    name: names.field(parameter.field.entity, parameter.field.name),
  },
  fixes: parameter.fixes === null ? null : names.field(entity, parameter.fixes),
});

const renameStep = (step: CallStep, names: Names): CallStep => {
  const { entity, does } = step;
  const at = (field: { readonly entity: string; readonly name: string }) => ({
    entity: names.entity(field.entity),
    name: names.field(field.entity, field.name),
  });
  return {
    ...step,
    entity: names.entity(entity),
    does:
      does.kind === "transition"
        ? { ...does, transition: names.transition(entity, does.transition) }
        : does.kind === "ensure"
          ? { ...does, key: does.key.map((field) => names.field(entity, field)) }
          : does.kind === "put"
            ? { ...does, creates: does.creates.map((parameter) => renameParameter(entity, parameter, names)) }
            : does.kind === "list"
              ? {
                  ...does,
                  distinct: renameOptional(does.distinct, names),
                  sort: does.sort.map((path) => renamePath(entity, path, names)),
                  sorting: {
                    ...does.sorting,
                    fields: new Map(
                      [...does.sorting.fields].map(([name, field]) => [name, names.field(entity, field)]),
                    ),
                  },
                }
              : does,
    parameters: step.parameters.map((parameter) => renameParameter(entity, parameter, names)),
    where: renameOptional(step.where, names),
    when: renameOptional(step.when, names),
    query: step.query.map((query) => ({
      ...query,
      field: query.field === null ? null : at(query.field),
      where: renameOptional(query.where, names),
      rule: query.rule === null ? null : { ...query.rule, holds: renameExpr(query.rule.holds, names) },
    })),
    set: mapEntries(
      step.set,
      (field) => names.field(entity, field),
      (value) => renameExpr(value, names),
    ),
    takes: step.takes === null ? null : renameTaken(entity, step.takes, names),
    gives: step.gives === null ? null : renameGives(step.gives, names),
  };
};

export const renameGives = (gives: Gives, names: Names): Gives => {
  switch (gives.kind) {
    case "names":
      return { ...gives, of: gives.of.map(([name, inner]) => [name, renameGives(inner, names)] as const) };
    case "value":
      return { ...gives, value: renameExpr(gives.value, names) };
    case "shape":
      return {
        ...gives,
        shape: renameShapeName(gives.shape, names),
        of: gives.of === "page" ? gives.of : renameExpr(gives.of, names),
      };
    default:
      return gives;
  }
};

/** `Request.entry` */
export const renameShapeName = (shape: string, names: Names): string => {
  const [entity = "", ...rest] = shape.split(".");
  return [names.entity(entity), ...rest].join(".");
};
