import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkText } from "../../src/cli/check.ts";
import { compile } from "../../src/core/compile.ts";
import type { Application } from "../../src/core/wire/application.ts";
import { type ApplyChanges, chooseVersion } from "../../src/server/proposals/start-version.ts";
import { openVersion } from "../../src/server/serving/open-document.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../app/program.ts";
import { database, type TestDatabase } from "../postgres.ts";
import type { Fence } from "./pages.ts";
import { fences, states } from "./tutorial.ts";

/*
 * Follows the tutorial from its first block to its last: the document grows section by section, is checked and served
 * after each step, and its responses equal those on the page.
 */

const [first = "", second = "", , , fifth = ""] = states;
const last = states.at(-1) ?? "";

const compiled = (text: string) => compile({ file: "expenses.md", text });
const openPointsOf = (text: string) => compiled(text).open.map(({ point }) => point);

/** The output of `ninefold check` for a document. */
const checked = (text: string): string => {
  const result = compiled(text);
  const silent = (result.model?.defaults ?? []).filter(
    (code) => !result.open.some((openPoint) => openPoint.default === code),
  );
  return checkText(result, false, silent);
};

test("each step compiles, with the one warning that the page mentions", () => {
  expect(states.map((text) => compiled(text).findings.map(({ code, clause }) => [code, clause]))).toEqual([
    [],
    [["NOBODY_WRITES", "3.Claim.reason"]],
    [],
    [],
    [],
    [],
  ]);
  expect(openPointsOf(first)).toEqual([2, 4, 5, 6, 7, 8, 9]);
  expect(openPointsOf(last)).toEqual([]);
});

test("check prints the page’s output", () => {
  const printed = fences.filter(({ language, text }) => language === "text" && text.startsWith("expenses.md:"));
  expect(printed).toHaveLength(3);
  for (const [i, text] of [first, second, last].entries())
    expect(checked(text).split("\n")).toContain(printed[i]?.text);
});

// The requests

interface Curl {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** The requests of a block, in the few forms of curl that the page uses. */
const requestsOf = (block: Fence): readonly Curl[] =>
  block.text
    .replaceAll("\\\n", "")
    .split("\n")
    .map((line) => {
      const form =
        /^curl -[bc] cookies\.txt(?: -X (\w+))?(?: -H 'content-type: application\/json')?\s*(?:-d '(.*)')? http:\/\/127\.0\.0\.1:9009(\S+)$/u;
      const [, method, body, path] = form.exec(line.replace(/ {2,}/gu, " ")) ?? [];
      if (path === undefined) throw new Error(`not a request that this test can read: ${line}`);
      return { method: method ?? (body === undefined ? "GET" : "POST"), path, body };
    });

test("the first step runs alone; the third and fourth run on the data of the second, whose claims become drafts", async () => {
  await (await serveText(first)).stop();
  const store = await database();
  await (await serveText(second, { database: store, sample: true })).stop();
  /** Starts with a file and stops; returns what became of the file if it was not simply published. */
  const start = async (text: string, policy: ApplyChanges): Promise<string | undefined> => {
    const opened = await openVersion((owner) => chooseVersion(owner, compiled(text), policy), {
      owner: store.url,
      app: store.appUrl,
    });
    await opened.close();
    return opened.change?.kind;
  };
  // Each of them loses or forbids something, so the page starts it with an option.
  for (const text of states.slice(2, 4)) {
    expect(await start(text, "additions")).toBe("proposed");
    expect(await start(text, "always")).toBe("published");
  }
  expect(fences.filter(({ text }) => text.includes("--apply-changes always"))).toHaveLength(2);
  const { rows } = await store.query("select distinct status from app.claim");
  await store.end();
  expect(rows).toEqual([{ status: "draft" }]);
});

describe("the fifth step runs on fresh sample data", () => {
  let store: TestDatabase;
  let served: TestServer;
  beforeAll(async () => {
    store = await database();
    served = await serveText(fifth, { database: store, demonstration: true });
  });
  afterAll(async () => {
    await served?.stop();
    await store?.end();
  });

  test("managers see every claim except drafts, and employees their own", async () => {
    const manager = await served.person("Mona", ["manager"]);
    const { items } = (await manager.get("/api/claims?limit=200")).list();
    const { rows } = await store.query("select id from app.claim where status <> 'draft'");
    expect(items.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    expect(items.length).toBeGreaterThan(0);
    const employee = await served.person("Emma");
    expect((await employee.get("/api/claims")).list().items).toEqual([]);
  });

  test("every request gets the page’s response", async () => {
    const requests = fences.filter(({ marks }) => marks !== undefined && "as" in marks);
    const answers = fences.filter(({ marks }) => marks?.answers !== undefined);
    expect([requests.length, answers.length]).toEqual([5, 4]);
    const employee: ApiClient = served.visitor();
    const { signIn } = (await employee.get("/_/application")).body as Application;
    const token =
      signIn.demonstration?.find(({ roles }) => !roles.includes("manager") && !roles.includes("administrator"))
        ?.token ?? "";
    let id = "";
    for (const [i, block] of requests.entries()) {
      let answer: Answer | undefined;
      for (const { method, path, body } of requestsOf(block)) {
        const sent: unknown = body === undefined ? undefined : JSON.parse(body.replace("TOKEN", token));
        answer = await employee.send(method, path.replace("ID", id), sent);
      }
      if (i === 0) {
        expect(answer?.status).toBe(204);
        continue;
      }
      const text = answers[i - 1];
      const printed = JSON.parse(text?.text ?? "") as Record<string, unknown>;
      const { id: _, ...members } = printed;
      expect(answer?.body).toMatchObject(members);
      expect(answer?.status).toBe(Number(text?.marks?.answers));
      if (i === 1) id = answer?.record().id ?? "";
    }
  });

  test("the last step runs on the same data", async () => {
    await served.stop();
    served = await serveText(last, { database: store });
    expect((await served.visitor().get("/readyz")).status).toBe(200);
  });
});
