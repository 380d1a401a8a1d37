import type { Named } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import { actShapes, findActValue } from "../../expression/values/act-shapes.ts";
import type { FieldShape, Scope, Type } from "../../expression/values/type.ts";
import { isAssigned } from "../../field/kinds.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Effect } from "../../model/effect.ts";
import { alwaysHasDefault } from "../../model/facts/act-values.ts";
import { isPlainColumn } from "../../model/field.ts";
import type { Span } from "../../source-text.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import {
  checkExpression,
  clauseAt,
  isExecutableIn,
  type Linking,
  linkTemplate,
  mentionEntity,
  mentionOwnField,
  reportNotExecuted,
  reportUnknownName,
} from "../linking/link-context.ts";
import { type LetterPaths, linkAttached } from "./attached-letter.ts";
import { toCompletionName } from "./completion.ts";
import { type EffectSyntax, mains } from "./effect-syntax.ts";

export interface EffectNames {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** Names of the transitions by entity. */
  readonly transitions: ReadonlyMap<string, ReadonlySet<string>>;
  /** The transitions that need several people, by `Request.approve`. */
  readonly shared: ReadonlySet<string>;
  /** Outgoing calls with their payloads, which are typed for the effect that makes the call. */
  readonly outgoing: ReadonlyMap<
    string,
    { readonly isChat: boolean; readonly sends: readonly Named<Scalar | "itself">[] }
  >;
  readonly letters: LetterPaths;
}

/** Links the effects of an entity by trigger. Reports and leaves out effects that are not executable. */
export const linkEffects = (
  entity: string,
  syntax: readonly Named<readonly EffectSyntax[]>[],
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): ReadonlyMap<string, readonly Effect[]> => {
  const actions = new Set(["create", "update", "delete", ...(names.transitions.get(entity) ?? [])]);
  return new Map(
    syntax.map(({ name: action, key, value }) => {
      if (!actions.has(action)) reportUnknownName(linking, key, `transition of ${entity}`, action, actions);
      const effects = value.flatMap((item, i) => {
        const clause = clauseAt(`4.${entity}.after.${action}.${i + 1}`, item.span);
        const place = { ...scope, entity, old: "can be missing", during: [action] } as const;
        return linkEffectIn(place, item, clause, names, linking) ?? [];
      });
      return [action, effects];
    }),
  );
};

/** Links one effect. Reports and leaves it out if it is not executable. */
export const linkEffectIn = (
  scope: Scope,
  syntax: EffectSyntax,
  clause: Clause,
  names: EffectNames,
  linking: Linking,
): Effect | undefined => {
  const stopped: Span[] = [];
  const effect = linkEffect(syntax, { clause, names, linking, stopped, scope, localNames: new Set() });
  const [span] = stopped;
  if (span === undefined) return effect;
  reportNotExecuted(linking, "reads what is not decided", span, clause.id);
  return undefined;
};

/** Context for linking an effect, with the spans that are not executable. */
interface Place {
  readonly clause: Clause;
  readonly names: EffectNames;
  readonly linking: Linking;
  readonly stopped: Span[];
  readonly scope: Scope;
  /** Names that the effect defines for its expressions. */
  readonly localNames: ReadonlySet<string>;
}

const linkEffect = (syntax: EffectSyntax, place: Place): Effect | undefined => {
  const { linking, clause } = place;
  const [main, second] = mains.filter((word) => word in syntax.keys);
  if (main === undefined)
    linking.report(
      finding("MISSING_KEY", syntax.span, `An effect needs one of ${mains.join(", ")}.`, "Add one of them."),
    );
  if (second !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys[second] ?? syntax.span,
        `An effect does one thing, but this one has ${main} and ${second}.`,
        "Split it into two effects.",
      ),
    );
  const each: { readonly name: string; readonly list: Expr }[] = [];
  const scope = eachScope(syntax, place, each);
  const inEach: Place = { ...place, scope, localNames: new Set(each.map(({ name }) => name)) };
  const when = readHere(syntax.when, inEach, { kind: "boolean" });
  const isChat = place.names.outgoing.get(syntax.call?.value ?? "")?.isChat === true;
  if (syntax.text !== undefined && !("notify" in syntax.keys) && !isChat)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.text.span,
        "“text” is only for notifications and chats.",
        "Remove it, or add “notify:”.",
      ),
    );
  if (syntax.attach !== undefined && !("notify" in syntax.keys))
    linking.report(
      finding("BAD_VALUE", syntax.attach.span, "“attach” is only for notifications.", "Remove it, or add “notify:”."),
    );
  const does = linkDoing(syntax, inEach);
  if (does === undefined || (syntax.when !== undefined && when === undefined)) return undefined;
  return { clause, each, when: when ?? null, ...does };
};

