import { expect, test } from "vitest";
import { serveText } from "../app/program.ts";
import { routesIn } from "../worlds/pair.ts";
import { textOf } from "./pages.ts";

/** A document that opens each of the platform's doors: files, tokens, registration, a provider. */
const document = `# Desk

## 3. Entities
\`\`\`yaml
Thing: { fields: { name: text, proof: file? } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Thing: { read: [staff] } }
\`\`\`
## 7. Calls
\`\`\`yaml
conventional: all
sign in: { providers: [google], sign up: { emails: [example.com] } }
\`\`\`
`;

test("the page names every call of the platform's own that is served, and no other", async () => {
  const never = () => Promise.reject(new Error("nobody asks"));
  const desk = await serveText(document, {
    app: {
      authoring: {
        document: () => ({ version: 1, hash: "", files: [], fixed: null }),
        stateCounts: never,
        plan: never,
        apply: never,
      },
    },
  });
  const served = [...routesIn(desk.app.printRoutes({ commonPrefix: false }))].filter((route) =>
    / \/(?:_\/|api\/why|healthz|readyz)/u.test(route),
  );
  const named = [...textOf("docs/platform-calls.md").matchAll(/^\| `((?:GET|POST|DELETE) [^`]+)`/gmu)].map(
    ([, route = ""]) => route,
  );
  expect(new Set(named).size).toBe(named.length);
  expect([...named].sort()).toEqual(served.sort());
});
