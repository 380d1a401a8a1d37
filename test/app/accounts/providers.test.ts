import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import Provider from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listMissingSettings } from "../../../src/server/accounts/oidc.ts";
import { compiled, serveText, type TestServer } from "../program.ts";

const desk = (more = "") => `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, guest: { members: granted } }
permissions:
  User: { read: [member] }
  Note: { read: [member, guest], create: [member], update: none, delete: none }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { providers: [google, { oidc: work, issuer: APP_ISSUER, title: The office }]${more} }
\`\`\`
`;

/** The provider's accounts by the name entered there. */
const accounts: Record<string, { email: string; email_verified: boolean; name: string }> = {
  ada: { email: "Ada@example.com", email_verified: true, name: "Ada Elsewhere" },
  liar: { email: "ada@example.com", email_verified: false, name: "Liar" },
  stranger: { email: "stranger@example.com", email_verified: true, name: "Stranger" },
};

let server: Server;
let issuer = "";
const served: TestServer[] = [];
const clients = { client_id: "desk", client_secret: "a secret of forty characters or so, at least" };
let redirects: string[] = [];

/** A real provider with a sign-in page of its own. */
const startProvider = async (callbacks: readonly string[]) => {
  redirects = [...callbacks];
  const provider = new Provider(issuer, {
    clients: [
      {
        ...clients,
        redirect_uris: redirects,
        token_endpoint_auth_method: "client_secret_post",
        grant_types: ["authorization_code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ["test"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, ...accounts[id] }),
    }),
  });
  server.on("request", provider.callback());
};

const environmentOf = () => ({
  APP_ISSUER: issuer,
  APP_WORK_CLIENT_ID: clients.client_id,
  APP_WORK_CLIENT_SECRET: clients.client_secret,
});

/** A minimal browser: redirects, and cookies by host. */
const browser = () => {
  const jars = new Map<string, Map<string, string>>();
  const go = async (url: string, body?: URLSearchParams): Promise<{ url: string; text: string; status: number }> => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(body === undefined ? {} : { method: "POST", body }),
    });
    for (const input of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(input) ?? [];
      if (value === "" || /max-age=0/iu.test(input)) jar.delete(name);
      else jar.set(name, value);
    }
    const to = answer.headers.get("location");
    if (to === null) return { url, text: await answer.text(), status: answer.status };
    return go(new URL(to, url).href);
  };
  return {
    go,
    cookies: (host: string) => [...(jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join("; "),
  };
};

/** Signs in at the provider and consents. */
const signIn = async (url: string, who: string, at = browser(), provider = issuer) => {
  let page = await at.go(`${url}/_/providers/work?to=%2Fnotes`);
  for (let i = 0; i < 3 && page.url.startsWith(provider); i++) {
    const action = /action="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const prompt = /name="prompt" value="(\w+)"/u.exec(page.text)?.[1] ?? "";
    page = await at.go(new URL(action, page.url).href, new URLSearchParams({ prompt, login: who, password: "any" }));
  }
  const application = (await (
    await fetch(`${url}/_/application`, { headers: { cookie: at.cookies(new URL(url).host) } })
  ).json()) as {
    person: { name: string; roles: string[] } | null;
  };
  return { ended: page.url.replace(url, ""), person: application.person, at };
};

let invited: TestServer;
let open: TestServer;
let urls: { invited: string; open: string };

beforeAll(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  invited = await serveText(desk(), { app: { environment: environmentOf() } });
  open = await serveText(desk(", sign up: { emails: [example.com], roles: [guest] }"), {
    app: { environment: environmentOf() },
  });
  served.push(invited, open);
  urls = { invited: await invited.listen(), open: await open.listen() };
  await startProvider(Object.values(urls).map((url) => `${url}/_/providers/work/return`));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("signing in with a provider", () => {
  test("accepts invited people whose email address the provider has verified", async () => {
    const account = await invited.account("Ada", "correct horse");
    const first = await signIn(urls.invited, "ada");
    expect([first.ended, first.person?.name]).toEqual(["/notes", "Ada"]);
    const { rows } = await invited.database.query("select person, subject from ninefold.identity");
    expect(rows).toEqual([{ person: account.id, subject: "ada" }]);
    const audit = await invited.database.query("select action, record from ninefold.audit where entity = 'Account'");
    expect(audit.rows).toEqual([{ action: "link_provider", record: account.id }]);

    // From then on, the identity counts instead of the address.
    await invited.database.query(`update app."user" set email = 'moved@example.com' where id = $1`, [account.id]);
    expect((await signIn(urls.invited, "ada")).person?.name).toBe("Ada");
    await invited.database.query(`update app."user" set active = false where id = $1`, [account.id]);
    expect(await signIn(urls.invited, "ada")).toMatchObject({ ended: "/sign-in#failed=NOT_INVITED", person: null });
    await invited.database.query(`update app."user" set active = true, email = 'ada@example.com' where id = $1`, [
      account.id,
    ]);
  });

  test("refuses strangers and unverified email addresses", async () => {
    expect(await signIn(urls.invited, "stranger")).toMatchObject({
      ended: "/sign-in#failed=NOT_INVITED",
      person: null,
    });
    expect(await signIn(urls.invited, "liar")).toMatchObject({ ended: "/sign-in#failed=NOT_INVITED", person: null });
    expect((await invited.database.query("select from ninefold.identity")).rows).toHaveLength(1);
  });

  test("creates an account if the document lets that address register", async () => {
    const first = await signIn(urls.open, "stranger");
    expect([first.ended, first.person]).toMatchObject(["/notes", { name: "Stranger", roles: ["guest"] }]);
    expect((await signIn(urls.open, "stranger")).person?.name).toBe("Stranger");
    expect((await signIn(urls.open, "liar")).person).toBeNull();
  });

  test("works only in the browser that started it, and once", async () => {
    const victim = browser();
    const attacker = browser();
    // The attacker's response, opened in another person's browser, signs nobody in.
    let page = await attacker.go(`${urls.open}/_/providers/work`);
    const action = /action="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    page = await attacker.go(
      new URL(action, page.url).href,
      new URLSearchParams({ prompt: "login", login: "ada", password: "x" }),
    );
    const consent = /action="([^"]+)"/u.exec(page.text)?.[1] ?? "";
    const cookie = attacker.cookies(new URL(page.url).host);
    let answer = await fetch(new URL(consent, page.url), {
      method: "POST",
      body: new URLSearchParams({ prompt: "consent" }),
      headers: { cookie },
      redirect: "manual",
    });
    let to = answer.headers.get("location") ?? "";
    if (!to.includes("/return?")) {
      answer = await fetch(new URL(to, issuer), { headers: { cookie }, redirect: "manual" });
      to = answer.headers.get("location") ?? "";
    }
    expect(to).toContain("/_/providers/work/return?code=");
    expect((await victim.go(to)).url).toBe(`${urls.open}/sign-in#failed=PROVIDER_REFUSED`);
    await victim.go(`${urls.open}/_/providers/work`);
    expect((await victim.go(to)).url).toBe(`${urls.open}/sign-in#failed=PROVIDER_REFUSED`);
  });

  test("redirects only into the application", async () => {
    const at = browser();
    for (const to of ["https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"]) {
      await at.go(`${urls.open}/_/providers/work?to=${encodeURIComponent(to)}`);
      const stored = at.cookies(new URL(urls.open).host).split("sign-in=")[1]?.split(/[.;]/u)[0] ?? "";
      expect(JSON.parse(Buffer.from(stored, "base64url").toString())).toMatchObject({ to: "/" });
    }
  });
});

