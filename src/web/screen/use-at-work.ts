import { useEffect } from "react";
import { changedFields, type Form } from "../client/form.ts";
import { useClient } from "../part/context.tsx";

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
