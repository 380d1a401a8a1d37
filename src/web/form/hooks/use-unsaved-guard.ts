import { useEffect } from "react";
import { useClient } from "../../app/app-context.tsx";
import { changedFields, type Form } from "../state/form-state.ts";

/** Says that something was typed here and is not saved, as long as that is so. */
export const useAtWork = (form: Form): void => {
  const { atWork } = useClient();
  const dirty = changedFields(form).length > 0;
  useEffect(() => {
    if (!dirty) return;
    atWork.set(atWork.get() + 1);
    return () => atWork.set(atWork.get() - 1);
  }, [atWork, dirty]);
};