type Doing = Effect extends infer E ? (E extends Effect ? Omit<E, "clause" | "each" | "when"> : never) : never;

const linkDoing = (syntax: EffectSyntax, place: Place): Doing | undefined => {
  if (syntax.notify !== undefined) return linkNotify(syntax, syntax.notify, place);
  if (syntax.call !== undefined)
    return place.names.outgoing.get(syntax.call.value)?.isChat === true
      ? linkChat(syntax, syntax.call.value, place)
      : linkCall(syntax.call, place);
  if (syntax.create !== undefined) {
    mentionEntity(place.linking, syntax.create.span, syntax.create.value);
    const set = linkSet(syntax.create, syntax, place);
    if (set === undefined) return undefined;
    checkNeeded(syntax.create, syntax, place);
    return { kind: "create", entity: syntax.create.value, set };
  }
  if (syntax.put !== undefined) return linkPut(syntax, syntax.put, place);
  if (syntax.update !== undefined) {
    const target = linkTarget(syntax.update, place);
    if (target === undefined) return undefined;
    const set = linkSet({ value: target.entity, span: syntax.update.span }, syntax, withIt(place, target.entity));
    return set && { kind: "update", ...target, set };
  }
  if (syntax.delete !== undefined) {
    const target = linkTarget(syntax.delete, place);
    return target && { kind: "delete", ...target };
  }
  return syntax.make === undefined ? undefined : linkMake(syntax, syntax.make, place);
};

/** Type-checks an expression of an effect and records its span if it is not executable. */
const readHere = (at: Scalar | undefined, place: Place, expected?: Type): Expr | undefined => {
  const expr = checkExpression(at, place.scope, expected, place.linking);
  if (at !== undefined && expr !== undefined && !isExecutableIn(place.linking, place.localNames)(expr))
    place.stopped.push(at.span);
  return expr;
};

const linkNotify = (syntax: EffectSyntax, notify: Scalar, place: Place): Doing | undefined => {
  const { linking } = place;
  const to = readHere(notify, place);
  const recipientType = to?.type.kind === "list" ? to.type.of : to?.type;
  if (
    recipientType !== undefined &&
    recipientType.kind !== "unknown" &&
    !(recipientType.kind === "record" && recipientType.entity === "User")
  )
    linking.report(
      finding("TYPES_DIFFER", notify.span, "Only people can be notified.", "Use a person or a list of people."),
    );
  const text = linkText(syntax, "A notification", place);
  return (
    to &&
    text && {
      kind: "notify",
      to,
      ...text,
      attaches: linkAttached(syntax.attach, place.scope.entity ?? "", place.names.letters, place.clause, linking),
    }
  );
};

const linkChat = (syntax: EffectSyntax, call: string, place: Place): Doing | undefined => {
  place.linking.callsMade.add(call);
  const text = linkText(syntax, "A message to a chat", place);
  return text && { kind: "chat", call, ...text };
};

/** Links the text that an effect needs, with the text as written. */
const linkText = (
  { text, keys, span }: EffectSyntax,
  what: string,
  { scope, linking, clause, localNames }: Place,
): Pick<Extract<Effect, { kind: "notify" }>, "text" | "message"> | undefined => {
  if (text === undefined) {
    if (!("text" in keys))
      linking.report(finding("MISSING_KEY", span, `${what} needs “text”.`, "Add “text:” with its text."));
    return undefined;
  }
  return { text: linkTemplate(text, scope, linking, clause.id, new Map(), localNames), message: text.text };
};

/** `for: { line: lines }` names each element of a list. */
const eachScope = (
  syntax: EffectSyntax,
  place: Place,
  each: { readonly name: string; readonly list: Expr }[],
): Scope => {
  const names = new Map(place.scope.names ?? []);
  for (const { name, value } of syntax.for ?? []) {
    const list = readHere(value, place);
    const elements = findElement(list);
    if (list === undefined || elements === undefined) continue;
    names.set(name, { type: elements, optional: false });
    each.push({ name, list });
  }
  return { ...place.scope, names };
};

const findElement = (expr: Expr | undefined): Type | undefined => {
  if (expr === undefined) return undefined;
  return expr.type.kind === "list" ? expr.type.of : expr.type;
};

