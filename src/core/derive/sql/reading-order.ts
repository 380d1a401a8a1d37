import { identifier, type Sql } from "../../sql.ts";

/**
 * Languages that sort some letters in another place than the order that all others share: å after z in Swedish. Each has a
 * collation of its own in every PostgreSQL that is built with ICU.
 */
export const tailored: ReadonlySet<string> = new Set(
  (
    "af ar as az be bn br bs cs cy da dsb ee eo es et fa fi fil fo gl gu ha haw he hi hr hsb hu hy ig is ja ka kk kl km kn " +
    "ko kok lkt ln lo lt lv mk ml mr mt my nb nn om or pa pl ps ro se si sk sl smn sq sr sv ta te th to tr uk ur uz vi " +
    "wae wo yi yo zh zu"
  ).split(" "),
);

/** The language by whose rules texts of a document are sorted; `und` stands for the order that most languages share. */
const sortingLanguage = (locale: string): string => {
  const { language } = new Intl.Locale(locale);
  return language === "no" ? "nb" : tailored.has(language) ? language : "und";
};

/**
 * The collation by which lists sort texts, as people read them: apple, Äpfel, Zebra. It is deterministic: texts that are
 * not equal have an order. Rules compare by code point, and so do the columns themselves.
 */
export const readingOrder = (locale: string): Sql => identifier(`${sortingLanguage(locale)}-x-icu`);

/** Compares texts in this order in JavaScript, for rows that are sorted outside the database. */
export const compareAsRead = (locale: string): ((a: string, b: string) => number) =>
  new Intl.Collator(sortingLanguage(locale)).compare;
