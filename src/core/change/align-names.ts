import { fillBraces, type Template } from "../expression/compile/template.ts";
import { type Expr, withParts } from "../expression/expr.ts";
import type { RecordRead } from "../expression/inspect/read-set.ts";
import type { EntityShape, FieldShape, Type } from "../expression/values/type.ts";
import type { Stored } from "../field/kind.ts";
import { entityWords, pluralize, toPathName, toTitle } from "../model/inflection.ts";
import type {
  Call,
  CallStep,
  Condition,
  Effect,
  Entity,
  Field,
  Gives,
  HeldRole,
  KeptRecord,
  Layout,
  Model,
  Permission,
  Permissions,
  Renaming,
  RowsOf,
  Screen,
  Section,
  States,
  TakenField,
  Tile,
  Transition,
  UniquenessRule,
  ValidationRule,
} from "../model/model.ts";
import { findReturnedNames } from "../model/returned-names.ts";

/**
 * Gives the earlier model the names of the later one, so that a renamed thing is the same thing in both. Clauses keep
 * the ids that they have in the earlier document. Without a renaming that concerns it, the model is returned unchanged.
 */
export const alignNames = (before: Model, after: Model): Model => {
  const renamings = findRenamings(before, after);
  return renamings.length === 0 ? before : renameModel(before, createNames(before, after, renamings));
};

/** The renamings that the later version declares and that lead from a name of the earlier one. */
export const findRenamings = (before: Model, after: Model): readonly Renaming[] => {
  const renamings = [...after.renamings, ...findReturnedNames(after, before)];
  return renamings.filter((one) => isEffective(one, before, { ...after, renamings }));
};

/** True if the earlier model has the old name. */
const isEffective = ({ of, entity, field, old }: Renaming, before: Model, after: Model): boolean => {
  const former = entity === null ? undefined : before.entities.get(formerEntity(entity, before, after));
  switch (of) {
    case "entity":
      return before.entities.has(old);
    case "role":
      return before.roles.has(old);
    case "limit":
      return before.limits.all.has(old);
    case "field":
      return former?.fields.has(old) === true;
    case "transition":
      return former?.states?.transitions.has(old) === true;
    case "record":
      return former?.records.has(old) === true;
    case "value": {
      if (former === undefined || field === null || entity === null) return false;
      const name = formerField(entity, field, before, after);
      const isState = former.states?.field === name && former.states.states.some((state) => state.name === old);
      return isState || former.fields.get(name)?.values.includes(old) === true;
    }
  }
};

const formerEntity = (entity: string, before: Model, after: Model): string => {
  const renaming = after.renamings.find((one) => one.of === "entity" && one.now === entity);
  return renaming !== undefined && before.entities.has(renaming.old) ? renaming.old : entity;
};

const formerField = (entity: string, field: string, before: Model, after: Model): string => {
  const renaming = after.renamings.find((one) => one.of === "field" && one.entity === entity && one.now === field);
  const fields = before.entities.get(formerEntity(entity, before, after))?.fields;
  return renaming !== undefined && fields?.has(renaming.old) === true ? renaming.old : field;
};

/** Current names by former ones. The place of a name is given by former names. */
interface Names {
  readonly entity: (name: string) => string;
  readonly field: (entity: string, name: string) => string;
  readonly value: (entity: string, field: string, name: string) => string;
  readonly transition: (entity: string, name: string) => string;
  readonly record: (entity: string, key: string) => string;
  readonly role: (name: string) => string;
  readonly limit: (name: string) => string;
  /** A text with fields and constants in braces, of any entity. */
  readonly text: (text: string) => string;
  /** A title that follows from a name, under the current name. */
  readonly title: (title: string) => string;
  /** The later version, whose titles show which ones follow from names. */
  readonly later: Model;
  /** The entity that a reference leads to, by former names. */
  readonly target: (entity: string, field: string) => string | null;
}

