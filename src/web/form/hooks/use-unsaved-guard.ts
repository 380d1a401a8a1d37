import { useEffect } from "react";
import { useClient } from "../../app/app-context.tsx";
import { changedFields, type Form } from "../state/form-state.ts";

/** Registers unsaved input while there is any. */
export const useAtWork = (form: Form): void => {
  const { atWork } = useClient();
  const dirty = changedFields(form).length > 0;
  useEffect(() => {
    if (!dirty) return;
    atWork.set(atWork.get() + 1);
    return () => atWork.set(atWork.get() - 1);
  }, [atWork, dirty]);
};
