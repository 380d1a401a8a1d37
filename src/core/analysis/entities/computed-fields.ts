import { every, not, some } from "../../expression/boolean-exprs.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity } from "../../model/entity.ts";
import type { Permission } from "../../model/permissions.ts";
import type { Analyzer, Checked, Uses } from "../analyzer.ts";
import { conditionsBy } from "../principals.ts";
import { entityWithArticle } from "../witness-text.ts";

/** Finds computed fields with more readers than their inputs, and choices that never apply. */
export const analyzeComputedFields: Analyzer = (checked) => [...audiences(checked), ...choices(checked)];

/** `Request.days` */
type Name = string;

/**
 * Fields that expressions read on any record. `counts` selects them by entity and by being read only within a
 * condition.
 */
const readBy = (exprs: readonly Expr[], counts = (_entity: string, _asked: boolean) => true): ReadonlySet<Name> => {
  const names = new Set<Name>();
  const visit = (expr: Expr, isCondition: boolean): void => {
    if (expr.kind !== "field") {
      for (const part of subexpressions(expr)) visit(part, isCondition || expr.type.kind === "boolean");
      return;
    }
    const { entity, field } = expr;
    if (field.inverse === undefined && !isOfEveryRecord(field.name) && counts(entity.name, isCondition))
      names.add(`${entity.name}.${field.name}`);
    visit(expr.of, isCondition);
  };
  for (const expr of exprs) visit(expr, false);
  return names;
};

const isOfEveryRecord = (name: string): boolean => ["id", "version", "created_at", "updated_at"].includes(name);

/** Finds cycles of computed fields. */
export const findCycles = (uses: Uses): readonly Finding[] => {
  const leads = new Map(
    [...uses.computed].map(([name, exprs]) => [name, [...readBy(exprs)].filter((to) => uses.computed.has(to))]),
  );
  const found: Finding[] = [];
  const done = new Set<Name>();
  const reported = new Set<Name>();
  const visit = (name: Name, path: readonly Name[]): void => {
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

const cycle = ([expr]: readonly Expr[], path: readonly Name[]): Finding =>
  finding(
    "CYCLE",
    expr?.span ?? { file: "", start: 0, end: 0 },
    `${path[0]} is computed from itself: ${path.join(" → ")}.`,
    "Compute one of these fields from other fields.",
    { clause: `3.${path[0]}`, witness: { steps: path } },
  );

const audiences = (checked: Checked): readonly Finding[] =>
  [...checked.uses.computed].flatMap(([name, exprs]) => {
    const [owner = "", field = ""] = name.split(".");
    const entity = checked.model.entities.get(owner);
    const [first] = exprs;
    if (checked.uses.disclosed.has(name)) return [];
    if (entity?.permissions == null || first === undefined || checked.unsettled(`6.${owner}.read`)) return [];
    // A condition on records of others is a summary such as “all paid”, which is assumed to be intended.
    const reads = [...readBy(exprs, (of, isCondition) => !isCondition || of === owner)];
    const hidden = new Map<string, Name>();
    for (const permission of entity.permissions.actions.read) {
      const { role } = permission;
      if (hidden.has(role) || checked.fieldsOf(owner, permission)?.has(field) === false) continue;
      const read = reads.find((item) => isHiddenFrom(checked, entity, permission, item));
      if (read !== undefined) hidden.set(role, read);
    }
    // Deputies read what the people read for whom they stand in.
    const isRepeated = (role: string) => checked.model.deputies !== null && hidden.has(role.replace(/_deputy$/u, ""));
    const disclosures = [...hidden].filter(([role]) => !role.endsWith("_deputy") || !isRepeated(role));
    // One hidden field is one cause, for however many roles.
    return [...new Set(disclosures.map(([, read]) => read))].map((read) => {
      const roles = disclosures.flatMap(([role, item]) => (item === read ? [role] : []));
      const [role = ""] = roles;
      const all = joinNames(roles);
      return finding(
        "WIDER_AUDIENCE",
        first.span,
        `${all} can read ${field} of ${entityWithArticle(entity)}, but not always ${read}, from which it is computed.`,
        `Let ${all} read ${read}, remove ${field} from the fields that ${all} can read, or add “discloses: true”.`,
        { clause: `3.${name}`, witness: { role } },
      );
    });
  });

/** `clerk, boss and member` */
const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/**
 * True if a holder of the permission can read a record without being able to read the field, there or on a related
 * record.
 */
const isHiddenFrom = (checked: Checked, entity: Entity, permission: Permission, read: Name): boolean => {
  const { model, people, unsettled, decide } = checked;
  const [owner = "", field = ""] = read.split(".");
  const target = model.entities.get(owner);
  if (target?.permissions == null || !target.fields.has(field) || unsettled(`6.${owner}.read`)) return false;
  const grants = people.grantsOf(target, "read", people.holderBy(entity, permission));
  const showing = grants.filter(({ fields }) => fields === null || fields.has(field));
  if (target !== entity || showing.some(({ conditions }) => conditions.length === 0)) return showing.length === 0;
  const seen = conditionsBy(permission);
  const shown = some(showing.flatMap(({ conditions }) => every(conditions) ?? []));
  return decide.exampleOf(...seen, ...(shown === undefined ? [] : [not(shown)])) !== undefined;
};

/** Finds choices that never apply, because the choices before them cover every case. */
const choices = ({ uses, decide }: Checked): readonly Finding[] =>
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
