import type { Model } from "../../model/model.ts";
import type { Principal } from "./grants.ts";

/** The id of readers whom nobody knows; it occurs in no field. */
const UNKNOWN = "00000000-0000-0000-0000-000000000000";

/** The people in a channel: unknown, but each can read what everybody with the role of its readers can read. */
export const toReaders = ({ outgoing }: Pick<Model, "outgoing">, call: string): Principal => {
  const role = outgoing.get(call)?.chat?.readers ?? null;
  return { id: role === null ? null : UNKNOWN, granted: new Set(role === null ? [] : [role]), isGroup: true };
};
