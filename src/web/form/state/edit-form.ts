import type { FieldJson } from "../../../core/wire/entities.ts";
import { readFormField } from "../../field/form-values.ts";
import {
  type Entered,
  isRewritten,
  joinMoment,
  readEntered,
  sameEntered,
  splitMoment,
  toEntered,
} from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import {
  type EnteredEnd,
  type FormList,
  type FormNode,
  type FormRow,
  isEmptyRow,
  type ListChange,
} from "./form-node.ts";

const withName = (names: readonly string[], name: string): readonly string[] => [...new Set([...names, name])];

const isUnreadable = (node: FormNode, name: string, context: LocaleContext): boolean => {
  const field = node.fields.find((one) => one.name === name);
  return field !== undefined && readFormField(field, node, context).kind === "unreadable";
};

/** Errors are updated on every keystroke once shown, but not shown before the field is left. */
export const enterValue = <N extends FormNode>(node: N, name: string, entered: Entered, context: LocaleContext): N => {
  const given = { ...node, entered: { ...node.entered, [name]: entered }, edited: withName(node.edited, name) };
  const next = withEndAlong(withEnteredEnd(given, name, context), name, context, node);
  return {
    ...next,
    unreadable: node.unreadable.filter((field) => field !== name || isUnreadable(next, name, context)),
  };
};

/** Begins an empty field with a value that nobody entered, so that it counts as no change. */
export const beginField = <N extends FormNode>(node: N, name: string, value: Entered): N =>
  (node.entered[name] ?? null) === null
    ? { ...node, base: { ...node.base, [name]: value }, entered: { ...node.entered, [name]: value } }
    : node;

/** On leaving, a date is formatted in full to show how it was understood, and so is a number in another notation. */
export const leaveField = <N extends FormNode>(entering: N, name: string, context: LocaleContext): N => {
  const field = entering.fields.find((one) => one.name === name);
  if (!field) return entering;
  const node = entering.left.includes(name) ? entering : { ...entering, left: [...entering.left, name] };
  const entered = node.entered[name] ?? null;
  const reading = readFormField(field, node, context);
  if (reading.kind === "unreadable") return { ...node, unreadable: withName(node.unreadable, name) };
  const written = typeof entered === "string" && entered !== "" ? toEntered(field, reading.value, context) : entered;
  const next = {
    ...node,
    entered: isRewritten(field, entered, context) ? { ...node.entered, [name]: written } : node.entered,
    unreadable: node.unreadable.filter((one) => one !== name),
  };
  const isEnteredEnd = node.ends?.[name]?.entered === entered;
  const known = isEnteredEnd ? withEnteredEnd(next, name, context) : next;
  return withEndAlong(withEnd(known, name, context), name, context);
};

/**
 * After entering the start, the end is set to the same day if it is empty, since most appointments end on the day they
 * start. The time of day must still be entered, unless it is optional.
 */
const withEnd = <N extends FormNode>(node: N, left: string, context: LocaleContext): N => {
  const end = node.fields.find(({ type, begin }) => type === "datetime" && begin?.period && begin.field === left);
  const start = node.entered[left];
  if (typeof start !== "string" || !end || end.optional) return node;
  const { date } = splitMoment(start);
  const isBlank = sameEntered(node.entered[end.name] ?? null, toEntered(end, null, context));
  return date === "" || !isBlank ? node : { ...node, entered: { ...node.entered, [end.name]: joinMoment(date, "") } };
};

const DAY = 86_400_000;

/** The usual lengths of a period in days, which its form offers. Its last day follows the first one then. */
export const USUAL_LENGTHS = [7, 14] as const;

const readTime = (field: FieldJson, entered: Entered | undefined, context: LocaleContext): number => {
  const read = readEntered(field, entered ?? null, context);
  return read.kind === "value" && typeof read.value === "string" ? Date.parse(read.value) : Number.NaN;
};

/** The end of a period as it is now, with its distance from the begin. */
const readEnd = (node: FormNode, start: FieldJson, end: FieldJson, context: LocaleContext): EnteredEnd => {
  const entered = node.entered[end.name] ?? null;
  const read = readFormField(end, node, context);
  const time = read.kind === "value" && typeof read.value === "string" ? Date.parse(read.value) : Number.NaN;
  const length = time - readTime(start, node.entered[start.name], context);
  return { entered, length, isChosen: false, shown: entered };
};

