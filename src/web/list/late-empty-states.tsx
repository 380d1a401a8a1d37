import type { ReactNode } from "react";
import { lazyComponent, PageNotLoaded } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

/** Words in place of the rows of a list. Most lists have some, so the code is loaded by those that have none. */

type Drawing<P> = (props: P) => ReactNode;

const late = <P extends object>(load: () => Promise<{ readonly default: Drawing<P> }>): Drawing<P> => {
  const Late = lazyComponent(load, PageNotLoaded);
  return (props) => (
    <LoadingBoundary fallback={null}>
      <Late {...props} />
    </LoadingBoundary>
  );
};

export const BadSearch = late(async () => ({ default: (await import("./empty-states.tsx")).BadSearchNote }));
export const IgnoredFilters = late(async () => ({ default: (await import("./empty-states.tsx")).IgnoredFiltersNote }));
export const NoMatch = late(async () => ({ default: (await import("./empty-states.tsx")).NoMatchNote }));
export const Empty = late(async () => ({ default: (await import("./empty-states.tsx")).EmptyListNote }));
