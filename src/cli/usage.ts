import { program } from "./program.ts";

/** The usage text of each command. */
export const usage = {
  run: `${program} run FILE|DIR [--port N] [--data DIR] [--database URL] [--admin-email A --admin-password-file F]
               [--admin-name NAME] [--sample | --no-sample] [--demonstration] [--ready-file F]
               [--host ADDRESS] [--origin URL] [--proxy ADDRESS]... [--preview PORT=ORIGIN]...
               [--owner URL] [--pooler] [--replica URL]...
               [--workers N] [--metrics [ADDRESS:]PORT] [--drain SECONDS]
               [--apply-changes always|additions|never]`,
  host: `${program} host DIR [--port N] [--host ADDRESS] [--origin URL] [--proxy ADDRESS]...
               [--data DIR | --database URL [--owner URL] [--replica URL]...]
               [--metrics [ADDRESS:]PORT] [--ready-file F]`,
  check: `${program} check FILE|DIR [--fix] [--json]`,
  plan: `${program} plan NEW (--against OLD | (--data DIR | --database URL) [--days N]) [--json] [--out FILE]
       ${program} plan NEW (--data DIR | --database URL) --records POINT [--json]`,
  apply: `${program} apply NEW (--data DIR | --database URL) [--plan FILE] [--note TEXT] [--without-approval]
               [--json]`,
  propose: `${program} propose NEW (--data DIR | --database URL) [--note TEXT] [--replace N] [--json]`,
  proposals: `${program} proposals [list | show N [--out FILE|DIR] | approve N | reject N | withdraw N]
               (--data DIR | --database URL) [--note TEXT] [--without-approval] [--json]`,
  try: `${program} try NEW (--data DIR | --database URL) [--mask] [--host ADDRESS] [--port N] [--origin URL]
               [--proxy ADDRESS]... [--json]`,
  diff: `${program} diff OLD NEW [--data DIR | --database URL] [--json]`,
  new: `${program} new [FILE.md] [--example NAME | --from FILE|URL...] [--run [--port N]]`,
  draft: `${program} draft FILE... [--name NAME] [--out FILE] [--json]
       ${program} draft openapi.json|openapi.yaml [--name NAME] [--out FILE] [--json]
       ${program} draft postgres://... [--schema NAME]... [--table NAME]... [--name NAME] [--out FILE] [--json]
       ${program} draft FROM... --with-rows --out FILE (--data DIR | --database URL)
               --admin-email A --admin-password-file F [--days dmy|mdy|ymd] [--decimal .|,]`,
  import: `${program} import LIST FILE (--url URL [--token-file F] | (--data DIR | --database URL) --as EMAIL)
               [--dry-run] [--match FIELD]... [--column HEADER=FIELD]...
               [--days dmy|mdy|ymd] [--decimal .|,] [--all-or-nothing] [--out FILE] [--json]`,
  kit: `${program} kit DIR`,
  explain: `${program} explain FILE|DIR CLAUSE [--json]`,
  complete: `${program} complete FILE:LINE:COLUMN [--json]`,
  lsp: `${program} lsp`,
  format: `${program} format FILE|DIR [--check]`,
  export: `${program} export schema [--point N] | ${program} export openapi FILE`,
  backup: `${program} backup FILE (--data DIR | --database URL)`,
  files: `${program} files [list | check | move --to database|store] (--data DIR | --database URL) [--json]`,
  restore: `${program} restore FILE (--data DIR | --database URL) [--sends]`,
  versions: `${program} versions [N --out FILE|DIR] (--data DIR | --database URL) [--json]`,
  "restore-version": `${program} restore-version N (--data DIR | --database URL) [--note TEXT] [--out FILE|DIR] [--dry-run] [--yes] [--without-approval] [--json]`,
  retired: `${program} retired [list | bring-back NAME | delete NAME --export FILE [--yes]] (--data DIR | --database URL)
               [--json]`,
  sample: `${program} sample remove FILE|DIR [--data DIR] [--database URL]`,
} as const;

export type CommandName = keyof typeof usage;

/** An example of each command, as `--help` shows it. */
export const exampleOfCommand: { readonly [name in CommandName]: string } = {
  run: `${program} run desk.md --port 9100`,
  host: `${program} host applications --data /var/lib/ninefold`,
  check: `${program} check desk.md --json`,
  plan: `${program} plan desk.next.md --data .ninefold/desk --out plan.json`,
  apply: `${program} apply desk.next.md --data .ninefold/desk --plan plan.json --note "Tickets have a deadline"`,
  propose: `${program} propose desk.next.md --data .ninefold/desk --note "Tickets have a deadline"`,
  proposals: `${program} proposals approve 3 --data .ninefold/desk`,
  try: `${program} try desk.next.md --data .ninefold/desk --mask`,
  diff: `${program} diff 4 7 --data .ninefold/desk`,
  new: `${program} new desk.md --example help-desk --run`,
  draft: `${program} draft tickets.xlsx --out desk.md`,
  import: `${program} import tickets tickets.csv --data .ninefold/desk --as ada@example.com --dry-run`,
  kit: `${program} kit ninefold-kit`,
  explain: `${program} explain desk.md 6.Ticket.read`,
  complete: `${program} complete desk.md:31:12`,
  lsp: `${program} lsp`,
  format: `${program} format desk.md --check`,
  export: `${program} export openapi desk.md`,
  backup: `${program} backup desk.backup --data .ninefold/desk`,
  files: `${program} files check --data .ninefold/desk`,
  restore: `${program} restore desk.backup --data .ninefold/desk-copy`,
  versions: `${program} versions 4 --out desk.4.md --data .ninefold/desk`,
  "restore-version": `${program} restore-version 4 --data .ninefold/desk --dry-run`,
  retired: `${program} retired delete Ticket.phone --export phones.jsonl --data .ninefold/desk --yes`,
  sample: `${program} sample remove desk.md`,
};
