import type { FieldShape, Scope } from "./type.ts";

/** A value that each of the transitions asks for at which the expression is evaluated. */
export const findActValue = (name: string, scope: Scope): FieldShape | undefined => {
  const act = scope.entities.get(scope.entity ?? "")?.acts?.get(name);
  const { during = [] } = scope;
  const isGiven = during.length > 0 && during.every((transition) => act?.transitions.includes(transition));
  return isGiven ? act?.shape : undefined;
};

/** The values that a transition asks for and that no record keeps. */
export const actShapes = (
  { entities }: Pick<Scope, "entities">,
  entity: string,
  transition: string,
): ReadonlyMap<string, FieldShape> =>
  new Map(
    [...(entities.get(entity)?.acts ?? [])].flatMap(([name, { shape, transitions }]) =>
      transitions.includes(transition) ? [[name, shape] as const] : [],
    ),
  );
