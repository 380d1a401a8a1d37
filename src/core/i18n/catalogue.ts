import type { ChangeTexts } from "./change-arguments.ts";
import type { texts as englishDefaults } from "./en/defaults.ts";
import type {
  texts as englishErrors,
  kinds as englishKinds,
  queries as englishQueries,
  reasons as englishReasons,
  sizes as englishSizes,
  KindName,
} from "./en/errors.ts";
import type { texts as englishPlatform } from "./en/platform-texts.ts";
import type { texts as englishScreens } from "./en/screen-texts.ts";
import type { ExplainTexts } from "./explain-arguments.ts";
import type { Grammar, TitleTexts } from "./grammar.ts";
import type { MailTexts } from "./mail-arguments.ts";

/*
 * The catalogue of a language, by area. A language is a folder beside this file: `grammar.ts`, `screen-texts.ts` and
 * `platform-texts.ts` with the folder `interface`, `explain.ts`, `errors.ts`, `mail.ts`, `change.ts` and `defaults.ts`. Each `satisfies` its type, so that a
 * missing text is a type error in that language's file. Texts are ICU messages; a test compares their arguments across
 * languages.
 */

/** A translation of the English texts of one file: no id is missing, and none is added. */
export type TextsLike<English> = { readonly [id in keyof English]: string };

export type WordId = keyof typeof englishScreens | keyof typeof englishPlatform;
/** The texts of the browser that every page needs. */
export type ScreenTexts = TextsLike<typeof englishScreens>;
/** The texts that the browser loads with the pages of accounts and of the workbench. */
export type PlatformTexts = TextsLike<typeof englishPlatform>;

export type ErrorCode = keyof typeof englishErrors;
export type QueryProblem = keyof typeof englishQueries;
export type FixedReason = keyof typeof englishReasons;
export type TableSize = keyof typeof englishSizes;
export type { KindName };

/** Failures of the program itself, whose texts a document cannot change. */
export type Unavailable = "FAULT" | "TOO_BUSY" | "TOOK_TOO_LONG" | "STORE_AWAY" | "FILES_AWAY";

export interface ErrorTexts {
  /** Default texts of the built-in errors. */
  readonly texts: { readonly [code in ErrorCode]: string };
  /** Completes NOT_A_CHOICE: without known choices, and after the first of many. */
  readonly choices: { readonly [text in "unknown" | "more"]: string };
  /** Completes BAD_QUERY after a colon. */
  readonly queries: { readonly [problem in QueryProblem]: string };
  /** Completes DOCUMENT_FIXED and NO_PREVIEWS after a colon. */
  readonly reasons: { readonly [reason in FixedReason]: string };
  /** Completes TABLE_TOO_LARGE: the measure in which a file is too large. */
  readonly sizes: { readonly [size in TableSize]: string };
  /** Completes WRONG_TYPE: "a date". */
  readonly kinds: { readonly [name in keyof typeof englishKinds]: string };
  readonly unavailable: { readonly [code in Unavailable]: { readonly title: string; readonly detail: string } };
  /** The page that an installed application shows without a connection. `title` has `{application}`. */
  readonly offline: { readonly [part in "title" | "words" | "drafts" | "retry"]: string };
  /** The page at the address of a preview that has ended. */
  readonly previewEnded: { readonly [part in "title" | "words" | "back"]: string };
  /** Titles of problem documents by status. */
  readonly titles: { readonly [status: number]: string };
  readonly refused: string;
  /** Replaces the message if something was renamed or moved since the document changed. */
  readonly renamed: string;
  readonly moved: string;
  /** Replaces the message for people who can read the specification, if a version removed the field or entity. */
  readonly removedBy: string;
}

/** For each default in force: what the specification leaves open ("the roles"), and what applies, as a sentence. */
export type DefaultTexts = {
  readonly [code in keyof typeof englishDefaults]: { readonly silent: string; readonly inForce: string };
};

/** All texts of one language that the server needs. */
export interface LanguageTexts {
  readonly grammar: Grammar;
  readonly explain: ExplainTexts;
  /** Replacements for documents in another language. */
  readonly aroundForeignWords?: Partial<ExplainTexts>;
  readonly errors: ErrorTexts;
  readonly mail: MailTexts;
  readonly change: ChangeTexts;
  readonly defaults: DefaultTexts;
  readonly titles: TitleTexts;
}

export interface Catalogue extends LanguageTexts {
  /** `en` */
  readonly language: string;
}