describe("an ID token", () => {
  type Algorithm = "RS256" | "PS256" | "ES256" | "EdDSA" | "HS256";
  const keys = [
    { ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }), kid: "rsa" },
    { ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }), kid: "ec" },
    { ...generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }), kid: "ed" },
  ];

  /** A proxy that rewrites the provider's responses. */
  const rewritten =
    (provider: RequestListener, rewrite: (body: Record<string, unknown>) => void): RequestListener =>
    (request, response) => {
      const end = response.end.bind(response);
      response.end = ((chunk: unknown, ...rest: never[]) => {
        if (!/^\/(?:token|\.well-known\/openid-configuration)$/u.test(request.url ?? "")) return end(chunk, ...rest);
        const body = JSON.parse(String(chunk)) as Record<string, unknown>;
        rewrite(body);
        const text = JSON.stringify(body);
        response.setHeader("content-length", Buffer.byteLength(text));
        return end(text);
      }) as typeof response.end;
      provider(request, response);
    };

  /** The result of a sign-in with this response of the provider. */
  const endOf = async (algorithm: Algorithm, rewrite: (body: Record<string, unknown>) => void = () => undefined) => {
    const own = createServer();
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const address = own.address();
    const at = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const desks = await serveText(desk(), { app: { environment: { ...environmentOf(), APP_ISSUER: at } } });
    await desks.account("Ada", "correct horse");
    const url = await desks.listen();
    const algorithms = ["RS256", "PS256", "ES256", "EdDSA", "HS256"] as const;
    const provider = new Provider(at, {
      clients: [
        {
          ...clients,
          redirect_uris: [`${url}/_/providers/work/return`],
          token_endpoint_auth_method: "client_secret_post",
          grant_types: ["authorization_code"],
          id_token_signed_response_alg: algorithm,
        },
      ],
      jwks: { keys },
      enabledJWA: { idTokenSigningAlgValues: [...algorithms] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["test"] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => Promise.resolve({ sub: id, ...accounts[id] }),
      }),
    });
    own.on("request", rewritten(provider.callback(), rewrite));
    const { ended, person } = await signIn(url, "ada", browser(), at);
    own.closeAllConnections();
    await new Promise((resolve) => own.close(resolve));
    await desks.stop();
    return [ended, person?.name];
  };

  test.each(["RS256", "PS256", "ES256", "EdDSA"] as const)("is accepted if its algorithm is %s", async (algorithm) => {
    expect(await endOf(algorithm)).toEqual(["/notes", "Ada"]);
  });

  const partsOf = (body: Record<string, unknown>) => String(body.id_token).split(".");
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  test.each<readonly [string, Algorithm, (body: Record<string, unknown>) => void]>([
    ["it is signed with HS256 and the shared secret", "HS256", () => undefined],
    [
      "it is not signed",
      "RS256",
      (body) => {
        if ("id_token" in body) body.id_token = `${encoded({ alg: "none" })}.${partsOf(body)[1]}.`;
        else body.id_token_signing_alg_values_supported = ["none", "RS256"];
      },
    ],
    [
      "its claims were changed after signing",
      "RS256",
      (body) => {
        if (!("id_token" in body)) return;
        const [head, payload = "", signature] = partsOf(body);
        const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
        body.id_token = [head, encoded({ ...claims, email: "ada@example.com", email_verified: true }), signature].join(
          ".",
        );
      },
    ],
  ])("is refused if %s", async (_, algorithm, rewrite) => {
    expect(await endOf(algorithm, rewrite)).toEqual(["/sign-in#failed=PROVIDER_REFUSED", undefined]);
  });
});

