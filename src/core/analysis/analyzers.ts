import type { Finding } from "../findings.ts";
import type { Clause } from "../model/clause.ts";
import type { Mention } from "../model/mention.ts";
import type { Model } from "../model/model.ts";
import { createBudget, createDecider } from "../satisfiability/satisfiability.ts";
import type { Span } from "../source-text.ts";
import type { Analyzer, Checked, CheckedEntity, EntityAnalyzer, Uses } from "./analyzer.ts";
import { findUnreadableLetters } from "./attached-letters.ts";
import { findUnreadableMessages } from "./chat-messages.ts";
import { findInformationLeaks } from "./disclosure/information-leaks.ts";
import { findWiderAudiences } from "./disclosure/wider-audience.ts";
import { findCycles, findUnusedChoices } from "./entities/computed-fields.ts";
import { analyzeDefaults } from "./entities/defaults.ts";
import { checkDerivedRowWrites } from "./entities/derived-row-writes.ts";
import { analyzeFieldBounds } from "./entities/field-bounds.ts";
import { analyzeRules } from "./entities/rules.ts";
import { type CheckCache, createFindingsCache } from "./incremental.ts";
import { findMissingSignIn } from "./no-sign-in.ts";
import { findOverriddenRoutes } from "./overridden-routes.ts";
import { checkCreatorVisibility } from "./permissions/creator-visibility.ts";
import { findImpossibleRoles } from "./permissions/impossible-roles.ts";
import { analyzePermissions } from "./permissions/permissions.ts";
import { createPeople } from "./principals.ts";
import { analyzeScreens, findUnreadableFacts, findUnreadableInputs } from "./screens.ts";
import { analyzeAutomaticTransitions, findEndlessTransitions } from "./states/automatic-transitions.ts";
import { analyzeStates } from "./states/states.ts";
import { analyzeTransitions } from "./states/transitions.ts";
import { findMissingTranslations } from "./translations.ts";
import { findUnused } from "./unused.ts";

/** The analyzers, one per claim or family of claims and independent of each other. Those with `each` run per entity. */
const checks: readonly (Analyzer | { readonly each: EntityAnalyzer })[] = [
  findWiderAudiences,
  findUnusedChoices,
  { each: analyzeStates },
  { each: analyzeTransitions },
  analyzeAutomaticTransitions,
  findEndlessTransitions,
  { each: analyzeRules },
  checkDerivedRowWrites,
  { each: analyzePermissions },
  { each: checkCreatorVisibility },
  analyzeScreens,
  { each: findUnreadableInputs },
  { each: findUnreadableFacts },
  { each: findInformationLeaks },
  findMissingTranslations,
  findOverriddenRoutes,
  findMissingSignIn,
  findUnused,
  findImpossibleRoles,
  findUnreadableMessages,
  findUnreadableLetters,
];

/** Analyzes fields on their own; runs even after errors elsewhere. */
export const checkFields = (model: Model, uses: Uses): readonly Finding[] => [
  ...analyzeFieldBounds(model),
  ...analyzeDefaults(model),
  ...findCycles(uses),
];

