import { type Field, isOfRecord } from "../field.ts";
import type { Section } from "../screen.ts";

/** The default content of a record's page: its fields, the records that refer to it, and its history. */
export const usualSections = (fields: Iterable<Field>): readonly Section[] => {
  const all = [...fields];
  const lists = all.filter(({ storage }) => storage.as === "inverse");
  return [
    {
      kind: "fields",
      title: null,
      fields: all.filter((field) => isOfRecord(field) && !field.isKey).map(({ name }) => name),
      when: new Map(),
    },
    ...lists.map(({ name }): Section => ({ kind: "list", title: null, field: name })),
    { kind: "history" },
  ];
};