const linkCall = (name: { readonly value: string; readonly span: Span }, place: Place): Doing | undefined => {
  const { names, linking, scope } = place;
  const called = names.outgoing.get(name.value);
  if (called === undefined) {
    reportUnknownName(linking, name.span, "outgoing call", name.value, names.outgoing.keys());
    return undefined;
  }
  linking.callsMade.add(name.value);
  const payload = new Map<string, Expr>();
  for (const entry of called.sends) {
    const written: Scalar | undefined = entry.value === "itself" ? undefined : entry.value;
    if (written === undefined && scope.names?.has(entry.name) !== true)
      mentionOwnField(linking, scope.entity, entry.name, entry.key);
    const expr = written === undefined ? ownField(entry.name, entry.key, place) : readHere(written, place);
    if (expr === undefined && written === undefined)
      reportUnknownName(
        linking,
        entry.key,
        `field of ${scope.entity}`,
        entry.name,
        scope.entities.get(scope.entity ?? "")?.fields.keys() ?? [],
      );
    if (expr !== undefined) payload.set(entry.name, expr);
  }
  return payload.size === called.sends.length ? { kind: "call", call: name.value, sends: payload } : undefined;
};

/** A name without an expression stands for the value in scope or the field of that name. */
const ownField = (name: string, span: Span, place: Place): Expr | undefined => {
  const { scope, stopped } = place;
  const contextName = scope.names?.get(name);
  if (contextName !== undefined)
    return { kind: "name", name, type: contextName.type, missing: contextName.optional, span };
  const entity = scope.entities.get(scope.entity ?? "");
  const field = entity?.fields.get(name) ?? findActValue(name, scope);
  if (entity === undefined || field === undefined) return undefined;
  if (field.column === undefined) stopped.push(span);
  const self: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
  return { kind: "field", of: self, entity, field, type: field.type, missing: field.optional, span };
};

/** Links the values of a created record, from the record whose write triggers the effect and from `for`. */
const linkSet = (
  target: { readonly value: string; readonly span: Span },
  syntax: EffectSyntax,
  place: Place,
  /** Values that a transition asks for, which an effect that makes it gives. */
  acts: ReadonlyMap<string, FieldShape> = new Map(),
): ReadonlyMap<string, Expr> | undefined => {
  const { scope, names, linking, stopped } = place;
  const shape = scope.entities.get(target.value);
  const linked = names.entities.get(target.value);
  if (shape === undefined || linked === undefined) {
    reportUnknownName(linking, target.span, "entity", target.value, names.entities.keys());
    return undefined;
  }
  const set = new Map<string, Expr>();
  for (const entry of syntax.set ?? []) {
    linking.fieldsSet.add(`${target.value}.${entry.name}`);
    const field = shape.fields.get(entry.name) ?? acts.get(entry.name);
    const standsForBoth =
      entry.value === "itself" && !(scope.entity === target.value && scope.names?.has(entry.name) !== true);
    linking.mentions.push({
      ...{ of: "field", entity: target.value, name: entry.name, span: entry.key },
      ...(standsForBoth ? { standsFor: "key" as const } : {}),
    });
    if (field === undefined) {
      reportUnknownName(linking, entry.key, `field of ${target.value}`, entry.name, shape.fields.keys());
      continue;
    }
    const stored = linked.fields.get(entry.name);
    if (stored === undefined) stopped.push(entry.key);
    else if (stored.type === "state")
      linking.report(
        finding(
          "BAD_VALUE",
          entry.key,
          `${entry.name} is the state, which only transitions can change.`,
          "Use “make:” with a transition.",
        ),
      );
    if (standsForBoth && scope.names?.has(entry.name) !== true)
      mentionOwnField(linking, scope.entity, entry.name, entry.key);
    const expr =
      entry.value === "itself" ? ownField(entry.name, entry.key, place) : readHere(entry.value, place, field.type);
    if (expr === undefined && entry.value === "itself")
      reportUnknownName(linking, entry.key, `field of ${scope.entity}`, entry.name, [...(scope.names?.keys() ?? [])]);
    if (expr !== undefined) set.set(entry.name, expr);
  }
  return set;
};

/** Reports required fields without a value: creation would fail, and with it every triggering write. */
const checkNeeded = (
  target: { readonly value: string; readonly span: Span },
  syntax: EffectSyntax,
  { names, linking, stopped }: Place,
): void => {
  // After a mistake in `set`, the missing fields are unknown.
  if (stopped.length > 0 || ("set" in syntax.keys && syntax.set === undefined)) return;
  const set = new Set(syntax.set?.map(({ name }) => name));
  const fields = [...(names.entities.get(target.value)?.fields.values() ?? [])];
  // Slugs are generated only for records that users create, not yet in effects.
  if (fields.some((field) => field.type === "slug" && !set.has(field.name))) stopped.push(target.span);
  const missing = fields.find(
    (field) =>
      isPlainColumn(field) &&
      !isAssigned(field.type) &&
      !field.optional &&
      field.type !== "boolean" &&
      field.type !== "state" &&
      field.set === null &&
      field.default === null &&
      !set.has(field.name),
  );
  if (missing !== undefined)
    linking.report(
      finding(
        "MISSING_KEY",
        target.span,
        `A ${target.value} needs ${missing.name}, but this effect does not set it.`,
        `Add it to “set”, or make the field optional.`,
      ),
    );
};

