import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { expect, test } from "vitest";
import { exits } from "../../../src/cli/exit-codes.ts";
import { database } from "../../postgres.ts";
import { example, failed, freePort, ninefold, startProgram } from "../program.ts";

const notes = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`
`;

const childrenOf = (pid: number): readonly number[] =>
  execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/u).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));

/** Asks on a connection of its own, which goes to the next worker in turn. */
const askOnce = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/readyz", agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });

test("workers share a port, are started again when they die, and stop together", async () => {
  const store = await database();
  const metrics = await freePort();
  const args = ["--workers", "2", "--metrics", String(metrics)];
  const program = await startProgram({ text: notes, database: store.url, args });
  const answered = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return Number(/_duration_seconds_count\{method="GET",route="\/readyz",status="200"\} (\d+)/u.exec(text)?.[1] ?? 0);
  };
  expect(program.output().match(/runs at/gu)).toHaveLength(1);
  expect(program.output()).toContain("2 processes serve it.");
  const workers = childrenOf(program.pid);
  expect(workers).toHaveLength(2);
  for (let i = 0; i < 4; i++) expect(await askOnce(program.port)).toBe(200);
  expect(await answered()).toBe(4);

  process.kill(workers[1] ?? 0, "SIGKILL");
  await expect
    .poll(() => childrenOf(program.pid).filter((pid) => pid !== workers[1]).length, { timeout: 20_000 })
    .toBe(2);
  expect(await askOnce(program.port)).toBe(200);
  expect(program.output()).toContain("a worker ended and is started again");
  const { exit } = await program.stop();
  expect(exit).toBe(0);
  expect(childrenOf(program.pid)).toEqual([]);
});

test("a first worker that cannot start ends the program with its reason, said once", async () => {
  const address = "postgresql://nobody@127.0.0.1:1/none";
  const args = ["run", example("founding"), "--port", "0", "--database", address, "--workers", "2"];
  const { exit, messages } = failed(await ninefold(args));
  expect(exit).toBe(exits.databaseRefused);
  expect(messages).toEqual([
    "Can’t reach the database: connect ECONNREFUSED 127.0.0.1:1.",
    "Check that it is running and that the address is correct.",
  ]);
});
