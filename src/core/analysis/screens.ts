import { canReadFields } from "../derive/authorization/access-trace.ts";
import { type Grant, grantedFields, isAutomatic, isGenerated, type Principal } from "../derive/authorization/grants.ts";
import { templateExpressions } from "../expression/compile/template.ts";
import { collectReadSet } from "../expression/inspect/read-set.ts";
import { type Finding, finding } from "../findings.ts";
import type { Entity } from "../model/entity.ts";
import { parseGroupKey } from "../model/facts/date-steps.ts";
import { findPartLists } from "../model/facts/parts.ts";
import { isTimestampField } from "../model/field.ts";
import type { FormScreen, LetterScreen, ListScreen, RecordScreen, Screen, Tile, TilesScreen } from "../model/screen.ts";
import type { Span } from "../source-text.ts";
import type { Analyzer, Checked, CheckedEntity, EntityAnalyzer } from "./analyzer.ts";
import { entityWithArticle, orList } from "./witness-text.ts";

/** Finds screens and fields that nobody can see, and forms and fields that nobody can write. */
export const analyzeScreens: Analyzer = (checked) => [...checkScreens(checked), ...findUnwrittenFields(checked)];

const checkScreens = (checked: Checked): readonly Finding[] =>
  checked.model.screens.flatMap((screen) => {
    if (screen.kind === "tiles") return screen.tiles.flatMap((tile) => checkTile(checked, screen, tile));
    const entity = checked.model.entities.get(screen.entity);
    if (entity?.permissions == null) return [];
    if (screen.kind === "form") return checkForm(checked, entity, screen);
    const { clause, path: title } = screen;
    const findings = checkAudience(checked, entity, { clause, for: screen.for, title, shown: getShownFields(screen) });
    return screen.kind === "list" && screen.send !== undefined
      ? [...findings, ...checkAudience(checked, entity, { clause, for: screen.send.to, title, shown: [], key: "to:" })]
      : findings;
  });

/** The audience of a screen or tile: its roles, or else a person with all roles. */
const getAudience = ({ people }: Pick<Checked, "people">, entity: Entity, roles: Screen["for"]) =>
  roles === null
    ? [{ role: undefined, person: people.ofAll }]
    : roles.map((role) => ({ role, person: people.holderOf(entity, role) }));

/** False for a grant to holders of another role on the record, for the audience of a role on records. */
const isGrantTo = (entity: Entity, role: string | undefined, { conditions }: Grant): boolean => {
  const held = role === undefined ? undefined : entity.roles.get(role);
  const others = [...entity.roles.values()].filter((other) => other !== held).map(({ condition }) => condition);
  return held === undefined || !conditions.some((condition) => others.includes(condition));
};

/** Names of fields with their purpose on the screen. */
type Shown = readonly (readonly [name: string, as: string])[];

const getShownFields = (screen: ListScreen | RecordScreen | LetterScreen): Shown => {
  if (screen.kind === "letter") return listLetterFields(screen).map((name) => [name, "in its text"] as const);
  if (screen.kind === "list")
    return [
      ...screen.columns.map((name) => [name, "as a column"] as const),
      ...screen.filters.map((name) => [name, "as a filter"] as const),
      ...screen.sort.map((key) => [key.replace(/^-/u, ""), "to sort by"] as const),
      ...screen.group.map((key) => [parseGroupKey(key).field, "to group by"] as const),
    ];
  return screen.sections.flatMap((section) =>
    section.kind === "fields" ? section.fields.map((name) => [name, "in a section"] as const) : [],
  );
};

/** The fields of the record in a letter: values in its texts, and lists. */
const listLetterFields = ({ text }: LetterScreen): readonly string[] =>
  text.flatMap((part) =>
    part.kind === "table"
      ? [part.field]
      : templateExpressions(part.text).flatMap((expr) =>
          [...collectReadSet(expr).fields].filter((name) => name !== "*"),
        ),
  );

const checkTile = (checked: Checked, screen: TilesScreen, tile: Tile): readonly Finding[] => {
  const entity = checked.model.entities.get(tile.entity);
  if (entity?.permissions == null) return [];
  const columns: Shown = tile.kind === "list" ? tile.columns.map((name) => [name, "as a column"] as const) : [];
  const unknown = findUnknowableRole(checked, entity, tile);
  if (unknown !== undefined)
    return [
      finding(
        "NOBODY_READS",
        tile.clause.span,
        `The tile “${tile.title}” is for ${unknown}, but people can’t read what decides who is ${unknown}.`,
        `Let them read the fields of its condition in point 6, or remove the role from “for:”.`,
        { clause: tile.clause.id },
      ),
    ];
  return checkAudience(checked, entity, {
    for: tile.for ?? screen.for,
    clause: tile.clause,
    title: `The tile “${tile.title}”`,
    shown: columns,
  });
};

