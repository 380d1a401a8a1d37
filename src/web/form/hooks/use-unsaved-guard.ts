import { useEffect } from "react";
import { useClient } from "../../app/app-context.tsx";
import { type Form, isChanged } from "../state/form-node.ts";

/** Registers unsaved input while there is any. */
export const useUnsavedGuard = (form: Form): void => {
  const { atWork } = useClient();
  const dirty = isChanged(form);
  useEffect(() => {
    if (!dirty) return;
    atWork.set(atWork.get() + 1);
    return () => atWork.set(atWork.get() - 1);
  }, [atWork, dirty]);
};
