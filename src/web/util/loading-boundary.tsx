import { createContext, type ReactNode, Suspense, use, useContext, useReducer } from "react";

const Reveal = createContext<() => void>(() => undefined);

/**
 * Renders `fallback` until everything inside is loaded. React's own boundary waits until 300 ms have passed since the last
 * fallback, even if a part is there after ten: it holds back what follows a promise, but not the new render asked for here.
 * A part that is loaded later hides everything inside, with the focus, so parts of a page that is shown have their own.
 */
export const LoadingBoundary = ({ fallback, children }: { fallback: ReactNode; children: ReactNode }) => {
  const [, reveal] = useReducer((count: number) => count + 1, 0);
  return (
    <Reveal value={reveal}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Reveal>
  );
};

interface Settled {
  status?: "fulfilled";
  value?: unknown;
}

/** Notes the result on the promise as soon as it is there, in the members that React reads: `use` then returns it at once. */
export const keepResult = <T,>(promise: Promise<T>): Promise<T> => {
  promise.then(
    (value) => Object.assign<Promise<T>, Settled>(promise, { status: "fulfilled", value }),
    () => undefined,
  );
  return promise;
};

/** The result of a promise that is the same each time; the nearest boundary renders its fallback until then. Null for null. */
export const useLoaded = <P extends Promise<unknown> | null>(promise: P): Awaited<P> => {
  const reveal = useContext(Reveal);
  if (promise === null) return null as Awaited<P>;
  if ((promise as Settled).status !== "fulfilled") keepResult(promise).then(reveal, () => undefined);
  // A failure is thrown by `use`, to the nearest error boundary.
  return use(promise) as Awaited<P>;
};
