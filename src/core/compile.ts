import type { Uses } from "./analysis/analyzer.ts";
import { checkFields, checkModel } from "./analysis/analyzers.ts";
import type { CheckCache } from "./analysis/incremental.ts";
import { createDocumentCache, type DocumentCache, readDocument } from "./document/read.ts";
import type { ReportFinding } from "./document/shape.ts";
import { packSources } from "./document/sources.ts";
import type { Scope } from "./expression/values/type.ts";
import { type Finding, finding, MOST_FINDINGS } from "./findings.ts";
import { type DefaultCode, defaultCodes } from "./model/defaults.ts";
import type { Entity } from "./model/entity.ts";
import type { Compiled, Model } from "./model/model.ts";
import { ADMINISTRATOR } from "./model/permissions.ts";
import { compileRepaired } from "./repair/compile-repaired.ts";
import { isSignInOff, linkCalls, listCallDefaults, outgoingNames } from "./sections/calls/calls.ts";
import { expandDeputies } from "./sections/deputies/deputies.ts";
import { linkComputed } from "./sections/entities/computed.ts";
import { buildEntityShapes, declareEntities, findParentReferences } from "./sections/entities/declare-entities.ts";
import { checkDisclosingFields } from "./sections/entities/disclosing-fields.ts";
import { linkEntities } from "./sections/entities/entities.ts";
import { listEntityDefaults } from "./sections/entities/entities-syntax.ts";
import type { EntityDraft } from "./sections/entities/entity-draft.ts";
import { type StoredSeedIds, seedRecordNames } from "./sections/entities/seed-records.ts";
import { linkErrors, listErrorDefaults } from "./sections/errors.ts";
import { linkLimits, listLimitDefaults } from "./sections/limits.ts";
import { renewClauses } from "./sections/linking/clause-cache.ts";
import { createRuleCache, type Linking, linkingTo, type RuleCache } from "./sections/linking/link-context.ts";
import { findLookalikes, findOpenPoints } from "./sections/open-points.ts";
import { linkPermissions, listPermissionDefaults, namedEntities } from "./sections/permissions/permissions.ts";
import { adviceForRoleNames } from "./sections/permissions/roles.ts";
import { linkProduct, listProductDefaults } from "./sections/product.ts";
import { linkRenamings } from "./sections/renamings.ts";
import { withPreconditions } from "./sections/rules/preconditions.ts";
import { linkRules, listRuleDefaults } from "./sections/rules/rules.ts";
import { reuseEntries, reuseScope } from "./sections/scope.ts";
import { linkScreens, screensOn } from "./sections/screens/screens.ts";
import { letterPaths, listScreenDefaults, screenPaths } from "./sections/screens/screens-syntax.ts";
import { expandApprovals } from "./sections/states/approvals.ts";
import type { EffectNames } from "./sections/states/effects.ts";
import { expandPrevious } from "./sections/states/previous.ts";
import { expandSharedValues } from "./sections/states/shared-values.ts";
import { linkStates } from "./sections/states/states.ts";
import {
  declareStates,
  listStateDefaults,
  sharedTransitions,
  transitionNames,
  transitionRoles,
} from "./sections/states/states-syntax.ts";
import { readSyntax } from "./sections/syntax.ts";
import { orderIn, type Source, toSources } from "./source-text.ts";
import { createUsedMap } from "./util/used-map.ts";

export type { Compiled };

/**
 * The pipeline: text → document → syntax → names → model. Each stage returns as much as it could read, together with
 * findings, and the next stage continues with that. So an author sees all mistakes at once.
 *
 * `compile({ file: "lending.md", text })` returns `{ model, findings, open }`. It never throws because of a document's
 * content. Several sources are read in order as one document. `ids`: ids of seed records, if a database has others than
 * those derived from their names.
 */
export type Compile = (input: Source | readonly Source[], ids?: StoredSeedIds) => Compiled;

/**
 * Creates a compiler for successive versions of one document, as in an editor: it reads only the parts that changed
 * since the last version. Its results equal those of `compile`. Its caches belong to it alone.
 */
export const createCompiler = (): Compile => {
  const memory = createMemory();
  // The places of a repaired text differ, so that it has a memory of its own.
  let repairedMemory: CompilerMemory | undefined;
  return (input, ids = new Map()) => {
    const compiled = compileWith(memory, input, ids);
    repairedMemory = compiled.model === undefined ? (repairedMemory ?? createMemory()) : undefined;
    const again = repairedMemory;
    if (again === undefined) return compiled;
    return compileRepaired(compiled, (sources) => compileWith(again, sources, ids)) ?? compiled;
  };
};

/** Compiles a document once, as a pure function of its text. */
export const compile: Compile = (input, ids) => createCompiler()(input, ids);

const createMemory = (): CompilerMemory => ({
  parts: createDocumentCache(),
  drafts: undefined,
  scope: undefined,
  rules: createRuleCache(),
  checks: createUsedMap(),
});

