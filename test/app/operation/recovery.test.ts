import { chown, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { copyServer, createServerFiles, PostgresServer } from "../../replication.ts";
import { freePort, scratch, startProgram } from "../program.ts";

/*
 * The recipe of docs/growing.md for a recovery to a point in time: a base backup and an archive of the log. It is part of
 * `npm run drill`.
 */
const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: { type: text, max: 200 } } }
\`\`\`
`;

describe.skipIf(process.env.DRILL_ROUNDS === undefined)("a recovery to a point in time", () => {
  test("brings back records and history as they were, and the program runs on them", async () => {
    const folder = await scratch();
    const { cluster } = await createServerFiles(join(folder, "files"));
    const { uid, gid } = await stat(cluster);
    const archive = join(folder, "archive");
    await mkdir(archive);
    await chown(archive, uid, gid);
    const primary = new PostgresServer("primary", await freePort(), cluster);
    await primary.start();
    await primary.query("alter system set archive_mode = on");
    await primary.query(`alter system set archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`);
    await primary.stop();
    await primary.start();

    const document = join(folder, "shelf.md");
    await writeFile(document, shelf);
    const runOn = (server: PostgresServer) =>
      startProgram({ file: document, database: server.url, args: ["--owner", server.ownerUrl, "--no-sample"] });
    const program = await runOn(primary);
    const ada = program.visitor();
    const token = /first=([\w-]{43})/.exec(program.output())?.[1];
    const person = { token, name: "Ada", email: "ada@example.com", password: "correct horse battery" };
    expect((await ada.post("/_/first-administrator", person)).status).toBe(204);
    const add = async (title: string) => (await ada.post("/api/books", { title })).record().id;
    await add("Before the backup");

    // The base backup, taken while the program runs.
    const base = await primary.backUp(() => copyServer({ cluster }, { name: "base", port: 0, folder }));

    const kept = await add("After the backup");
    const [moment] = await primary.query("select clock_timestamp()::text as at");
    await sleep(50);
    expect((await ada.delete(`/api/books/${kept}`)).status).toBe(204);
    await add("After the mistake");
    const [last] = await primary.query("select pg_walfile_name(pg_switch_wal()) as file");
    await expect.poll(() => readdir(archive), { timeout: 30_000 }).toContain(String(last?.file));
    await program.stop();
    await primary.stop();

    const restored = await copyServer(base, { name: "restored", port: await freePort(), folder });
    await restored.recover({ archive, until: String(moment?.at) });
    await restored.start();
    await expect
      .poll(() => restored.query("select pg_is_in_recovery() as is_recovering"), { timeout: 30_000 })
      .toEqual([{ is_recovering: false }]);
    const again = await runOn(restored);
    const reader = await again.signIn("ada@example.com", "correct horse battery");
    const { items } = (await reader.get("/api/books?sort=title")).list();
    expect(items.map(({ title }) => title)).toEqual(["After the backup", "Before the backup"]);
    expect((await reader.get(`/api/books/${kept}/history`)).history().map(({ action }) => action)).toEqual(["create"]);
    expect((await reader.post("/api/books", { title: "Afterwards" })).status).toBe(201);
    await again.stop();
  }, 180_000);
});
