import type { ComponentProps } from "react";

/**
 * An ARIA grid whose cells cannot be table cells, because their content spans others. Rows and cells are not focusable
 * themselves; their content is.
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
