import { finding } from "../../findings.ts";
import type { CallStep } from "../../model/endpoint.ts";
import type { Span } from "../../source-text.ts";
import { type Linking, mentionEntity, reportUnknownName } from "../linking/link-context.ts";
import type { CallNames } from "./call-context.ts";
import { type CallVerb, callVerbs, isSigning, type StepSyntax } from "./call-syntax.ts";

/** The kind of operation of a step. */
export type StepKind = CallStep["does"]["kind"];

/** The operation of a step, and its entity. */
export interface StepVerb {
  readonly kind: StepKind;
  readonly entity: string;
  readonly transition?: string;
  readonly replaces?: boolean;
}

/** The verb of a call; reports a call with none or several. */
export const readVerb = (
  value: { readonly span: Span; readonly keys: { readonly [key: string]: Span | undefined } },
  linking: Linking,
): CallVerb | undefined => {
  const verbs = callVerbs.filter((verb) => verb in value.keys);
  const [verb, second] = verbs;
  if (verb !== undefined && second === undefined) return verb;
  linking.report(
    finding(
      "MISSING_KEY",
      second === undefined ? value.span : (value.keys[second] ?? value.span),
      second === undefined
        ? "A call needs a verb."
        : `A call does one thing, but this one has “${verb}” and “${second}”.`,
      second === undefined
        ? `Write one of ${callVerbs.join(", ")}.`
        : "Split it into two calls, or into two steps of “do”.",
    ),
  );
  return undefined;
};

/** The operation of a step and its entity; undefined, with a finding, if a name is unknown. */
export const findVerb = (value: StepSyntax, names: CallNames, linking: Linking): StepVerb | undefined => {
  const verb = readVerb(value, linking);
  if (verb === undefined) return undefined;
  if (verb === "transition") return findTransition(value, names, linking);
  if (isSigning(verb) || verb === "do") return undefined;
  const entity = value[verb];
  if (entity === undefined) return undefined;
  mentionEntity(linking, entity.span, entity.value);
  if (names.entities.has(entity.value))
    return verb === "replace"
      ? { kind: "update", entity: entity.value, replaces: true }
      : { kind: verb, entity: entity.value, replaces: verb === "put" };
  reportUnknownName(linking, entity.span, "entity", entity.value, names.entities.keys());
  return undefined;
};

const findTransition = (value: StepSyntax, names: CallNames, linking: Linking): StepVerb | undefined => {
  if (value.transition === undefined) return undefined;
  const [entity = "", transition = ""] = value.transition.value.split(".");
  if (!names.entities.has(entity))
    reportUnknownName(linking, value.transition.span, "entity", entity, names.entities.keys());
  else if (names.transitions.get(entity)?.has(transition) !== true)
    reportUnknownName(
      linking,
      value.transition.span,
      `transition of ${entity}`,
      transition,
      names.transitions.get(entity) ?? [],
    );
  else {
    mentionEntity(linking, value.transition.span, entity);
    linking.mentions.push({ of: "transition", entity, name: transition, span: value.transition.span });
    return { kind: "transition", entity, transition };
  }
  return undefined;
};