const createNames = (before: Model, later: Model, renamings: readonly Renaming[]): Names => {
  const known = new Map(renamings.map(({ of, entity, field, old, now }) => [key(of, entity, field, old), now]));
  const entity = (name: string): string => known.get(key("entity", null, null, name)) ?? name;
  const inText = new Map(
    renamings.flatMap(({ of, old, now }) => (of === "field" || of === "limit" ? [[old, now] as const] : [])),
  );
  const titles = new Map(
    renamings.flatMap(({ old, now }) => [
      [toTitle(old), toTitle(now)] as const,
      [entityWords(old), entityWords(now)] as const,
      [pluralize(entityWords(old)), pluralize(entityWords(now))] as const,
    ]),
  );
  const field = (of: string, name: string): string => known.get(key("field", entity(of), null, name)) ?? name;
  return {
    entity,
    field,
    value: (of, at, name) => known.get(key("value", entity(of), field(of, at), name)) ?? name,
    transition: (of, name) => known.get(key("transition", entity(of), null, name)) ?? name,
    record: (of, name) => known.get(key("record", entity(of), null, name)) ?? name,
    role: (name) => known.get(key("role", null, null, name)) ?? name,
    limit: (name) => known.get(key("limit", null, null, name)) ?? name,
    text: (text) =>
      fillBraces(text, (inside) => `{${inside.replace(/[a-z][a-z0-9_]*/gu, (word) => inText.get(word) ?? word)}}`),
    title: (title) => titles.get(title) ?? title,
    later,
    target: (of, at) => {
      const field = before.entities.get(of)?.fields.get(at);
      return field?.held.as === "list" ? field.held.entity : (field?.entity ?? null);
    },
  };
};

const key = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);

const mapValues = <V, W>(map: ReadonlyMap<string, V>, by: (value: V, name: string) => W): ReadonlyMap<string, W> =>
  new Map([...map].map(([name, value]) => [name, by(value, name)]));

const mapEntries = <V, W>(
  map: ReadonlyMap<string, V>,
  name: (name: string) => string,
  by: (value: V, name: string) => W,
): ReadonlyMap<string, W> => new Map([...map].map(([old, value]) => [name(old), by(value, old)]));

/** A title that follows from a name changes with the name, unless the later version still has it. */
const retitle = (title: string, old: string, now: string, there: string | undefined): string =>
  title !== there && title === toTitle(old) ? toTitle(now) : title;

const recall = (words: string, old: string, now: string, there: string | undefined): string =>
  words !== there && words === old ? now : words;

const renameModel = (model: Model, names: Names): Model => {
  const roles = (list: readonly string[]): readonly string[] => list.map(names.role);
  return {
    ...model,
    entities: mapEntries(model.entities, names.entity, (entity) => renameEntity(entity, names)),
    roles: mapEntries(model.roles, names.role, (role, old) => {
      const name = names.role(old);
      return { ...role, name, title: retitle(role.title, old, name, names.later.roles.get(name)?.title) };
    }),
    translations: mapValues(model.translations, (texts, language) => {
      const later = names.later.translations.get(language);
      const renamed = (text: string): string => (later?.has(text) === true ? text : names.title(names.text(text)));
      return mapEntries(texts, renamed, (translation) => ({ ...translation, text: names.text(translation.text) }));
    }),
    approval: { ...model.approval, propose: roles(model.approval.propose), approve: roles(model.approval.approve) },
    screens: model.screens.map((screen) => renameScreen(screen, names)),
    signIn: {
      ...model.signIn,
      signUp: model.signIn.signUp === null ? null : { ...model.signIn.signUp, roles: roles(model.signIn.signUp.roles) },
    },
    calls: model.calls.map((call) => renameCall(call, names)),
    callSettings: {
      ...model.callSettings,
      token:
        model.callSettings.token === null
          ? null
          : { ...model.callSettings.token, by: roles(model.callSettings.token.by) },
    },
    shapes: mapEntries(
      model.shapes,
      (shape) => renameShapeName(shape, names),
      (gives) => renameGives(gives, names),
    ),
    errors: mapEntries(
      model.errors,
      (code) => renameErrorKey(code, model, names),
      (entry) => ({
        ...entry,
        code: renameErrorKey(entry.code, model, names),
        message: names.text(entry.message),
        at: entry.at === null ? null : names.text(`{${entry.at}}`).slice(1, -1),
      }),
    ),
    limits: {
      ...model.limits,
      all: mapEntries(model.limits.all, names.limit, (limit, old) => ({
        ...limit,
        name: names.limit(old),
        type: renameType(limit.type, names),
      })),
    },
  };
};

