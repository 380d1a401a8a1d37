import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Call } from "../../model/endpoint.ts";
import type { Model } from "../../model/model.ts";
import { grantsFor, isUnconditional, type Principal } from "./grants.ts";

/**
 * True if a refused visitor is asked to sign in first, because that could change the answer: the operation is
 * forbidden, or the record is not found and not everybody has read permission. If everybody can read such records, the
 * answer stays "not found". `call`: the custom endpoint that was refused.
 */
export const shouldSignInFirst = (
  model: Model,
  principal: Principal,
  { code, clause }: { readonly code: string; readonly clause?: string },
  call: Call | null = null,
): boolean => {
  if (principal.id !== null) return false;
  // The form of an id in a query does not depend on the caller.
  const isOfQuery = code === "BAD_PATH" && clause === call?.clause.id;
  if ((code !== "NOT_FOUND" && code !== "BAD_PATH") || isOfQuery) return code === "FORBIDDEN";
  if (call !== null && findsByCaller(call)) return true;
  const entity = model.entities.get(/^6\.(\w+)/u.exec(clause ?? "")?.[1] ?? "");
  return entity === undefined || !isUnconditional(grantsFor(model, entity, "read", principal));
};

/** True if a step finds its record by the caller (`where: this == user`), so that a visitor has none. */
const findsByCaller = ({ does }: Call): boolean =>
  does.kind === "steps" &&
  does.steps.some(({ where, when }) => [where, when].some((read) => read !== null && collectReadSet(read).user));
