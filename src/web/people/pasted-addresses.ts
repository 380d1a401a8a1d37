import { nameFromAddress } from "../../core/util/name-from-address.ts";

/** A person in a pasted list. */
export interface PastedPerson {
  readonly name: string;
  readonly email: string;
}

/** Maximum number of people who are invited at once. */
export const MOST_INVITED = 100;

const ADDRESS = /^[^\s@"<>]{1,64}@[^\s@"<>]+\.[^\s@"<>]+$/u;

/** Maximum number of parts before an address that are its name: a family name and a first name. */
const MOST_NAMES = 2;

/**
 * Reads a pasted list of addresses, as mail programs, spreadsheets and people write it: separated by commas, semicolons,
 * tabs or lines, as `ada@example.com`, `Ada Lovelace <ada@example.com>` or `Ada Lovelace ada@example.com`. What stands
 * before an address on its line is its name, as in `Ada, ada@example.com`. An address occurs once. `unread` has the parts
 * that are neither an address nor a name.
 */
export const readPastedAddresses = (
  text: string,
): { readonly people: readonly PastedPerson[]; readonly unread: readonly string[] } => {
  const people = new Map<string, PastedPerson>();
  const unread: string[] = [];
  for (const line of text.split("\n")) {
    const names: string[] = [];
    // A comma inside quotation marks belongs to the name.
    for (const found of line.match(/(?:"[^"]*"|[^,;\t"])+/gu) ?? []) {
      const part = found.trim();
      if (part === "") continue;
      const { name, address, joint } = readPart(part);
      if (ADDRESS.test(address) && names.length <= MOST_NAMES) {
        const full = [...names.splice(0), name].filter((one) => one !== "").join(joint);
        if (!people.has(address.toLowerCase()))
          people.set(address.toLowerCase(), { name: full || nameFromAddress(address), email: address });
      } else if (/[@<]/u.test(part)) unread.push(...names.splice(0), part);
      else names.push(part.replaceAll('"', "").trim());
    }
    unread.push(...names);
  }
  return { people: [...people.values()], unread };
};

/** `joint`: what stands between the parts of the name. Mail programs write `Lovelace, Ada <ada@example.com>`. */
const readPart = (part: string): Readonly<Record<"name" | "address" | "joint", string>> => {
  const [, inMail, bracketed] = /^"?([^"<]*?)"?\s*<([^<>]*)>$/u.exec(part) ?? [];
  if (inMail !== undefined && bracketed !== undefined)
    return { name: inMail.trim(), address: bracketed.trim(), joint: ", " };
  const [, name, address] = /^(.*\S)\s+(\S+)$/u.exec(part) ?? [];
  return name !== undefined && address !== undefined && !name.includes("@")
    ? { name: name.replaceAll('"', ""), address, joint: " " }
    : { name: "", address: part, joint: " " };
};
