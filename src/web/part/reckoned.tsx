import { useEffect, useMemo, useState } from "react";
import type { EntityJson, RecordJson } from "../../core/wire.ts";
import type { Form } from "../client/form.ts";
import type { Here } from "../client/here.ts";
import type { PartsForm } from "../client/parts.ts";
import type { Reckoned, reckon } from "../client/reckon.ts";

const nothing: Reckoned = { record: {}, rows: {} };

/** What is computed of what stands in a form. The evaluator is loaded where a field needs it. */
export const useReckoned = (form: Form, entity: EntityJson, record: RecordJson | null, here: Here): Reckoned => {
  const [own, setOwn] = useState<{ readonly reckon: typeof reckon } | null>(null);
  const needed = entity.fields.some(({ reckoned }) => reckoned !== undefined) || form.lists.some(isReckoned);
  useEffect(() => {
    let wanted = needed;
    if (needed)
      import("../client/reckon.ts").then(
        (loaded) => wanted && setOwn(loaded),
        // Without it the form shows what is saved; the server computes all the same.
        () => undefined,
      );
    return () => {
      wanted = false;
    };
  }, [needed]);
  return useMemo(() => own?.reckon(form, entity, record, here) ?? nothing, [own, form, entity, record, here]);
};

const isReckoned = ({ columns, below }: PartsForm): boolean =>
  columns.some(({ reckoned }) => reckoned !== undefined) || below.some(isReckoned);
