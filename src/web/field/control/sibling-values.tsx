import { createContext, useContext } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import { type EnteredValues, readEntered } from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";

/** What stands in a form beside a control: what a reference may name can depend on it. */
export interface Beside {
  /** The record that is changed; null where one is made. */
  readonly record: string | null;
  /** What has been entered in a field, as an address takes it; undefined where the form does not ask for it. */
  readonly given: (field: string) => string | undefined;
  /** What a reference is narrowed to where it is asked for, beside what the document says of it. */
  readonly narrowed?: Narrowed;
}

/** By field, as the address of a list takes it. */
export type Narrowed = { readonly [field: string]: readonly (readonly [name: string, value: string])[] };

const BesideContext = createContext<Beside>({ record: null, given: () => undefined });
export const BesideProvider = BesideContext;

/** The words in the address of a list that narrow it to what a reference may name. */
export const useLimits = ({
  name,
  among,
}: Pick<FieldJson, "name" | "among">): readonly (readonly [string, string])[] => {
  const { record, given, narrowed } = useContext(BesideContext);
  const own = narrowed?.[name] ?? [];
  if (among === undefined) return own;
  const entered = among.given.flatMap((name) => {
    const value = given(name);
    return value === undefined ? [] : [[`given.${name}`, value] as const];
  });
  return [["among", record === null ? among.of : `${among.of}/${record}`], ...entered, ...own];
};

export const besideIn = (
  form: { readonly fields: readonly FieldJson[]; readonly entered: EnteredValues },
  record: string | null,
  here: Here,
  also: { readonly [name: string]: string } = {},
): Beside => besideOf(form.fields, form.entered, record, here, also);

/** What stands beside a control, in a form or in a row of one. */
export const besideOf = (
  fields: readonly FieldJson[],
  entered: EnteredValues,
  record: string | null,
  here: Here,
  also: { readonly [name: string]: string },
): Beside => ({
  record,
  given: (name) => {
    if (name in also) return also[name];
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    const read = readEntered(field, entered[name] ?? null, here);
    return read.kind === "value" ? inAddress(read.value) : "";
  },
});

const inAddress = (value: Json): string => (value === null || typeof value === "object" ? "" : String(value));