/** The parts of the last version that the next one can reuse. */
interface CompilerMemory {
  readonly parts: DocumentCache;
  drafts: ReadonlyMap<string, EntityDraft> | undefined;
  scope: Scope | undefined;
  readonly rules: RuleCache;
  readonly checks: CheckCache;
}

const compileWith = (memory: CompilerMemory, input: Source | readonly Source[], ids: StoredSeedIds): Compiled => {
  const sources = toSources(input);
  const findings: Finding[] = [];
  const report = reportOnce(findings);
  // Text → document → syntax.
  const { value: document, findings: readFindings } = readDocument(sources, memory.parts);
  readFindings.forEach(report);
  const written = readSyntax(document, report);
  const product = linkProduct(written.product, document, report);
  const syntax = expandShortForms(written, product.locale, report);
  // Syntax → names → links → model.
  const linking = linkingTo(report, memory.rules, product.currency);
  const names = collectNames(syntax, product, memory, ids, linking);
  const linked = linkPoints(syntax, names, linking);
  const defaults = listDefaults(syntax, product, names);
  const open = findOpenPoints(document, findings, defaults);
  findLookalikes(document).forEach(report);
  const model = buildModel(product, names, linked, open, defaults);
  // Analyses across points. After an error, most would only repeat what it caused.
  const uses = listUses(linking, linked);
  const hasNoErrors = !findings.some(isError);
  checkFields(model, uses).forEach(report);
  if (hasNoErrors) checkModel(model, uses, memory.checks).forEach(report);

  const inOrder = sortFindings(findings, sources);
  // Packed on first use: an editor compiles a document after each line, and packs none of these versions.
  let packed: Source | undefined;
  return {
    sources,
    get source() {
      packed ??= packSources(sources);
      return packed;
    },
    model: inOrder.some(isError) ? undefined : Object.freeze(model),
    findings: inOrder,
    open,
    mentions: linking.mentions,
  };
};

const isError = (found: Finding): boolean => found.severity === "error";

/** Adds findings to a list, up to a maximum. A condition that is also written out for deputies gives the same ones twice. */
const reportOnce = (findings: Finding[]): ReportFinding => {
  const known = new Set<string>();
  return (found) => {
    if (findings.length >= MOST_FINDINGS) return;
    const { code, span, message } = found;
    const key = `${code} ${span.start} ${span.file} ${message}`;
    if (!known.has(key)) findings.push(found);
    known.add(key);
  };
};

/** Writes out shared values, approvals, previous values and deputies, which the document states in short. */
const expandShortForms = (written: ReturnType<typeof readSyntax>, locale: string, report: ReportFinding) =>
  expandDeputies(
    expandPrevious(expandApprovals(expandSharedValues(written, report), locale, report), report),
    locale,
    report,
  );

type Syntax = ReturnType<typeof expandShortForms>;
type Product = ReturnType<typeof linkProduct>;
type Names = ReturnType<typeof collectNames>;
type LinkedPoints = ReturnType<typeof linkPoints>;

/** Names that expressions may refer to, before any expression is read. */
const collectNames = (
  syntax: Syntax,
  product: Product,
  memory: CompilerMemory,
  ids: StoredSeedIds,
  linking: Linking,
) => {
  const limits = linkLimits(syntax.limits, linking);
  const renamings = linkRenamings(syntax, linking.report);
  const drafts = reuseEntries(
    memory.drafts,
    declareEntities(syntax.entities, declareStates(syntax.states), namedEntities(syntax.permissions), linking),
  );
  memory.drafts = drafts;
  const scope = reuseScope(memory.scope, {
    user: !isSignInOff(syntax.calls),
    isWithoutUsers: isSignInOff(syntax.calls),
    entities: buildEntityShapes(drafts),
    limits: new Map(
      [...limits.all].map(([name, { type, value, items }]) => [
        name,
        { type, value, ...(items === undefined ? {} : { items }) },
      ]),
    ),
    roles: adviceForRoleNames(syntax.permissions),
    names: seedRecordNames(syntax.entities, ids),
    timezone: product.timezone,
  });
  memory.scope = scope;
  return { limits, renamings, drafts, scope };
};

