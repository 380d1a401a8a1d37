import type { RecordJson, ReferenceJson } from "../../../core/wire/records.ts";

/** The query for possible targets of a reference. */
export const candidateQuery = (typed: string, limits: readonly (readonly [string, string])[] = []): URLSearchParams => {
  const query = new URLSearchParams({ label: "true", limit: "20" });
  for (const [name, value] of limits) query.append(name, value);
  if (typed.trim() !== "") query.set("search", typed.trim());
  return query;
};

const plain = (words: string) => words.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** The records whose label contains every word typed; those that begin with the input come first. */
export const findCandidates = (items: readonly RecordJson[], typed: string): readonly ReferenceJson[] => {
  const query = plain(typed.trim());
  const words = query.split(/\s+/);
  const found = items
    .map((item) => ({ id: item.id, label: item._label ?? item.id }))
    .filter(({ label }) => words.every((word) => plain(label).includes(word)));
  const begins = ({ label }: ReferenceJson) => plain(label).startsWith(query);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))];
};
