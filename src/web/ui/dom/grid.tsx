import type { ComponentProps } from "react";

/**
 * A grid after the ARIA practice whose cells a table's cells cannot be, as what stands in one lies across others. Rows and
 * cells take no focus themselves: what stands in them does.
 */
export const Grid = (props: ComponentProps<"div">) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  <div role="grid" {...props} />
);

export const GridRow = (props: ComponentProps<"div">) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  // biome-ignore lint/a11y/useFocusableInteractive: see above
  <div role="row" {...props} />
);

export const GridHead = (props: ComponentProps<"span">) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  // biome-ignore lint/a11y/useFocusableInteractive: see above
  <span role="columnheader" {...props} />
);

export const GridCell = (props: ComponentProps<"div">) => (
  // biome-ignore lint/a11y/useSemanticElements: see above
  // biome-ignore lint/a11y/useFocusableInteractive: see above
  <div role="gridcell" {...props} />
);
