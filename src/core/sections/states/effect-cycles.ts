import { finding } from "../../findings.ts";
import type { Effect } from "../../model/effect.ts";
import type { Linking } from "../linking/link-context.ts";
import { reaches } from "../linking/reachability.ts";

/** The triggers that an effect fires: entity and action. */
const listWrittenFields = (effect: Effect): readonly string[] => {
  if (effect.kind === "create" || effect.kind === "update" || effect.kind === "delete")
    return [`${effect.entity}.${effect.kind}`];
  if (effect.kind === "put") return [`${effect.entity}.create`, `${effect.entity}.update`];
  return effect.kind === "make" ? [`${effect.entity}.${effect.transition}`] : [];
};

/** Reports cycles of effects that lead back to their trigger. */
export const checkEffectCycles = (
  after: ReadonlyMap<string, ReadonlyMap<string, readonly Effect[]>>,
  linking: Linking,
): void => {
  const effectsOf = new Map<string, readonly { readonly to: string; readonly effect: Effect }[]>();
  for (const [entity, actions] of after)
    for (const [action, effects] of actions)
      effectsOf.set(
        `${entity}.${action}`,
        effects.flatMap((effect) => listWrittenFields(effect).map((to) => ({ to, effect }))),
      );
  for (const [start, edges] of effectsOf)
    for (const { to, effect } of edges)
      if (reaches(effectsOf, to, start))
        linking.report(
          finding(
            "CYCLE",
            effect.clause.span,
            `This effect causes itself: ${start} leads back to ${start}.`,
            "Remove one of the effects in this circle.",
            { clause: effect.clause.id },
          ),
        );
};
