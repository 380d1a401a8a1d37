import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { isAssigned } from "../../field/kinds.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity } from "../../model/entity.ts";
import { computedExpr, type Field, isActValue } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";

/** Finds defaults that read a value which does not exist before the record is saved, and cycles of defaults. */
export const analyzeDefaults = (model: Model): readonly Finding[] =>
  [...model.entities.values()].flatMap((entity) => [...findUnknownReads(entity), ...defaultCycles(entity)]);

const findUnknownReads = (entity: Entity): readonly Finding[] =>
  [...entity.fields.values()].flatMap((field) => {
    const { default: initial, clause } = field;
    // A transition evaluates the default of a value that it asks for on a saved record.
    if (initial === null || isActValue(field)) return [];
    const unknown = [...collectReadSet(initial).fields].find((name) => {
      const read = entity.fields.get(name);
      return name === "id" || (read !== undefined && (read.storage.as === "inverse" || isAssigned(read.type)));
    });
    return unknown === undefined
      ? []
      : [
          finding(
            "BAD_DEFAULT",
            initial.span,
            `The default of ${field.name} reads ${unknown}, which has no value before the record is saved.`,
            "Read fields that people fill in, or use “computed”.",
            { clause: clause.id },
          ),
        ];
  });

/** The fields of its own record that the initial value of a field depends on. */
const ownReads = (field: Field | undefined): ReadonlySet<string> => {
  const expr = field === undefined ? null : (computedExpr(field) ?? field.default);
  return expr === null ? new Set() : collectReadSet(expr).fields;
};

const defaultCycles = (entity: Entity): readonly Finding[] => {
  const found: Finding[] = [];
  const reported = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const at = path.indexOf(name);
    if (at < 0) {
      for (const next of ownReads(entity.fields.get(name))) visit(next, [...path, name]);
      return;
    }
    const cycle = path.slice(at);
    const first = cycle.find((item) => entity.fields.get(item)?.default != null);
    const initial = first === undefined ? undefined : entity.fields.get(first)?.default;
    // Another analyzer reports cycles of computed fields alone.
    if (first === undefined || initial == null || cycle.some((item) => reported.has(item))) return;
    for (const item of cycle) reported.add(item);
    const steps = [...cycle.slice(cycle.indexOf(first)), ...cycle.slice(0, cycle.indexOf(first)), first].map(
      (item) => `${entity.name}.${item}`,
    );
    found.push(
      finding(
        "CYCLE",
        initial.span,
        `The default of ${steps[0]} depends on itself: ${steps.join(" → ")}.`,
        "Remove one of these defaults, or read other fields in it.",
        { clause: entity.fields.get(first)?.clause.id ?? `3.${steps[0]}`, witness: { steps } },
      ),
    );
  };
  for (const [name, field] of entity.fields) if (field.default !== null) visit(name, []);
  return found;
};
