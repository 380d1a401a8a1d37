import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type pg from "pg";

/*
 * While all tests run, what must be found nowhere is remembered as it is made (each password, session, token, file, and some of
 * what was written into records), and so is what programs said and what the platform's tables held at the end. The last step of
 * `npm test` looks for the one in the other (scripts/secrets.mjs). Anything else costs nothing: without the folder nothing is kept.
 */
const folder = process.env.NINEFOLD_KEEP_IN;

/** In the environment of each program that is started, and of no use to it. */
export const environmentSecret = "Canary-environment-5e6f7a8b9c0d";

const append = (kind: "secrets" | "said" | "stored" | "dumped", text: string): void => {
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}.${kind}`), text);
};

/** Where what is said is kept; undefined where nothing is. */
export const keepSaid = folder === undefined ? undefined : (text: string): void => append("said", text);

type Kind = "password" | "session" | "token" | "environment" | "value" | "file";

const known = new Set<string>();
const keepSecret = (kind: Kind, value: unknown): void => {
  if (folder === undefined || typeof value !== "string" || value.length < 12 || known.has(value)) return;
  known.add(value);
  append("secrets", `${kind}\t${JSON.stringify(value)}\n`);
};
keepSecret("environment", environmentSecret);

/** Of what is written into records that much is remembered; the rest is alike. */
const MOST_VALUES = 60;
let values = 0;

/** What documents say of themselves, as examples and words, is no secret wherever it is read or checked. */
const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const said =
  folder === undefined
    ? ""
    : readdirSync(examples)
        .map((name) => readFileSync(join(examples, name), "utf8"))
        .join("\n");

/** A word that no other could be: one sign many times over is met wherever somebody tries a long text. */
const isOwn = (text: string): boolean => new Set(text).size > 7 && !said.includes(text);

/** What of them an answer bears, a page, an export or a description too: a password, a token, the session, the environment. */
const tellsIn = (text: string, session: string | undefined): boolean =>
  text.includes(environmentSecret) ||
  (session !== undefined && session.length > 12 && text.includes(session)) ||
  [...passwords, ...tokens].some((one) => text.includes(one));
const passwords = new Set<string>();
const tokens = new Set<string>();

/** What a request brings that is nobody else's, and what its answer gives away once. An answer that bears such is kept too. */
export const keepSecretsOf = (
  path: string,
  { body, raw, cookie }: { readonly body: unknown; readonly raw: unknown; readonly cookie: string },
  answer: { readonly text: string; readonly body: unknown },
): void => {
  if (folder === undefined) return;
  const session = cookie.split("=")[1];
  keepSecret("session", session);
  if (path.startsWith("/_/files")) keepSecret("file", raw);
  const sent = Object.entries(typeof body === "object" && body !== null ? body : {});
  for (const [name, value] of sent) {
    if ((name === "password" || name === "current") && typeof value === "string" && value.length > 11 && isOwn(value)) {
      passwords.add(value);
      keepSecret("password", value);
    }
    const isText = path.startsWith("/api/") && typeof value === "string" && value.length > 15 && / /u.test(value);
    if (!isText || values >= MOST_VALUES || !isOwn(value)) continue;
    values += 1;
    keepSecret("value", value);
  }
  if (tellsIn(answer.text, session)) append("said", `${path} answered ${answer.text}\n`);
  const { body: given } = answer;
  // Told once, to who makes it.
  if (path === "/_/account/tokens" && typeof given === "object" && given !== null && "token" in given) {
    keepSecret("token", given.token);
    tokens.add(String(given.token));
  }
};

/** What a backup holds: all that is stored, and nothing else. */
export const keepDumped = async (path: string): Promise<void> => {
  if (folder === undefined) return;
  const bytes = await readFile(path);
  append("dumped", gunzipSync(bytes.subarray(bytes.indexOf("\n") + 1)).toString("latin1"));
};

/** What the platform's own tables hold of one application. */
export const keepStored = async (
  query: (text: string) => Promise<{ readonly rows: pg.QueryResultRow[] }>,
): Promise<void> => {
  if (folder === undefined) return;
  const tables = [
    "session",
    "token",
    "credential",
    "audit",
    "refusal",
    "outbox",
    "attempt",
    "once_link",
    "idempotency",
  ];
  const { rows } = await query(
    tables.map((name) => `select '${name} ' || to_jsonb(t)::text as row from ninefold.${name} t`).join(" union all "),
  );
  append("stored", rows.map(({ row }) => `${row}\n`).join(""));
};
