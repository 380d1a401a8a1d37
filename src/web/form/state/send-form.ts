import type { FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Problem } from "../../../core/wire/problems.ts";
import { type FormValues, readFormField } from "../../field/form-values.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import type { FormFieldError } from "./field-error.ts";
import {
  type Form,
  type FormList,
  type FormNode,
  type FormRow,
  filledRows,
  findList,
  isEmptyRow,
  isFieldChanged,
  isListChanged,
} from "./form-node.ts";
import { findViolatedBound } from "./violated-bound.ts";

/* The request that a form makes, and the errors in the response. */

type Body = { readonly [field: string]: Json };

/** The body to send, or the record with its unreadable fields marked. */
type Reading<N> = { readonly kind: "body"; readonly body: Body } | { readonly kind: "form"; readonly form: N };

const readNode = <N extends FormNode>(node: N, context: LocaleContext): Reading<N> => {
  const readings = node.fields
    .filter(({ name }) => node.purpose !== "update" || isFieldChanged(node, name))
    .map((field) => ({ field, reading: readFormField(field, node, context) }));
  const lists = node.lists.map((list) => readList(list, context));
  const unreadable = readings.filter(({ reading }) => reading.kind === "unreadable").map(({ field }) => field);
  if (unreadable.length > 0 || lists.some(({ kind }) => kind === "form"))
    return {
      kind: "form",
      form: {
        ...node,
        unreadable: unreadable.map(({ name }) => name),
        lists: node.lists.map((list, i) => (lists[i]?.kind === "form" ? lists[i].form : list)),
      },
    };
  const values = readings.flatMap(({ field, reading }): [string, Json][] =>
    // A value that was present initially and was cleared is meant to be empty.
    reading.kind === "value" &&
    ((node.purpose !== "create" && field.default === undefined) ||
      reading.value !== null ||
      isFieldChanged(node, field.name))
      ? [[field.name, reading.value]]
      : [],
  );
  const parts = node.lists.flatMap((list, i): [string, Json][] =>
    lists[i]?.kind === "body" && isListChanged(list) ? [[list.parts.field, lists[i].body]] : [],
  );
  return { kind: "body", body: Object.fromEntries([...values, ...parts]) };
};

/** The parts to send, or the list with its unreadable cells marked. */
export const readList = (
  list: FormList,
  context: LocaleContext,
): { readonly kind: "body"; readonly body: readonly Json[] } | { readonly kind: "form"; readonly form: FormList } => {
  const rows = list.rows.map((row) => ({ row, read: readNode(row, context) }));
  if (rows.some(({ read }) => read.kind === "form"))
    return {
      kind: "form",
      form: { ...list, rows: rows.map(({ row, read }) => (read.kind === "form" ? read.form : row)) },
    };
  return {
    kind: "body",
    body: rows.flatMap(({ row, read }): readonly Json[] =>
      read.kind === "form" || isEmptyRow(row)
        ? []
        : [{ ...(row.record === null ? {} : { id: row.record.id }), ...read.body }],
    ),
  };
};

/** True for a required field without a value, which the server would refuse. */
const isMissing = (node: FormNode, { name, optional, many, type, default: begins }: FieldJson): boolean => {
  const entered = node.entered[name] ?? null;
  const isSent = node.purpose !== "update" || isFieldChanged(node, name);
  return (
    isSent &&
    !optional &&
    many !== true &&
    type !== "boolean" &&
    begins === undefined &&
    (entered === null || (typeof entered === "string" && entered.trim() === ""))
  );
};

/** The bound that the value of a field violates, if the value is sent. */
const findSentBound = (node: FormNode, field: FieldJson, context: LocaleContext): "min" | "max" | null => {
  if (node.purpose === "update" && !isFieldChanged(node, field.name)) return null;
  const reading = readFormField(field, node, context);
  return reading.kind === "value" ? findViolatedBound(field, reading.value) : null;
};

const getText = (
  { entered, record }: FormNode,
  name: string,
): { readonly entered?: string; readonly beside?: FormValues } => {
  const text = entered[name];
  return typeof text === "string" ? { entered: text, beside: { entered, record } } : {};
};

/** Unreadable and missing values of a record and those beyond a bound, without those of its parts. */
const findOwnErrors = (
  node: FormNode,
  context: LocaleContext,
): readonly (FormFieldError & { readonly cell: FieldJson })[] =>
  node.fields.flatMap((field) => {
    const kind = node.unreadable.includes(field.name)
      ? "unreadable"
      : isMissing(node, field)
        ? "missing"
        : findSentBound(node, field, context);
    const text = kind === "unreadable" ? getText(node, field.name) : {};
    return kind === null ? [] : [{ kind, field: field.name, clause: field.clause, cell: field, ...text } as const];
  });

/** The errors in the rows of a list, with the numbers of the rows from the outermost list inwards. */
const findRowErrors = (
  { parts, rows }: FormList,
  context: LocaleContext,
  outer: readonly number[] = [],
): readonly FormFieldError[] =>
  rows.flatMap((row, at) => {
    if (isEmptyRow(row)) return [];
    const numbers = [...outer, at + 1];
    const inner = row.lists.flatMap((list) => findRowErrors(list, context, numbers));
    return [...findOwnErrors(row, context).map((error) => ({ ...error, rows: numbers })), ...inner].map((error) => ({
      ...error,
      field: parts.field,
    }));
  });

