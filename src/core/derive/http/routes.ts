import type { Expr } from "../../expression/expr.ts";
import type { Call } from "../../model/endpoint.ts";
import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";

/** A conventional call of the application and its operation. Paths contain `:id` for a record's id. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly entity: string;
  readonly does:
    | { readonly kind: "list" }
    | { readonly kind: "create" }
    | { readonly kind: "read" }
    | { readonly kind: "update" }
    | { readonly kind: "delete" }
    | { readonly kind: "history" }
    | { readonly kind: "transition"; readonly transition: string };
}

/** Method and path with anonymous parameters. */
const getPlace = (method: string, path: string): string => `${method} ${path.replace(/\{[^}]*\}|:[a-z]+/gu, "{}")}`;

/** The conventional calls of all served entities, except those replaced by custom endpoints. */
export const conventionalRoutes = (model: Model): readonly Route[] => {
  const shown = new Set(model.calls.map(({ method, path }) => getPlace(method, path)));
  return getConventional(model).filter(({ method, path }) => !shown.has(getPlace(method, path)));
};

/** The conventional call that a custom endpoint replaces; undefined if there is none. */
export const conventionalFor = (model: Model, { method, path }: Pick<Call, "method" | "path">): Route | undefined =>
  getConventional(model).find((route) => getPlace(route.method, route.path) === getPlace(method, path));

const getConventional = (model: Model): readonly Route[] =>
  [...model.entities.values()]
    .filter((entity) => entity.served)
    .flatMap((entity): Route[] => {
      const all = `/api/${entity.path}`;
      const item = `${all}/:id`;
      const of = { entity: entity.name };
      return [
        { method: "GET", path: all, ...of, does: { kind: "list" } },
        { method: "POST", path: all, ...of, does: { kind: "create" } },
        { method: "GET", path: item, ...of, does: { kind: "read" } },
        { method: "PATCH", path: item, ...of, does: { kind: "update" } },
        { method: "DELETE", path: item, ...of, does: { kind: "delete" } },
        { method: "GET", path: `${item}/history`, ...of, does: { kind: "history" } },
        ...[...(entity.states?.transitions.keys() ?? [])].map(
          (transition): Route => ({
            method: "POST",
            path: `${item}/${transition}`,
            ...of,
            does: { kind: "transition", transition },
          }),
        ),
      ];
    });

/** The entities into whose lists people can import files, unless a call of the document has the address. */
export const importedEntities = ({ entities, calls }: Model): readonly Entity[] =>
  [...entities.values()].filter(
    ({ served, rows, path }) =>
      served && rows === null && !calls.some((call) => call.path.startsWith(`/api/${path}/import`)),
  );

/** The call of the document that reads a record of this entity by fields of the record; undefined if there is none. */
export const findReadCall = (
  { calls }: Pick<Model, "calls">,
  { name }: Pick<Entity, "name">,
): { readonly path: string; readonly values: readonly Expr[] } | undefined => {
  for (const { method, path, does, by } of calls) {
    const [step, ...more] = does.kind === "steps" ? does.steps : [];
    if (method !== "GET" || by !== null || step?.entity !== name || step.does.kind !== "read" || more.length > 0)
      continue;
    const values = step.parameters.flatMap(({ at }) => at ?? []);
    if (step.where === null && values.length > 0 && values.length === step.parameters.length) return { path, values };
  }
  return undefined;
};

/**
 * The address for reading a record: the conventional one, or a custom endpoint that takes the id; undefined if there is
 * none.
 */
export const addressOfRecord = (model: Model, entity: Entity, id: string): string | undefined => {
  if (entity.served) return `/api/${entity.path}/${id}`;
  const call = model.calls.find(({ method, does, path }) => {
    const [step, ...more] = does.kind === "steps" ? does.steps : [];
    const [parameter, ...others] = step?.parameters ?? [];
    return (
      method === "GET" &&
      step?.entity === entity.name &&
      step.does.kind === "read" &&
      more.length + others.length === 0 &&
      (path.match(/\{/gu) ?? []).length === 1 &&
      parameter?.field.entity === entity.name &&
      parameter.field.name === "id"
    );
  });
  return call?.path.replace(/\{[^}]*\}/u, id);
};
