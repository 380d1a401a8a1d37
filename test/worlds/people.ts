import { beginSession } from "../../src/server/sessions.ts";
import type { Served } from "../app/program.ts";
import type { Somebody } from "./run.ts";

/** A visitor, and of the people of a document one for each set of roles, two where they hold none; each is signed in. */
export const somebodies = async (served: Served, now: Date): Promise<readonly Somebody[]> => {
  const { rows } = await served.database.query(
    `select id::text, name, roles from app."user" where active order by array_to_string(roles, ','), id`,
  );
  const found: Somebody[] = [{ id: null, name: "a visitor", granted: new Set(), cookie: "" }];
  const counts = new Map<string, number>();
  for (const { id, name, roles } of rows) {
    const held = roles as readonly string[];
    const key = held.join();
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count >= (held.length === 0 ? 3 : 1)) continue;
    const cookie = await beginSession(served.opened.service.database, String(id), 12, now);
    found.push({ id: String(id), name: `${name} (${key})`, granted: new Set(held), cookie });
  }
  return found;
};

/** Files on some of the records that may have one, each sent by somebody. */
export const withFiles = async (served: Served): Promise<void> => {
  const { model } = served.opened.service;
  const people = (await served.database.query(`select id::text from app."user" order by id`)).rows.map(({ id }) =>
    String(id),
  );
  let nth = 0;
  for (const entity of model.entities.values())
    for (const field of entity.fields.values()) {
      if ((field.type !== "file" && field.type !== "image") || field.held.as !== "column") continue;
      const { rows } = await served.database.query(`select id::text from app."${entity.table}" order by id limit 8`);
      for (const { id } of rows) {
        const name = `scan-${nth}.txt`;
        const bytes = `Contents of ${nth++}`;
        const { rows: made } = await served.database.query(
          `with f as (insert into ninefold.file (id, person, name, type, size, sha256, made_at) values (gen_random_uuid(), $1, $2, 'text/plain', $3, sha256($4), now()) returning id),
                c as (insert into ninefold.file_chunk (file, number, bytes) select id, 0, $4 from f)
           select id::text from f`,
          [people[nth % people.length], name, bytes.length, Buffer.from(bytes)],
        );
        const file = JSON.stringify({ id: made[0]?.id, name, type: "text/plain", size: bytes.length });
        await served.database.query(
          `update app."${entity.table}" set "${field.name}" = ${field.many ? "array[$2::jsonb]" : "$2::jsonb"} where id = $1`,
          [id, file],
        );
      }
    }
};
