import { useEffect, useState } from "react";
import { importWithRetries } from "./import-with-retries.ts";

/** A part of the script that only some forms need, loaded as soon as it is needed; null until then, and if it fails. */
export const useModuleIf = <T extends object>(needed: boolean, load: () => Promise<T>): T | null => {
  const [loaded, setLoaded] = useState<T | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each caller always loads one module
  useEffect(() => {
    let isMounted = needed;
    if (needed)
      importWithRetries(load).then(
        (module) => isMounted && setLoaded(module),
        () => undefined,
      );
    return () => {
      isMounted = false;
    };
  }, [needed]);
  return loaded;
};
