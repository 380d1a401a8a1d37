import { mentionsNotShown } from "../document/prose.ts";
import type { Document } from "../document/read.ts";
import { noneAsEmpty } from "../document/shape/combinators.ts";
import { keyed } from "../document/shape/list-and-mapping.ts";
import { optional, record } from "../document/shape/record.ts";
import { plainText, template } from "../document/shape/scalar.ts";
import type { ReportFinding, ShapeValue, Spanned } from "../document/shape.ts";
import { isCurrency, USUAL_CURRENCY } from "../field/money.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Model, Translation } from "../model/model.ts";
import { nearest } from "../source-text.ts";
import { linkLogo } from "./logo.ts";

/** Point 1: the product and its audience. */
export const productShape = noneAsEmpty(
  record("point 1", {
    ninefold: optional(plainText),
    name: optional(plainText),
    locale: optional(plainText),
    timezone: optional(plainText),
    accent: optional(plainText),
    currency: optional(plainText),
    translations: optional(
      keyed(
        "a mapping from languages to texts",
        keyed("a mapping from texts to what they are in the language", template),
      ),
    ),
    logo: optional(plainText),
  }),
);

export type ProductSyntax = ShapeValue<typeof productShape>;

export interface Product {
  readonly name: string;
  readonly sentence: string | null;
  readonly purpose: readonly string[];
  readonly locale: string;
  readonly timezone: string;
  readonly accent: string | null;
  readonly logo: string | null;
  /** The currency of amounts whose field names none, such as `CHF`. */
  readonly currency: string;
  readonly translations: Model["translations"];
}

const valid = (attempt: () => unknown): boolean => {
  try {
    attempt();
    return true;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return false;
    throw error;
  }
};

const isTimezone = (zone: string) => valid(() => new Intl.DateTimeFormat("en", { timeZone: zone }));
const isLocale = (locale: string) => valid(() => Intl.getCanonicalLocales(locale));

/** Suggests `de-AT` for `de_AT`. */
const localeNear = (text: string): string | undefined => {
  const tag = text.replaceAll("_", "-");
  return tag !== text && isLocale(tag) ? tag : undefined;
};

/** Suggests a time zone for a city name or a misspelt zone. */
const zoneNear = (text: string): string | undefined => {
  const zones = Intl.supportedValuesOf("timeZone");
  const town = text.trim().replaceAll(" ", "_").toLowerCase();
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${town}`)) ?? nearest(text, zones);
};

export const linkProduct = (syntax: ProductSyntax | undefined, document: Document, report: ReportFinding): Product => {
  const checked = (
    written: Spanned<string> | undefined,
    holds: (text: string) => boolean,
    what: string,
    example: string,
    nearTo: (text: string) => string | undefined = () => undefined,
  ) => {
    if (written === undefined || holds(written.value)) return written?.value;
    const near = nearTo(written.value);
    report(
      finding(
        "BAD_VALUE",
        written.span,
        `“${written.value}” is not ${what}.`,
        near === undefined ? `Write for example ${example}.` : `Did you mean “${near}”?`,
        near === undefined ? {} : { nearest: near, fix: [{ span: written.span, text: near }] },
      ),
    );
    return undefined;
  };
  checked(
    syntax?.ninefold,
    (version) => version === "1",
    "a version of the language that this release knows",
    "ninefold: 1",
  );
  const translations = new Map<string, ReadonlyMap<string, Translation>>();
  for (const { name, key, value } of syntax?.translations ?? []) {
    if (checked({ value: name, span: key }, isLocale, "a language tag", "de", localeNear) === undefined) continue;
    const clause = `1.translations.${name}`;
    translations.set(
      name,
      new Map(value.map((entry) => [entry.name, { text: entry.value.text, clause: { id: clause, span: entry.key } }])),
    );
  }
  const prose = document.points.get(1)?.prose ?? [];
  const purpose = prose.map(({ text }) => text).filter((text) => !mentionsNotShown(text));
  return {
    name: syntax?.name?.value ?? document.title,
    sentence: purpose[0] ?? null,
    purpose,
    locale: checked(syntax?.locale, isLocale, "a language tag", "en-GB", localeNear) ?? "en",
    timezone: checked(syntax?.timezone, isTimezone, "a time zone", "Europe/Berlin", zoneNear) ?? "UTC",
    accent:
      checked(syntax?.accent, (colour) => /^#[0-9a-f]{6}$/iu.test(colour), "a colour", '"#006272", quoted') ?? null,
    logo: linkLogo(syntax?.logo, report),
    currency: checked(syntax?.currency, isCurrency, "a currency", "CHF, EUR or USD") ?? USUAL_CURRENCY,
    translations,
  };
};

/** `none` settles these open points. */
export const listProductDefaults = (product: Product, syntax: ProductSyntax | undefined): readonly DefaultCode[] =>
  syntax !== undefined && Object.keys(syntax.keys).length === 0
    ? []
    : [
        ...(product.sentence === null ? (["PURPOSE_UNKNOWN"] as const) : []),
        ...(product.sentence === null && syntax === undefined ? (["AUDIENCE_INVITED"] as const) : []),
        ...(syntax?.locale === undefined ? (["LOCALE_ENGLISH"] as const) : []),
        ...(syntax?.timezone === undefined ? (["TIMEZONE_UTC"] as const) : []),
        ...(syntax?.accent === undefined ? (["ACCENT_PETROL"] as const) : []),
      ];
