import {
  expression,
  keyed,
  list,
  listOrOne,
  type Named,
  name,
  optional,
  orItself,
  type Read,
  record,
  template,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { Expr } from "../rule/expr.ts";
import type { Scope, Type } from "../rule/type.ts";
import type { LinkedEntity } from "./entities.ts";
import {
  checkExpression,
  type Linking,
  linkTemplate,
  reportNotExecuted,
  unknownName,
  withoutNotes,
} from "./linking.ts";

/** What follows a write: one of these keys says what, `when` whether, `for` how often. */
const effect = record("an effect", {
  notify: optional(expression),
  text: optional(template),
  call: optional(name("field")),
  create: optional(name("entity")),
  put: optional(name("entity")),
  key: optional(listOrOne(name("field"))),
  update: optional(expression),
  delete: optional(expression),
  make: optional(name("field")),
  of: optional(expression),
  for: optional(keyed("a name with a list", expression)),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", orItself(expression))),
});

/** Effects by what they follow: `create`, `update`, `delete` or a transition's name. */
export const effectsShape = keyed("a mapping from transitions to lists of effects", list(effect));

type EffectSyntax = Read<typeof effect>;
const mains = ["notify", "call", "create", "put", "update", "delete", "make"] as const;

export interface EffectNames {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** The transitions of each entity. */
  readonly transitions: ReadonlyMap<string, ReadonlySet<string>>;
  /** What each outgoing call sends, typed where the call is made. */
  readonly outgoing: ReadonlyMap<string, readonly Named<Scalar | "itself">[]>;
}

/** Types the effects of an entity. Nothing executes them yet, and each says so. */
export const checkEffects = (
  entity: string,
  syntax: readonly Named<readonly EffectSyntax[]>[],
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): void => {
  const moments = new Set(["create", "update", "delete", ...(names.transitions.get(entity) ?? [])]);
  for (const { name: moment, key, value } of syntax) {
    if (!moments.has(moment)) unknownName(linking, key, `transition of ${entity}`, moment, moments);
    for (const [i, one] of value.entries()) {
      reportNotExecuted(linking, "effect", one.span, `4.${entity}.after.${moment}.${i + 1}`);
      checkEffect(one, names, { ...scope, entity, old: true }, linking);
    }
  }
};

const checkEffect = (syntax: EffectSyntax, names: EffectNames, scope: Scope, linking: Linking): void => {
  const [main, second] = mains.filter((word) => word in syntax.keys);
  if (main === undefined)
    linking.report(
      finding("MISSING_KEY", syntax.span, `An effect needs one of ${mains.join(", ")}.`, "Say what follows."),
    );
  if (second !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys[second] ?? syntax.span,
        `An effect does one thing, and this one says ${main} and ${second}.`,
        "Make two effects of it.",
      ),
    );
  const inEach = eachScope(syntax, scope, linking);
  checkExpression(syntax.when, inEach, { kind: "boolean" }, linking);
  if (syntax.notify !== undefined) {
    const told = checkExpression(syntax.notify, inEach, undefined, linking);
    const to = told?.type.kind === "list" ? told.type.of : told?.type;
    if (to !== undefined && to.kind !== "unknown" && !(to.kind === "record" && to.entity === "User"))
      linking.report(
        finding(
          "TYPES_DIFFER",
          syntax.notify.span,
          "Only people can be notified.",
          "Name a person, or a list of people.",
        ),
      );
    if (syntax.text === undefined)
      linking.report(finding("MISSING_KEY", syntax.span, "A notification needs “text”.", "Say what people are told."));
  }
  if (syntax.text !== undefined) linkTemplate(syntax.text, inEach, withoutNotes(linking));
  if (syntax.call !== undefined) checkCall(syntax.call, names, inEach, linking);
  for (const made of [syntax.create, syntax.put])
    if (made !== undefined) checkSet(made, syntax, names, inEach, linking);
  for (const at of [syntax.update, syntax.delete])
    if (at !== undefined) checkTarget(at, syntax, names, inEach, linking);
  if (syntax.make !== undefined) checkMake(syntax, syntax.make, names, inEach, linking);
};

