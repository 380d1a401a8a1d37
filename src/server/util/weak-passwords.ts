/** No document permits shorter passwords. */
const MIN_LENGTH = 8;

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim();

let common: Promise<ReadonlySet<string>> | undefined;

/** The most common passwords that are long enough. Loaded when somebody first sets one. */
const commonPasswords = (): Promise<ReadonlySet<string>> => {
  common ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].filter(({ length }) => length >= MIN_LENGTH).map(plain)),
  );
  return common;
};

/** Facts about the person that a stranger might know. */
export interface AccountWords {
  readonly email: string;
  readonly name?: string;
}

/**
 * True if strangers would try the password first: a very common one, only spaces, the person's own email address, its
 * part before the @, or their name.
 */
export const isWeak = async (password: string, { email, name = "" }: AccountWords): Promise<boolean> => {
  const entered = plain(password);
  if (entered === "") return true;
  const own = [email, email.replace(/@.*$/u, ""), name].map(plain);
  return own.includes(entered) || (await commonPasswords()).has(entered);
};
