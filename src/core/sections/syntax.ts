import { mergeTrees } from "../document/merge.ts";
import type { Document, PointNumber } from "../document/read.ts";
import { notShownFinding } from "../document/shape/report.ts";
import type { ReportFinding, Shape, ShapeValue } from "../document/shape.ts";
import { isNotShown, type Tree } from "../document/tree.ts";
import { callsShape } from "./calls/calls.ts";
import { entitiesShape } from "./entities/entities-syntax.ts";
import { errorsShape } from "./errors.ts";
import { limitsShape } from "./limits.ts";
import { permissionsShape } from "./permissions/permissions-syntax.ts";
import { productShape } from "./product.ts";
import { rulesShape } from "./rules/rules.ts";
import { screensShape } from "./screens/screens-syntax.ts";
import { statesShape } from "./states/states-syntax.ts";

/** Shape of the blocks by point. */
export const pointShapes = {
  1: productShape,
  2: screensShape,
  3: entitiesShape,
  4: statesShape,
  5: rulesShape,
  6: permissionsShape,
  7: callsShape,
  8: errorsShape,
  9: limitsShape,
} as const satisfies Record<PointNumber, Shape<unknown>>;

/** Reads the nine points by their shapes. Expressions stay text, and names stay unresolved. */
export const readSyntax = (document: Document, report: ReportFinding) => {
  const read = <N extends PointNumber>(number: N): ShapeValue<(typeof pointShapes)[N]> | undefined => {
    const trees: readonly Tree[] = document.points.get(number)?.blocks ?? [];
    for (const block of trees) if (isNotShown(block)) report(notShownFinding(block.span));
    const blocks = trees.filter((block) => !isNotShown(block));
    const tree = mergeTrees(blocks, report);
    const shape = pointShapes[number] as Shape<ShapeValue<(typeof pointShapes)[N]>>;
    return tree === undefined ? undefined : shape.read(tree, report);
  };
  return {
    product: read(1),
    screens: read(2),
    entities: read(3),
    states: read(4),
    rules: read(5),
    permissions: read(6),
    calls: read(7),
    errors: read(8),
    limits: read(9),
  };
};
