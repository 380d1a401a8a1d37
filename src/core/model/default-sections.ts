import { type Field, isOfRecord, type Section } from "./model.ts";

/** What a record shows where the document says nothing: its fields, the records that refer to it, its history. */
export const usualSections = (fields: Iterable<Field>): readonly Section[] => {
  const all = [...fields];
  const lists = all.filter(({ held }) => held.as === "list");
  return [
    {
      kind: "fields",
      title: null,
      fields: all.filter((one) => isOfRecord(one) && !one.isKey).map(({ name }) => name),
      when: new Map(),
    },
    ...lists.map(({ name }): Section => ({ kind: "list", title: null, field: name })),
    { kind: "history" },
  ];
};
