import { keysAllowedEverywhere } from "../document/shape/record.ts";
import type { Shape, ShapeForm } from "../document/shape.ts";
import { pointShapes } from "../sections/syntax.ts";
import type { DocumentCursor, Step } from "./cursor.ts";

/** A form that is not deferred and has no alternatives. */
export type PlainForm = Exclude<ShapeForm, { kind: "later" | "one of" }>;

export interface PlainShape {
  readonly expected: string;
  readonly form: PlainForm;
}

/** The alternatives of a shape. */
const alternatives = (shape: Shape<unknown>): readonly PlainShape[] => {
  const { form, expected } = shape;
  if (form.kind === "later") return alternatives(form.of());
  if (form.kind === "one of") return form.shapes.flatMap(alternatives);
  return [{ expected, form }];
};

const follow = ({ form }: PlainShape, step: Step): readonly PlainShape[] => {
  if (step.kind === "item") return form.kind === "list" ? alternatives(form.of) : [];
  if (form.kind === "keys") {
    const parts = { ...form.parts, ...keysAllowedEverywhere };
    const part = Object.hasOwn(parts, step.name) ? parts[step.name] : undefined;
    return part === undefined ? [] : alternatives(part.shape);
  }
  if (form.kind !== "mapping") return [];
  return form.entries.flatMap(({ keys, of }) => (keys === undefined || keys.test(step.name) ? alternatives(of) : []));
};

/** The shapes that fit a place, as far as its keys say. */
export const shapesAt = ({ point, path }: Pick<DocumentCursor, "point" | "path">): readonly PlainShape[] =>
  path.reduce<readonly PlainShape[]>(
    (shapes, step) => shapes.flatMap((shape) => follow(shape, step)),
    alternatives(pointShapes[point]),
  );