/** `Loan.due_day.TAKEN` */
const renameErrorKey = (code: string, { entities }: Model, names: Names): string => {
  const [entity = "", ...rest] = code.split(".");
  if (!entities.has(entity)) return code;
  const [field, last] = rest.length === 2 ? rest : [undefined, rest[0]];
  return [names.entity(entity), ...(field === undefined ? [] : [names.field(entity, field)]), last ?? ""].join(".");
};

const renameEntity = (entity: Entity, names: Names): Entity => {
  const { name: old } = entity;
  const name = names.entity(old);
  const field = (one: string): string => names.field(old, one);
  const role = (one: string): string => (entity.roles.has(one) ? one : names.role(one));
  const { called } = entity;
  const later = names.later.entities.get(name);
  return {
    ...entity,
    name,
    path: entity.path !== later?.path && entity.path === toPathName(old) ? toPathName(name) : entity.path,
    label: renameTemplate(entity.label, names),
    called: {
      one: recall(called.one, entityWords(old), entityWords(name), later?.called.one),
      many: recall(called.many, pluralize(entityWords(old)), pluralize(entityWords(name)), later?.called.many),
    },
    fields: mapEntries(entity.fields, field, (one) => renameField(old, one, names)),
    rows: entity.rows === null ? null : renameRows(old, entity.rows, names),
    states: entity.states === null ? null : renameStates(old, entity.states, role, names),
    rules: entity.rules.map((rule) => renameRule(old, rule, names)),
    records: mapEntries(
      entity.records,
      (one) => names.record(old, one),
      (record) => renameRecord(entity, record, names),
    ),
    after: mapEntries(
      entity.after,
      (moment) => names.transition(old, moment),
      (effects) => effects.map((effect) => renameEffect(effect, names)),
    ),
    together: entity.together.map((rule) => renameUniqueness(old, rule, names)),
    roles: mapValues(
      entity.roles,
      (held): HeldRole => ({
        ...held,
        condition: renameExpr(held.condition, names),
        from: held.from === null ? null : names.entity(held.from),
      }),
    ),
    permissions: entity.permissions === null ? null : renamePermissions(old, entity.permissions, role, names),
  };
};

const renameField = (entity: string, field: Field, names: Names): Field => {
  const own = names.field(entity, field.name);
  const later = names.later.entities.get(names.entity(entity))?.fields.get(own);
  const { held } = field;
  const condition = (one: Condition): Condition => ({
    holds: renameExpr(one.holds, names),
    reads: new Set([...one.reads].map((read) => names.field(entity, read))),
  });
  return {
    ...field,
    name: own,
    title: retitle(field.title, field.name, own, later?.title),
    ruleType: renameType(field.ruleType, names),
    held:
      held.as === "list"
        ? { as: "list", entity: names.entity(held.entity), by: names.field(held.entity, held.by) }
        : "from" in held
          ? { ...held, from: renameExpr(held.from, names) }
          : held,
    set: renameOptional(field.set, names),
    default: renameOptional(field.default, names, field.ruleType),
    values: field.values.map((value) => names.value(entity, field.name, value)),
    among: field.among === null ? null : { ...condition(field.among), list: renameExpr(field.among.list, names) },
    needed: field.needed === null ? null : condition(field.needed),
    entity: field.entity === null ? null : names.entity(field.entity),
    series:
      field.series === null
        ? null
        : {
            ...field.series,
            gapless: field.series.gapless === null ? null : names.transition(entity, field.series.gapless),
          },
    from: field.from === null ? null : names.field(entity, field.from),
    examples: field.examples.map((one) => names.value(entity, field.name, one)),
  };
};

