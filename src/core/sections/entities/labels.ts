import { type Template, templateExpressions } from "../../expression/compile/template.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Linking } from "../linking/link-context.ts";

interface Labelled {
  readonly clause: Clause;
  readonly label: Template;
}

/** The entities whose labels a label contains. */
const listNamedFields = (label: Template): readonly string[] =>
  templateExpressions(label).flatMap(({ type }) => {
    const of = type.kind === "list" ? type.of : type;
    return of.kind === "record" ? [of.entity] : [];
  });

/** Reports cycles of labels that contain each other. */
export const checkLabels = (entities: ReadonlyMap<string, Labelled>, linking: Linking): void => {
  const reported = new Set<string>();
  for (const [name, { clause, label }] of entities) {
    if (reported.has(name)) continue;
    const around = findPathBack(name, label, entities, new Set());
    if (around === undefined) continue;
    for (const item of around) reported.add(item);
    linking.report(
      finding(
        "CYCLE",
        clause.span,
        `The label of ${name} contains itself: ${around.join(", ")}.`,
        "Use a field in one of them, such as {name} of the record that it refers to.",
        { clause: clause.id },
      ),
    );
  }
};

const findPathBack = (
  to: string,
  label: Template,
  entities: ReadonlyMap<string, Labelled>,
  passed: Set<string>,
): readonly string[] | undefined => {
  for (const next of listNamedFields(label)) {
    if (next === to) return [next];
    const entity = entities.get(next);
    if (passed.has(next) || entity === undefined) continue;
    passed.add(next);
    const path = findPathBack(to, entity.label, entities, passed);
    if (path !== undefined) return [next, ...path];
  }
  return undefined;
};
