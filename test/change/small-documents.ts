import fc from "../chance.ts";

/*
 * Pairs of small documents that differ in everything that tables show. Fields and entities are added or removed, or get
 * other names and types. One value becomes several. A field becomes computed, required or unique. States are merged.
 */

const entities: readonly string[] = ["One", "Two"];

interface Kind {
  /** As written in the document. */
  readonly type: string;
  readonly more?: string;
  /** Values that fit; those of a reference are places in the other table. */
  readonly values: readonly unknown[];
  /** A field of this kind that is computed. */
  readonly computed?: string;
  readonly fill?: string;
}

const kinds: readonly Kind[] = [
  { type: "text", values: ["one", "two", "three"], computed: "\"replace(title, 'A', 'D')\"", fill: "title" },
  { type: "text", more: ", max: 30", values: ["one", "two", "three"], computed: "title", fill: "title" },
  { type: "integer", values: [1, 2, 3], computed: "size(title)", fill: "4" },
  { type: "integer", more: ", min: 0, max: 9", values: [1, 5, 9], fill: "4" },
  { type: "decimal", values: [1.5, 2, 7], fill: "4" },
  { type: "boolean", values: [true, false, true] },
  { type: "date", values: ["2026-01-02", "2026-03-04", "2027-01-01"] },
  { type: "choice", more: ", values: [a, b, c]", values: ["a", "b", "c"] },
  { type: "choice", more: ", values: [a, b]", values: ["a", "b", "a"] },
  { type: "choice", more: ", values: [b, { d: { was: [a, c] } }]", values: ["b", "d", "b"] },
  { type: "One", values: [0, 1, 2] },
  { type: "Two", values: [0, 1, 2] },
];

interface SmallField {
  readonly kind: number;
  readonly isOptional: boolean;
  readonly isMany: boolean;
  readonly isUnique: boolean;
  readonly isComputed: boolean;
  readonly hasFill: boolean;
  readonly isRenamed: boolean;
}

interface SmallEntity {
  readonly isRenamed: boolean;
  readonly fields: readonly (SmallField | null)[];
  readonly states: number | null;
  readonly isListed: boolean;
}

/** The entities `One` and `Two`; null if the document lacks one. */
export type Small = readonly [SmallEntity | null, SmallEntity | null];

const flag = fc.boolean();
const mostly = fc.integer({ min: 0, max: 4 }).map((item) => item < 4);
const rarely = fc.integer({ min: 0, max: 4 }).map((item) => item === 4);

const field: fc.Arbitrary<SmallField> = fc.record({
  kind: fc.nat(kinds.length - 1),
  isOptional: mostly,
  isMany: rarely,
  isUnique: rarely,
  isComputed: rarely,
  hasFill: mostly,
  isRenamed: rarely,
});

const entity: fc.Arbitrary<SmallEntity> = fc.record({
  isRenamed: rarely,
  fields: fc.array(fc.option(field, { freq: 3 }), { minLength: 3, maxLength: 3 }),
  states: fc.option(fc.nat(3)),
  isListed: flag,
});

/** References to a missing entity are texts. */
const withTargets = (document: Small): Small => {
  const known = (smallEntity: SmallEntity | null): SmallEntity | null =>
    smallEntity === null
      ? null
      : {
          ...smallEntity,
          fields: smallEntity.fields.map((field) => {
            const target = entities.indexOf(kinds[field?.kind ?? 0]?.type ?? "");
            return field !== null && target >= 0 && document[target] === null ? { ...field, kind: 0 } : field;
          }),
        };
  return [known(document[0]), known(document[1])];
};

export const small: fc.Arbitrary<Small> = fc
  .tuple(fc.option(entity, { freq: 6, nil: null }), fc.option(entity, { freq: 4, nil: null }))
  .map(withTargets);

const states = ["[here, gone]", "[here, gone, lost]", "[here]", "[{ here: { was: [gone, lost] } }]"] as const;
const statesIn = [
  ["here", "gone", "gone"],
  ["here", "gone", "lost"],
  ["here", "here", "here"],
  ["here", "here", "here"],
];

/** The name of an entity in a document. */
const nameOf = (smallEntity: SmallEntity | null, i: number): string =>
  `${entities[i]}${smallEntity?.isRenamed === true ? "Renamed" : ""}`;
const fieldName = (smallField: SmallField, i: number): string => `${smallField.isRenamed ? "renamed" : "field"}_${i}`;

const isUnique = (smallField: SmallField): boolean =>
  smallField.isUnique &&
  !smallField.isMany &&
  !smallField.isComputed &&
  new Set(kinds[smallField.kind]?.values).size === 3;

const without = (text: string): string => text.replaceAll(/, \w+: (?=[,}])/gu, "");

