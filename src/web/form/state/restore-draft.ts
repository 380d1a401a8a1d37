import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Draft, PartsDraft } from "../../app/draft-store.ts";
import type { Entered, EnteredValues } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isSameField } from "./compare-forms.ts";
import { type Form, type FormList, type FormNode, type FormRow, isFieldChanged } from "./form-node.ts";
import { rebaseOnServerVersion } from "./merge-form.ts";
import { addRow } from "./open-form.ts";
import { mergeValues } from "./three-way-merge.ts";

/** The part of a form that is stored as a draft. */
export const toDraft = ({ version, base, entered, lists }: Form, at: string): Draft => ({
  at,
  version,
  base,
  entered,
  lists: collectDrafts(lists),
});

const collectDrafts = (lists: readonly FormList[]): { readonly [field: string]: PartsDraft } =>
  Object.fromEntries(
    lists.map(({ parts, rowsAdded, saved, rows }) => [
      parts.field,
      {
        begun: rowsAdded,
        saved,
        rows: rows.map(({ key, base, entered, record, lists: below }) => ({
          key,
          base,
          entered,
          isNew: record === null,
          ...(below.length === 0 ? {} : { lists: collectDrafts(below) }),
        })),
      },
    ]),
  );

type DraftNode = Pick<Draft, "base" | "entered" | "lists">;

/** The input for fields and lists that still exist. */
const restoreNode = <N extends FormNode>(
  fresh: N,
  { base, entered, lists = {} }: DraftNode,
  context: LocaleContext,
): N => {
  // A field that was renamed meanwhile has the input of its former name.
  const findKnown = (name: string, values: EnteredValues): string | undefined =>
    [name, ...(fresh.fields.find((field) => field.name === name)?.was ?? [])].find((one) => one in values);
  const keepKnown = (values: EnteredValues) =>
    Object.fromEntries(
      Object.entries(fresh.base).map(([name, value]) => {
        const known = findKnown(name, values);
        return [name, (known === undefined ? value : values[known]) ?? null];
      }),
    );
  return {
    ...fresh,
    base: keepKnown(base),
    entered: keepKnown(entered),
    lists: fresh.lists.map((list) => {
      const draft = lists[list.parts.field];
      return draft === undefined ? list : restoreList(list, draft, context);
    }),
  };
};

const restoreList = (fresh: FormList, draft: PartsDraft, context: LocaleContext): FormList => {
  const rows = draft.rows.flatMap((remaining): readonly FormRow[] => {
    const saved = fresh.rows.find(({ key, record }) => key === remaining.key && record !== null);
    const [row] = saved !== undefined ? [saved] : remaining.isNew ? addRow({ ...fresh, rows: [] }, context).rows : [];
    if (row === undefined) return [];
    const { base, entered, ...restored } = restoreNode(row, remaining, context);
    // A saved row continues from its newest version.
    const values = saved === undefined ? entered : mergeValues(base, entered, saved.base).values;
    return [{ ...restored, key: remaining.key, base: row.base, entered: values }];
  });
  return { ...fresh, rows, saved: draft.saved ?? fresh.saved, rowsAdded: Math.max(fresh.rowsAdded, draft.begun) };
};

/** Continues from a draft; if the record has changed since, both are merged as when saving. */
export const resumeForm = (
  fresh: Form,
  record: RecordJson | null,
  draft: Draft | null,
  context: LocaleContext,
): Form => {
  if (!draft) return fresh;
  const restored = { ...restoreNode(fresh, draft, context), version: draft.version };
  return record && record.version !== draft.version ? rebaseOnServerVersion(restored, record, context) : restored;
};

/** Input for a removed field. */
export interface DraftLoss {
  readonly field: FieldJson;
  readonly entered: Entered;
}

/**
 * Adapts a form to a new version of the document: keeps the input of existing fields and returns the rest. `lost` is input
 * that an earlier version had no field for; it returns with its field.
 */
export const migrateForm = (
  form: Form,
  fresh: Form,
  context: LocaleContext,
  lost: readonly DraftLoss[] = [],
): { readonly form: Form; readonly left: readonly DraftLoss[] } => {
  const remains = (field: FieldJson) => fresh.fields.some((one) => isSameField(field, one));
  const [remaining, removed] = [form.fields.filter(remains), form.fields.filter((field) => !remains(field))];
  const of = (values: EnteredValues) => Object.fromEntries(remaining.map(({ name }) => [name, values[name] ?? null]));
  const left = removed
    .filter(({ name }) => isFieldChanged(form, name))
    .map((field): DraftLoss => ({ field, entered: form.entered[field.name] ?? null }));
  const draft = { base: of(form.base), entered: of(form.entered), lists: collectDrafts(form.lists) };
  const restored = restoreNode(fresh, draft, context);
  const returns = ({ field }: DraftLoss) => remains(field);
  const returned = lost.flatMap(({ field, entered }) => {
    const now = fresh.fields.find((one) => isSameField(field, one));
    return now === undefined ? [] : [[now.name, entered] as const];
  });
  return {
    form: { ...restored, entered: { ...restored.entered, ...Object.fromEntries(returned) }, version: form.version },
    left: [...lost.filter((loss) => !returns(loss)), ...left],
  };
};