const renameRows = (entity: string, rows: RowsOf, names: Names): RowsOf => ({
  ...rows,
  sources: rows.sources.map((source) =>
    "entity" in source
      ? { name: names.field(entity, source.name), entity: names.entity(source.entity) }
      : {
          name: names.field(entity, source.name),
          of: names.field(entity, source.of),
          list: renameExpr(source.list, names),
        },
  ),
  where: renameOptional(rows.where, names),
});

const renameStates = (entity: string, states: States, role: (name: string) => string, names: Names): States => {
  const value = (name: string): string => names.value(entity, states.field, name);
  const field = (name: string): string => names.field(entity, name);
  const later = names.later.entities.get(names.entity(entity))?.states;
  return {
    ...states,
    field: field(states.field),
    initial: value(states.initial),
    final: new Set([...states.final].map(value)),
    states: states.states.map((state) => {
      const name = value(state.name);
      return {
        ...state,
        name,
        title: retitle(state.title, state.name, name, later?.states.find((one) => one.name === name)?.title),
      };
    }),
    transitions: mapEntries(
      states.transitions,
      (name) => names.transition(entity, name),
      (transition): Transition => {
        const name = names.transition(entity, transition.name);
        return {
          ...transition,
          name,
          title: retitle(transition.title, transition.name, name, later?.transitions.get(name)?.title),
          from: transition.from.map(value),
          to: value(transition.to),
          by: transition.by === null ? null : transition.by.map(role),
          conditions: mapEntries(transition.conditions, role, (condition) => renameExpr(condition, names)),
          asks: transition.asks.map(field),
          asksIfAny: new Set([...transition.asksIfAny].map(field)),
          when: renameOptional(transition.when, names),
          set: mapEntries(transition.set, field, (set) => renameExpr(set, names)),
          timeout: renameOptional(transition.timeout, names),
          once: renameOptional(transition.once, names),
        };
      },
    ),
  };
};

const renameRule = (entity: string, rule: ValidationRule, names: Names): ValidationRule => ({
  ...rule,
  rule: renameExpr(rule.rule, names),
  when: renameOptional(rule.when, names),
  during: rule.during === null ? null : rule.during.map((moment) => names.transition(entity, moment)),
  message: renameTemplate(rule.message, names),
  reads: rule.reads.map((field) => names.field(entity, field)),
  recordReads: rule.recordReads.map((read) => renameRead(read, names)),
});

const renameRead = (read: RecordRead, names: Names): RecordRead => ({
  ...read,
  entity: names.entity(read.entity),
  ...(read.by === undefined ? {} : { by: names.field(read.entity, read.by) }),
  fields: new Set([...read.fields].map((field) => names.field(read.entity, field))),
});

const renameUniqueness = (entity: string, rule: UniquenessRule, names: Names): UniquenessRule => {
  const field = (name: string): string => names.field(entity, name);
  return {
    ...rule,
    message: renameTemplate(rule.message, names),
    same: rule.same.map(field),
    range: rule.range === null ? null : { from: field(rule.range.from), to: field(rule.range.to) },
    where: renameOptional(rule.where, names),
    reads: rule.reads.map(field),
  };
};

const renameRecord = ({ name, fields }: Entity, record: KeptRecord, names: Names): KeptRecord => ({
  ...record,
  key: names.record(name, record.key),
  values: mapEntries(
    record.values,
    (field) => names.field(name, field),
    (value, field): Stored => {
      if (typeof value !== "string") return value;
      if (fields.get(field)?.isKey === true) return names.record(name, value);
      return fields.get(field)?.type === "choice" ? names.value(name, field, value) : value;
    },
  ),
});

const renamePermissions = (
  entity: string,
  permissions: Permissions,
  role: (name: string) => string,
  names: Names,
): Permissions => {
  const fields = (list: ReadonlySet<string> | null): ReadonlySet<string> | null =>
    list === null ? null : new Set([...list].map((field) => names.field(entity, field)));
  const renamed = (permission: Permission): Permission => ({
    ...permission,
    role: role(permission.role),
    held: renameOptional(permission.held, names),
    when: renameOptional(permission.when, names),
    fields: fields(permission.fields),
    like:
      permission.like === null
        ? null
        : {
            ...permission.like,
            path: renameExpr(permission.like.path, names),
            when: renameOptional(permission.like.when, names),
          },
  });
  const { read, create, update, delete: remove } = permissions.actions;
  return {
    ...permissions,
    actions: {
      read: read.map(renamed),
      create: create.map(renamed),
      update: update.map(renamed),
      delete: remove.map(renamed),
    },
  };
};

