import { SHORTEST_PASSWORD } from "./password-hash.ts";

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim();

let common: Promise<ReadonlySet<string>> | undefined;

/** The passwords that people choose most, as far as they are long enough. They are read when somebody first sets one. */
const commonPasswords = (): Promise<ReadonlySet<string>> => {
  common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) =>
      new Set(dictionary["passwords-common"].filter(({ length }) => length >= SHORTEST_PASSWORD).map(plain)),
  );
  return common;
};

/** The person who chooses the password, as far as a stranger might know them. */
export interface Whose {
  readonly email: string;
  readonly name?: string;
}

/**
 * True if strangers try this password first: one of the most common ones, spaces alone, the person's own email address, the
 * part of it before the @, or their name.
 */
export const isWeak = async (password: string, { email, name = "" }: Whose): Promise<boolean> => {
  const given = plain(password);
  if (given === "") return true;
  const own = [email, email.replace(/@.*$/u, ""), name].map(plain);
  return own.includes(given) || (await commonPasswords()).has(given);
};
