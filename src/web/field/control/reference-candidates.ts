import { limitPage } from "../../../core/derive/http/list-query.ts";
import type { RecordJson, ReferenceJson } from "../../../core/wire/records.ts";
import type { ScreenJson } from "../../../core/wire/screens.ts";

/** Maximum number of records that are offered at once. */
const MOST_CANDIDATES = 20;

/** The query for possible targets of a reference. `place`: the field with their order, if they are parts of one record. */
export const candidateQuery = (
  screens: readonly ScreenJson[],
  typed: string,
  limits: readonly (readonly [string, string])[] = [],
  place = "_label",
): URLSearchParams => {
  const limit = String(limitPage(screens, MOST_CANDIDATES));
  const query = new URLSearchParams({ label: "true", limit, sort: place });
  for (const [name, value] of limits) query.append(name, value);
  if (typed.trim() !== "") query.set("search", typed.trim());
  return query;
};

/** The last choices of each person and field, newest first, until the page is loaded again. */
const recent = new Map<string, readonly string[]>();
const MOST_RECENT = 3;

const toRecentKey = (person: string | undefined, clause: string): string => `${person ?? ""} ${clause}`;

export const rememberChoice = (person: string | undefined, clause: string, id: string): void => {
  const key = toRecentKey(person, clause);
  recent.set(key, [id, ...(recent.get(key) ?? []).filter((one) => one !== id)].slice(0, MOST_RECENT));
};

/** The reader first, then the last choices for the field, then the others in their order. */
export const orderCandidates = (
  found: readonly ReferenceJson[],
  person: string | undefined,
  clause: string,
): readonly ReferenceJson[] => {
  const first = [person, ...(recent.get(toRecentKey(person, clause)) ?? [])];
  const top = first.flatMap((id) => found.find((one) => one.id === id) ?? []);
  return [...new Set([...top, ...found])];
};

const plain = (words: string) => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The items with every word typed in their labels; those that begin with the input come first. */
export const searchLabels = <T extends { readonly label: string }>(
  items: readonly T[],
  typed: string,
): readonly T[] => {
  const query = plain(typed.trim());
  const words = query.split(/\s+/);
  const found = items.filter(({ label }) => words.every((word) => plain(label).includes(word)));
  const begins = ({ label }: T) => plain(label).startsWith(query);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))];
};

/** The records whose label matches the input. */
export const findCandidates = (items: readonly RecordJson[], typed: string): readonly ReferenceJson[] =>
  searchLabels(
    items.map((item) => ({ id: item.id, label: item._label ?? item.id })),
    typed,
  );
