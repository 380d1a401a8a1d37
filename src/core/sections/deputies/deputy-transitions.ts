import type { Named, ReportFinding, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { titleFor } from "../../i18n/titles.ts";
import { DEPUTY, toDeputyRole, toRepresentedField } from "../../model/permissions.ts";
import { buildList, buildMapping, buildScalar, composeExpression } from "../linking/build-tree.ts";
import type { DeputiesSyntax } from "../permissions/deputies-syntax.ts";
import type { RulesSyntax } from "../rules/rules.ts";
import { NO_PEOPLE } from "../states/approvals.ts";
import { type StatesSyntax, statesShape, type TransitionSyntax } from "../states/states-syntax.ts";
import { type Expansion, forBoth, holds, IN_FORCE, listNamed, PERSON, RECORD } from "./deputy-conditions.ts";
import { findVotes, readVote, type Vote } from "./votes.ts";

/** Point 4: lets deputies make the transitions of the roles that they have. */
export const withMakers = (
  syntax: StatesSyntax | undefined,
  rules: RulesSyntax | undefined,
  expansion: Expansion,
): StatesSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : syntax.map((entity) => {
        const lists = findVotes(entity.value, expansion).map(({ field }) => field);
        return {
          ...entity,
          value: {
            ...entity.value,
            transitions: entity.value.transitions?.map((transition) =>
              withEmptied(withDeputyMakers(entity.name, transition, rules, expansion), lists),
            ),
          },
        };
      });

const withDeputyMakers = (
  entity: string,
  transition: Named<TransitionSyntax>,
  rules: RulesSyntax | undefined,
  expansion: Expansion,
): Named<TransitionSyntax> => {
  const { name, value } = transition;
  if (value.by === undefined || value.by === "none") return transition;
  const vote = readVote(value, expansion);
  const conditions = [
    ...(value.when === undefined ? [] : [value.when]),
    ...findPreconditions(rules, entity, name),
    ...(vote === undefined ? [] : [isNotIn("user", vote.field)]),
  ];
  const by = value.by.flatMap((maker) => {
    if (!expansion.delegated.has(maker.role.value)) return [maker];
    const when = forBoth(entity, maker.role.value, maker.when, conditions, expansion);
    return [maker, { ...maker, role: { ...maker.role, value: toDeputyRole(maker.role.value) }, when }];
  });
  const set = vote === undefined ? value.set : [...(value.set ?? []), buildRepresented(entity, value, vote, expansion)];
  return { ...transition, value: { ...value, by, set } };
};

/** The rules that are checked before each transition, as conditions. */
const findPreconditions = (rules: RulesSyntax | undefined, entity: string, transition: string): readonly Scalar[] =>
  listNamed(rules)
    .filter(({ name }) => name === entity)
    .flatMap(({ value }) => value)
    .flatMap(({ rule, when, before, with: names }) => {
      if (rule === undefined || names !== undefined || before?.some(({ value }) => value === transition) !== true)
        return [];
      return [when === undefined ? rule : composeExpression(rule.span, "!(", when, ") || (", rule, ")")];
    });

const isNotIn = (person: string, { value, span }: Spanned<string>): Scalar =>
  buildScalar(`!(${person} in ${value}) && !(${person} in ${toRepresentedField(value)})`, span);

/** Adds the people whom a deputy represents to their list, unless the deputy may act for themselves. */
const buildRepresented = (
  entity: string,
  { by }: TransitionSyntax,
  { field }: Vote,
  expansion: Expansion,
): Named<Scalar> => {
  const { span } = field;
  const list = toRepresentedField(field.value);
  const makers = by === undefined || by === "none" ? [] : by;
  const own = makers.flatMap(({ role, when }, i) => [
    i === 0 ? "(" : " || (",
    ...expansion.isHeldByUser(entity, role.value),
    ...(when === undefined ? [] : [" && (", when, ")"]),
    ")",
  ]);
  const represented = makers
    .filter(({ role }) => expansion.delegated.has(role.value))
    .flatMap(({ role }, i) => [i === 0 ? "" : " || ", "(", ...holds(entity, role.value, expansion), ")"]);
  return {
    name: list,
    key: span,
    value: composeExpression(
      span,
      ...own,
      ` ? ${list} : ${list} + Deputy.filter(${RECORD}, ${IN_FORCE} && (`,
      ...represented,
      ") && ",
      isNotIn(PERSON, field),
      `).map(${RECORD}, ${PERSON})`,
    ),
  };
};

/** A transition that empties the list of people also empties the list of those whom deputies represented. */
const withEmptied = (
  transition: Named<TransitionSyntax>,
  lists: readonly Spanned<string>[],
): Named<TransitionSyntax> => {
  const { value } = transition;
  const emptied = lists.filter((list) =>
    value.set?.some(({ name, value: to }) => name === list.value && to.text === NO_PEOPLE),
  );
  if (emptied.length === 0) return transition;
  const more = emptied.map(({ value: name, span }) => ({
    name: toRepresentedField(name),
    key: span,
    value: buildScalar(NO_PEOPLE, span),
  }));
  return { ...transition, value: { ...value, set: [...(value.set ?? []), ...more] } };
};

/** Point 4: notifies both when an arrangement is made, begins, changes or ends, unless the document says what follows. */
export const withNotice = (
  syntax: StatesSyntax | undefined,
  { span }: DeputiesSyntax,
  locale: string,
  report: ReportFinding,
): StatesSyntax | undefined => {
  const places = { person: "{person.name}", deputy: "{deputy.name}", first: "{first_day}", last: "{last_day}" };
  const notice = (
    to: "person" | "deputy",
    text: Parameters<typeof titleFor>[0],
    when?: string,
    more: Readonly<Record<string, Scalar>> = {},
  ) => {
    const written = Object.entries(places).reduce(
      (sentence, [place, value]) => sentence.replace(`{${place}}`, value),
      titleFor(text, locale),
    );
    return buildMapping(span, {
      ...more,
      notify: buildScalar(to, span),
      text: buildScalar(written, span),
      ...(when === undefined ? {} : { when: buildScalar(when, span) }),
    });
  };
  // A person who acts is not notified: the person who is away hears only of changes by an administrator.
  const after = buildMapping(span, {
    create: notice("deputy", "deputies.notice"),
    update: buildList(span, [
      notice("deputy", "deputies.notice.changed", "last_day != old.last_day"),
      notice("person", "deputies.notice.changed.own", "last_day != old.last_day"),
    ]),
    delete: buildList(span, [
      notice("deputy", "deputies.notice.ended", "last_day >= today"),
      notice("person", "deputies.notice.ended.own", "last_day >= today"),
    ]),
  });
  // An arrangement that is made on its first day is no news in the morning, nor one that is over when the program runs again.
  const early = "date_of(created_at) < first_day && last_day >= today";
  const on = (day: string, to: "person" | "deputy", text: Parameters<typeof titleFor>[0], when?: string) =>
    notice(to, text, when, { on: buildScalar(day, span) });
  const remind = buildMapping(span, {
    begins: on("first_day", "deputy", "deputies.notice.begins", early),
    begins_own: on("first_day", "person", "deputies.notice.begins.own", early),
    over: on("last_day + 1 day", "deputy", "deputies.notice.over"),
    over_own: on("last_day + 1 day", "person", "deputies.notice.over.own"),
  });
  const tree = buildMapping(span, { [DEPUTY]: buildMapping(span, { after, remind }) });
  const entries = syntax === "none" ? [] : listNamed(syntax);
  if (entries.some(({ name }) => name === DEPUTY)) return syntax;
  const own = statesShape.read(tree, report);
  return [...entries, ...listNamed(own === "none" ? undefined : own)];
};
