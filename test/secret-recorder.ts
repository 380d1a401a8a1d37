import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type pg from "pg";

/*
 * During a complete run, records all secrets when they are created (passwords, sessions, tokens, files, and some values
 * of records), and all output of programs and contents of platform tables. The last step of `npm test` searches the one
 * for the other (scripts/secrets.mjs). In other runs, which lack the folder, nothing is recorded.
 */
const folder = process.env.NINEFOLD_RECORD_IN;

/** A useless variable in the environment of each started program. */
export const environmentSecret = "Canary-environment-5e6f7a8b9c0d";

type RecordKind = "secrets" | "output" | "tables" | "backups";

/** Files stay open, because a run writes hundreds of thousands of lines. */
const open = new Map<RecordKind, number>();

const append = (kind: RecordKind, text: string): void => {
  if (folder === undefined) return;
  const file = open.get(kind) ?? openSync(join(folder, `${process.pid}.${kind}`), "a");
  open.set(kind, file);
  writeSync(file, text);
};

/** Records output; undefined if nothing is recorded. */
export const recordOutput = folder === undefined ? undefined : (text: string): void => append("output", text);

type SecretKind = "password" | "session" | "token" | "environment" | "value" | "file";

const known = new Set<string>();
const recordSecret = (kind: SecretKind, value: unknown): void => {
  if (folder === undefined || typeof value !== "string" || value.length < 12 || known.has(value)) return;
  known.add(value);
  append("secrets", `${kind}\t${JSON.stringify(value)}\n`);
};
recordSecret("environment", environmentSecret);

/** Maximum number of recorded values of records. */
const MOST_VALUES = 60;
let values = 0;

/** Examples and words in documents are no secrets. */
const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const exampleTexts =
  folder === undefined
    ? ""
    : readdirSync(examples)
        .map((name) => readFileSync(join(examples, name), "utf8"))
        .join("\n");

/** True for a distinctive text; a repeated character occurs wherever a test uses a long text. */
const isOwn = (text: string): boolean => new Set(text).size > 7 && !exampleTexts.includes(text);

/**
 * True if a response contains a password, a token, the session or the environment, even in a page, an export or a
 * description.
 */
const containsSecret = (text: string, session: string | undefined): boolean =>
  text.includes(environmentSecret) ||
  (session !== undefined && session.length > 12 && text.includes(session)) ||
  [...passwords, ...tokens].some((one) => text.includes(one));
const passwords = new Set<string>();
const tokens = new Set<string>();

/** Records the secrets in a request and those that its response returns once; records responses that contain secrets. */
export const recordSecretsOf = (
  path: string,
  {
    body,
    raw,
    cookie,
    authorization,
  }: {
    readonly body: unknown;
    readonly raw: unknown;
    readonly cookie: string;
    readonly authorization: string | undefined;
  },
  answer: { readonly text: string; readonly body: unknown },
): void => {
  if (folder === undefined) return;
  const session = cookie.split("=")[1];
  recordSecret("session", session);
  if (path.startsWith("/_/files")) recordSecret("file", raw);
  const sent = Object.entries(typeof body === "object" && body !== null ? body : {});
  for (const [name, value] of sent) {
    if ((name === "password" || name === "current") && typeof value === "string" && value.length > 11 && isOwn(value)) {
      passwords.add(value);
      recordSecret("password", value);
    }
    const isText = path.startsWith("/api/") && typeof value === "string" && value.length > 15 && / /u.test(value);
    if (!isText || values >= MOST_VALUES || !isOwn(value)) continue;
    values += 1;
    recordSecret("value", value);
  }
  // A call can show the token that its request sent (`gives: { token }`).
  const own = authorization?.split(" ")[1];
  const others = own === undefined ? answer.text : answer.text.replaceAll(own, "");
  if (containsSecret(others, session)) append("output", `${path} answered ${answer.text}\n`);
  const { body: given } = answer;
  // Returned once, to its creator.
  if (path === "/_/account/tokens" && typeof given === "object" && given !== null && "token" in given) {
    recordSecret("token", given.token);
    tokens.add(String(given.token));
  }
};

/** Records the contents of a backup. */
export const recordBackup = async (path: string): Promise<void> => {
  if (folder === undefined) return;
  const bytes = await readFile(path);
  append("backups", gunzipSync(bytes.subarray(bytes.indexOf("\n") + 1)).toString("latin1"));
};

/** Records the platform tables of an application. */
export const recordTables = async (
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
    "mail_transition",
    "idempotency",
  ];
  const { rows } = await query(
    tables.map((name) => `select '${name} ' || to_jsonb(t)::text as row from ninefold.${name} t`).join(" union all "),
  );
  append("tables", rows.map(({ row }) => `${row}\n`).join(""));
};