/** The first role on records in `for` whose condition its holders cannot evaluate: nobody would see the tile by it. */
const findUnknowableRole = ({ model, people }: Checked, entity: Entity, tile: Tile): string | undefined =>
  tile.for?.find((name) => {
    const held = entity.roles.get(name);
    return (
      held !== undefined &&
      !people.holdersOf(entity, name).some((holder) => canReadFields(model, entity, holder, held.condition))
    );
  });

/** A screen, a tile or a report, and the people who see it. */
interface Audience extends Pick<Screen, "clause" | "for"> {
  /** Its address or title, for messages. */
  readonly title: string;
  readonly shown: Shown;
  /** The key that names the roles. */
  readonly key?: "for:" | "to:";
}

const checkAudience = (
  checked: Checked,
  entity: Entity,
  { clause, for: roleNames, title, shown, key = "for:" }: Audience,
): readonly Finding[] => {
  const { people, placeIn } = checked;
  if (checked.unsettled(`6.${entity.name}.read`)) return [];
  const report = (span: Span, message: string, hint: string) =>
    finding("NOBODY_READS", span, message, hint, { clause: clause.id });
  const audience = getAudience(checked, entity, roleNames).map(({ role, person }) => ({
    role,
    grants: people.grantsOf(entity, "read", person).filter((grant) => isGrantTo(entity, role, grant)),
  }));
  const shut = audience.filter(({ grants }) => grants.length === 0);
  if (shut.length > 0)
    return shut.map(({ role }) =>
      role === undefined
        ? report(
            clause.span,
            `No one can read ${entityWithArticle(entity)}, so no one sees ${title}.`,
            "Let a role read it in point 6, or remove the screen.",
          )
        : report(
            clause.span,
            `${title} is ${key === "for:" ? "for" : "sent to"} ${role}, but ${role} can’t read any ${entity.name}.`,
            `Let ${role} read it in point 6, or remove the role from “${key}”.`,
          ),
    );
  const readable = new Set(audience.flatMap(({ grants }) => [...grantedFields(entity, grants)]));
  const roles = orList([...new Set(roleNames ?? entity.permissions?.actions.read.map(({ role }) => role))]);
  const hidden = new Map<string, string>();
  for (const [name, as] of shown)
    if (!isTimestampField(name) && !readable.has(name) && !hidden.has(name)) hidden.set(name, as);
  return [...hidden].map(([name, as]) =>
    report(
      placeIn(clause, { of: "field", entity: entity.name, name }),
      `${title} shows ${name} ${as}, but no one who sees the screen (${roles}) can read ${name}.`,
      `Add ${name} to the fields of a permission in point 6, or remove it here.`,
    ),
  );
};

const checkForm = (checked: Checked, entity: Entity, screen: FormScreen): readonly Finding[] => {
  const { unsettled } = checked;
  if (unsettled(`6.${entity.name}.create`) || unsettled(`6.${entity.name}.update`)) return [];
  const people = getAudience(checked, entity, screen.for).map(({ person }) => person);
  const written = new Set(people.flatMap((person) => getWritableFields(checked, entity, person)));
  if (screen.fields.some((name) => written.has(name))) return [];
  const { clause, path } = screen;
  return [
    finding(
      "NOBODY_WRITES",
      clause.span,
      `No one who sees the form ${path} can write any of its fields.`,
      `Let a role create or update ${entityWithArticle(entity)} in point 6, or remove the form.`,
      { clause: clause.id },
    ),
  ];
};

/** Fields that the person can set or change. */
const getWritableFields = ({ model, people }: CheckedEntity, entity: Entity, person: Principal): readonly string[] => {
  const parts = new Set(findPartLists(model, entity).map(({ list }) => list.name));
  return (["create", "update"] as const)
    .flatMap((action) => [...grantedFields(entity, people.grantsOf(entity, action, person))])
    .filter((name) => parts.has(name) || !isAutomatic(entity, name));
};

