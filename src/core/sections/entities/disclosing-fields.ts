import { finding } from "../../findings.ts";
import type { Linking } from "../linking/link-context.ts";
import type { EntityDraft } from "./entity-draft.ts";
import { isDecided } from "./field-drafts.ts";

/** Keys whose effect can disclose data of the record or of others. */
const disclosingKeys = [
  ...(["computed", "set", "default", "fill"] as const),
  ...(["unique", "among", "required", "min", "max"] as const),
];

/** Reports `discloses` on fields that can disclose nothing. Call it after all transitions and effects are linked. */
export const checkDisclosingFields = (drafts: ReadonlyMap<string, EntityDraft>, linking: Linking): void => {
  for (const { name: entity, fields, acts } of drafts.values())
    for (const draft of [...fields.values(), ...[...acts.values()].map((act) => act.draft)]) {
      const { name, clause, stored, syntax } = draft;
      if (syntax?.discloses?.value !== true || !isDecided(draft)) continue;
      // Slugs are unique by default.
      if (stored === "slug" || disclosingKeys.some((key) => syntax[key] !== undefined)) continue;
      if (linking.fieldsSet.has(`${entity}.${name}`)) continue;
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys.discloses ?? syntax.span,
          `“discloses” has no effect on ${name}. It belongs on a field whose value comes from an expression, beside “unique”, “among”, “required”, “min” or “max”, or on a slug.`,
          "Remove “discloses”.",
          { clause: clause.id },
        ),
      );
    }
};
