import { use, useMemo } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useLocale } from "../../app/app-context.tsx";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isComputedDefault } from "../../format/record-values.ts";
import { importWithRetries } from "../../util/import-with-retries.ts";
import { useModuleIf } from "../../util/use-module-if.ts";
import type { ComputedForm, clockDefault } from "../state/computed-values.ts";
import type { Form, FormList } from "../state/form-node.ts";

const nothing: ComputedForm = { record: {}, rows: {}, broken: [], closed: new Set(), brokenWith: () => [] };

/**
 * Computed values and violated rules of a form. The evaluator is loaded on demand, and not at all without an entity.
 */
export const useComputedValues = (
  form: Form,
  entity: EntityJson | null,
  record: RecordJson | null,
  context: LocaleContext,
  transition: string | null = null,
): ComputedForm => {
  const needed =
    entity !== null &&
    (entity.rules !== undefined ||
      entity.states?.transitions.some(({ guard }) => guard !== undefined) ||
      entity.fields.some(({ reckoned }) => reckoned !== undefined) ||
      form.lists.some(hasComputed));
  // If it cannot be loaded, the form shows saved values; the server computes anyway.
  const own = useModuleIf(needed, () => import("../state/computed-values.ts"));
  return useMemo(
    () => (entity === null ? null : own?.evaluateForm(form, entity, record, context, transition)) ?? nothing,
    [own, form, entity, record, context, transition],
  );
};

let evaluator: Promise<{ readonly clockDefault: typeof clockDefault } | null> | undefined;

/** If it cannot be loaded, these fields start empty; the server fills them in anyway. */
const theEvaluator = () => {
  evaluator ??= importWithRetries(() => import("../state/computed-values.ts")).catch(() => {
    evaluator = undefined;
    return null;
  });
  return evaluator;
};

/** The context for a new record. Suspends until the evaluator is loaded if an initial value is computed. */
export const useNewRecordContext = (fields: readonly FieldJson[]): LocaleContext => {
  const context = useLocale();
  const loaded = fields.some(isComputedDefault) ? use(theEvaluator()) : null;
  return useMemo(
    () => (loaded === null ? context : { ...context, begin: (field) => loaded.clockDefault(field, context.today) }),
    [context, loaded],
  );
};

const hasComputed = ({ columns, below }: FormList): boolean =>
  columns.some(({ reckoned }) => reckoned !== undefined) || below.some(hasComputed);