/** Marks the errors of each row at its cells. */
const markRows = (list: FormList, context: LocaleContext): FormList => ({
  ...list,
  rows: list.rows.map((row) =>
    isEmptyRow(row)
      ? row
      : {
          ...withErrors(row, findOwnErrors(row, context)),
          lists: row.lists.map((inner) => markRows(inner, context)),
        },
  ),
});

/** The form with all errors that are found before sending: in its values, and violated rules (`broken`). */
export const withOwnErrors = (form: Form, context: LocaleContext, broken: readonly FormFieldError[]): Form => ({
  ...withErrors(form, [
    ...findOwnErrors(form, context),
    ...form.lists.flatMap((list) => findRowErrors(list, context)),
    ...broken,
  ]),
  lists: form.lists.map((list) => markRows(list, context)),
});

/**
 * The body to send, or the form with its unreadable fields as errors. Missing values, violated bounds and violated rules
 * (`broken`) are errors beside them, so that somebody learns of all problems at once.
 */
export const readForm = (
  form: Form,
  context: LocaleContext,
  broken: readonly FormFieldError[] = [],
): { readonly kind: "body"; readonly body: Body } | { readonly kind: "form"; readonly form: Form } => {
  const read = readNode(form, context);
  return read.kind === "body" ? read : { kind: "form", form: withOwnErrors(read.form, context, broken) };
};

// Errors

/** A form after an attempt to save it. */
export const withErrors = <N extends FormNode>(node: N, errors: readonly FormFieldError[]): N => ({
  ...node,
  errors,
  edited: [],
});

type ResponseError = NonNullable<Problem["errors"]>[number];

/** An error with its path from a record. */
interface ErrorAt {
  readonly path: readonly string[];
  readonly error: ResponseError;
}

const splitPointer = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The row of a path such as `lines/2/…`, by its number among the rows that were sent. */
const findRow = (node: FormNode, [field, index]: readonly string[]): FormRow | undefined => {
  const list = index === undefined ? undefined : findList(node, field);
  return list && filledRows(list)[Number(index)];
};

/** The row numbers in a path, outermost first and from 1: `lines/2/serials/0` gives 3 and 1. */
export const findRowNumbers = (node: FormNode, path: readonly string[]): readonly number[] => {
  const row = findRow(node, path);
  const list = findList(node, path[0]);
  return row && list ? [list.rows.indexOf(row) + 1, ...findRowNumbers(row, path.slice(2))] : [];
};

/** Assigns errors to a record and to its parts. `fields`: the fields at which an error can be shown. */
const refuseNode = <N extends FormNode>(node: N, fields: readonly FieldJson[], errors: readonly ErrorAt[]): N => ({
  ...withErrors(
    node,
    errors.map(({ path, error: { clause, message, help = null } }): FormFieldError => {
      const [name] = path;
      const isKnown = fields.some((field) => field.name === name) || findList(node, name) !== undefined;
      const rows = findRowNumbers(node, path);
      return {
        kind: "refused",
        field: name !== undefined && isKnown ? name : null,
        ...(rows.length === 0 ? {} : { rows }),
        clause,
        message,
        help,
      };
    }),
  ),
  lists: node.lists.map((list) => ({
    ...list,
    rows: list.rows.map((row) =>
      refuseNode(
        row,
        list.columns,
        errors
          .filter(({ path }) => path[0] === list.parts.field && findRow(node, path) === row)
          .map(({ path, error }) => ({ path: path.slice(2), error })),
      ),
    ),
  })),
});

const clausesOf = (node: FormNode): readonly string[] => [
  ...node.fields.map(({ clause }) => clause),
  ...node.lists.flatMap(({ columns, rows }) => [...columns.map(({ clause }) => clause), ...rows.flatMap(clausesOf)]),
];

/** True if a value is missing or cannot be accepted. Whether it is taken is known after the rules only. */
const isOfValue = ({ code, clause }: ResponseError, clauses: readonly string[]): boolean =>
  code === "REQUIRED" || (code !== "TAKEN" && clauses.includes(clause));

/**
 * The form with the errors of a response. The server checks rules only once all values are there. If some are not, the
 * rules that the form violates as well (`broken`) are errors beside them.
 */
export const refuseForm = (form: Form, problem: Problem, broken: readonly FormFieldError[] = []): Form => {
  const errors = (problem.errors ?? []).map((error) => ({ path: splitPointer(error.at), error }));
  const refused = refuseNode(form, form.fields, errors);
  const clauses = clausesOf(form);
  const areRulesLeft = errors.some(({ error }) => isOfValue(error, clauses));
  const others = areRulesLeft
    ? broken.filter((one) => !refused.errors.some(({ clause }) => clause === one.clause))
    : [];
  if (errors.length > 0) return { ...refused, errors: [...refused.errors, ...others] };
  const { clause = null, detail: message, help = null } = problem;
  return withErrors(refused, [{ kind: "refused", field: null, clause, message, help }]);
};

/**
 * Errors at a field or list: from the response, if they may still hold; otherwise unreadable input or violated rules
 * (`broken`). Errors in the rows of a list are at these.
 */
export const findErrors = (
  node: FormNode,
  name: string,
  broken: readonly FormFieldError[] = [],
): readonly FormFieldError[] => {
  const refused = node.edited.includes(name)
    ? []
    : node.errors.filter((one) => one.field === name && one.rows === undefined);
  const field = node.fields.find((one) => one.name === name);
  if (refused.length === 0 && field !== undefined && node.unreadable.includes(name))
    return [{ kind: "unreadable", field: name, clause: field.clause, ...getText(node, name) }];
  const now = broken.filter((one) => one.field === name && !refused.some(({ clause }) => clause === one.clause));
  return [...refused, ...now];
};
