/** The usage text of each command. */
export const usage = {
  run: `ninefold run FILE|DIR [--port N] [--data DIR] [--database URL] [--admin-email A --admin-password-file F]
               [--sample | --no-sample] [--demonstration] [--ready-file F]
               [--host ADDRESS] [--origin URL] [--proxy ADDRESS]... [--preview PORT=ORIGIN]...
               [--owner URL] [--pooler] [--replica URL]...
               [--metrics [ADDRESS:]PORT] [--drain SECONDS] [--apply-changes always|additions|never]`,
  check: "ninefold check FILE|DIR [--fix] [--json]",
  plan: "ninefold plan NEW (--against OLD | (--data DIR | --database URL) [--days N]) [--json] [--out FILE]",
  apply: `ninefold apply NEW (--data DIR | --database URL) [--plan FILE] [--note TEXT] [--without-approval]
               [--json]`,
  propose: `ninefold propose NEW (--data DIR | --database URL) [--note TEXT] [--replace N] [--json]`,
  proposals: `ninefold proposals [list | show N [--out FILE|DIR] | approve N | reject N | withdraw N]
               (--data DIR | --database URL) [--note TEXT] [--without-approval] [--json]`,
  try: `ninefold try NEW (--data DIR | --database URL) [--mask] [--host ADDRESS] [--port N] [--origin URL]
               [--proxy ADDRESS]... [--json]`,
  diff: "ninefold diff OLD NEW [--data DIR | --database URL] [--json]",
  new: "ninefold new [FILE.md] [--example NAME | --from FILE|URL...]",
  draft: `ninefold draft FILE... [--name NAME] [--out FILE] [--json]
       ninefold draft openapi.json|openapi.yaml [--name NAME] [--out FILE] [--json]
       ninefold draft postgres://... [--schema NAME]... [--table NAME]... [--name NAME] [--out FILE] [--json]
       ninefold draft FROM... --with-rows --out FILE (--data DIR | --database URL)
               --admin-email A --admin-password-file F [--days dmy|mdy|ymd] [--decimal .|,]`,
  import: `ninefold import LIST FILE (--url URL [--token-file F] | (--data DIR | --database URL) --as EMAIL)
               [--dry-run] [--match FIELD]... [--column HEADER=FIELD]...
               [--days dmy|mdy|ymd] [--decimal .|,] [--all-or-nothing] [--out FILE] [--json]`,
  kit: "ninefold kit DIR",
  explain: "ninefold explain FILE|DIR CLAUSE [--json]",
  complete: "ninefold complete FILE:LINE:COLUMN [--json]",
  lsp: "ninefold lsp",
  format: "ninefold format FILE|DIR [--check]",
  export: "ninefold export schema [--point N] | ninefold export openapi FILE",
  backup: "ninefold backup FILE (--data DIR | --database URL)",
  restore: "ninefold restore FILE (--data DIR | --database URL) [--sends]",
  versions: "ninefold versions [N --out FILE|DIR] (--data DIR | --database URL) [--json]",
  "restore-version":
    "ninefold restore-version N (--data DIR | --database URL) [--note TEXT] [--out FILE|DIR] [--dry-run] [--without-approval] [--json]",
  retired: `ninefold retired [list | bring-back NAME | delete NAME --export FILE [--yes]] (--data DIR | --database URL)
               [--json]`,
  sample: "ninefold sample remove FILE|DIR [--data DIR] [--database URL]",
} as const;

export type Name = keyof typeof usage;