/** `for: { line: lines }` names each element of a list. */
const eachScope = (syntax: EffectSyntax, scope: Scope, linking: Linking): Scope => {
  const names = new Map(scope.names ?? []);
  for (const { name: given, value } of syntax.for ?? []) {
    const elements = elementOf(checkExpression(value, scope, undefined, linking));
    if (elements !== undefined) names.set(given, { type: elements, optional: false });
  }
  return { ...scope, names };
};

const elementOf = (expr: Expr | undefined): Type | undefined => {
  if (expr === undefined) return undefined;
  return expr.type.kind === "list" ? expr.type.of : expr.type;
};

const checkCall = (
  said: { readonly value: string; readonly span: Parameters<typeof finding>[1] },
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): void => {
  const sends = names.outgoing.get(said.value);
  if (sends === undefined) {
    unknownName(linking, said.span, "outgoing call", said.value, names.outgoing.keys());
    return;
  }
  linking.callsMade.add(said.value);
  for (const one of sends) {
    if (one.value !== "itself") checkExpression(one.value, scope, undefined, linking);
    else if (scope.entities.get(scope.entity ?? "")?.fields.has(one.name) !== true)
      unknownName(
        linking,
        one.key,
        `field of ${scope.entity}`,
        one.name,
        scope.entities.get(scope.entity ?? "")?.fields.keys() ?? [],
      );
  }
};

/** The fields of what is made are set from the record whose write this follows, and from `for`. */
const checkSet = (
  target: { readonly value: string; readonly span: Parameters<typeof finding>[1] },
  syntax: EffectSyntax,
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): void => {
  const shape = scope.entities.get(target.value);
  if (shape === undefined || !names.entities.has(target.value)) {
    unknownName(linking, target.span, "entity", target.value, names.entities.keys());
    return;
  }
  for (const one of syntax.set ?? []) {
    const field = shape.fields.get(one.name);
    if (field === undefined) unknownName(linking, one.key, `field of ${target.value}`, one.name, shape.fields.keys());
    else if (one.value !== "itself") checkExpression(one.value, scope, field.type, linking);
  }
  for (const key of syntax.key ?? [])
    if (!shape.fields.has(key.value))
      unknownName(linking, key.span, `field of ${target.value}`, key.value, shape.fields.keys());
};

/** Records that are changed: in `set`, bare names are of the record whose write this follows, `it` is the one changed. */
const checkTarget = (at: Scalar, syntax: EffectSyntax, names: EffectNames, scope: Scope, linking: Linking): void => {
  const target = elementOf(checkExpression(at, scope, undefined, linking));
  if (target === undefined || target.kind === "unknown") return;
  if (target.kind !== "record") {
    linking.report(
      finding("TYPES_DIFFER", at.span, "Only records can be changed or deleted.", "Name a list of records."),
    );
    return;
  }
  const it = new Map(scope.names ?? []).set("it", { type: target, optional: false });
  checkSet({ value: target.entity, span: at.span }, syntax, names, { ...scope, names: it }, linking);
};

const checkMake = (
  syntax: EffectSyntax,
  make: { readonly value: string; readonly span: Parameters<typeof finding>[1] },
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): void => {
  const target =
    syntax.of === undefined
      ? { kind: "record" as const, entity: scope.entity ?? "" }
      : elementOf(checkExpression(syntax.of, scope, undefined, linking));
  if (target === undefined || target.kind !== "record") return;
  const transitions = names.transitions.get(target.entity) ?? new Set<string>();
  if (!transitions.has(make.value))
    unknownName(linking, make.span, `transition of ${target.entity}`, make.value, transitions);
};
