import { use, useEffect, useMemo, useState } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useHere } from "../../app/app-context.tsx";
import type { Here } from "../../format/locale-context.ts";
import { isReckonedDefault } from "../../format/record-values.ts";
import type { begin, Reckoned, reckon } from "../state/computed-values.ts";
import type { Form } from "../state/form-state.ts";
import type { PartsForm } from "../state/parts-state.ts";

const nothing: Reckoned = { record: {}, rows: {}, broken: [], closed: new Set(), brokenWith: () => [] };

/** What is computed of what stands in a form, and what the rules say of it. The evaluator is loaded where it is needed; without an entity nothing is. */
export const useReckoned = (
  form: Form,
  entity: EntityJson | null,
  record: RecordJson | null,
  here: Here,
  transition: string | null = null,
): Reckoned => {
  const [own, setOwn] = useState<{ readonly reckon: typeof reckon } | null>(null);
  const needed =
    entity !== null &&
    (entity.rules !== undefined ||
      entity.states?.transitions.some(({ guard }) => guard !== undefined) ||
      entity.fields.some(({ reckoned }) => reckoned !== undefined) ||
      form.lists.some(isReckoned));
  useEffect(() => {
    let wanted = needed;
    if (needed)
      import("../state/computed-values.ts").then(
        (loaded) => wanted && setOwn(loaded),
        // Without it the form shows what is saved; the server computes all the same.
        () => undefined,
      );
    return () => {
      wanted = false;
    };
  }, [needed]);
  return useMemo(
    () => (entity === null ? null : own?.reckon(form, entity, record, here, transition)) ?? nothing,
    [own, form, entity, record, here, transition],
  );
};

let evaluator: Promise<{ readonly begin: typeof begin } | null> | undefined;

/** Without it the form begins empty there; the server fills in all the same. */
const theEvaluator = () => {
  evaluator ??= import("../state/computed-values.ts").catch(() => {
    evaluator = undefined;
    return null;
  });
  return evaluator;
};

/** Where and when a record is made of these fields. Waits for the evaluator where one of them begins with what that computes. */
export const useHereToMake = (fields: readonly FieldJson[]): Here => {
  const here = useHere();
  const loaded = fields.some(isReckonedDefault) ? use(theEvaluator()) : null;
  return useMemo(
    () => (loaded === null ? here : { ...here, begin: (field) => loaded.begin(field, here.today) }),
    [here, loaded],
  );
};

const isReckoned = ({ columns, below }: PartsForm): boolean =>
  columns.some(({ reckoned }) => reckoned !== undefined) || below.some(isReckoned);