describe("the cookie of a sign-in with a provider", () => {
  const site = { origin: "https://desk.example.com", proxies: [] };
  const input = async (served: TestServer) => {
    const answer = await served.app.inject({ method: "GET", url: "/_/providers/work?to=%2Fnotes" });
    const [value = "", ...attributes] = String(answer.headers["set-cookie"]).split("; ");
    const state = new URL(String(answer.headers.location)).searchParams.get("state");
    return {
      value,
      attributes,
      back: `/_/providers/work/return?code=x&state=${state}&iss=${encodeURIComponent(issuer)}`,
    };
  };

  test("has the __Host- prefix over HTTPS, and no other cookie is read", async () => {
    const secure = await serveText(desk(), { app: { environment: environmentOf(), site } });
    const { value, attributes, back } = await input(secure);
    expect(value).toMatch(/^__Host-sign-in=./u);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax", "Secure"]);
    const requests: string[] = [];
    const count = () => requests.push("token");
    server.on("request", count);
    for (const cookie of [value.replace("__Host-", ""), value.replace(/=.*/u, "=x")])
      expect((await secure.app.inject({ method: "GET", url: back, headers: { cookie } })).headers.location).toBe(
        "/sign-in#failed=PROVIDER_REFUSED",
      );
    // The provider is contacted only for flows started here.
    expect(requests).toEqual([]);
    await secure.app.inject({ method: "GET", url: back, headers: { cookie: value } });
    expect(requests.length).toBeGreaterThan(0);
    server.off("request", count);
    await secure.stop();
  });

  test("is signed, bound to its provider, and expires after ten minutes", async () => {
    const requests: string[] = [];
    const count = () => requests.push("token");
    const { value, back } = await input(open);
    const [name = "", sealed = ""] = value.split("=");
    const [flow = "", signature = ""] = sealed.split(".");
    const changed = { ...JSON.parse(Buffer.from(flow, "base64url").toString()), to: "/elsewhere" };
    server.on("request", count);
    const tried = async (kept: string) => {
      const headers = { cookie: `${name}=${kept}` };
      return (await open.app.inject({ method: "GET", url: back, headers })).headers.location;
    };
    const rewritten = Buffer.from(JSON.stringify(changed)).toString("base64url");
    for (const stored of [`${rewritten}.${signature}`, flow, `${flow}.`, `${flow}.${signature.slice(2)}`, "", "."])
      expect([stored, await tried(stored)]).toEqual([stored, "/sign-in#failed=PROVIDER_REFUSED"]);
    open.ahead(601_000);
    expect(await tried(sealed)).toBe("/sign-in#failed=PROVIDER_REFUSED");
    open.ahead(0);
    expect(requests).toEqual([]);
    await tried(sealed);
    expect(requests.length).toBeGreaterThan(0);
    server.off("request", count);
  });
});

test("a provider without its settings is reported at the start and can’t be used", async () => {
  const { model } = compiled(desk());
  expect(listMissingSettings(model, environmentOf())).toEqual([
    "Google is not offered to sign in with: set APP_GOOGLE_CLIENT_ID, APP_GOOGLE_CLIENT_SECRET.",
  ]);
  const shown = await (await fetch(`${urls.open}/_/application`)).json();
  expect(shown).toMatchObject({ signIn: { providers: [{ name: "work", label: "The office" }] } });
  expect((await browser().go(`${urls.open}/_/providers/google`)).url).toBe(
    `${urls.open}/sign-in#failed=NO_SUCH_PROVIDER`,
  );
});
