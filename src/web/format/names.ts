/** The built-in entity of people. */
export const PEOPLE = "User";

/** Initials of a name: "Jonas Weber" gives JW, "Bartholomäus von Hohenstein-Lichtenfels" BH. */
export const getInitials = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const capital = words.filter((word) => !/^\p{Ll}/u.test(word));
  const [first, ...rest] = capital.length > 1 ? capital : words;
  return [first, rest.at(-1)]
    .flatMap((word) => (word ? [[...word][0] ?? ""] : []))
    .join("")
    .toLocaleUpperCase();
};

/** The letter on the application's icon. */
export const getInitial = (name: string): string => ([...name.trim()][0] ?? "9").toLocaleUpperCase();

/** The name of a language in that language: "Deutsch". */
export const nameOfLanguage = (language: string): string => {
  const name = new Intl.DisplayNames([language], { type: "language", languageDisplay: "standard" }).of(language);
  return name === undefined ? language : name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
};

/**
 * The accessible name of a link to a record whose text is one of its values: the text and the record's label, so that
 * links can be told apart in a list of links. Undefined if the text is enough.
 */
export const calledInFull = (words: string | null, label: string): string | undefined => {
  if (words === null || label === "" || words.includes(label)) return undefined;
  return label.includes(words) ? label : `${words}, ${label}`;
};

/** Id of a field's control, and fragment of a form's address. */
export const fieldId = (field: string): string => `field-${field}`;

/** The field in a fragment; null if there is none. */
export const fieldInFragment = (fragment: string): string | null =>
  fragment.startsWith(`#${fieldId("")}`) ? fragment.slice(fieldId("").length + 1) : null;
