import type { OperationRow } from "./operation-types.ts";
import { arithmeticOperations } from "./table/arithmetic.ts";
import { comparisonOperations } from "./table/comparison.ts";
import { conversionOperations } from "./table/conversion.ts";
import { listOperations } from "./table/list.ts";
import { logicOperations } from "./table/logic.ts";
import { temporalOperations } from "./table/temporal.ts";
import { textOperations } from "./table/text.ts";

/** The table of operators and functions, by signature. A function can be called as a method: `day.year()`. */
export const operationTable = {
  ...logicOperations,
  ...comparisonOperations,
  ...arithmeticOperations,
  ...temporalOperations,
  ...textOperations,
  ...conversionOperations,
  ...listOperations,
} as const satisfies Record<string, OperationRow>;

export type Operation = keyof typeof operationTable;

/** The row of any operation. */
export const operationRow = (operation: Operation): OperationRow => operationTable[operation];
