import type { Named, ReportFinding, Spanned } from "../../document/shape.ts";
import type { Scalar, Tree } from "../../document/tree.ts";
import { titleFor } from "../../i18n/titles.ts";
import { toValueTitle } from "../../model/inflection.ts";
import type { Span } from "../../source-text.ts";
import type { EntitiesSyntax, EntitySyntax, FieldsSyntax } from "../entities/entities-syntax.ts";
import { fieldsShape } from "../entities/field-syntax.ts";
import { buildMapping, buildScalar, composeExpression } from "../linking/build-tree.ts";
import { withVoidingEffects } from "./approval-effects.ts";
import { toCompletionName } from "./completion.ts";
import {
  type ApprovalPart,
  type ApprovalSyntax,
  isVoidable,
  readApproval,
  untilFields,
  voidingTransition,
} from "./read-approval.ts";
import { type EntityStates, type StatesSyntax, type TransitionSyntax, transitionShape } from "./states-syntax.ts";
import { namesSameState, returnsToPrevious } from "./target-words.ts";

/*
 * A transition that needs several people, written as transitions that each need one: `approve: { from: waiting, to:
 * approved, by: approver, needs: 2, recorded in: approved_by }` becomes
 *
 * - `approve`, from waiting to waiting, which adds the person to `approved_by`,
 * - `approve_complete`, from waiting to approved, once `approved_by` has two people,
 * - `approve_void`, from waiting to waiting, which empties `approved_by`. Effects make it when the record changes.
 *
 * All other stages (SQL, explanations, locks, history, comparison of versions) see only these transitions.
 */

interface Points {
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
}

/** Expands `needs` in the syntax. Reports transitions for which that is not possible. */
export const expandApprovals = <P extends Points>(points: P, locale: string, report: ReportFinding): P => {
  const entities = listNamed(points.entities);
  const fieldsOf = new Map(entities.map(({ name, value }) => [name, value.fields]));
  const approvals = listNamed(points.states).flatMap(({ name: entity, value: states }) =>
    (states.transitions ?? []).flatMap(
      (transition) => readApproval(entity, states, transition, fieldsOf.get(entity) ?? [], report) ?? [],
    ),
  );
  if (approvals.length === 0) return points;
  const parts = new Map(approvals.map((approval) => [approval, listParts(approval, entities)]));
  return {
    ...points,
    entities: entities.map((entity) => withFields(entity, approvals)),
    states: withVoidingEffects(
      listNamed(points.states).map((entry) => ({
        ...entry,
        value: withTransitions(entry, approvals, parts, locale, report),
      })),
      approvals,
      parts,
      report,
    ),
  };
};

const listNamed = <T>(syntax: readonly Named<T>[] | "none" | undefined): readonly Named<T>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

/** How many people are needed. */
const countNeeded = ({ needs, field }: ApprovalSyntax): Scalar => {
  if ("kind" in needs) return needs;
  return composeExpression(
    field.span,
    ...needs.flatMap(({ when }, i) => [
      i === 0 ? "" : " + ",
      ...(when === undefined ? ["1"] : ["((", when, ") ? 1 : 0)"]),
    ]),
  );
};

/** The roles that can make the transition. Roles in a list act in turn. */
const makers = ({ needs, field, transition }: ApprovalSyntax): TransitionSyntax["by"] => {
  if ("kind" in needs) return transition.value.by;
  const turns = needs.map((turn, nth) => {
    const earlier = needs.slice(0, nth);
    const place = earlier.flatMap(({ when }, i) => [
      i === 0 ? "" : " + ",
      ...(when === undefined ? ["1"] : ["((", when, ") ? 1 : 0)"]),
    ]);
    const isTurn = [`size(${field.value}) == `, ...(nth === 0 ? ["0"] : place)];
    return { one: turn, turn: turn.when === undefined ? isTurn : ["(", turn.when, ") && ", ...isTurn] };
  });
  const roles = new Set(needs.map(({ role }) => role.value));
  return [...roles].flatMap((role) => {
    const own = turns.filter(({ one }) => one.role.value === role);
    const [first] = own;
    if (first === undefined) return [];
    // Somebody who has acted still has the role, so they are told that another person is needed.
    const acted = [` || user in ${field.value}`];
    const parts = [...own.flatMap(({ turn }, i) => [i === 0 ? "(" : " || (", ...turn, ")"]), ...acted];
    return [{ ...first.one, when: composeExpression(first.one.role.span, ...parts) }];
  });
};