const renameEffect = (effect: Effect, names: Names): Effect => {
  const base = {
    each: effect.each.map(({ name, list }) => ({ name, list: renameExpr(list, names) })),
    when: renameOptional(effect.when, names),
  };
  const set = (entity: string, values: ReadonlyMap<string, Expr>): ReadonlyMap<string, Expr> =>
    mapEntries(
      values,
      (field) => names.field(entity, field),
      (value) => renameExpr(value, names),
    );
  switch (effect.kind) {
    case "notify":
      return {
        ...effect,
        ...base,
        to: renameExpr(effect.to, names),
        text: renameTemplate(effect.text, names),
        message: names.text(effect.message),
      };
    case "call":
      return { ...effect, ...base, sends: mapValues(effect.sends, (value) => renameExpr(value, names)) };
    case "create":
      return { ...effect, ...base, entity: names.entity(effect.entity), set: set(effect.entity, effect.set) };
    case "put":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        key: effect.key.map((field) => names.field(effect.entity, field)),
        set: set(effect.entity, effect.set),
      };
    case "update":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        of: renameExpr(effect.of, names),
        set: set(effect.entity, effect.set),
      };
    case "delete":
      return { ...effect, ...base, entity: names.entity(effect.entity), of: renameExpr(effect.of, names) };
    case "make":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        transition: names.transition(effect.entity, effect.transition),
        of: renameOptional(effect.of, names),
        set: set(effect.entity, effect.set),
      };
  }
};

/** A path of fields from an entity, with `-` for a descending order: `-thing.name`. */
const renamePath = (entity: string, path: string, names: Names): string => {
  const sign = path.startsWith("-") ? "-" : "";
  let at: string | null = entity;
  const parts = path
    .slice(sign.length)
    .split(".")
    .map((part) => {
      if (at === null) return part;
      const here = at;
      at = names.target(here, part);
      return names.field(here, part);
    });
  return `${sign}${parts.join(".")}`;
};

const renameScreen = (screen: Screen, names: Names): Screen => {
  const base = { for: screen.for === null ? null : screen.for.map(names.role) };
  if (screen.kind === "tiles")
    return { ...screen, ...base, tiles: screen.tiles.map((tile) => renameTile(tile, names)) };
  const { entity } = screen;
  const paths = (list: readonly string[]): readonly string[] => list.map((path) => renamePath(entity, path, names));
  const own = names.entity(entity);
  const screens = names.later.screens.filter(({ kind }) => kind === screen.kind);
  const isThere = screens.some(({ path }) => path === screen.path);
  const path = isThere ? screen.path : renameAddress(screen.path, entity, own);
  const title = retitlePlural(screen.title, entity, own, screens.find((one) => one.path === path)?.title);
  const renamed = { ...base, entity: own, path, title };
  switch (screen.kind) {
    case "list":
      return {
        ...screen,
        ...renamed,
        columns: paths(screen.columns),
        filters: paths(screen.filters),
        sort: paths(screen.sort),
        where: renameOptional(screen.where, names),
        layouts: screen.layouts.map((layout) => renameLayout(entity, layout, names)),
      };
    case "record":
      return {
        ...screen,
        ...renamed,
        sections: screen.sections.map((section) => renameSection(entity, section, names)),
      };
    case "form":
      return {
        ...screen,
        ...renamed,
        fields: paths(screen.fields),
        columns: mapEntries(
          screen.columns,
          (field) => names.field(entity, field),
          (columns, field) => {
            const part = names.target(entity, field);
            return part === null ? columns : columns.map((column) => renamePath(part, column, names));
          },
        ),
      };
  }
};

/** The address of a screen that the document does not show follows from its entity. */
const renameAddress = (path: string, old: string, now: string): string => {
  const [, first, ...rest] = path.split("/");
  return first === toPathName(old) ? ["", toPathName(now), ...rest].join("/") : path;
};

