import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Configuration } from "openid-client";
import type { Environment } from "../../core/model/environment.ts";
import type { Model } from "../../core/model/model.ts";
import type { Provider } from "../../core/model/sign-in.ts";
import type { Database } from "../../postgres/database.ts";
import { isLoopback } from "../auth/demo-sign-in.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { planAccount } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { createPerson } from "./create-person.ts";
import { checkAdmission } from "./registration.ts";

/** Loaded only if the document has providers, to keep other starts fast. */
const library = () => import("openid-client");

/** A fully configured provider. */
interface Ready {
  readonly provider: Provider;
  readonly issuer: URL;
  readonly client: string;
  readonly secret: string;
}

/** State kept in the browser between leaving for the provider and returning. */
export interface SignInFlow {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where to go after sign-in. */
  readonly to: string;
}

/** The verified claims of a provider. */
interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Null if the provider has not verified it. */
  readonly email: string | null;
  readonly name: string;
}

const readSettings = (provider: Provider, environment: Environment): Ready | readonly string[] => {
  const named = provider.issuer.startsWith("APP_");
  const address = named ? environment[provider.issuer] : provider.issuer;
  const [client, secret] = [environment[provider.client], environment[provider.secret]];
  const missing = [
    ...(address === undefined || !URL.canParse(address) ? [provider.issuer] : []),
    ...(client === undefined || client === "" ? [provider.client] : []),
    ...(secret === undefined || secret === "" ? [provider.secret] : []),
  ];
  if (missing.length > 0 || address === undefined) return missing;
  return { provider, issuer: new URL(address), client: client ?? "", secret: secret ?? "" };
};

/** For each unavailable provider, the environment variables that are missing. */
export const listMissingSettings = ({ signIn }: Model, environment: Environment): readonly string[] =>
  signIn.providers.flatMap((provider) => {
    const settings = readSettings(provider, environment);
    return "provider" in settings
      ? []
      : [`${provider.title} is not offered to sign in with: set ${settings.join(", ")}.`];
  });

/** Signs with a key derived from the client secret, which all servers of the application share. */
const signText = (text: string, { secret }: Ready): Buffer =>
  createHmac("sha256", Buffer.from(hkdfSync("sha256", secret, "", "ninefold sign-in", 32)))
    .update(text)
    .digest();

/** Sign-in through the document's providers (OpenID Connect, authorization code flow with PKCE). */
export class Providers {
  readonly #ready: ReadonlyMap<string, Ready>;
  readonly #known = new Map<string, Promise<Configuration>>();

  constructor({ signIn }: Model, environment: Environment) {
    const ready = signIn.providers.flatMap((provider) => {
      const settings = readSettings(provider, environment);
      return "provider" in settings ? [[provider.name, settings] as const] : [];
    });
    this.#ready = new Map(ready);
  }

