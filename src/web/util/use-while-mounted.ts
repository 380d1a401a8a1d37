import { useCallback, useEffect, useRef } from "react";

/**
 * Calls `act` only while the component is mounted. The late end of a request must not close a dialog that was opened
 * after its own one was closed.
 */
export const useWhileMounted = <Args extends readonly unknown[]>(
  act: (...args: Args) => void,
): ((...args: Args) => void) => {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return useCallback((...args) => (isMounted.current ? act(...args) : undefined), [act]);
};
