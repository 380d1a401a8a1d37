import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { anonymousPrincipal } from "../../../src/core/derive/authorization/grants.ts";
import { conventionalRoutes } from "../../../src/core/derive/http/routes.ts";
import { allRoles, buildOpenapi } from "../../../src/core/derive/openapi/openapi.ts";
import { compiled, example, failed, ninefold, serveText } from "../program.ts";
import { type OpenApi, operationsOf } from "./described.ts";

const examples = ["lending", "leave-desk", "help-desk", "purchasing", "booking", "founding"];
const textOf = (name: string) => readFileSync(example(name), "utf8");

describe("the OpenAPI description", () => {
  test.each(examples)("of %s passes a public validator", async (name) => {
    const { model } = compiled(textOf(name));
    const document = buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" });
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  });

  test.each(examples)("of %s names every call once, and no others", (name) => {
    const { model } = compiled(textOf(name));
    const operations = operationsOf(
      buildOpenapi(model, allRoles(model), { version: 1, cookie: "s" }) as unknown as OpenApi,
    );
    const described = operations
      .filter(({ path }) => path.startsWith("/api/"))
      .map(({ method, path }) => `${method} ${path}`);
    const served = [...conventionalRoutes(model), ...model.calls].map(
      ({ method, path }) => `${method} ${path.replace(":id", "{id}")}`,
    );
    // The calls for imports are described once for all lists.
    const own = described.filter((call) => !call.includes(" /api/{list}/import"));
    expect(served).toEqual(expect.arrayContaining(own));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  test("omits calls, fields and values that a person’s roles never reach", async () => {
    const desk = await serveText(textOf("lending"));
    const describedTo = async (person: { get: (path: string) => Promise<{ body: unknown }> }) =>
      (await person.get("/api/openapi.json")).body as OpenApi & { info: { version: string } };
    const callsOf = (document: OpenApi) => operationsOf(document).map(({ operationId }) => operationId);

    const toVisitor = await describedTo(desk.visitor());
    expect(callsOf(toVisitor)).toEqual(["session.begin", "session.end"]);
    expect(JSON.stringify(toVisitor)).not.toMatch(/Loan|Thing/u);

    const toMember = await describedTo(await desk.person("Mia"));
    expect(callsOf(toMember)).toEqual(
      expect.arrayContaining(["User.read", "Thing.list", "Loan.create", "Loan.update", "Loan.delete"]),
    );
    expect(callsOf(toMember)).not.toEqual(expect.arrayContaining(["Thing.create"]));
    expect(callsOf(toMember)).not.toEqual(expect.arrayContaining(["Loan.hand_over"]));
    const { User: user } = toMember.components.schemas as Record<string, { properties: object }>;
    expect(Object.keys(user?.properties ?? {})).not.toContain("email");
    expect(toMember.info.version).toBe("1");

    const { model } = compiled(textOf("lending"));
    expect(
      operationsOf(buildOpenapi(model, anonymousPrincipal, { version: 1, cookie: "s" }) as unknown as OpenApi),
    ).toHaveLength(2);
  });

  test("of the whole document can be written by the command line", async () => {
    const written = await ninefold(["export", "openapi", example("lending")]);
    expect(written).toMatchObject({ exit: 0, stderr: "" });
    const { model } = compiled(textOf("lending"));
    expect(JSON.parse(written.stdout)).toEqual(
      JSON.parse(JSON.stringify(buildOpenapi(model, allRoles(model), { version: 0, cookie: "session" }))),
    );
    expect(failed(await ninefold(["export", "openapi"])).exit).toBe(2);
    expect(failed(await ninefold(["export", "openapi", example("README")])).exit).toBe(1);
  });
});