  offered(): readonly Provider[] {
    return [...this.#ready.values()].map(({ provider }) => provider);
  }

  /** The provider's metadata: fetched once, and again after a failure. */
  #configuration(ready: Ready): Promise<Configuration> {
    const { name } = ready.provider;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const discovery = library().then((oidc) =>
      oidc.discovery(ready.issuer, ready.client, undefined, oidc.ClientSecretPost(ready.secret), {
        timeout: 10,
        execute: [
          // Requires ID tokens that are signed with a public key of the provider. `none`, and HS256 with our own
          // secret, prove nothing.
          oidc.enableNonRepudiationChecks,
          // Plain HTTP on loopback only, for trials and tests.
          ...(isLoopback(ready.issuer.hostname) ? [oidc.allowInsecureRequests] : []),
        ],
      }),
    );
    this.#known.set(name, discovery);
    discovery.catch(() => this.#known.delete(name));
    return discovery;
  }

  /** Signs the flow for the browser's cookie, with an expiry time. */
  seal(flow: SignInFlow, until: Date): string | undefined {
    const ready = this.#ready.get(flow.provider);
    if (ready === undefined) return undefined;
    const payload = Buffer.from(JSON.stringify({ ...flow, until: until.getTime() })).toString("base64url");
    return `${payload}.${signText(payload, ready).toString("base64url")}`;
  }

  /** Reads a flow from a cookie; undefined if it was not signed by us or has expired. */
  unseal(name: string, sealed: string, now: Date): SignInFlow | undefined {
    const ready = this.#ready.get(name);
    const [payload = "", signature = ""] = sealed.split(".");
    if (ready === undefined) return undefined;
    const [actual, expected] = [Buffer.from(signature, "base64url"), signText(payload, ready)];
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
    const flow = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as SignInFlow & {
      readonly until: number;
    };
    return flow.provider === name && flow.until > now.getTime() ? flow : undefined;
  }

  /**
   * Starts a sign-in: returns the provider's address to redirect to, and the flow to keep in the browser. Undefined for
   * an unknown provider.
   */
  async startSignIn(
    name: string,
    back: string,
    to: string,
  ): Promise<{ readonly url: URL; readonly flow: SignInFlow } | undefined> {
    const ready = this.#ready.get(name);
    if (ready === undefined) return undefined;
    const [oidc, configuration] = await Promise.all([library(), this.#configuration(ready)]);
    const flow: SignInFlow = {
      provider: name,
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      to,
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: back,
      scope: "openid email profile",
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: "S256",
    });
    return { url, flow };
  }

  /** Verifies the claims after the return from the provider. Throws if that fails. */
  async finishSignIn(flow: SignInFlow, address: URL): Promise<Claims | undefined> {
    const ready = this.#ready.get(flow.provider);
    if (ready === undefined) return undefined;
    const [oidc, configuration] = await Promise.all([library(), this.#configuration(ready)]);
    const tokens = await oidc.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) return undefined;
    // Some providers return the address only from the user-info endpoint.
    const more =
      claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : undefined;
    const allClaims = { ...more, ...claims };
    const isVouchedFor = allClaims.email_verified === true && typeof allClaims.email === "string";
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: isVouchedFor ? String(allClaims.email).trim().toLowerCase() : null,
      name: typeof allClaims.name === "string" ? allClaims.name.slice(0, 200) : "",
    };
  }
}

const findPersonByClaims = async (
  database: Database,
  { issuer, subject, email }: Claims,
): Promise<readonly [string, boolean] | undefined> => {
  const [row] = await database.query({
    name: "identity",
    text: `select u."id", i.subject is not null as linked from app."user" u left join ninefold.identity i on i.person = u."id" and i.issuer = $1 and i.subject = $2
           where u."active" and (i.subject is not null or (lower(u."email") = $3 and not exists (select from ninefold.identity o where o.issuer = $1 and (o.subject = $2 or o.person = u."id"))))
           order by i.subject is null limit 1`,
    values: [issuer, subject, email],
  });
  return row === undefined ? undefined : [String(row.id), row.linked === true];
};

/**
 * Finds or creates the person for verified claims: the owner of this identity, otherwise the owner of the verified
 * address, otherwise a new person if the document lets the address register. Refuses all others.
 */
export const findOrCreatePerson = async (service: Service, claims: Claims, now: Date): Promise<string | Refusal> => {
  const { database, model, context } = service;
  const found = await findPersonByClaims(database, claims);
  if (found?.[1] === true) return found[0];
  const { email, issuer, subject } = claims;
  if (email === null) return refuse("BAD_CREDENTIALS", "7.sign in");
  let person = found?.[0];
  if (person === undefined) {
    const signUp = model.signIn.signUp === null ? undefined : checkAdmission(model, email, "en");
    // Does not reveal whether the address has an account.
    if (signUp === undefined || "kind" in signUp) return refuse("BAD_CREDENTIALS", "7.sign in");
    const created = await createPerson(service, { name: claims.name || email, email, roles: signUp.roles }, now);
    if (typeof created !== "string") return created;
    person = created;
  }
  const change = { kind: "link_provider", issuer, subject } as const;
  const caller = service.caller({ id: person, granted: new Set() }, now);
  const outcome = await execute(database, planAccount(context, change, person, caller));
  return outcome.kind === "refusal" ? outcome : person;
};