const linkPut = (
  syntax: EffectSyntax,
  put: { readonly value: string; readonly span: Span },
  place: Place,
): Doing | undefined => {
  const { scope, linking } = place;
  mentionEntity(linking, put.span, put.value);
  const set = linkSet(put, syntax, place);
  if (set === undefined) return undefined;
  checkNeeded(put, syntax, place);
  const shape = scope.entities.get(put.value);
  const key = (syntax.key ?? []).map((item) => item.value);
  for (const item of syntax.key ?? []) {
    linking.mentions.push({ of: "field", entity: put.value, name: item.value, span: item.span });
    if (shape?.fields.has(item.value) !== true)
      reportUnknownName(linking, item.span, `field of ${put.value}`, item.value, shape?.fields.keys() ?? []);
    else if (
      syntax.set?.some(({ name }) => name === item.value) !== true &&
      (syntax.set !== undefined || !("set" in syntax.keys))
    )
      linking.report(
        finding(
          "MISSING_KEY",
          item.span,
          `“set” lacks ${item.value}, which is needed to find the record.`,
          `Add ${item.value} to “set”.`,
        ),
      );
  }
  if (key.length === 0) {
    if (!("key" in syntax.keys))
      linking.report(
        finding(
          "MISSING_KEY",
          put.span,
          "“put” needs “key” with the fields that identify the record.",
          "Add “key:” with one or more fields from “set”.",
        ),
      );
    return undefined;
  }
  return { kind: "put", entity: put.value, key, set };
};

/** Links the records to update or delete. */
const linkTarget = (at: Scalar, place: Place): { readonly of: Expr; readonly entity: string } | undefined => {
  const of = readHere(at, place);
  const target = findElement(of);
  if (of === undefined || target === undefined || target.kind === "unknown") return undefined;
  if (target.kind === "record") return { of, entity: target.entity };
  place.linking.report(
    finding("TYPES_DIFFER", at.span, "Only records can be changed or deleted.", "Use a list of records."),
  );
  return undefined;
};

/** In `set`, bare names refer to the triggering record, and `it` to the changed record. */
const withIt = (place: Place, entity: string): Place => ({
  ...place,
  localNames: new Set([...place.localNames, "it"]),
  scope: {
    ...place.scope,
    names: new Map(place.scope.names ?? []).set("it", { type: { kind: "record", entity }, optional: false }),
  },
});

const linkMake = (
  syntax: EffectSyntax,
  make: { readonly value: string; readonly span: Span },
  place: Place,
): Doing | undefined => {
  const { scope, names, linking } = place;
  const of = syntax.of === undefined ? null : readHere(syntax.of, place);
  const target = of === null ? { kind: "record" as const, entity: scope.entity ?? "" } : findElement(of);
  if (of === undefined || target === undefined || target.kind !== "record") return undefined;
  const transitions = names.transitions.get(target.entity) ?? new Set<string>();
  if (!transitions.has(make.value)) {
    reportUnknownName(linking, make.span, `transition of ${target.entity}`, make.value, transitions);
    return undefined;
  }
  if (names.shared.has(`${target.entity}.${make.value}`))
    linking.report(
      finding(
        "BAD_VALUE",
        make.span,
        `${make.value} needs several people, so an effect can’t make it.`,
        `Use another transition, or make ${toCompletionName(make.value)}.`,
        { clause: place.clause.id },
      ),
    );
  linking.transitionsByEffects.add(`${target.entity}.${make.value}`);
  linking.mentions.push({ of: "transition", entity: target.entity, name: make.value, span: make.span });
  const acts = actShapes(scope, target.entity, make.value);
  const set = linkSet({ value: target.entity, span: make.span }, syntax, withIt(place, target.entity), acts);
  if (set !== undefined && (syntax.set !== undefined || !("set" in syntax.keys)))
    for (const [name, { optional, type }] of acts) {
      const field = names.entities.get(target.entity)?.fields.get(name);
      const isGiven =
        syntax.set?.some((entry) => entry.name === name) || (field !== undefined && alwaysHasDefault(field));
      if (!optional && type.kind !== "list" && !isGiven)
        linking.report(
          finding(
            "MISSING_KEY",
            make.span,
            `${make.value} asks for ${name}, but this effect does not give it.`,
            `Add “${name}” to “set”, or make it optional in “asks”.`,
            { clause: place.clause.id },
          ),
        );
    }
  return set && { kind: "make", transition: make.value, of, entity: target.entity, set };
};