/** Links each point: resolves it against the names. */
const linkPoints = (syntax: Syntax, { limits, drafts, scope }: Names, linking: Linking) => {
  linkComputed(drafts, scope, linking);
  const { currency, computedForms, mistaken, rules: known } = linking;
  renewClauses(known.clauses, { scope, limits, currency, computedForms, mistaken });
  const transitions = transitionNames(syntax.states);
  const entities = linkEntities({ drafts, transitions, scope, limits }, linking);
  const effects: EffectNames = {
    entities,
    transitions,
    shared: sharedTransitions(syntax.states),
    outgoing: outgoingNames(syntax.calls),
    letters: letterPaths(syntax.screens),
  };
  const { states, after, reminders } = linkStates(syntax.states, effects, scope, linking);
  checkDisclosingFields(drafts, linking);
  const errors = linkErrors(syntax.errors, entities, scope, linking);
  const rules = linkRules(syntax.rules, { entities, states, errorCatalogue: errors }, scope, linking);
  const permissions = linkPermissions(
    syntax.permissions,
    {
      entities,
      parentReferences: findParentReferences(drafts),
      transitionRoles: transitionRoles(syntax.states),
      represented: syntax.represented,
    },
    scope,
    linking,
  );
  const roles = new Set([ADMINISTRATOR, ...permissions.roles.keys()]);
  const screens = linkScreens(
    syntax.screens,
    entities,
    { roles, recordRoles: permissions.recordRoles },
    scope,
    linking,
  );
  const granted = new Set(
    [...permissions.roles.values()].filter(({ members }) => members === "granted").map((role) => role.name),
  );
  const calls = linkCalls(
    syntax.calls,
    {
      ...effects,
      screens: screenPaths(syntax.screens),
      roles,
      granted,
      uniquenessRules: rules.uniquenessRules,
      errorCatalogue: { ...errors, raised: rules.raised },
    },
    scope,
    linking,
  );
  return { entities, states, after, reminders, errors, rules, permissions, screens, calls };
};

/** The defaults that are in force because the blocks of the document leave something out. */
const listDefaults = (syntax: Syntax, product: Product, { drafts }: Names): ReadonlySet<DefaultCode> =>
  new Set([
    ...listProductDefaults(product, syntax.product),
    ...listScreenDefaults(syntax.screens),
    ...listEntityDefaults(syntax.entities),
    ...listStateDefaults(syntax.states),
    ...listRuleDefaults(syntax.rules),
    ...listPermissionDefaults(syntax.permissions, drafts.keys()),
    ...listCallDefaults(syntax.calls),
    ...listErrorDefaults(syntax.errors),
    ...listLimitDefaults(syntax.limits),
  ]);

const buildModel = (
  product: Product,
  { limits, renamings, drafts }: Names,
  linked: LinkedPoints,
  open: Model["open"],
  defaults: ReadonlySet<DefaultCode>,
): Model => {
  const { states, after, reminders, errors, rules, permissions, screens, calls } = linked;
  const entities = new Map<string, Entity>();
  for (const draft of drafts.values()) {
    const own = linked.entities.get(draft.name);
    if (own === undefined) continue;
    entities.set(draft.name, {
      name: draft.name,
      clause: draft.clause,
      table: draft.table,
      path: draft.path,
      served: draft.served && calls.conventional(draft.name),
      label: own.label,
      called: own.called,
      fields: own.fields,
      rows: own.rows,
      states: withPreconditions(states.get(draft.name), rules.preconditions.get(draft.name)) ?? null,
      records: own.records,
      rules: rules.rules.get(draft.name) ?? [],
      after: after.get(draft.name) ?? new Map(),
      reminders: reminders.get(draft.name) ?? new Map(),
      uniquenessRules: rules.uniquenessRules.get(draft.name) ?? [],
      roles: permissions.recordRoles.get(draft.name) ?? new Map(),
      permissions: permissions.permissions.get(draft.name) ?? null,
    });
  }
  const inForce = new Set([...defaults, ...open.map((point) => point.default)]);
  return {
    ...product,
    entities,
    roles: permissions.roles,
    approval: permissions.approval,
    deputies: permissions.deputies,
    screens: screensOn(screens, new Set(entities.keys())),
    signIn: calls.signIn,
    outgoing: calls.outgoing,
    calls: calls.calls,
    callSettings: calls.settings,
    shapes: calls.shapes,
    errors: errors.errors,
    limits,
    renamings,
    open,
    defaults: defaultCodes.filter((code) => inForce.has(code)),
  };
};

/** Everything that some clause uses, for the analyses that find unused clauses. */
const listUses = (
  { limitsRead, rolesUsed, callsMade, mentions, computed, disclosed, unsettled }: Linking,
  { rules, calls }: LinkedPoints,
): Uses => ({
  limits: limitsRead,
  roles: rolesUsed,
  errors: new Set([...rules.raised, ...calls.raised]),
  calls: callsMade,
  mentions,
  computed,
  disclosed,
  unsettled,
});

/** Findings by their place in the text. If there are too many, the last one says so. */
const sortFindings = (findings: readonly Finding[], sources: readonly Source[]): readonly Finding[] => {
  const order = orderIn(sources);
  const inOrder = findings.toSorted((a, b) => order(a.span, b.span));
  const last = inOrder[MOST_FINDINGS - 1];
  if (last === undefined) return inOrder;
  return [
    ...inOrder,
    finding(
      "TOO_MANY_FINDINGS",
      last.span,
      `There are more than ${MOST_FINDINGS} findings, so the check stopped.`,
      "Fix the first ones. A few mistakes often cause many findings.",
    ),
  ];
};
