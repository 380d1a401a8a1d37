import { nameFromAddress } from "../../core/util/name-from-address.ts";

/** A person in a pasted list. */
export interface PastedPerson {
  readonly name: string;
  readonly email: string;
}

/** Maximum number of people who are invited at once. */
export const MOST_INVITED = 100;

const ADDRESS = /^[^\s@"<>]{1,64}@[^\s@"<>]+\.[^\s@"<>]+$/u;

/**
 * Reads a pasted list of addresses, as mail programs and spreadsheets write it: separated by commas, semicolons or lines,
 * as `ada@example.com`, `Ada Lovelace <ada@example.com>`, or a name and an address separated by a tab. An address occurs
 * once. `unread` has the parts that are no address.
 */
export const readPastedAddresses = (
  text: string,
): { readonly people: readonly PastedPerson[]; readonly unread: readonly string[] } => {
  const people = new Map<string, PastedPerson>();
  const unread: string[] = [];
  // A comma inside quotation marks belongs to the name.
  for (const found of text.match(/(?:"[^"\n]*"|[^,;\n"])+/gu) ?? []) {
    const part = found.trim();
    if (part === "") continue;
    const [, name = "", email = ""] = /^"?([^"<]*?)"?\s*<([^<>]*)>$/u.exec(part) ??
      /^(.*?)\t+\s*(\S+)$/u.exec(part) ?? ["", "", part];
    const address = email.trim();
    if (!ADDRESS.test(address)) unread.push(part);
    else if (!people.has(address.toLowerCase()))
      people.set(address.toLowerCase(), { name: name.trim() || nameFromAddress(address), email: address });
  }
  return { people: [...people.values()], unread };
};
