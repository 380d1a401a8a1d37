import type { Grant } from "../../../core/derive/authorization/grants.ts";
import {
  repeatedPartRefusal,
  unknownPartRefusal,
  versionRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import type { Stored } from "../../../core/field/kind.ts";
import type { RefusalAt } from "../../refusal.ts";
import type { PartInput, PartListInput } from "../input/parse-parts.ts";

/** A stored part in the caller's read scope, with the grants for updating and deleting it. */
export interface StoredPart {
  readonly id: string;
  readonly version: number;
  /** The id of the parent. */
  readonly parent: string;
  readonly place: number | null;
  readonly update: readonly Grant[];
  readonly delete: readonly Grant[];
}

/** A sent part, with the position that follows from its index in the list. */
export type OrderedPart = PartInput;

/**
 * Matches sent parts with stored ones, in the order of the list. Moves as few parts as possible: a part that already
 * follows its predecessor keeps its position.
 */
export const matchPartOrder = (
  { items, field, entity, place }: PartListInput,
  present: readonly StoredPart[],
): { readonly items: readonly OrderedPart[]; readonly wrong: readonly RefusalAt[] } => {
  const byId = new Map(present.map((part) => [part.id, part]));
  const seen = new Set<string>();
  const wrong: RefusalAt[] = [];
  const found = items.filter(({ at, id, version }) => {
    const stored = id === null ? undefined : byId.get(id);
    if (id === null) return true;
    if (stored === undefined) wrong.push({ ...unknownPartRefusal(field), at: `${at}/id`, values: {} });
    else if (seen.has(id)) wrong.push({ ...repeatedPartRefusal(field), at: `${at}/id`, values: {} });
    else if (version !== null && version !== stored.version)
      wrong.push({ ...versionRefusal(entity), at: `${at}/version`, values: {} });
    seen.add(id);
    return stored !== undefined;
  });
  if (place === null) return { items: found, wrong };
  const lastThere = found.findLastIndex(({ id }) => id !== null);
  let before = 0;
  const placed = found.map((part, i): OrderedPart => {
    const storedPlace = part.id === null ? null : (byId.get(part.id)?.place ?? null);
    const keepsPlace = storedPlace !== null && storedPlace > before;
    before = keepsPlace ? storedPlace : before + 1;
    if (keepsPlace) return part;
    const values = new Map<string, Stored>(part.values).set(place.name, before);
    // A part appended at the end gets the generated position, so it needs no permission on the position field.
    const asks = part.id !== null || i < lastThere;
    return { ...part, values, sentFields: asks ? [...part.sentFields, place.name] : part.sentFields };
  });
  return { items: placed, wrong };
};
