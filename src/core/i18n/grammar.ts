/**
 * The grammar of a language as data. Messages contain words chosen by a document, so each message can select by
 * features of such a word: `{owner_begins, select, vowel {d’} other {de }}{owner}` is "d’Anna" or "de Jonas".
 */
export interface Grammar {
  /** True if nouns are capitalized in running text: "Auftrag". */
  readonly capitalNouns: boolean;
  /** The values of a boolean. */
  readonly booleans: BooleanWords;
  readonly prose: ProseWords;
  /** Word classes by feature; all other words are `other`. */
  readonly features: { readonly [feature: string]: { readonly [name: string]: WordClass } };
}

/** How sentences of a document's prose continue each other. */
export interface ProseWords {
  /** Words between two clauses. */
  readonly and: readonly string[];
  /** Words that can precede a subject. */
  readonly articles: readonly string[];
  /** Words for the persons in the sentence before. */
  readonly they: readonly string[];
  /** Verbs of a sentence that says which persons they are, not what they do. */
  readonly are: readonly string[];
  /** Matches a clause that does not stand alone, because it refers to the one before. */
  readonly refersBack: RegExp;
}

export interface BooleanWords {
  readonly yes: string;
  readonly no: string;
}

/** A class of words: by prefix, suffix or list, minus exceptions. Case-insensitive. */
export interface WordClass {
  readonly begins?: readonly string[];
  readonly ends?: readonly string[];
  /** Whole words; of several words, the last one counts. */
  readonly words?: readonly string[];
  readonly except?: { readonly ends?: readonly string[]; readonly words?: readonly string[] };
  /** Words that end the relevant part: "Head of sales" counts as "Head". */
  readonly until?: readonly string[];
  /** Matches a single capitalized word, or one followed by one of these: "Approve", "Hand over". */
  readonly alone?: { readonly orBefore: readonly string[] };
  /** Matches the phrase as it is written. */
  readonly matches?: RegExp;
}

/** Titles of parts that the program adds to a document. The compiler reads them without the rest of the catalogue. */
export type TitleTexts = {
  readonly [id in
    | "approvals.void"
    | `deputies.${"one" | "many" | "role" | "away" | "person" | "deputy" | "first_day" | "last_day" | "represented" | "notice" | "notice.changed" | "notice.changed.own" | "notice.ended" | "notice.ended.own" | "notice.begins" | "notice.begins.own" | "notice.over" | "notice.over.own"}`]: string;
};

const isIn = ({ begins, ends, words, except, until, alone, matches }: WordClass, phrase: string): boolean => {
  if (matches?.test(phrase) === false) return false;
  let counted = phrase.split(" ");
  if (until !== undefined) {
    const end = counted.findIndex((word, i) => i > 0 && until.includes(word.toLowerCase()));
    if (end > 0) counted = counted.slice(0, end);
  }
  if (alone !== undefined) {
    const [first = "", ...others] = counted;
    if (!/^\p{Lu}\p{Ll}+$/u.test(first) || others.length > 1) return false;
    if (others.some((word) => !alone.orBefore.includes(word))) return false;
    counted = [first];
  }
  const text = counted.join(" ").toLowerCase();
  const last = text.split(/[ -]/u).at(-1) ?? "";
  const isExcepted = except?.words?.includes(last) === true || except?.ends?.some((end) => text.endsWith(end)) === true;
  const isBegun = begins === undefined || begins.some((letters) => text.startsWith(letters));
  const isEnded =
    (ends === undefined && words === undefined) ||
    ends?.some((end) => text.endsWith(end) && !isExcepted) === true ||
    words?.includes(last) === true;
  return isBegun && isEnded && !isExcepted;
};

/** Lower-cases the first letter: "First day" becomes "first day"; "VAT rate" stays. */
const lowered = (words: string): string =>
  /^\p{Lu}\p{Lu}/u.test(words) ? words : `${words.charAt(0).toLowerCase()}${words.slice(1)}`;

const raised = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/**
 * The feature of a word: `begins` for "owner_begins"; `lower` and `upper` return the word with its first letter
 * changed.
 */
export const wordFeature = ({ features }: Grammar, feature: string, word: string): string | undefined => {
  if (feature === "lower") return lowered(word);
  if (feature === "upper") return raised(word);
  const classes = features[feature];
  if (classes === undefined) return undefined;
  return Object.keys(classes).find((name) => isIn(classes[name] ?? {}, word)) ?? "other";
};
