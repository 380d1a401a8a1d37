import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import { type Entered, type EnteredValues, sameEntered } from "../../format/input-value.ts";
import type { FormFieldError } from "./field-error.ts";
import type { MergeConflict } from "./three-way-merge.ts";

/** A new record sends all values entered, a change only changed ones, a transition everything it asks for. */
export type FormKind = "create" | "update" | "ask";

/** The end of a period before its begin has moved it. */
export interface EnteredEnd {
  readonly entered: Entered;
  /** In milliseconds; not a number if a day could not be read. */
  readonly length: number;
  /** True if it was entered in this form. */
  readonly isChosen: boolean;
  /** The end to which the begin has moved it. */
  readonly shown: Entered;
}

/** A record in a form, immutable: the form's own record, or a part in one of its lists. */
export interface FormNode {
  /** Identifies a part within its list, even without an id; empty for the form's own record. */
  readonly key: string;
  /** The saved record; null for a new one. */
  readonly record: RecordJson | null;
  readonly purpose: FormKind;
  /** The editable fields. */
  readonly fields: readonly FieldJson[];
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** The ends of periods as they were entered last, with their distance from the begin at that time. */
  readonly ends?: { readonly [end: string]: EnteredEnd };
  /** The defaults that follow other values in the form, as they were computed last. */
  readonly followed?: EnteredValues;
  /** Fields with unreadable input that have been left. */
  readonly unreadable: readonly string[];
  /** Fields that have been left. */
  readonly left: readonly string[];
  /** Errors of the record and of its parts, in the order of the response. Those of parts have row numbers. */
  readonly errors: readonly FormFieldError[];
  /** Fields and lists edited since the response: their errors may no longer hold. */
  readonly edited: readonly string[];
  /** The lists of the record's parts. */
  readonly lists: readonly FormList[];
}

/** A part of a record: a row of a list. */
export interface FormRow extends FormNode {
  readonly removable: boolean;
}

/** A list of parts in a form. */
export interface FormList {
  readonly parts: PartsJson;
  readonly part: EntityJson;
  /** False if the list is only shown. */
  readonly open: boolean;
  /** All columns in order, including read-only ones. */
  readonly columns: readonly FieldJson[];
  /** The editable columns of a new part; null if this person cannot add any. */
  readonly creates: readonly string[] | null;
  /** The lists of each part, in their empty state. */
  readonly below: readonly FormList[];
  /** Keys of the saved parts, in order. */
  readonly saved: readonly string[];
  readonly rows: readonly FormRow[];
  /** Removed rows, which can be restored. */
  readonly removed: readonly { readonly row: FormRow; readonly at: number }[];
  /** Number of rows added so far, for their keys. */
  readonly rowsAdded: number;
}

/** The node of the form's own record. */
export interface Form extends FormNode {
  /** The version that editing started from; null for a new record. */
  readonly version: number | null;
  readonly conflict: { readonly clashes: readonly MergeConflict[]; readonly taken: readonly string[] } | null;
}

/** A change to a record in a form, at any depth. */
export type NodeChange = <N extends FormNode>(node: N) => N;
export type ListChange = (list: FormList) => FormList;

/** The path of a member of a record: `remark` in the form's own, `lines/KEY/item` in one of its lines. */
export const joinPath = (node: string, ...members: readonly string[]): string =>
  [node, ...members].filter((one) => one !== "").join("/");

export const findList = ({ lists }: FormNode, field: string | undefined): FormList | undefined =>
  lists.find(({ parts }) => parts.field === field);

export const isFieldChanged = ({ entered, base }: FormNode, name: string): boolean =>
  !sameEntered(entered[name] ?? null, base[name] ?? null);

/** The words of the default that a field shows, because nobody entered another value. */
export const shownSuggestion = ({ followed, entered }: FormNode, { name, default: begins }: FieldJson) => {
  const value = followed?.[name] ?? null;
  const isShown = value !== null && value !== "" && sameEntered(entered[name] ?? null, value);
  return isShown && typeof begins === "object" && "suggested" in begins ? begins.says : undefined;
};

/** The changed fields and lists of a record. */
export const changedFields = (node: FormNode): readonly string[] => [
  ...node.fields.map(({ name }) => name).filter((name) => isFieldChanged(node, name)),
  ...node.lists.filter(isListChanged).map(({ parts }) => parts.field),
];

/** The values of a record that differ from those that it began with. */
export const changedValues = (node: FormNode): EnteredValues =>
  Object.fromEntries(Object.entries(node.entered).filter(([name]) => isFieldChanged(node, name)));

export const isChanged = (node: FormNode): boolean => changedFields(node).length > 0;

/** A new row without input; it is not sent. */
export const isEmptyRow = (row: FormNode): boolean => row.record === null && !isChanged(row);

/** The rows to send. */
export const filledRows = ({ rows }: FormList): readonly FormRow[] => rows.filter((row) => !isEmptyRow(row));

export const isListChanged = (list: FormList): boolean => {
  const rows = filledRows(list);
  return rows.length !== list.saved.length || rows.some((row, i) => row.key !== list.saved[i] || isChanged(row));
};
