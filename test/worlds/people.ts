import { createHash } from "node:crypto";
import type { Principal } from "../../src/core/derive/authorization/grants.ts";
import { canHaveTokens } from "../../src/server/auth/api-tokens.ts";
import { beginImpersonation, beginSession, readPerson } from "../../src/server/auth/sessions.ts";
import { hashPassword } from "../../src/server/util/password-hash.ts";
import { hashToken } from "../../src/server/util/token.ts";
import type { TestServer } from "../app/program.ts";

/** The password of everybody. */
const PASSWORD = "long enough to be one";

export interface WorldPerson extends Principal {
  readonly name: string;
  /** The token of their session; empty for a visitor. */
  readonly cookie: string;
  /** Further ways to send equivalent requests: an administrator's view as this person, a program's token. */
  readonly others: readonly { readonly cookie: string; readonly headers?: Readonly<Record<string, string>> }[];
}

/**
 * A visitor, and one person for each set of roles, three without roles; each is signed in, viewed by an administrator,
 * and has a token if the document allows it.
 */
export const listPeople = async (served: TestServer, now: Date): Promise<readonly WorldPerson[]> => {
  const { rows } = await served.database.query(
    `select id::text, name, email, roles from app."user" where active order by array_to_string(roles, ','), id`,
  );
  const { service } = served.opened;
  const found: WorldPerson[] = [{ id: null, name: "a visitor", granted: new Set(), cookie: "", others: [] }];
  // Where nobody signs in, everybody is a visitor; a session is for the workbench.
  if (service.model.signIn.isOff) return found;
  const administrator = rows.find((row) => (row.roles as readonly string[]).includes("administrator"))?.id;
  const counts = new Map<string, number>();
  const password = service.model.signIn.basic ? await hashPassword(PASSWORD) : null;
  for (const row of rows) {
    const { id, name, roles } = row;
    const held = roles as readonly string[];
    const key = held.join();
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count >= (held.length === 0 ? 3 : 1)) continue;
    // With the roles that they have as a deputy.
    const granted = (await readPerson(service, String(id), now))?.granted ?? new Set(held);
    const person = { id: String(id), granted };
    const cookie = await beginSession(service.database, person.id, 12, now);
    // An administrator sees more of people than the bearer of their token.
    const isPlain = !held.includes("administrator");
    const others: { readonly cookie: string; readonly headers?: Readonly<Record<string, string>> }[] = [];
    if (administrator !== undefined && isPlain) {
      const impersonation = {
        administrator: String(administrator),
        person: person.id,
        clause: "6.administrator",
        document: 1,
      };
      const session = await beginSession(service.database, String(administrator), 12, now);
      if (!(await beginImpersonation(service.database, session, impersonation, now)))
        throw new Error(`nobody looks as ${name}`);
      others.push({ cookie: session });
    }
    // A token has no role of a deputy.
    if (isPlain && granted.size === held.length && canHaveTokens(service.model, person)) {
      const token = `nf_${person.id}`;
      await served.database.query(
        `insert into ninefold.token (token_hash, person, name, roles, reads, made_at, expires_at, used_at)
         values ($1, $2, 'program', $3, true, $4, $4::timestamptz + interval '1 day', $4)`,
        [hashToken(token), person.id, held, now],
      );
      const { header, scheme } = service.model.callSettings.token ?? { header: "Authorization", scheme: "Bearer" };
      others.push({ cookie: "", headers: { [header]: scheme === null ? token : `${scheme} ${token}` } });
    }
    // Calls of the document take the token of a session in their own cookie too, and a password with each request.
    const { cookie: ownCookie } = service.model.callSettings.token ?? { cookie: null };
    if (ownCookie !== null) others.push({ cookie: "", headers: { cookie: `${ownCookie}=${cookie}` } });
    if (service.model.signIn.basic) {
      await served.database.query(
        `insert into ninefold.credential (person, password) values ($1, $2)
         on conflict (person) do update set password = excluded.password`,
        [person.id, password],
      );
      const credentials = Buffer.from(`${row.email}:${PASSWORD}`).toString("base64");
      others.push({ cookie: "", headers: { authorization: `Basic ${credentials}` } });
    }
    found.push({ ...person, name: `${name} (${key})`, cookie, others });
  }
  return found;
};

