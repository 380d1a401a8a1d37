import { byKind, map, orNone } from "../../document/shape/combinators.ts";
import { list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { flag, plainText, word } from "../../document/shape/scalar.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { Field } from "../../model/field.ts";
import type { Provider, SignIn, SignUp } from "../../model/sign-in.ts";
import { nearest, type Span } from "../../source-text.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import type { CallNames } from "./call-context.ts";

/** Sign-in methods and registration. */

export interface ProviderDeclaration {
  readonly name: Spanned<string>;
  readonly issuer?: Spanned<string>;
  readonly title?: Spanned<string>;
}

const provider = byKind<ProviderDeclaration>("a provider's name, or its keys", {
  scalar: map(plainText, (name) => ({ name })),
  mapping: map(
    record("a provider", { oidc: required(name("field")), issuer: required(plainText), title: optional(plainText) }),
    ({ oidc, issuer, title }) => ({ name: oidc, issuer, ...(title === undefined ? {} : { title }) }),
  ),
});

const registration = record("a registration", {
  emails: optional(listOrOne(plainText)),
  roles: optional(listOrOne(name("role"))),
  asks: optional(listOrOne(name("field"))),
  "verify email": optional(flag),
});

const signUp = byKind<ShapeValue<typeof registration> | Spanned<"open">>(
  "“open”, or who may register: “emails”, “roles”, “asks” and “verify email”",
  {
    scalar: word("open"),
    mapping: registration,
  },
);

/** `none`: nobody signs in to the application. */
export const signIn = orNone(
  record("how people sign in", {
    password: optional(flag),
    by: optional(name("field")),
    basic: optional(flag),
    providers: optional(orNone(list(provider))),
    "sign up": optional(orNone(signUp)),
  }),
);

type SignInSyntax = Exclude<ShapeValue<typeof signIn>, "none">;

/** How people register, as `sign up` says. */
export const getRegistering = (signUp: SignInSyntax["sign up"]): CallNames["signsUp"] => {
  if (signUp === undefined || signUp === "none") return null;
  return "verify email" in signUp && signUp["verify email"]?.value === false ? "at once" : "with a mailed link";
};

/** The fields that a registration can give a new person. */
export const listRegistrationFields = ({ entities }: Pick<CallNames, "entities">): readonly string[] =>
  [...(entities.get("User")?.fields.values() ?? [])].filter(isRegistrationField).map(({ name }) => name);

/** References and files are left out: somebody without an account can read no record, and has sent no file. */
export const isRegistrationField = ({ type, set, storage }: Field): boolean =>
  set === null && storage.as === "column" && !notGivable.includes(type);

const notGivable: readonly FieldTypeName[] = ["state", "sequence", "integer sequence", "reference", "file", "image"];

/** The fields that a registration asks for beside those that every person has. */
export const getRegistrationFields = (signUp: SignInSyntax["sign up"]): readonly string[] =>
  signUp === undefined || signUp === "none" || !("asks" in signUp) ? [] : (signUp.asks ?? []).map(({ value }) => value);

export const defaultSignIn: SignIn = {
  clause: null,
  isOff: false,
  password: true,
  by: null,
  basic: false,
  providers: [],
  signUp: null,
};

/** Providers with a built-in issuer. */
const wellKnown: Readonly<Record<string, { readonly title: string; readonly issuer: string }>> = {
  google: { title: "Google", issuer: "https://accounts.google.com" },
};

export const linkSignIn = (
  syntax: SignInSyntax | "none" | undefined,
  span: Span | undefined,
  { granted, ...names }: Pick<CallNames, "granted" | "entities" | "uniquenessRules">,
  linking: Linking,
): SignIn => {
  if (syntax === undefined || span === undefined) return defaultSignIn;
  if (syntax === "none") return { ...defaultSignIn, clause: clauseAt("7.sign in", span), isOff: true };
  const declared = syntax.providers === undefined || syntax.providers === "none" ? [] : syntax.providers;
  const providers = declared.flatMap((provider) => linkProvider(provider, linking) ?? []);
  for (const [i, value] of providers.entries())
    if (providers.findIndex((other) => other.name === value.name) !== i)
      linking.report(
        finding(
          "NAME_TWICE",
          declared[i]?.name.span ?? span,
          `Two providers have the name “${value.name}”.`,
          "Rename one of them.",
        ),
      );
  const password = syntax.password?.value !== false;
  if (!password && declared.length === 0 && (syntax.providers === "none" || !("providers" in syntax.keys)))
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.password?.span ?? span,
        "No one could sign in: there is neither a password nor a provider.",
        "Name a provider under “providers”, or remove “password: false”.",
        { clause: "7.sign in" },
      ),
    );
  const isBasic = syntax.basic?.value === true;
  if (isBasic && !password)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.basic?.span ?? span,
        "With “password: false”, there are no passwords that programs could send.",
        "Remove “basic”, or let programs send a token.",
        { clause: "7.sign in" },
      ),
    );
  const up = syntax["sign up"];
  return {
    clause: clauseAt("7.sign in", span),
    isOff: false,
    password,
    by: linkBy(syntax.by, names, linking),
    basic: isBasic,
    providers,
    signUp:
      up === undefined || up === "none" ? null : linkSignUp(up, { granted, ...names }, providers.length > 0, linking),
  };
};