/** The text of a document. `former`: an earlier document, whose different names are declared with `was`. */
export const textOf = (document: Small, former: Small | null): string => {
  const lines = document.flatMap((smallEntity, at): readonly string[] => {
    if (smallEntity === null) return [];
    const known = former?.[at] ?? null;
    const was = known !== null && known.isRenamed !== smallEntity.isRenamed ? `was: ${nameOf(known, at)}, ` : "";
    const fields = smallEntity.fields.flatMap((field, i): readonly string[] => {
      if (field === null) return [];
      const kind = kinds[field.kind];
      if (kind === undefined) return [];
      const before = known?.fields[i] ?? null;
      const target = entities.indexOf(kind.type);
      const type = target < 0 ? kind.type : nameOf(document[target] ?? null, target);
      const isComputed = field.isComputed && kind.computed !== undefined && !field.isMany;
      const parts = [
        `type: ${type}${(field.isOptional || target >= 0) && !field.isMany && !isComputed ? "?" : ""}`,
        kind.more?.slice(2) ?? "",
        field.isMany ? "many: true" : "",
        isUnique(field) ? "unique: true" : "",
        isComputed ? `computed: ${kind.computed ?? ""}` : "",
        former !== null && field.hasFill && kind.fill !== undefined && !isComputed && !field.isMany
          ? `fill: ${kind.fill}`
          : "",
        before !== null && before.isRenamed !== field.isRenamed ? `was: ${fieldName(before, i)}` : "",
      ];
      return [`    ${fieldName(field, i)}: { ${parts.filter((part) => part !== "").join(", ")} }`];
    });
    return [
      without(
        `${nameOf(smallEntity, at)}:${was === "" ? "" : `\n  ${was.slice(0, -2)}`}\n  fields:\n    title: text\n${fields.join("\n")}`,
      ),
    ];
  });
  const stated = document.flatMap((smallEntity, at) =>
    smallEntity?.states == null ? [] : [`${nameOf(smallEntity, at)}: { states: ${states[smallEntity.states]} }`],
  );
  const lists = document.flatMap((smallEntity, at) =>
    smallEntity?.isListed === true ? [`/list-${at}: { list: ${nameOf(smallEntity, at)}, sort: [title] }`] : [],
  );
  const point = (number: number, yaml: readonly string[]) =>
    yaml.length === 0 ? [] : [`## ${number}. Point\n\`\`\`yaml\n${yaml.join("\n")}\n\`\`\``];
  return ["# Small", ...point(2, lists), ...point(3, lines), ...point(4, stated)].join("\n\n");
};

const tableOf = (smallEntity: SmallEntity, at: number): string =>
  `${at === 0 ? "one" : "two"}${smallEntity.isRenamed ? "_renamed" : ""}`;
const idOf = (at: number, row: number): string => `00000000-0000-7000-8000-0000000000${at}${row}`;

export interface SmallRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** The stored value of a field in the `row`th record. */
const storedIn = (field: SmallField, row: number): unknown => {
  const kind = kinds[field.kind];
  const target = entities.indexOf(kind?.type ?? "");
  const values = (kind?.values ?? []).map((value) => (target < 0 ? value : idOf(target, Number(value))));
  if (field.isMany) return [[], [values[1]], [values[0], values[2]]][row];
  return field.isOptional && row === 1 && kind?.type !== "boolean" ? null : values[row];
};

/** Three records of each entity, in an order that works if references are deferred. */
export const rowsOf = (document: Small): readonly SmallRow[] =>
  document.flatMap((smallEntity, at) =>
    smallEntity === null
      ? []
      : [0, 1, 2].map((i) => ({
          table: tableOf(smallEntity, at),
          row: {
            id: idOf(at, i),
            title: ["A", "B", "C"][i],
            ...Object.fromEntries(
              smallEntity.fields.flatMap((field, n) =>
                field === null || (field.isComputed && !field.isMany && kinds[field.kind]?.computed !== undefined)
                  ? []
                  : [[fieldName(field, n), storedIn(field, i)]],
              ),
            ),
            ...(smallEntity.states === null ? {} : { state: statesIn[smallEntity.states]?.[i] }),
          },
        })),
  );

/** Fills the columns of a record that only the later document has. */
export const newValues = (a: Small, b: Small): string =>
  b
    .flatMap((smallEntity, at) => {
      const known = a[at] ?? null;
      if (smallEntity === null || known === null) return [];
      return smallEntity.fields.flatMap((field, n) => {
        const former = known.fields[n] ?? null;
        const kind = field === null ? undefined : kinds[field.kind];
        if (field === null || former !== null || kind === undefined) return [];
        if (field.isMany || field.isComputed || field.isUnique || entities.some((name) => name === kind.type))
          return [];
        const value = String(kind.values[1]).replaceAll("'", "''");
        return [
          `update app."${tableOf(smallEntity, at)}" set "${fieldName(field, n)}" = '${value}' where title <> 'A'`,
        ];
      });
    })
    .join(";\n");
