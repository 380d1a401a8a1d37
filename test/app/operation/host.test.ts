import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseOriginPattern } from "../../../src/cli/host/host-options.ts";
import { listDocuments } from "../../../src/cli/host/list-documents.ts";
import { freePort } from "../../free-port.ts";
import { example } from "../program.ts";

let folder: string;
let port: number;
let metricsPort: number;
let program: ChildProcess;
let output = "";
let stop = (): Promise<void> => Promise.resolve();
afterAll(() => stop());
const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-host-"));
  await chmod(folder, 0o755);
  const applications = join(folder, "applications");
  await mkdir(join(applications, "rooms"), { recursive: true });
  await cp(example("founding"), join(applications, "founding.md"));
  await writeFile(join(applications, "README.md"), "# Our applications\n");
  await writeFile(
    join(applications, "rooms", "rooms.md"),
    "# Rooms\n\n## 3. Entities and their fields\n```yaml\nRoom:\n  fields: { name: text }\n```\n",
  );
  await writeFile(
    join(applications, "broken.md"),
    "# Broken\n\n## 3. Entities and their fields\n```yaml\nRoom:\n  fields: { name: nonsense }\n```\n",
  );
  port = await freePort();
  metricsPort = await freePort();
  program = spawn(
    process.execPath,
    [
      ...[main, "host", applications, "--port", String(port), "--data", join(folder, "data")],
      ...["--metrics", String(metricsPort)],
    ],
    { stdio: "pipe" },
  );
  stop = async () => {
    if (program.exitCode === null) {
      program.kill("SIGTERM");
      await once(program, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  for await (const chunk of program.stdout ?? []) {
    output += String(chunk);
    if (output.includes('"pid"')) break;
  }
});

const get = (host: string, path: string, cookie = "") =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers: { host: `${host}:${port}`, cookie } }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      resolve({ status: response.statusCode ?? 0, text });
    })
      .once("error", reject)
      .end();
  });

test("each application has an address of its own, and one that cannot run leaves the others alone", async () => {
  for (const [name, title] of [
    ["founding", "own behaviour is not shown"],
    ["rooms", "Rooms"],
  ] as const) {
    const { status, text } = await get(`${name}.localhost`, "/_/application");
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({ name: expect.stringContaining(title) }),
    ]);
  }
  expect((await get("broken.localhost", "/")).status).toBe(503);
  expect((await get("other.localhost", "/")).status).toBe(404);
  expect((await get("rooms.example.com", "/")).status).toBe(404);
  expect((await get("localhost", "/")).text).toContain(`<a href="http://rooms.localhost:${port}/">rooms</a>`);
  expect(output).toContain("2 of 3 applications run, and 1 has the problems above.");
  expect(output).not.toContain("README");
});

test("a session of one application is not valid in another", async () => {
  const { text } = await get("rooms.localhost", "/_/application");
  const [person] = (JSON.parse(text) as { signIn: { demonstration: { token: string }[] } }).signIn.demonstration;
  const body = JSON.stringify({ demonstration: person?.token });
  const signIn = (name: string) =>
    new Promise<readonly [number, string]>((resolve, reject) => {
      const headers = { host: `${name}.localhost:${port}`, "content-type": "application/json" };
      request({ host: "127.0.0.1", port, path: "/_/session", method: "POST", headers }, (response) => {
        response.resume();
        resolve([response.statusCode ?? 0, response.headers["set-cookie"]?.[0]?.split(";")[0] ?? ""]);
      })
        .once("error", reject)
        .end(body);
    });
  expect((await signIn("founding"))[0]).toBe(401);
  const [status, cookie] = await signIn("rooms");
  expect(status).toBe(204);
  expect((await get("rooms.localhost", "/api/rooms", cookie)).status).not.toBe(401);
  expect((await get("founding.localhost", "/_/notifications", cookie)).status).toBe(401);
  expect((await get("rooms.localhost", "/_/notifications", cookie)).status).toBe(200);
});

test("metrics tell the applications apart", async () => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  for (const name of ["founding", "rooms"])
    expect(text).toContain(`ninefold_http_request_duration_seconds_count{application="${name}",method="GET"`);
  expect(text).toContain('ninefold_store_connections{application="rooms",state="idle"}');
  expect(text.match(/^process_resident_memory_bytes /gmu)).toHaveLength(1);
});

test("names must be parts of an address", async () => {
  const bad = join(folder, "bad");
  await mkdir(bad);
  await expect(listDocuments(bad)).rejects.toThrow("has no .md file");
  await writeFile(join(bad, "Our Rooms.md"), "# Rooms");
  await expect(listDocuments(bad)).rejects.toThrow("can’t be a part of an address");
  await rm(join(bad, "Our Rooms.md"));
  await writeFile(join(bad, "rooms.md"), "# Rooms");
  await mkdir(join(bad, "rooms"));
  await expect(listDocuments(bad)).rejects.toThrow("Two specifications are called rooms");
});

test("the address of the applications has a star in place of their name", () => {
  expect(parseOriginPattern("https://*.example.com")).toEqual({ scheme: "https", domain: "example.com", port: null });
  expect(parseOriginPattern("http://*.localhost:9009/")).toEqual({ scheme: "http", domain: "localhost", port: 9009 });
  for (const wrong of ["https://example.com", "*.example.com", "https://*.example.com/desk"])
    expect(() => parseOriginPattern(wrong), wrong).toThrow("does not say where the applications are");
});
