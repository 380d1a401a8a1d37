/** Rows, sheets and files that an import leaves out, and values that it changes. */
export const importArguments = {
  "table.above": ["row", "text"],
  "table.total": ["row", "text"],
  "table.note": ["row", "text"],
  "table.headless": ["column"],
  "table.merged": ["column", "cells"],
  "table.formula": ["column", "cells"],
  "table.column": ["column"],
  "table.hidden": ["sheet"],
  "table.other": ["sheet"],
  "table.none": ["sheet"],
  "table.file.unnamed": ["file"],
  "table.file.outside": ["file"],
  "table.rounded": ["field", "decimals", "count", "from", "to"],
  "table.cut": ["field", "count", "from", "to"],
  "table.reasons": [],
} as const;