/** Adds files to some records, each sent by a person. */
export const withFiles = async (served: TestServer): Promise<void> => {
  const { model } = served.opened.service;
  const people = (await served.database.query(`select id::text from app."user" order by id`)).rows.map(({ id }) =>
    String(id),
  );
  let nth = 0;
  for (const entity of model.entities.values())
    for (const field of entity.fields.values()) {
      if ((field.type !== "file" && field.type !== "image") || field.storage.as !== "column") continue;
      const { rows } = await served.database.query(`select id::text from app."${entity.table}" order by id limit 8`);
      for (const { id } of rows) {
        const name = `scan-${nth}.txt`;
        const bytes = `Contents of ${nth++}`;
        const { rows: created } = await served.database.query(
          `with f as (insert into ninefold.file (id, person, name, type, size, sha256, made_at) values (gen_random_uuid(), $1, $2, 'text/plain', $3, sha256($4), now()) returning id),
                c as (insert into ninefold.file_chunk (file, number, bytes) select id, 0, $4 from f)
           select id::text from f`,
          [people[nth % people.length], name, bytes.length, Buffer.from(bytes)],
        );
        const file = JSON.stringify({ id: created[0]?.id, name, type: "text/plain", size: bytes.length });
        await served.database.query(
          `update app."${entity.table}" set "${field.name}" = ${field.many ? "array[$2::jsonb]" : "$2::jsonb"} where id = $1`,
          [id, file],
        );
      }
    }
};

/** The id of a deleted record of `withKept`. */
export const trashedId = (entity: string, nth: number): string =>
  createHash("md5")
    .update(`deleted ${entity} ${nth}`)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");

/** Number of deleted records of each entity. */
export const TRASHED = 4;

/** Adds data beside the records: views, notifications, sessions, tokens, and deleted records like those that exist. */
export const withKept = async (served: TestServer, now: Date): Promise<void> => {
  const { model } = served.opened.service;
  const { rows: people } = await served.database.query(`select id::text from app."user" order by id limit 12`);
  for (const { name, table, served: isServed } of model.entities.values())
    for (let nth = 0; isServed && name !== "User" && nth < TRASHED; nth++)
      await served.database.query(
        `insert into ninefold.trash (record, entity, root, at, person, stored)
         select $1, $2, $1, $3, $4, to_jsonb(t) || jsonb_build_object('id', $1::uuid) from app."${table}" t order by id offset $5 limit 1`,
        [trashedId(name, nth), name, new Date(now.getTime() - nth * 60_000), people[nth % people.length]?.id, nth],
      );
  const [screen] = model.screens;
  const entity = [...model.entities.values()].find(({ served: isServed }) => isServed);
  const { rows: records } =
    entity === undefined
      ? { rows: [] }
      : await served.database.query(`select id::text from app."${entity.table}" order by id limit 12`);
  for (const [nth, { id }] of people.entries()) {
    for (const shared of [true, false])
      await served.database.query(
        "insert into ninefold.view (person, screen, title, query, shared, made_at) values ($1, $2, $3, '', $4, $5)",
        [id, screen?.path ?? "/", `View ${nth}`, shared, now],
      );
    for (const record of records.slice(0, 3))
      await served.database.query(
        "insert into ninefold.notification (person, at, text, entity, record, clause) values ($1, $2, $3, $4, $5, '4.x')",
        [id, now, `Note ${nth}`, entity?.name, record.id],
      );
    await served.database.query(
      `insert into ninefold.session (token_hash, person, made_at, expires_at, agent, address)
       values (sha256($2), $1, $3, $3::timestamptz + interval '1 day', 'kept', '')`,
      [id, Buffer.from(`session ${nth}`), now],
    );
    await served.database.query(
      `insert into ninefold.token (token_hash, person, name, roles, reads, made_at, expires_at)
       values (sha256($2), $1, 'kept', '{}', true, $3, $3::timestamptz + interval '1 day')`,
      [id, Buffer.from(`kept ${nth}`), now],
    );
  }
};
