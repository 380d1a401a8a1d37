import { not } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Analyzer, Uses } from "../analyzer.ts";
import { findFieldsRead, type QualifiedField } from "../fields-read.ts";

/** Finds cycles of computed fields. */
export const findCycles = (uses: Uses): readonly Finding[] => {
  const leads = new Map(
    [...uses.computed].map(([name, exprs]) => [name, [...findFieldsRead(exprs)].filter((to) => uses.computed.has(to))]),
  );
  const found: Finding[] = [];
  const done = new Set<QualifiedField>();
  const reported = new Set<QualifiedField>();
  const visit = (name: QualifiedField, path: readonly QualifiedField[]): void => {
    const at = path.indexOf(name);
    const around = at < 0 ? [] : path.slice(at);
    // Several cycles through one set of fields are one mistake.
    if (at >= 0 && !around.some((item) => reported.has(item))) {
      found.push(cycle(uses.computed.get(name) ?? [], [...around, name]));
      for (const item of around) reported.add(item);
    }
    if (at >= 0 || done.has(name)) return;
    for (const next of leads.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of leads.keys()) visit(name, []);
  return found;
};

const cycle = ([expr]: readonly Expr[], path: readonly QualifiedField[]): Finding =>
  finding(
    "CYCLE",
    expr?.span ?? { file: "", start: 0, end: 0 },
    `${path[0]} is computed from itself: ${path.join(" → ")}.`,
    "Compute one of these fields from other fields.",
    { clause: `3.${path[0]}`, witness: { steps: path } },
  );

/** Finds choices that never apply, because the choices before them cover every case. */
export const findUnusedChoices: Analyzer = ({ uses, decide }) =>
  [...uses.computed].flatMap(([name, exprs]) =>
    exprs.length < 2
      ? []
      : exprs.flatMap((expr, i) => {
          if (decide.canHold(expr, ...exprs.slice(0, i).map(not))) return [];
          return [
            finding(
              "NEVER_TRUE",
              expr.span,
              decide.canHold(expr)
                ? "This choice is never used: an earlier one is true whenever this one is."
                : "This choice is never used: its condition is never true.",
              "Change the conditions or their order, or remove the choice.",
              { clause: `3.${name}` },
            ),
          ];
        }),
  );