// --- Point 3

const withFields = (entity: Named<EntitySyntax>, approvals: readonly ApprovalSyntax[]): Named<EntitySyntax> => {
  const own = approvals.filter((approval) => approval.entity === entity.name);
  if (own.length === 0) return entity;
  const recorded = new Map(own.map(({ field }) => [field.value, field.span]));
  const completes = new Map(own.map(({ transition: { name } }) => [name, toCompletionName(name)]));
  const complete = (name: Spanned<string>): Spanned<string> => ({
    ...name,
    value: completes.get(name.value) ?? name.value,
  });
  const fields = (entity.value.fields ?? []).map(({ name, key, value }): FieldsSyntax[number] => {
    const span = recorded.get(name);
    recorded.delete(name);
    return {
      name,
      key,
      value: {
        ...value,
        ...(span === undefined ? {} : { set: emptyList(span), keys: { ...value.keys, set: span } }),
        ...(value.gapless === undefined ? {} : { gapless: complete(value.gapless) }),
        ...(value.kept?.kind === "until" ? { kept: { ...value.kept, names: value.kept.names.map(complete) } } : {}),
      },
    };
  });
  const more = [...recorded].flatMap(([name, span]) => {
    const tree = { type: buildScalar("User", span), many: buildScalar("true", span), set: emptyList(span) };
    const read = fieldsShape.read(buildMapping(span, { [name]: buildMapping(span, tree) }), () => undefined);
    return read ?? [];
  });
  return { ...entity, value: { ...entity.value, fields: [...fields, ...more] } };
};

/** The value of a field that only transitions write: nobody. */
export const NO_PEOPLE = "User.filter(one, false)";

const emptyList = (span: Span): Scalar => buildScalar(NO_PEOPLE, span);

/** The parts whose change makes the approvals void. */
const listParts = (approval: ApprovalSyntax, entities: readonly Named<EntitySyntax>[]): readonly ApprovalPart[] => {
  const { until } = approval.transition.value;
  const below = (parent: string, path: string, seen: ReadonlySet<string>): readonly ApprovalPart[] =>
    entities.flatMap(({ name, value }) =>
      seen.has(name)
        ? []
        : (value.fields ?? []).flatMap((field) => {
            if (field.value["part of"]?.value !== true || field.value.type?.value.replace(/\?$/u, "") !== parent)
              return [];
            const own = path === "" ? field.name : `${field.name}.${path}`;
            return [{ entity: name, path: own }, ...below(name, own, new Set([...seen, name]))];
          }),
    );
  const all = below(approval.entity, "", new Set([approval.entity]));
  if (until === undefined) return all;
  const lists = new Set(
    approval.fields.flatMap(({ name, value }) =>
      value.list !== undefined && until !== "none" && until.some((item) => item.value === name)
        ? [value.list.value]
        : [],
    ),
  );
  const tops = all.filter(({ entity, path }) => lists.has(`${entity}.${path}`));
  return all.filter(({ path }) => tops.some((top) => path === top.path || path.endsWith(`.${top.path}`)));
};

const withTransitions = (
  { name: entity, value }: Named<EntityStates>,
  approvals: readonly ApprovalSyntax[],
  parts: ReadonlyMap<ApprovalSyntax, readonly ApprovalPart[]>,
  locale: string,
  report: ReportFinding,
): EntityStates => {
  const own = approvals.filter((approval) => approval.entity === entity);
  if (own.length === 0) return value;
  const complete = new Map(own.map(({ transition: { name } }) => [name, toCompletionName(name)]));
  return {
    ...value,
    transitions: (value.transitions ?? []).flatMap((transition) => {
      const approval = own.find((approval) => approval.transition === transition);
      if (approval === undefined) return [emptyingLists(value, transition, own)];
      const all = [buildVote(approval), emptyingLists(value, completing(approval, report), own)];
      const canBecomeVoid = isVoidable(approval) || (parts.get(approval) ?? []).length > 0;
      return canBecomeVoid ? [...all, voiding(approval, locale, report)] : all;
    }),
    after: value.after?.map((entry) => ({ ...entry, name: complete.get(entry.name) ?? entry.name })),
  };
};

