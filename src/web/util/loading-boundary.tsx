import { createContext, type ReactNode, Suspense, use, useContext, useReducer } from "react";

const Reveal = createContext<() => void>(() => undefined);

/**
 * Renders `fallback` until everything inside is loaded. React's own boundary waits until 300 ms have passed since the last
 * fallback, even if a part is there after ten: it holds back what follows a promise, but not the new render asked for here.
 */
export const LoadingBoundary = ({ fallback, children }: { fallback: ReactNode; children: ReactNode }) => {
  const [, reveal] = useReducer((count: number) => count + 1, 0);
  return (
    <Reveal value={reveal}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Reveal>
  );
};

const results = new WeakMap<Promise<unknown>, { readonly value: unknown }>();

/** Notes the result as soon as it is there, so that `useLoaded` returns it at once. */
export const keepResult = <T,>(promise: Promise<T>): Promise<T> => {
  promise.then(
    (value) => results.set(promise, { value }),
    () => undefined,
  );
  return promise;
};

/** The result of a promise that is the same each time; the nearest boundary renders its fallback until then. Null for null. */
export const useLoaded = <P extends Promise<unknown> | null>(promise: P): Awaited<P> => {
  const reveal = useContext(Reveal);
  if (promise === null) return null as Awaited<P>;
  const result = results.get(promise);
  if (result) return result.value as Awaited<P>;
  // A failure is thrown by `use`, to the nearest error boundary.
  keepResult(promise).then(reveal, () => undefined);
  return use(promise) as Awaited<P>;
};
