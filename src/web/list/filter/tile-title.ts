import { useApplication } from "../../app/app-context.tsx";

/** The title of the tile whose records a list shows. */
export const useTileTitle = (clause: string | null): string | null => {
  const { screens } = useApplication();
  if (clause === null) return null;
  return (
    screens.flatMap((one) => (one.kind === "tiles" ? one.tiles : [])).find((one) => one.clause === clause)?.title ??
    null
  );
};