/** Each approval: the record stays in its state. */
const buildVote = (approval: ApprovalSyntax): Named<TransitionSyntax> => {
  const { transition, field, from } = approval;
  const { span } = field;
  const by = makers(approval);
  return {
    ...transition,
    value: {
      ...transition.value,
      to: { ...transition.value.to, value: from },
      by,
      set: [{ name: field.value, key: span, value: buildScalar(`${field.value} + [user]`, span) }],
      keys: { ...transition.value.keys, ...(by === undefined ? {} : { by: transition.value.keys.by ?? span }) },
    },
  };
};

const readTransition = (
  name: string,
  key: Span,
  entries: Readonly<Record<string, Tree>>,
  report: ReportFinding,
): readonly Named<TransitionSyntax>[] => {
  const value = transitionShape.read(buildMapping(key, entries), report);
  return value === undefined ? [] : [{ name, key, value }];
};

/** The transition that the last approval completes. */
const completing = (approval: ApprovalSyntax, report: ReportFinding): Named<TransitionSyntax> => {
  const { transition, field, from, states } = approval;
  const { span } = field;
  const { to, set, discloses, was, keys } = transition.value;
  const target = states.states?.find((state) => state.name.value === to.value);
  const [read] = readTransition(
    toCompletionName(transition.name),
    transition.key,
    {
      from: buildScalar(from, span),
      to: buildScalar(to.value, to.span),
      by: buildScalar("none", span),
      once: composeExpression(span, `size(${field.value}) >= (`, countNeeded(approval), ")"),
      title: buildScalar(target?.more?.title?.text ?? toValueTitle(to.value), span),
      ...(discloses?.value === true ? { discloses: buildScalar("true", span) } : {}),
      ...(was === undefined ? {} : { was: buildScalar(toCompletionName(was.value), was.span) }),
    },
    report,
  );
  if (read === undefined) throw new Error(`${transition.name} can't be completed`);
  return {
    ...read,
    value: { ...read.value, set, keys: { ...read.value.keys, ...(keys.set === undefined ? {} : { set: keys.set }) } },
  };
};

const voiding = ({ transition, field, from }: ApprovalSyntax, locale: string, report: ReportFinding) => {
  const { span } = field;
  const { was } = transition.value;
  const [read] = readTransition(
    voidingTransition(transition.name),
    transition.key,
    {
      from: buildScalar(from, span),
      to: buildScalar(from, span),
      by: buildScalar("none", span),
      set: buildMapping(span, { [field.value]: emptyList(span) }),
      title: buildScalar(titleFor("approvals.void", locale), span),
      ...(was === undefined ? {} : { was: buildScalar(voidingTransition(was.value), was.span) }),
    },
    report,
  );
  if (read === undefined) throw new Error(`${transition.name} can't be void`);
  return read;
};

/** A transition that leads into the state, or changes the record in it, makes earlier approvals void. */
const emptyingLists = (
  states: EntityStates,
  transition: Named<TransitionSyntax>,
  own: readonly ApprovalSyntax[],
): Named<TransitionSyntax> => {
  const { value } = transition;
  const written = [
    ...(value.asks ?? []).map((item) => item.value.replace(/\?$/u, "")),
    ...(value.set ?? []).map(({ name }) => name),
  ];
  const emptied = own.filter((approval) => {
    if (written.includes(approval.field.value)) return false;
    if (returnsToPrevious(states, value)) return value.from.some((item) => item.value !== approval.from);
    const isInState = value.from.some((item) => item.value === approval.from);
    if (namesSameState(states, value) ? !isInState : value.to.value !== approval.from) return false;
    if (!namesSameState(states, value) && value.from.some((item) => item.value !== approval.from)) return true;
    const until = untilFields(approval);
    return written.some((name) => until === undefined || until.some((entry) => entry.name === name));
  });
  if (emptied.length === 0) return transition;
  const names = new Set(emptied.map(({ field }) => field.value));
  const set = [...names].map((name) => {
    const span = emptied.find(({ field }) => field.value === name)?.field.span ?? transition.key;
    return { name, key: span, value: emptyList(span) };
  });
  return { ...transition, value: { ...value, set: [...(value.set ?? []), ...set] } };
};
