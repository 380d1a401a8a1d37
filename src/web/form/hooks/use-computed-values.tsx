import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { deepEqual } from "../../../core/util/deep-equal.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, useLocale } from "../../app/app-context.tsx";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isComputedDefault } from "../../format/record-values.ts";
import { importWithRetries } from "../../util/import-with-retries.ts";
import { useLoaded } from "../../util/loading-boundary.tsx";
import { useModuleIf } from "../../util/use-module-if.ts";
import type { ComputedForm, clockDefault, LoadedRows, OtherRecord, OtherRecords } from "../state/computed-values.ts";
import type { Form, FormList } from "../state/form-node.ts";

const nothing: ComputedForm = {
  record: {},
  rows: {},
  broken: [],
  closed: new Set(),
  records: [],
  brokenWith: () => [],
  brokenAlready: [],
  isRefused: () => false,
  leastLength: () => 0,
};

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
  const loaded = useReadRows(entity === null ? [] : [...entity.fields, ...form.lists.flatMap(partFields)]);
  const { others, follow } = useOtherRecords();
  const computed = useMemo(
    () =>
      (entity === null ? null : own?.evaluateForm(form, entity, record, { context, transition, loaded, others })) ??
      nothing,
    [own, form, entity, record, context, transition, loaded, others],
  );
  useEffect(() => follow(computed.records), [computed, follow]);
  return computed;
};

/** The chosen records that formulas read, loaded with the rights of this person once a formula has asked for them. */
const useOtherRecords = () => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const cache = useQueryClient();
  const [records, setRecords] = useState<readonly OtherRecord[]>([]);
  const loadedAt = useQueries({
    queries: records.map(({ path, id }) => ({
      queryKey: keys.record(path, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
    })),
    combine: (results) => results.map(({ dataUpdatedAt }) => dataUpdatedAt).join(),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cache has other records once one is loaded
  const others = useMemo(
    (): OtherRecords => ({
      entities,
      find: ({ path, id }) => cache.getQueryData<RecordJson>(keys.record(path, id)),
    }),
    [entities, cache, loadedAt],
  );
  const follow = useCallback(
    (now: readonly OtherRecord[]) => setRecords((before) => (deepEqual(before, now) ? before : now)),
    [],
  );
  return { others, follow };
};

const partFields = ({ part, below }: FormList): readonly FieldJson[] => [...part.fields, ...below.flatMap(partFields)];

/** More pages than this are not loaded for a form; the server alone computes such fields. */
const MOST_PAGES = 10;

/** All records of the entities that formulas of a form read. */
const useReadRows = (fields: readonly FieldJson[]): LoadedRows => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const key = [...new Set(fields.flatMap(({ rows = [] }) => rows))].join();
  const names = useMemo(() => (key === "" ? [] : key.split(",")), [key]);
  return useQueries({
    queries: names.map((name) => {
      const path = entities[name]?.calls ?? "";
      return {
        queryKey: keys.all(path),
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly RecordJson[] | null> => {
          const items: RecordJson[] = [];
          let after: string | null = null;
          for (let page = 0; page < MOST_PAGES; page++) {
            const query: URLSearchParams = new URLSearchParams(after === null ? {} : { after });
            const { items: more, next } = await calls.list(path, query, signal);
            items.push(...more);
            if (next === null) return items;
            after = next;
          }
          return null;
        },
        enabled: path !== "",
      };
    }),
    combine: useCallback(
      (results: readonly { readonly data: readonly RecordJson[] | null | undefined }[]): LoadedRows =>
        new Map(
          results.flatMap(({ data }, i) => {
            const name = names[i] ?? "";
            return data == null ? [] : [[name, { fields: entities[name]?.fields ?? [], items: data }] as const];
          }),
        ),
      [names, entities],
    ),
  });
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
  const loaded = useLoaded(fields.some(isComputedDefault) ? theEvaluator() : null);
  return useMemo(
    () => (loaded === null ? context : { ...context, begin: (field) => loaded.clockDefault(field, context.today) }),
    [context, loaded],
  );
};

const hasComputed = ({ columns, below }: FormList): boolean =>
  columns.some(({ reckoned }) => reckoned !== undefined) || below.some(hasComputed);
