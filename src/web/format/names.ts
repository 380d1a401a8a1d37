/** The entity whose records are people: the language's own. */
export const PEOPLE = "User";

/** Up to two letters that stand for a name: "Jonas Weber" gives JW, "Bartholomäus von Hohenstein-Lichtenfels" BH. */
export const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const capital = words.filter((word) => !/^\p{Ll}/u.test(word));
  const [first, ...rest] = capital.length > 1 ? capital : words;
  return [first, rest.at(-1)]
    .flatMap((word) => (word ? [[...word][0] ?? ""] : []))
    .join("")
    .toLocaleUpperCase();
};

/** The letter on the application's tile. */
export const initialOf = (name: string): string => ([...name.trim()][0] ?? "9").toLocaleUpperCase();

/** In the language itself, for whoever cannot read the one that is shown: "Deutsch". */
export const nameOfLanguage = (language: string): string => {
  const name = new Intl.DisplayNames([language], { type: "language", languageDisplay: "standard" }).of(language);
  return name === undefined ? language : name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
};

/**
 * What a link to a record is called where its words are one of its values: by the record's label, so that a list of links
 * tells them apart. The words stay in it, for who says what they see. Undefined where they say as much.
 */
export const calledInFull = (words: string | null, label: string): string | undefined => {
  if (words === null || label === "" || words.includes(label)) return undefined;
  return label.includes(words) ? label : `${words}, ${label}`;
};

/** By which the control of a field is found in the page, and behind the `#` of a form's address. */
export const fieldId = (field: string): string => `field-${field}`;

/** The field that an address leads to; null where it leads to none. */
export const fieldIn = (fragment: string): string | null =>
  fragment.startsWith(`#${fieldId("")}`) ? fragment.slice(fieldId("").length + 1) : null;