const retitlePlural = (title: string, old: string, now: string, there: string | undefined): string => {
  if (title === there) return title;
  const forms = [(name: string) => entityWords(name), (name: string) => pluralize(entityWords(name))];
  const form = forms.find((one) => title === toTitle(one(old)));
  return form === undefined ? title : toTitle(form(now));
};

const renameLayout = (entity: string, layout: Layout, names: Names): Layout => {
  if (layout.kind === "board") return { ...layout, field: names.field(entity, layout.field) };
  if (layout.kind === "table") return layout;
  return {
    ...layout,
    from: names.field(entity, layout.from),
    to: layout.to === null ? null : names.field(entity, layout.to),
  };
};

const renameSection = (entity: string, section: Section, names: Names): Section => {
  if (section.kind === "history") return section;
  if (section.kind === "list") return { ...section, field: names.field(entity, section.field) };
  return {
    ...section,
    fields: section.fields.map((path) => renamePath(entity, path, names)),
    when: mapEntries(
      section.when,
      (path) => renamePath(entity, path, names),
      (when) => renameExpr(when, names),
    ),
  };
};

const renameTile = (tile: Tile, names: Names): Tile => {
  const base = { entity: names.entity(tile.entity), where: renameOptional(tile.where, names) };
  const paths = (list: readonly string[]): readonly string[] =>
    list.map((path) => renamePath(tile.entity, path, names));
  switch (tile.kind) {
    case "count":
      return { ...tile, ...base };
    case "list":
      return { ...tile, ...base, columns: paths(tile.columns), sort: paths(tile.sort) };
    case "chart":
      return {
        ...tile,
        ...base,
        per: renameExpr(tile.per, names),
        value: { ...tile.value, of: renameOptional(tile.value.of, names) },
      };
  }
};

const renameCall = (call: Call, names: Names): Call => ({
  ...call,
  by: call.by === null ? null : call.by.map(names.role),
  does:
    call.does.kind === "steps"
      ? { kind: "steps", steps: call.does.steps.map((step) => renameStep(step, names)) }
      : call.does.kind === "sign out"
        ? call.does
        : call.does.kind === "sign up"
          ? { ...call.does, takes: renameTaken("User", call.does.takes, names) }
          : {
              ...call.does,
              takes: renameTaken("User", call.does.takes, names),
              gives: call.does.gives === null ? null : renameGives(call.does.gives, names),
            },
});

const renameTaken = (entity: string, takes: readonly TakenField[], names: Names): readonly TakenField[] =>
  takes.map(({ path, field }) => ({ path, field: names.field(entity, field) }));

const renameStep = (step: CallStep, names: Names): CallStep => {
  const { entity, does } = step;
  const at = (field: { readonly entity: string; readonly name: string }) => ({
    entity: names.entity(field.entity),
    name: names.field(field.entity, field.name),
  });
  return {
    ...step,
    entity: names.entity(entity),
    does:
      does.kind === "transition"
        ? { ...does, transition: names.transition(entity, does.transition) }
        : does.kind === "ensure"
          ? { ...does, key: does.key.map((field) => names.field(entity, field)) }
          : does.kind === "list"
            ? { ...does, sort: does.sort.map((path) => renamePath(entity, path, names)) }
            : does,
    parameters: step.parameters.map((parameter) => ({
      ...parameter,
      at: renameOptional(parameter.at, names),
      field: at(parameter.field),
      fixes: parameter.fixes === null ? null : names.field(entity, parameter.fixes),
    })),
    where: renameOptional(step.where, names),
    query: step.query.map((query) => ({
      ...query,
      field: query.field === null ? null : at(query.field),
      where: renameOptional(query.where, names),
    })),
    set: mapEntries(
      step.set,
      (field) => names.field(entity, field),
      (value) => renameExpr(value, names),
    ),
    takes: step.takes === null ? null : renameTaken(entity, step.takes, names),
    gives: step.gives === null ? null : renameGives(step.gives, names),
  };
};

