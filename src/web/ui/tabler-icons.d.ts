/** Icons are imported one by one; the package's own declarations are one file of seven megabytes. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ComponentType, SVGProps } from "react";

  const Icon: ComponentType<Omit<SVGProps<SVGSVGElement>, "stroke"> & { size?: number | string; stroke?: number }>;
  export default Icon;
}
