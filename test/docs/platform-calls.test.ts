import { expect, test } from "vitest";
import { serveText } from "../app/program.ts";
import { routesIn } from "../worlds/pair.ts";
import { textOf } from "./pages.ts";

/** A document that enables all platform calls: files, tokens, registration, a provider, deputies. */
const document = `# Desk

## 3. Entities
\`\`\`yaml
Thing: { fields: { name: text, proof: file? } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in }, chief: { members: granted } }
deputies: { for: chief, up to: 30 days }
permissions: { Thing: { read: [staff] } }
\`\`\`
## 7. Calls
\`\`\`yaml
conventional: all
sign in: { providers: [google], sign up: { emails: [example.com] } }
\`\`\`
`;

test("the page names every platform call that the server has, and no other", async () => {
  const never = () => Promise.reject(new Error("nobody asks"));
  const desk = await serveText(document, {
    app: {
      previews: { compile: never, list: never, start: never, link: never, use: never, end: never },
      preview: {
        about: { base: 1, endsAt: "", masked: false, hasData: true, original: null },
        use: never,
        end: () => undefined,
      },
      authoring: {
        document: () => ({ version: 1, hash: "", files: [], fixed: null }),
        stateCounts: never,
        plan: never,
        planRecords: never,
        replay: never,
        apply: never,
        retired: { list: never, sample: never, export: never, delete: never },
        versions: never,
        version: never,
        planRestore: never,
        restore: never,
        job: never,
        pause: never,
        resume: never,
        abandon: never,
        isPublishing: () => false,
        resumeUnfinished: never,
        stop: never,
        publish: never,
        check: never,
      },
    },
  });
  // Each list has the calls of an import.
  const routes = [...routesIn(desk.app.printRoutes({ commonPrefix: false }))].map((route) =>
    route.replace(/ \/api\/[^/]+\/import\b/u, " /api/things/import"),
  );
  const served = [...new Set(routes)].filter((route) =>
    / \/(?:_\/(?!assets)|api\/why|api\/things\/import|healthz|readyz)/u.test(route),
  );
  const named = [...textOf("docs/platform-calls.md").matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)`/gmu)].map(
    ([, route = ""]) => route,
  );
  expect(new Set(named).size).toBe(named.length);
  expect([...named].sort()).toEqual(served.sort());
});

/** The names in code in a call's row of the page that are part of its response. */
const answeredBy = (route: string): readonly string[] => {
  const row = textOf("docs/platform-calls.md")
    .split("\n")
    .find((line) => line.startsWith(`| \`${route}\``));
  const answers = row?.split(" | ").at(-1) ?? "";
  return [...answers.matchAll(/`([a-zA-Z_]+)`/gu)].map(([, name = ""]) => name);
};

test("registration, accounts and password links respond as the page says", async () => {
  const desk = await serveText(document);
  const anna = await desk.person("Anna", ["administrator"]);
  const visitor = desk.visitor();
  const response = await visitor.post("/_/sign-up", { email: "new@example.com" });
  expect([response.status, response.text]).toEqual([202, ""]);

  const created = await anna.post("/_/people", { name: "Ben", email: "ben@example.com", roles: [] });
  expect([created.status, Object.keys(created.body as object)]).toEqual([201, ["id", "link", "until"]]);
  expect(answeredBy("POST /_/people")).toEqual(["id", "link", "until", "mailed"]);
  const people = (await anna.get("/_/people")).body as { items: readonly object[] };
  expect([...Object.keys(people), ...Object.keys(people.items[0] ?? {})].sort()).toEqual(
    [...answeredBy("GET /_/people")].sort(),
  );

  const { id, link, until } = created.body as { id: string; link: string; until: string };
  const account = (await anna.get(`/_/people/${id}`)).body as object;
  for (const name of answeredBy("GET /_/people/:id")) expect(Object.keys(account)).toContain(name);
  const days = (Date.parse(until) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);

  const token = /^\/sign-in#password=(\S+)$/u.exec(link)?.[1] ?? "";
  const owner = await visitor.post("/_/password-link", { token });
  expect([owner.status, owner.body]).toEqual([200, { name: "Ben", email: "ben@example.com", asksName: false }]);
  expect(answeredBy("POST /_/password-link")).toEqual(["name", "email", "asksName"]);
  const again = await anna.post(`/_/people/${id}/password_link`, {});
  expect([again.status, Object.keys(again.body as object)]).toEqual([201, ["id", "link", "until"]]);
  expect((await visitor.post("/_/password-link", { token })).problem().code).toBe("LINK_USED");
});
