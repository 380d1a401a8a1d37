import { readTemplate, type Template } from "../../expression/compile/template.ts";
import { KEY } from "../../expression/values/seed-record.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Entity, RowsOf, SeedRecordDefinition } from "../../model/entity.ts";
import { type Field, isActValue } from "../../model/field.ts";
import { entityWords, pluralize, toTitle } from "../../model/inflection.ts";
import type { Limits } from "../../model/model.ts";
import type { Span } from "../../source-text.ts";
import { type Linking, linkTemplate, reportUnknownName } from "../linking/link-context.ts";
import { linkOnce } from "../linking/link-once.ts";
import { linkRows } from "./derived-rows.ts";
import { type EntityDraft, hasSeedRecords } from "./entity-draft.ts";
import { keyField, linkField, stateField } from "./fields.ts";
import { checkLabels } from "./labels.ts";
import { systemFields } from "./reserved-names.ts";
import { linkRecords } from "./seed-records.ts";

export interface LinkedEntity {
  readonly name: string;
  readonly clause: Clause;
  readonly label: Template;
  /** The singular and plural of the entity's name in running text. */
  readonly called: Entity["called"];
  readonly records: ReadonlyMap<string, SeedRecordDefinition>;
  /** The executable fields. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly rows: RowsOf | null;
  /** All field names, including fields that are not executable: the names that clauses can use. */
  readonly named: ReadonlySet<string>;
}

/** The names and limits with which entities are linked. */
interface EntityContext {
  readonly drafts: ReadonlyMap<string, EntityDraft>;
  /** The names of the transitions by entity. */
  readonly transitions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly scope: Scope;
  readonly limits: Limits;
}

export const linkEntities = (context: EntityContext, linking: Linking): ReadonlyMap<string, LinkedEntity> => {
  const linked = new Map(
    [...context.drafts.values()].map((draft) => {
      const transitions = context.transitions.get(draft.name) ?? new Set<string>();
      const link = (linking: Linking) => linkEntity(draft, transitions, context, linking);
      // The rows of other entities decide on derived rows.
      return [draft.name, draft.because === null ? linkOnce(linking, draft, [transitions], link) : link(linking)];
    }),
  );
  checkLabels(linked, linking);
  return linked;
};

const linkEntity = (
  draft: EntityDraft,
  transitions: ReadonlySet<string>,
  { drafts, scope, limits }: Omit<EntityContext, "transitions">,
  linking: Linking,
): LinkedEntity => {
  const fields = new Map<string, Field>();
  const around = { entity: draft.name, drafts: draft.fields, transitions, scope, limits };
  for (const fieldDraft of draft.fields.values()) {
    const field = linkField(fieldDraft, around, linking);
    if (field !== null) fields.set(fieldDraft.name, field);
  }
  for (const [name, act] of draft.acts) {
    const field = linkField(act.draft, { ...around, scope: { ...scope, during: act.transitions } }, linking);
    if (field !== null) fields.set(name, { ...field, storage: { as: "act" } });
  }
  if (draft.state !== null) fields.set(draft.state.field, stateField(draft.name, draft.state));
  if (hasSeedRecords(draft)) fields.set(KEY, keyField(draft.clause));
  const rows = linkRows(draft, drafts, scope, linking);
  const named = new Set(
    [...(scope.entities.get(draft.name)?.fields.keys() ?? [])].filter(
      (name) => !systemFields.some((field) => field.name === name),
    ),
  );
  const records = linkRecords({ name: draft.name, fields }, hasSeedRecords(draft) ? draft.syntax?.records : undefined, {
    names: scope.names ?? new Map(),
    linking,
  });
  return {
    name: draft.name,
    clause: draft.clause,
    fields,
    rows,
    named,
    records,
    called: getEntityWords(draft),
    label: linkLabel(draft, { ...scope, entity: draft.name, user: false }, linking),
  };
};

const getEntityWords = ({ name, syntax }: EntityDraft): Entity["called"] =>
  syntax?.title ?? { one: entityWords(name), many: pluralize(entityWords(name)) };

/** The default label is the first text field, or else the entity's title. */
const linkLabel = (draft: EntityDraft, scope: Scope, linking: Linking): Template => {
  if (draft.syntax?.label !== undefined) return linkTemplate(draft.syntax.label, scope, linking, draft.clause.id);
  const first = [...draft.fields.values()].find(
    ({ stored, shape }) => stored === "text" && shape.computed !== true && shape.type.kind === "text",
  );
  return readTemplate(
    first === undefined ? toTitle(getEntityWords(draft).one) : `{${first.name}}`,
    draft.clause.span,
    scope,
  ).value;
};

/** Resolves a field that a clause names; undefined if it does not exist or is not executable. */
export const resolveField = (
  linked: LinkedEntity,
  name: { readonly value: string; readonly span: Span },
  linking: Linking,
  /** `acts`: the clause can also name a value that a transition asks for. */
  { acts = false }: { readonly acts?: boolean } = {},
): Field | undefined => {
  const entity = linked.name;
  const found = linked.fields.get(name.value);
  const field = found !== undefined && isActValue(found) && !acts ? undefined : found;
  linking.mentions.push({ of: "field", entity, name: name.value, span: name.span });
  if (field === undefined && entity === "User" && name.value === "roles")
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        "The roles of people are not part of records, so no screen and no call shows them.",
        "Remove it. Administrators see roles on the Accounts page, and expressions can read user.roles.",
      ),
    );
  else if (field === undefined && found !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        `${name.value} is a value that only a transition of ${entity} asks for: the record does not keep it.`,
        "Remove it here, or make it a field in point 3 and name it in “asks”.",
        { clause: found.clause.id },
      ),
    );
  else if (field === undefined && !linked.named.has(name.value))
    reportUnknownName(linking, name.span, `field of ${entity}`, name.value, linked.named);
  return field;
};
