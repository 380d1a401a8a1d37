import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Draft, PartsDraft } from "../../app/draft-store.ts";
import type { Entered, EnteredValues } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { findFormerFields, findFormerNames } from "./compare-forms.ts";
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

/** The input for fields and lists that still exist. `former`: the names that the fields have in the draft. */
const restoreNode = <N extends FormNode>(
  fresh: N,
  { base, entered, lists = {} }: DraftNode,
  context: LocaleContext,
  former = findFormerNames(
    Object.keys(entered).map((name) => ({ name })),
    fresh.fields,
  ),
): N => {
  const keepKnown = (values: EnteredValues) =>
    Object.fromEntries(
      Object.entries(fresh.base).map(([name, value]) => {
        const known = former.get(name);
        return [name, known !== undefined && known in values ? (values[known] ?? null) : value];
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
  const former = findFormerFields(form.fields, fresh.fields);
  const remaining = new Set(former.values());
  const left = form.fields
    .filter((field) => !remaining.has(field) && isFieldChanged(form, field.name))
    .map((field): DraftLoss => ({ field, entered: form.entered[field.name] ?? null }));
  const draft = { base: form.base, entered: form.entered, lists: collectDrafts(form.lists) };
  const names = new Map([...former].map(([name, field]) => [name, field.name]));
  const restored = restoreNode(fresh, draft, context, names);
  const placeOf = ({ field }: DraftLoss): string | undefined =>
    findFormerFields([field], fresh.fields).keys().next().value;
  const returned = lost.flatMap((loss) => {
    const name = placeOf(loss);
    return name === undefined ? [] : [[name, loss.entered] as const];
  });
  return {
    form: { ...restored, entered: { ...restored.entered, ...Object.fromEntries(returned) }, version: form.version },
    left: [...lost.filter((loss) => placeOf(loss) === undefined), ...left],
  };
};