/** Finds transitions that ask for a field which nobody can read afterwards. */
export const findUnreadableInputs: EntityAnalyzer = (checked, entity) => {
  const { unsettled, placeIn } = checked;
  if (entity.permissions === null || unsettled(`6.${entity.name}.read`)) return [];
  const readable = grantedFields(entity, checked.people.grantsOf(entity, "read", checked.people.ofAll));
  return [...(entity.states?.transitions.values() ?? [])].flatMap(({ name, asks, clause }) =>
    asks.flatMap((field) =>
      readable.has(field)
        ? []
        : [
            finding(
              "NOBODY_READS",
              placeIn(clause, { of: "field", entity: entity.name, name: field }),
              `${name} asks for ${field}, but no one can read it.`,
              `Add ${field} to the fields of a read permission in point 6, or remove it from “asks”.`,
              { clause: clause.id },
            ),
          ],
    ),
  );
};

/** Finds values in the dialog of a transition that nobody who makes it can read. */
export const findUnreadableFacts: EntityAnalyzer = (checked, entity) => {
  const { model, people, unsettled, placeIn } = checked;
  return [...(entity.states?.transitions.values() ?? [])].flatMap(({ name, by, clause, shows = [] }) => {
    const makers = getAudience(checked, entity, by);
    const isRead = (owner: Entity, field: string): boolean =>
      owner.permissions === null ||
      unsettled(`6.${owner.name}.read`) ||
      makers.length === 0 ||
      makers.some(({ role, person }) => {
        const grants = people.grantsOf(owner, "read", person);
        const own = owner === entity ? grants.filter((grant) => isGrantTo(entity, role, grant)) : grants;
        return grantedFields(owner, own).has(field);
      });
    return shows.flatMap(({ field, of }) => {
      const owner = model.entities.get(of?.entity ?? "");
      // Without the reference, there is no way to its record.
      const path = [
        [entity, of?.reference ?? field] as const,
        ...(owner === undefined ? [] : [[owner, field] as const]),
      ];
      const hidden = path.find(([on, named]) => !isRead(on, named));
      if (hidden === undefined) return [];
      const [on, named] = hidden;
      return [
        finding(
          "NOBODY_READS",
          placeIn(clause, { of: "field", entity: on.name, name: named }),
          `The dialog of ${name} shows ${named}, but no one who can make ${name} can read it.`,
          `Add ${named} to the fields of a read permission in point 6, or remove it from “shows”.`,
          { clause: clause.id },
        ),
      ];
    });
  });
};

/**
 * Finds optional fields that always stay empty on records that people create. `NOBODY_SETS` reports the required ones.
 */
const findUnwrittenFields = (checked: Checked): readonly Finding[] => {
  if (!checked.effectsSettled) return [];
  const entities = [...checked.model.entities.values()];
  const effects = entities.flatMap(({ after }) => [...after.values()].flat());
  const byEffects = new Set(
    effects.flatMap((effect) =>
      "entity" in effect && "set" in effect ? [...effect.set.keys()].map((name) => `${effect.entity}.${name}`) : [],
    ),
  );
  return entities.flatMap((entity) => findUnwritten(checked, entity, byEffects));
};

/** `byEffects`: fields that effects write, as `Account.closed_on`. */
const findUnwritten = (checked: Checked, entity: Entity, byEffects: ReadonlySet<string>): readonly Finding[] => {
  const { permissions, states, fields, records, name } = entity;
  const { unsettled } = checked;
  // Administrators also create people, independent of permissions.
  if (permissions === null || permissions.actions.create.length === 0 || name === "User") return [];
  if (unsettled(`3.${name}`) || unsettled(`4.${name}`) || unsettled(`6.${name}`)) return [];
  const candidates = [...fields.values()].filter(
    (field) =>
      !byEffects.has(`${name}.${field.name}`) &&
      field.set === null &&
      field.default === null &&
      field.type !== "state" &&
      field.storage.as === "column" &&
      !isGenerated(field) &&
      (field.optional || field.type === "boolean"),
  );
  // Most of them are in a permission to write the record, which is soon found.
  const openings = entity.rows === null ? [...permissions.actions.create, ...permissions.actions.update] : [];
  if (candidates.every((field) => openings.some((opening) => opening.fields?.has(field.name) !== false))) return [];
  const written = new Set(getWritableFields(checked, entity, checked.people.ofAll));
  for (const { asks, set } of states?.transitions.values() ?? [])
    for (const item of [...asks, ...set.keys()]) written.add(item);
  for (const { values } of records.values()) for (const value of values.keys()) written.add(value);
  return candidates.flatMap((field) => {
    if (written.has(field.name)) return [];
    return [
      finding(
        "NOBODY_WRITES",
        field.clause.span,
        `No permission, transition or effect ever writes ${field.name} of ${entityWithArticle(entity)}.`,
        "Add it to the fields of a permission in point 6, set it in a transition or an effect of point 4, or remove it.",
        { clause: field.clause.id },
      ),
    ];
  });
};