const renameGives = (gives: Gives, names: Names): Gives => {
  switch (gives.kind) {
    case "names":
      return { ...gives, of: gives.of.map(([name, inner]) => [name, renameGives(inner, names)] as const) };
    case "value":
      return { ...gives, value: renameExpr(gives.value, names) };
    case "shape":
      return {
        ...gives,
        shape: renameShapeName(gives.shape, names),
        of: gives.of === "page" ? gives.of : renameExpr(gives.of, names),
      };
    default:
      return gives;
  }
};

/** `Request.entry` */
const renameShapeName = (shape: string, names: Names): string => {
  const [entity = "", ...rest] = shape.split(".");
  return [names.entity(entity), ...rest].join(".");
};

const renameTemplate = ({ parts }: Template, names: Names): Template => ({
  parts: parts.map((part) => (typeof part === "string" ? part : renameExpr(part, names))),
});

const renameOptional = (expr: Expr | null, names: Names, expected?: Type): Expr | null =>
  expr === null ? null : renameExpr(expr, names, expected);

/** `expected`: the choice with which a text is compared, or to which it is assigned. */
const renameExpr = (expr: Expr, names: Names, expected?: Type): Expr => {
  const choice = expr.type.kind === "choice" ? expr.type : expected?.kind === "choice" ? expected : undefined;
  const type = renameType(expr.type, names);
  const inner = (part: Expr, of?: Type): Expr => renameExpr(part, names, of);
  switch (expr.kind) {
    case "constant": {
      const { value, limit } = expr;
      return {
        ...expr,
        type,
        value: choice !== undefined && typeof value === "string" ? renameValue(choice, value, names) : value,
        ...(limit === undefined ? {} : { limit: names.limit(limit) }),
      };
    }
    case "field":
      return {
        ...expr,
        type,
        of: inner(expr.of),
        entity: renameShape(expr.entity, names),
        field: renameFieldShape(expr.entity.name, expr.field, names),
        ...(expr.target === undefined ? {} : { target: renameShape(expr.target, names) }),
      };
    case "name": {
      if (expr.kept === undefined || expr.type.kind !== "record") return { ...expr, type };
      const { entity } = expr.type;
      const recordKey = names.record(entity, expr.kept.key);
      return {
        ...expr,
        type,
        name: `${names.entity(entity)}.${recordKey}`,
        kept: { ...expr.kept, key: recordKey },
      };
    }
    case "all":
      return { ...expr, type, entity: renameShape(expr.entity, names) };
    case "call": {
      const types = expr.args.map((arg) => (arg.type.kind === "list" ? arg.type.of : arg.type));
      const compared = types.find(({ kind }) => kind === "choice") ?? choice;
      return { ...expr, type, args: expr.args.map((arg) => inner(arg, compared)) };
    }
    case "list":
      return { ...expr, type, items: expr.items.map((item) => inner(item, expected)) };
    default:
      return { ...withParts(expr, (part) => inner(part)), type };
  }
};

/** `of` is the place of the choice: `Loan.status`. */
const renameValue = ({ of }: { readonly of: string }, value: string, names: Names): string => {
  const [entity = "", field = ""] = of.split(".");
  return names.value(entity, field, value);
};

const renameType = (type: Type, names: Names): Type => {
  switch (type.kind) {
    case "record":
      return { ...type, entity: names.entity(type.entity) };
    case "list":
      return { ...type, of: renameType(type.of, names) };
    case "choice": {
      const [entity = "", field = ""] = type.of.split(".");
      return {
        ...type,
        of: `${names.entity(entity)}.${names.field(entity, field)}`,
        values: type.values.map((value) => renameValue(type, value, names)),
      };
    }
    default:
      return type;
  }
};

const renameShape = (shape: EntityShape, names: Names): EntityShape => ({ ...shape, name: names.entity(shape.name) });

const renameFieldShape = (entity: string, field: FieldShape, names: Names): FieldShape => ({
  ...field,
  name: names.field(entity, field.name),
  type: renameType(field.type, names),
  ...(field.inverse === undefined
    ? {}
    : {
        inverse: {
          entity: names.entity(field.inverse.entity),
          by: names.field(field.inverse.entity, field.inverse.by),
        },
      }),
});
