import { mergeTrees } from "../document/merge.ts";
import type { Document, PointNumber } from "../document/read.ts";
import type { Report, Shape } from "../document/shape.ts";
import { isNotShown, type Tree } from "../document/tree.ts";
import { callsShape } from "./calls.ts";
import { entitiesShape } from "./entities.ts";
import { errorsShape } from "./errors.ts";
import { limitsShape } from "./limits.ts";
import { permissionsShape } from "./permissions.ts";
import { productShape } from "./product.ts";
import { rulesShape } from "./rules.ts";
import { screensShape } from "./screens.ts";
import { statesShape } from "./states.ts";

/** The nine points as they are written: shapes are settled, expressions are still text, names are not resolved. */
export const readSyntax = (document: Document, report: Report) => {
  const read = <T>(number: PointNumber, shape: Shape<T>): T | undefined => {
    const blocks: readonly Tree[] = document.points.get(number)?.blocks.filter((block) => !isNotShown(block)) ?? [];
    const tree = mergeTrees(blocks, report);
    return tree === undefined ? undefined : shape.read(tree, report);
  };
  return {
    product: read(1, productShape),
    screens: read(2, screensShape),
    entities: read(3, entitiesShape),
    states: read(4, statesShape),
    rules: read(5, rulesShape),
    permissions: read(6, permissionsShape),
    calls: read(7, callsShape),
    errors: read(8, errorsShape),
    limits: read(9, limitsShape),
  };
};

export type Syntax = ReturnType<typeof readSyntax>;