/** The fields of a person by whose value somebody can sign in: texts that only one person has. */
export const identifyingFields = ({
  entities,
  uniquenessRules,
}: Pick<CallNames, "entities" | "uniquenessRules">): readonly string[] => {
  const isAlone = (name: string) =>
    uniquenessRules
      .get("User")
      ?.some(({ same, range, where }) => same.length === 1 && same[0] === name && range === null && where === null) ===
    true;
  return [...(entities.get("User")?.fields.values() ?? [])]
    .filter(({ type, many, storage }) => !many && storage.as === "column" && identifyingTypes.includes(type))
    .filter(({ name, unique }) => unique || isAlone(name))
    .map(({ name }) => name);
};

const identifyingTypes: readonly FieldTypeName[] = ["text", "email", "slug"];

const linkBy = (
  written: Spanned<string> | undefined,
  names: Pick<CallNames, "entities" | "uniquenessRules">,
  linking: Linking,
): string | null => {
  if (written === undefined || written.value === "email") return null;
  linking.mentions.push({ of: "field", entity: "User", name: written.value, span: written.span });
  const known = identifyingFields(names);
  if (known.includes(written.value)) return written.value;
  if (names.entities.get("User")?.fields.has(written.value) === true)
    linking.report(
      finding(
        "BAD_VALUE",
        written.span,
        `Several people can have the same “${written.value}”, or it is not a text.`,
        "Name a text field of User with “unique: true”.",
        { clause: "7.sign in" },
      ),
    );
  else reportUnknownName(linking, written.span, "field of User", written.value, known);
  return null;
};

const linkProvider = ({ name, issuer, title }: ProviderDeclaration, linking: Linking): Provider | undefined => {
  const { value, span } = name;
  const known = wellKnown[value];
  if (issuer === undefined && known === undefined) {
    const near = nearest(value, Object.keys(wellKnown));
    linking.report(
      finding(
        "UNKNOWN_NAME",
        span,
        `The issuer of the provider “${value}” is not known.`,
        near === undefined ? `Write its issuer: “{ oidc: ${value}, issuer: APP_ISSUER }”.` : `Did you mean “${near}”?`,
        near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] },
      ),
    );
    return undefined;
  }
  if (issuer !== undefined) checkEnvironment(issuer, linking);
  const upper = value.toUpperCase();
  return {
    name: value,
    clause: clauseAt(`7.sign in.${value}`, span),
    title: title?.value ?? known?.title ?? value.charAt(0).toUpperCase() + value.slice(1),
    issuer: issuer?.value ?? known?.issuer ?? "",
    client: `APP_${upper}_CLIENT_ID`,
    secret: `APP_${upper}_CLIENT_SECRET`,
  };
};

/** The domain of an email address: the part after the `@`. */
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/u;

const linkSignUp = (
  syntax: Spanned<"open"> | ShapeValue<typeof registration>,
  { granted, entities }: Pick<CallNames, "granted" | "entities">,
  hasProviders: boolean,
  linking: Linking,
): SignUp => {
  if ("value" in syntax)
    return {
      clause: clauseAt("7.sign in.sign up", syntax.span),
      emails: null,
      roles: [],
      asks: [],
      verifiesEmail: true,
    };
  const verifiesEmail = getRegistering(syntax) === "with a mailed link";
  const unverified = syntax["verify email"];
  const refuseUnverified = (message: string): void =>
    linking.report(
      finding("BAD_VALUE", unverified?.span ?? syntax.span, message, "Remove “verify email: false”.", {
        clause: "7.sign in.sign up",
      }),
    );
  if (!verifiesEmail && syntax.emails !== undefined)
    refuseUnverified("Without a link by email, no one proves that an address of these domains is theirs.");
  if (!verifiesEmail && hasProviders)
    refuseUnverified(
      "A provider would sign in the owner of an address to an account that someone else registered with that address.",
    );
  const emails = syntax.emails?.map(({ value, span }) => {
    const domain = value.replace(/^@/u, "").toLowerCase();
    if (!DOMAIN.test(domain))
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `“${value}” is not a domain of email addresses.`,
          "Write for example “example.com”.",
          {
            clause: "7.sign in.sign up",
          },
        ),
      );
    return domain;
  });
  for (const role of syntax.roles ?? []) {
    if (granted.has(role.value)) linking.rolesUsed.add(role.value);
    else reportUnknownName(linking, role.span, "role that is granted", role.value, granted);
  }
  const open = listRegistrationFields({ entities });
  for (const { value, span } of syntax.asks ?? []) {
    linking.mentions.push({ of: "field", entity: "User", name: value, span });
    if (open.includes(value)) continue;
    const target = entities.get("User")?.fields.get(value)?.entity;
    if (target == null) reportUnknownName(linking, span, "field that people enter to register", value, open);
    else
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `Visitors can’t choose ${value}, because they see no list of records.`,
          `Ask for a text such as “code”, and compute ${value} from it: “kept: { until: code }, computed: ${target}.one(x, x.code == code)”.`,
          { clause: "7.sign in.sign up" },
        ),
      );
  }
  return {
    clause: clauseAt("7.sign in.sign up", syntax.span),
    emails: emails ?? null,
    roles: (syntax.roles ?? []).map(({ value }) => value),
    asks: getRegistrationFields(syntax).filter((name) => open.includes(name)),
    verifiesEmail,
  };
};

/** Requires secrets and addresses to be names of environment variables. */
export const checkEnvironment = (at: Spanned<string>, linking: Linking): void => {
  if (/^APP_[A-Z0-9_]+$/u.test(at.value)) return;
  linking.report(
    finding(
      "SECRET_IN_DOCUMENT",
      at.span,
      `“${at.value}” is not an environment variable.`,
      "Write a name that begins with APP_, and set its value where the program runs.",
    ),
  );
};
