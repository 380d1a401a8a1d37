import { isAutomatic, permissionRulesFor } from "../../../derive/authorization/grants.ts";
import { andList, type Message, type MessageValue, say } from "../../../i18n/message.ts";
import type { Entity } from "../../../model/entity.ts";
import type { Field } from "../../../model/field.ts";
import type { Action } from "../../../model/permissions.ts";
import type { Comparison } from "../../comparison.ts";
import { hasSameMeaning } from "../../meaning.ts";

/** The people who can read and write a new field: a permission for every field covers it, too. */
export const describeAccess = ({ words, after: { roles } }: Comparison, entity: Entity, field: Field): Message => {
  // Deputies have the permissions of those whom they represent.
  const isDeputies = (role: string): boolean =>
    roles.get(role)?.members === "deputies" || entity.roles.get(role)?.represented !== undefined;
  const findHolders = (...actions: readonly Action[]): readonly MessageValue[] => {
    const always = new Map<string, boolean>();
    for (const action of actions)
      for (const { role, when, fields } of permissionRulesFor({ ...entity, records: new Map() }, action))
        if ((fields === null || fields.has(field.name)) && !isDeputies(role))
          always.set(role, always.get(role) === true || when === null);
    return [...always].map(([role, isAlways]) => {
      const holders = { inside: words.holders(role, entity, entity.roles.has(role)) };
      return isAlways ? holders : say("holders.some", { holders });
    });
  };
  const isWritten = field.storage.as === "inverse" || !isAutomatic(entity, field.name);
  const [readers, writers] = [findHolders("read"), isWritten ? findHolders("create", "update") : []];
  if (readers.length === 0) return say("access.nobody", {});
  if (writers.length === 0) return say("access.read", { readers: andList(readers) });
  if (hasSameMeaning(readers, writers)) return say("access.both", { people: andList(readers) });
  return say("access.write", { readers: andList(readers), writers: andList(writers) });
};