const rememberEnd = <N extends FormNode>(node: N, end: FieldJson, entered: EnteredEnd): N => ({
  ...node,
  ends: { ...node.ends, [end.name]: entered },
});

/** Remembers the end of a period that was entered, so that it can follow the begin and come back. */
const withEnteredEnd = <N extends FormNode>(node: N, name: string, context: LocaleContext): N => {
  const end = node.fields.find((field) => field.name === name && field.begin?.period === true);
  const start = node.fields.find((field) => field.name === end?.begin?.field);
  if (start === undefined || end === undefined) return node;
  return rememberEnd(node, end, { ...readEnd(node, start, end, context), isChosen: true });
};

/**
 * A period keeps its length if its begin is moved past its end, as in a calendar, and also if a usual length was chosen. Any
 * other end that can remain does: somebody may well begin later and end as planned. `before`: the form before its begin was
 * changed.
 */
const withEndAlong = <N extends FormNode>(
  node: N,
  begin: string,
  context: LocaleContext,
  before: FormNode = node,
): N => {
  const end = node.fields.find((field) => field.begin?.period && field.begin.field === begin);
  const start = node.fields.find(({ name }) => name === begin);
  if (start === undefined || end === undefined) return node;
  const current = node.entered[end.name] ?? null;
  const remembered = node.ends?.[end.name];
  // An end from a draft, or that somebody else has saved meanwhile, is none that this form has moved.
  const isKnown = remembered !== undefined && sameEntered(remembered.shown, current);
  const origin = isKnown ? remembered : readEnd(before, start, end, context);
  const { entered, length, isChosen } = origin;
  const from = readTime(start, node.entered[begin], context);
  // A time that can’t be read is not a number, and compares as false.
  if (!(from >= 0 || from < 0) || !(length >= 0)) return node;
  const isDay = end.type === "date";
  const isUsual = isDay && isChosen && USUAL_LENGTHS.some((days) => length === (days - 1) * DAY);
  const isPast = readTime(end, entered, context) < (isDay ? from : from + 1);
  const moved = new Date(from + length).toISOString();
  const next = isUsual || isPast ? toEntered(end, isDay ? moved.slice(0, 10) : moved, context) : entered;
  const known = rememberEnd(node, end, { ...origin, shown: next });
  return sameEntered(current, next) ? known : { ...known, entered: { ...known.entered, [end.name]: next } };
};

// Lists

/** Changes one list of a record. */
export const changeList = <N extends FormNode>(node: N, field: string, change: ListChange): N => ({
  ...node,
  lists: node.lists.map((list) => (list.parts.field === field ? change(list) : list)),
  edited: withName(node.edited, field),
});

export const changeRow = (list: FormList, key: string, change: (row: FormRow) => FormRow): FormList => ({
  ...list,
  rows: list.rows.map((row) => (row.key === key ? change(row) : row)),
});

export const removeRow = (list: FormList, key: string): FormList => {
  const at = list.rows.findIndex((row) => row.key === key);
  const row = list.rows[at];
  if (row === undefined || !row.removable) return list;
  // Nobody wants an empty row back.
  const taken = isEmptyRow(row) ? list.removed : [...list.removed, { row, at }];
  return { ...list, rows: list.rows.toSpliced(at, 1), removed: taken };
};

export const restoreList = (list: FormList): FormList => {
  const last = list.removed.at(-1);
  if (last === undefined) return list;
  const at = Math.min(last.at, list.rows.length);
  return { ...list, rows: list.rows.toSpliced(at, 0, last.row), removed: list.removed.slice(0, -1) };
};

/** Moves a row to the position of another. */
export const moveRow = (list: FormList, key: string, to: number): FormList => {
  const from = list.rows.findIndex((row) => row.key === key);
  const row = list.rows[from];
  if (row === undefined || to < 0 || to >= list.rows.length || to === from) return list;
  return { ...list, rows: list.rows.toSpliced(from, 1).toSpliced(to, 0, row) };
};