/** Runs all analyzers of a document without errors. After an error, they would mostly repeat its consequences. */
export const checkModel = (model: Model, uses: Uses, known: CheckCache): readonly Finding[] => {
  const budget = createBudget();
  const unsettled = unsettledBy(uses.unsettled);
  const shared = { people: createPeople(model), unsettled };
  const effectsSettled = ![...model.entities.keys()].some((name) => unsettled(`4.${name}.after`));
  const seeing = (mentions: readonly Mention[]) => ({
    placeIn: createPlaceFinder(mentions),
    fieldsOf: fieldsIn(model, mentions),
  });
  const decide = createDecider(model.entities, budget);
  const checked: Checked = { ...shared, ...seeing(uses.mentions), model, uses, decide, effectsSettled };

  const roles = new Map([...model.roles].map(([name, { members }]) => [name, { members }]));
  const { disclosed } = uses;
  const remembered = createFindingsCache<ReadonlyMap<EntityAnalyzer, readonly Finding[]>>(
    model,
    { roles, disclosed, unsettled: uses.unsettled },
    budget,
    known,
  );
  const mentionsOf = groupMentions(uses.mentions, ({ entity }) => entity);
  const byEntity = [...model.entities.values()].map((entity) => {
    const mentions = mentionsOf.get(entity.name) ?? [];
    return remembered.found(entity, mentions, (entities) => {
      const checkedEntity: CheckedEntity = {
        ...shared,
        ...seeing(mentions),
        model: { entities, roles },
        uses: { disclosed },
        decide: createDecider(entities, budget),
      };
      return new Map(
        checks.flatMap((check) => ("each" in check ? [[check.each, check.each(checkedEntity, entity)]] : [])),
      );
    });
  });
  return checks.flatMap((check) =>
    "each" in check ? byEntity.flatMap((found) => found.get(check.each) ?? []) : check(checked),
  );
};

/**
 * `6.Comment.read` makes itself unsettled, everything below it, and the summary clauses above it such as `6.Comment`.
 */
const unsettledBy = (clauses: ReadonlySet<string>): Checked["unsettled"] => {
  if (clauses.size === 0) return () => false;
  const around = new Set([...clauses].flatMap(getWholes));
  return (clause) =>
    clauses.has(clause) || around.has(clause) || getWholes(clause).some((parent) => clauses.has(parent));
};

const getWholes = (clause: string): readonly string[] => {
  const parents: string[] = [];
  for (let dot = clause.lastIndexOf("."); dot > 0; dot = clause.lastIndexOf(".", dot - 1))
    parents.push(clause.slice(0, dot));
  return parents;
};

/** Finds the first mention of a name after the start of the clause; the clauses of a file are in text order. */
const createPlaceFinder = (mentions: readonly Mention[]): CheckedEntity["placeIn"] => {
  // Built on first use, because most documents have no findings.
  let byName: ReadonlyMap<string, readonly Mention[]> | undefined;
  return ({ span }: Clause, wanted) => {
    byName ??= groupMentions(mentions, getName);
    const after = (byName.get(getName(wanted)) ?? []).filter((mention) => isFrom(span, mention.span));
    return after.reduce((first, { span: next }) => (first === span || next.start < first.start ? next : first), span);
  };
};

const getName = ({ of, entity, name }: Omit<Mention, "span">): string => `${of} ${entity}.${name}`;

const isFrom = (span: Span, place: Span): boolean => place.file === span.file && place.start >= span.start;

/** The fields of a permission, and those that it names but that are not executable. */
const fieldsIn = ({ entities }: Model, mentions: readonly Mention[]): CheckedEntity["fieldsOf"] => {
  // Grouped on first use: few permissions are compared with others.
  let byEntity: ReadonlyMap<string, readonly Mention[]> | undefined;
  return (entity, { fields, clause: { span } }) => {
    if (fields === null) return null;
    byEntity ??= groupMentions(
      mentions.filter(({ of, entity, name }) => of === "field" && entities.get(entity)?.fields.has(name) !== true),
      ({ entity }) => entity,
    );
    const mentioned = (byEntity.get(entity) ?? []).filter(
      (mention) => isFrom(span, mention.span) && mention.span.end <= span.end,
    );
    return new Set([...fields, ...mentioned.map(({ name }) => name)]);
  };
};

const groupMentions = (
  mentions: readonly Mention[],
  key: (mention: Mention) => string,
): ReadonlyMap<string, Mention[]> => {
  const groups = new Map<string, Mention[]>();
  for (const mention of mentions) {
    const by = key(mention);
    const group = groups.get(by);
    if (group === undefined) groups.set(by, [mention]);
    else group.push(mention);
  }
  return groups;
};
