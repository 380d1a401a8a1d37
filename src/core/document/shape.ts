import { type Finding, finding, type WithFindings } from "../findings.ts";
import { nearest, onlyNearest, type Span } from "../source-text.ts";
import { type Entry, isNone, isNotShown, type Mapping, type Scalar, type Tree } from "./tree.ts";

/**
 * The syntax of a place in the document. Every point describes its blocks with shapes; reading one yields plain typed
 * values with their spans, and reports all mistakes, not only the first.
 */
export interface Shape<T> {
  /** Completes "takes …" in a finding: "a list of names". */
  readonly expected: string;
  /** The syntax as data, for JSON Schema and the formatter. */
  readonly form: ShapeForm;
  /** Reads a tree. `expectation` describes the place if this shape is one of several alternatives. */
  readonly read: (tree: Tree, report: ReportFinding, expectation?: string) => T | undefined;
  /** The default in force if the value is not shown, unless the key tells it. */
  readonly open?: string;
  /** The placeholder for a value that is not shown, if a declared name depends on it. */
  readonly undecided?: (span: Span) => T | undefined;
}

/** The shape with a default for "not shown", and an optional placeholder. */
export const openAs = <T>(open: string, of: Shape<T>, undecided?: (span: Span) => T | undefined): Shape<T> => ({
  ...of,
  open,
  ...(undecided === undefined ? {} : { undecided }),
});

/** The syntax of a shape as data. JSON Schemas are generated from it. */
export type ShapeForm =
  | { readonly kind: "text" | "expression" | "whole number" | "nothing" }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "name"; readonly pattern: RegExp }
  | { readonly kind: "list"; readonly of: Shape<unknown> }
  /** Keys chosen by the author; each kind of key has its own values. Editors suggest the keys of `offers`. */
  | {
      readonly kind: "mapping";
      readonly entries: readonly EntryForm[];
      readonly single?: true;
      readonly offers?: readonly string[];
    }
  /** Keys of the language. A value without keys is taken for the main one. */
  | { readonly kind: "keys"; readonly parts: Parts; readonly main?: string }
  | { readonly kind: "one of"; readonly shapes: readonly Shape<unknown>[] }
  /** A shape created on demand, because it is recursive. */
  | { readonly kind: "later"; readonly of: () => Shape<unknown> };

export interface EntryForm {
  /** Pattern of the keys; any text if absent. */
  readonly keys?: RegExp;
  readonly of: Shape<unknown>;
}

export type ReportFinding = (finding: Finding) => void;

/** The type of the values that a shape reads. */
export type Read<S> = S extends Shape<infer T> ? T : never;

/** A leaf with its span. */
export interface Spanned<T> {
  readonly value: T;
  readonly span: Span;
}

/** A definition that the author named, with the span of its name. */
export interface Named<T> {
  readonly name: string;
  readonly key: Span;
  readonly value: T;
}

const written = (tree: Tree): string => {
  if (tree.kind === "list") return "a list";
  if (tree.kind === "mapping") return "a mapping";
  return tree.text === "" ? "nothing" : `“${tree.text.length > 40 ? `${tree.text.slice(0, 40)}…` : tree.text}”`;
};

const isUnread = (tree: Tree): boolean => tree.kind === "scalar" && tree.unread === true;

/** Reports a value of the wrong shape, unless it was already reported as unreadable. */
const refuse = (report: ReportFinding, tree: Tree, expected: string, more = ""): void => {
  if (!isUnread(tree)) report(finding("WRONG_SHAPE", tree.span, notHere(tree), `Write ${expected}.${more}`));
};

/** Leaving out the key has the effect that `none` was meant to have. */
const noneBut = (tree: Tree): string => (isNone(tree) ? " To have none, omit the key." : "");

/** Describes a shape, with its keys. */
const inFull = ({ expected, form }: Shape<unknown>): string =>
  form.kind === "keys" ? withKeys(expected, Object.keys(form.parts), undefined) : expected;

/** Maximum number of keys listed in a message; for more, see the reference. */
const MOST_KEYS_TOLD = 8;

const withKeys = (expected: string, keys: readonly string[], main: string | undefined): string => {
  const listed = `${keys.slice(0, MOST_KEYS_TOLD).join(", ")}${keys.length > MOST_KEYS_TOLD ? " and more" : ""}`;
  return main === undefined
    ? `${expected} with its keys: ${listed}`
    : `${expected}: its “${main}” alone, or its keys: ${listed}`;
};

const notHere = (tree: Tree): string =>
  tree.kind === "scalar" && tree.text === "" && !tree.quoted
    ? "A value is missing here."
    : `${capital(written(tree))} is not allowed here.`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const scalar = <T>(
  expected: string,
  form: ShapeForm,
  of: (scalar: Scalar, report: ReportFinding, expected: string) => T | undefined,
): Shape<T> => ({
  expected,
  form,
  read: (tree, report, expectation = expected) => {
    if (isUnread(tree)) return undefined;
    if (tree.kind === "scalar" && (tree.text !== "" || tree.quoted)) return of(tree, report, expectation);
    const braces = bareBraces(tree) ?? (form.kind === "expression" ? bareList(tree) : undefined);
    if (braces === undefined) refuse(report, tree, expectation);
    else report(braces);
    return undefined;
  },
});

/** `notify: [author, author.manager]`: a list is an expression like any other and needs quotes. */
const bareList = (tree: Tree): Finding | undefined => {
  if (tree.kind !== "list" || tree.written === undefined || /["\\]/u.test(tree.written)) return undefined;
  const message = "Without quotes, this is a YAML list and not an expression.";
  return finding("NEEDS_QUOTES", tree.span, message, "Put the whole value in quotes.", {
    fix: [{ span: tree.span, text: `"${tree.written}"` }],
  });
};

/** `label: {name}`: without quotes, YAML reads braces as a mapping. */
const bareBraces = (tree: Tree): Finding | undefined => {
  if (tree.kind !== "mapping" || tree.written === undefined || /["\\]/u.test(tree.written)) return undefined;
  if (tree.entries.length !== 1 || tree.entries[0]?.alone !== true) return undefined;
  const message = "Without quotes, these braces are not part of the text.";
  return finding("NEEDS_QUOTES", tree.span, message, "Put the whole value in quotes.", {
    fix: [{ span: tree.span, text: `"${tree.written}"` }],
  });
};

/** Text without expressions. */
export const plainText: Shape<Spanned<string>> = scalar("text", { kind: "text" }, (at) => ({
  value: at.text,
  span: at.span,
}));

/** An expression as written, with a mapping from its characters to the file. */
export const expression: Shape<Scalar> = scalar("an expression", { kind: "expression" }, (at) => at);

/** A text with expressions in braces, as written. */
export const template: Shape<Scalar> = scalar("a text", { kind: "text" }, (at) => at);

/** Words from other languages and their equivalents here. */
const otherWords: Readonly<Record<string, string>> = {
  ...{ yes: "true", on: "true", no: "false", off: "false" },
  ...{
    green: "good",
    red: "bad",
    amber: "warning",
    yellow: "warning",
    orange: "warning",
    grey: "neutral",
    gray: "neutral",
  },
  ...{ public: "anyone", everybody: "anyone", everyone: "anyone", authenticated: "signed in", closed: "none" },
};

/** A keyword of the language. */
export const word = <W extends string>(...words: readonly W[]): Shape<Spanned<W>> => {
  const expected = words.length < 3 ? words.map((one) => `“${one}”`).join(" or ") : `one of ${words.join(", ")}`;
  return scalar(expected, { kind: "word", words }, (at, report, expectation) => {
    const found = words.find((candidate) => candidate === at.text);
    if (found !== undefined) return { value: found, span: at.span };
    const near = words.find((word) => word === otherWords[at.text.toLowerCase()]) ?? nearest(at.text, words);
    report(
      finding(
        "BAD_VALUE",
        at.span,
        notHere(at),
        near === undefined ? `Write ${expectation}.` : `Did you mean “${near}”?`,
        instead(at.span, near),
      ),
    );
    return undefined;
  });
};

export const flag: Shape<Spanned<boolean>> = {
  expected: "true or false",
  form: { kind: "word", words: ["true", "false"] },
  read: (tree, report, expectation) => {
    const said = word("true", "false").read(tree, report, expectation);
    return said && { value: said.value === "true", span: said.span };
  },
};

/** A whole number of the document, such as a maximum length. */
export const count: Shape<Spanned<number>> = scalar(
  "a whole number",
  { kind: "whole number" },
  (at, report, expected) => {
    if (/^\d{1,9}$/u.test(at.text)) return { value: Number(at.text), span: at.span };
    refuse(report, at, expected);
    return undefined;
  },
);

const names = {
  entity: { pattern: /^[A-Z][A-Za-z0-9]*$/u, expected: "an entity's name (Request)" },
  field: { pattern: /^[a-z][a-z0-9_]*$/u, expected: "a name in lower case (first_day)" },
  role: { pattern: /^[a-z][a-z0-9_]*$/u, expected: "a role's name (keeper)" },
  error: { pattern: /^[A-Z][A-Z0-9_]*$/u, expected: "an error's code (DATES_REVERSED)" },
} as const;

export type NameKind = keyof typeof names;

/** The longest name that Postgres does not truncate. */
export const LONGEST_NAME = 63;

/** Rewrites a name in the style of its kind: “First Day” as `first_day`, or as `FirstDay` for an entity. */
const rewritten = (text: string, kind: NameKind): string | undefined => {
  const words =
    text
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .match(/\p{Lu}?[\p{Ll}\d]+|[\p{Lu}\d]+/gu) ?? [];
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const lower = words.map((word) => word.toLowerCase());
  const name =
    kind === "entity"
      ? lower.map(capital).join("")
      : kind === "error"
        ? lower.join("_").toUpperCase()
        : lower.join("_");
  return names[kind].pattern.test(name) && name.length <= LONGEST_NAME ? name : undefined;
};

/** The name that was probably meant, with the edit that inserts it. */
const instead = (span: Span, near: string | undefined): Pick<Finding, "nearest" | "fix"> =>
  near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] };

/** Keywords of point 6 for who holds a role; they are not role names. */
const membersWords = /^(?:signed[ -]?in|anyone|granted)$/u;

const checkName = (at: Scalar, kind: NameKind, report: ReportFinding): boolean => {
  if (kind === "role" && membersWords.test(at.text) && !names.role.pattern.test(at.text)) {
    const message = `“${at.text}” describes the members of a role. It is not a role.`;
    const hint = "Declare a role under “roles” in point 6, such as “member: signed in”, and use its name here.";
    report(finding("BAD_NAME", at.span, message, hint));
    return false;
  }
  if (!names[kind].pattern.test(at.text)) {
    const near = rewritten(at.text, kind);
    const rule = "Names consist of letters, digits and underscores, without spaces.";
    report(
      finding(
        "BAD_NAME",
        at.span,
        `“${at.text}” is not ${names[kind].expected}.`,
        near === undefined ? rule : `Did you mean “${near}”? ${rule}`,
        instead(at.span, near),
      ),
    );
    return false;
  }
  if (at.text.length > LONGEST_NAME) {
    report(
      finding(
        "BAD_NAME",
        at.span,
        `The name “${at.text}” has ${at.text.length} characters, but at most ${LONGEST_NAME} are allowed.`,
        "Shorten it.",
      ),
    );
    return false;
  }
  return true;
};

/** A name used as a value: a field in a list of columns, a state in `from`. */
export const name = (kind: NameKind): Shape<Spanned<string>> =>
  scalar(names[kind].expected, { kind: "name", pattern: names[kind].pattern }, (at, report) =>
    checkName(at, kind, report) ? { value: at.text, span: at.span } : undefined,
  );

export const list = <T>(of: Shape<T>): Shape<readonly T[]> => ({
  expected: `a list, each ${of.expected}`,
  form: { kind: "list", of },
  read: (tree, report, expectation = `a list, each ${of.expected}`) => {
    if (tree.kind === "list") {
      const read = tree.items.map((item) => of.read(item, report)).filter((item) => item !== undefined);
      // A list without a readable item is unknown, not empty.
      return read.length === 0 && tree.items.length > 0 ? undefined : read;
    }
    const items = withoutBrackets(tree, of);
    if (items === undefined) {
      refuse(report, tree, expectation);
      return undefined;
    }
    const { span } = tree;
    const put = (at: number, text: string) => ({ span: { ...span, start: at, end: at }, text });
    const isOnOneLine = tree.kind === "scalar" || tree.written !== undefined;
    const fix = isOnOneLine ? { fix: [put(span.start, "["), put(span.end, "]")] } : {};
    report(finding("WRONG_SHAPE", span, "A list is required here.", "Put the items in brackets.", fix));
    return items;
  },
});

/** The items if brackets are missing; undefined if that is not certain. */
const withoutBrackets = <T>(tree: Scalar | Mapping, of: Shape<T>): readonly T[] | undefined => {
  if (tree.kind === "scalar" && (isUnread(tree) || tree.text === "" || isNone(tree))) return undefined;
  const pieces =
    tree.kind === "scalar" && !tree.quoted
      ? tree.text.split(",").map((text) => ({ ...tree, text: text.trim() }))
      : [tree];
  let fits = true;
  const items = pieces.map((piece) =>
    of.read(piece, () => {
      fits = false;
    }),
  );
  return fits && items.every((item) => item !== undefined) ? (items as readonly T[]) : undefined;
};

/** A list, or a single item without brackets. */
export const listOrOne = <T>(of: Shape<T>): Shape<readonly T[]> => ({
  expected: `${of.expected} or a list of them`,
  form: { kind: "one of", shapes: [of, list(of)] },
  read: (tree, report, expectation = `${of.expected} or a list of them`) => {
    if (tree.kind === "list") return list(of).read(tree, report);
    const one = of.read(tree, report, expectation);
    return one === undefined ? undefined : [one];
  },
});

/** A mapping whose keys are the author's names. */
export const named = <T>(kind: NameKind, of: Shape<T>): Shape<readonly Named<T>[]> => ({
  expected: `a mapping from names to ${of.expected}`,
  form: { kind: "mapping", entries: [{ keys: names[kind].pattern, of }] },
  read: (tree, report, expectation = `a mapping from names to ${of.expected}`) => {
    if (tree.kind !== "mapping") {
      refuse(report, tree, expectation, noneBut(tree));
      return undefined;
    }
    return tree.entries.flatMap(({ key, value }) => {
      if (!checkName(key, kind, report)) return [];
      const read = leftOpen(value, report, of.open) ? of.undecided?.(value.span) : of.read(value, report);
      return read === undefined ? [] : [{ name: key.text, key: key.span, value: read }];
    });
  },
});

/** A mapping whose keys are not names, such as routes and texts. `offers` are keys that the platform reads. */
export const keyed = <T>(
  expected: string,
  of: Shape<T>,
  offers: readonly string[] = [],
): Shape<readonly Named<T>[]> => ({
  expected,
  form: { kind: "mapping", entries: [{ of }], offers },
  read: (tree, report, expectation = expected) => {
    if (tree.kind !== "mapping") {
      refuse(report, tree, expectation, noneBut(tree));
      return undefined;
    }
    return tree.entries.flatMap(({ key, value }) => {
      if (leftOpen(value, report, of.open)) return [];
      const read = of.read(value, report);
      return read === undefined ? [] : [{ name: key.text, key: key.span, value: read }];
    });
  },
});

/** A mapping with exactly one entry: `{ granted: { tone: good } }`. */
export const single = <T>(expected: string, kind: NameKind, of: Shape<T>): Shape<Named<T>> => ({
  expected,
  form: { kind: "mapping", entries: [{ keys: names[kind].pattern, of }], single: true },
  read: (tree, report, expectation = expected) => {
    if (tree.kind === "mapping" && tree.entries.length === 1) return named(kind, of).read(tree, report)?.[0];
    refuse(report, tree, expectation);
    return undefined;
  },
});

/** A mapping whose keys are the author's names, read by the caller; each kind of name has its own values. */
export const namesForm = (entries: readonly { readonly kind: NameKind; readonly of: Shape<unknown> }[]): ShapeForm => ({
  kind: "mapping",
  entries: entries.map(({ kind, of }) => ({ keys: names[kind].pattern, of })),
});

/** A recursive shape, created when it is first read. */
export const lazily = <T>(expected: string, make: () => Shape<T>): Shape<T> => {
  let made: Shape<T> | undefined;
  const of = () => {
    made ??= make();
    return made;
  };
  return {
    expected,
    form: { kind: "later", of },
    read: (tree, report, expectation) => of().read(tree, report, expectation),
  };
};

/** Reads a scalar, a list or a mapping by the shape for its kind. */
export const byKind = <T>(expected: string, by: { readonly [K in Tree["kind"]]?: Shape<T> }): Shape<T> => ({
  expected,
  form: { kind: "one of", shapes: Object.values(by) },
  read: (tree, report, expectation = expected) => {
    const shape = by[tree.kind];
    if (shape !== undefined) return shape.read(tree, report, expectation);
    refuse(report, tree, expectation);
    return undefined;
  },
});

/** Memoizes a shape by tree: an unchanged block yields the same tree and thus the same value. */
export const once = <T>(of: Shape<T>): Shape<T> => {
  const known = new WeakMap<Tree, WithFindings<T | undefined>>();
  const readAnew = (tree: Tree): WithFindings<T | undefined> => {
    const findings: Finding[] = [];
    return { value: of.read(tree, (found) => findings.push(found)), findings };
  };
  return {
    ...of,
    read: (tree, report) => {
      const read = known.get(tree) ?? readAnew(tree);
      known.set(tree, read);
      read.findings.forEach(report);
      return read.value;
    },
  };
};

/** `none` states that there is none; anything else is read by the shape. */
export const orNone = <T>(of: Shape<T>): Shape<T | "none"> => ({
  expected: `${of.expected}, or none`,
  form: { kind: "one of", shapes: [of, word("none")] },
  read: (tree, report, expectation = `${inFull(of)}, or none`) =>
    isNone(tree) ? "none" : of.read(tree, report, expectation),
});

/** Accepts `none` as well as an empty mapping. */
export const orEmpty = <T>(of: Shape<T>): Shape<T> => ({
  expected: `${of.expected}, or none`,
  form: { kind: "one of", shapes: [of, word("none")] },
  read: (tree, report, expectation = `${of.expected}, or none`) =>
    of.read(
      isNone(tree) ? { kind: "mapping", entries: [], span: tree.span, written: undefined } : tree,
      report,
      expectation,
    ),
});

const nothing: Shape<undefined> = { expected: "nothing", form: { kind: "nothing" }, read: () => undefined };

/** A key without a value stands for itself: `days:` in a payload is the field `days`. */
export const orKeyName = <T>(of: Shape<T>): Shape<T | "itself"> => ({
  expected: of.expected,
  form: { kind: "one of", shapes: [of, nothing] },
  read: (tree, report, expectation) =>
    tree.kind === "scalar" && tree.text === "" && !tree.quoted ? "itself" : of.read(tree, report, expectation),
});

export const map = <A, B>(of: Shape<A>, change: (value: A) => B): Shape<B> => ({
  expected: of.expected,
  form: of.form,
  read: (tree, report, expectation) => {
    const read = of.read(tree, report, expectation);
    return read === undefined ? undefined : change(read);
  },
});

/** `not shown` as a value means the same as the sentence: nothing is specified, and the default is in force. */
const leftOpen = (tree: Tree, report: ReportFinding, open?: string): boolean => {
  if (!isNotShown(tree)) return false;
  report(notShown(tree.span, open));
  return true;
};

/** The finding for a value that is not shown. */
export const notShown = (span: Span, open?: string): Finding =>
  finding(
    "NOT_SHOWN",
    span,
    "This is not decided yet (“not shown”).",
    "The list of open points shows the default in use. Replace “not shown” when it is decided.",
    open === undefined ? {} : { open },
  );

export interface KeyShape<T, Need extends "required" | "optional"> {
  readonly shape: Shape<T>;
  readonly need: Need;
}

export type Parts = { readonly [key: string]: KeyShape<unknown, "required" | "optional"> };
type PartValue<P> = P extends KeyShape<infer T, infer Need> ? (Need extends "required" ? T : T | undefined) : never;

export const required = <T>(shape: Shape<T>): KeyShape<T, "required"> => ({ shape, need: "required" });
export const optional = <T>(shape: Shape<T>): KeyShape<T, "optional"> => ({ shape, need: "optional" });

/** The value of a record: its parts by key, the span of each key that is present (even misspelt), and its own span. */
export type RecordOf<P extends Parts> = { readonly [K in keyof P]: PartValue<P[K]> } & {
  readonly span: Span;
  readonly keys: { readonly [K in keyof P]?: Span };
};

/** Keys allowed in every clause: where it was shown, or that it was decided here. They have no effect. */
export const anywhere: Parts = {
  source: { shape: plainText, need: "optional" },
  basis: { shape: plainText, need: "optional" },
};

const readKeys = <P extends Parts>(
  tree: Mapping,
  expected: string,
  parts: P,
  needs: readonly string[],
  report: ReportFinding,
): RecordOf<P> | undefined => {
  const values: Record<string, unknown> = {};
  const keys: Record<string, Span> = {};
  const misspelt = new Map<string, Span>();
  let isComplete = true;
  let cut: Finding | undefined;
  let said: ReadonlySet<string> | undefined;
  let index = -1;
  let goOnAt = 0;
  for (const { key, value } of tree.entries) {
    index++;
    if (index < goOnAt) continue;
    const part = Object.hasOwn(parts, key.text)
      ? parts[key.text]
      : Object.hasOwn(anywhere, key.text)
        ? anywhere[key.text]
        : undefined;
    if (part === undefined) {
      const goesOn = cut !== undefined && isPiece(tree.entries[index], parts);
      if (goesOn) continue;
      cut = cutText(tree.entries, index, parts);
      said ??= new Set(tree.entries.map((entry) => entry.key.text));
      const found = cut ?? unknownKey(key, value, expected, parts, said);
      report(found);
      // A misspelt key is present: do not report it as missing too.
      if (found.nearest !== undefined && !said.has(found.nearest)) misspelt.set(found.nearest, key.span);
      continue;
    }
    cut = undefined;
    keys[key.text] = key.span;
    const bare = takesList(part.shape.form) ? bareItems(tree.entries, index, parts) : undefined;
    if (bare !== undefined) {
      report(bare.found);
      goOnAt = bare.end;
      if (part.need === "required") isComplete = false;
      continue;
    }
    if (leftOpen(value, report, part.shape.open ?? key.text)) continue;
    const read = part.shape.read(value, report);
    if (read === undefined && part.need === "required") isComplete = false;
    values[key.text] = read;
  }
  for (const key of needs) {
    if (key in keys) continue;
    isComplete = false;
    // A missing key may be part of something unreadable.
    if (misspelt.has(key) || tree.entries.some((entry) => isUnread(entry.value))) continue;
    report(
      finding(
        "MISSING_KEY",
        tree.span,
        `${capital(expected)} needs “${key}”.`,
        `Add “${key}:” with ${parts[key]?.shape.expected}.`,
      ),
    );
  }
  for (const [key, span] of misspelt) keys[key] ??= span;
  return isComplete ? (Object.assign(values, { span: tree.span, keys }) as RecordOf<P>) : undefined;
};

/** Synonyms of the language's keys. */
const alike: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ if: "when", where: "when", condition: "when", guard: "when", effects: "after" },
    ...{ label: "title", name: "title", caption: "title", heading: "title", description: "help", hint: "help" },
    ...{ options: "values", choices: "values", enum: "values", length: "max", maximum: "max", minimum: "min" },
    ...{
      write: "update",
      edit: "update",
      change: "update",
      remove: "delete",
      view: "read",
      see: "read",
      add: "create",
    },
    ...{ role: "by", roles: "by", actor: "by", allowed: "by", ref: "type", references: "type", entity: "list" },
    ...{ table: "list", page: "record", detail: "record", email: "notify", mail: "notify", message: "else" },
    ...{ default_value: "default", initial: "default", foreign_key: "type", nullable: "type", optional: "type" },
    ...{ formula: "computed", value: "default", unique_with: "within", error: "else", code: "else", text: "message" },
  }),
);

/** The finding for an unknown key. The fix is certain if exactly one unused key is near and accepts the value. */
const unknownKey = (key: Scalar, value: Tree, expected: string, parts: Parts, said: ReadonlySet<string>): Finding => {
  const written = key.text.toLowerCase();
  const synonym = alike.get(written) ?? alike.get(onlyNearest(written, alike.keys()) ?? "");
  const near =
    nearest(key.text, Object.keys(parts)) ?? (synonym !== undefined && synonym in parts ? synonym : undefined);
  const message = `“${key.text.slice(0, 60)}” is not a key of ${expected}.`;
  const optional = written === "optional" || written === "nullable";
  if (optional && "type" in parts)
    return finding("UNKNOWN_KEY", key.span, message, "Add a question mark to the type: “type: text?”.");
  if (near === undefined)
    return finding("UNKNOWN_KEY", key.span, message, `The keys are ${Object.keys(parts).join(", ")}.`);
  let fits = !said.has(near) && onlyNearest(key.text, Object.keys(parts)) === near;
  if (fits)
    parts[near]?.shape.read(value, (found) => {
      if (found.fix === undefined) fits = false;
    });
  return finding("UNKNOWN_KEY", key.span, message, `Did you mean “${near}”?`, {
    nearest: near,
    ...(fits ? { fix: [{ span: key.span, text: near }] } : {}),
  });
};

const takesList = (form: ShapeForm): boolean =>
  form.kind === "list" || (form.kind === "one of" && form.shapes.some((one) => takesList(one.form)));

/** `{ values: small, large }`: `large` is not a key but belongs to the list before it. */
const bareItems = (
  entries: readonly Entry[],
  index: number,
  parts: Parts,
): { readonly found: Finding; readonly end: number } | undefined => {
  const value = entries[index]?.value;
  if (value?.kind !== "scalar" || value.quoted || value.text === "" || !isPiece(entries[index + 1], parts))
    return undefined;
  let end = index + 1;
  while (isPiece(entries[end], parts)) end++;
  const span = { ...value.span, end: entries[end - 1]?.key.span.end ?? value.span.end };
  const put = (at: number, text: string) => ({ span: { ...span, start: at, end: at }, text });
  const fix = [put(span.start, "["), put(span.end, "]")];
  return {
    found: finding("WRONG_SHAPE", span, "A list is required here.", "Put the items in brackets.", { fix }),
    end,
  };
};

/** A lone key that its place does not know. */
const isPiece = (entry: Entry | undefined, parts: Parts): boolean =>
  entry?.alone === true && !entry.key.quoted && !Object.hasOwn(parts, entry.key.text);

/**
 * `{ message: Hello, world }`: `world` is not a key but belongs to the text before it. One finding covers all pieces of
 * a text.
 */
const cutText = (entries: readonly Entry[], index: number, parts: Parts): Finding | undefined => {
  const value = entries[index - 1]?.value;
  if (!isPiece(entries[index], parts) || value?.kind !== "scalar" || value.quoted || value.text === "")
    return undefined;
  let end = index;
  let isPlain = !/["\\]/u.test(value.text);
  for (; isPiece(entries[end], parts); end++) isPlain &&= !/["\\]/u.test(entries[end]?.key.text ?? "");
  const span = { ...value.span, end: entries[end - 1]?.key.span.end ?? value.span.end };
  const quote = (at: number) => ({ span: { ...span, start: at, end: at }, text: '"' });
  const fix = isPlain ? { fix: [quote(span.start), quote(span.end)] } : {};
  return finding(
    "NEEDS_QUOTES",
    span,
    "Without quotes, this value ends at the comma.",
    "Put the whole value in quotes.",
    fix,
  );
};

const keysForm = (expected: string, parts: Parts, main: string | undefined): ShapeForm => {
  const part = main === undefined ? undefined : parts[main];
  if (main === undefined || part === undefined) return { kind: "keys", parts };
  const keys: Shape<undefined> = { expected, form: { kind: "keys", parts, main }, read: () => undefined };
  return { kind: "one of", shapes: [part.shape, keys] };
};

/**
 * A mapping with keys of the language. If a construct has a main key, a value without keys stands for it: `due_day:
 * date` is `due_day: { type: date }`.
 */
export const record = <const P extends Parts>(
  expected: string,
  parts: P,
  main?: keyof P & string,
): Shape<RecordOf<P>> => {
  const needs = Object.keys(parts).filter((key) => parts[key]?.need === "required");
  return {
    expected,
    form: keysForm(expected, parts, main),
    read: (tree, report, expectation = withKeys(expected, Object.keys(parts), main)) => {
      if (tree.kind === "mapping") return readKeys(tree, expected, parts, needs, report);
      const part = main === undefined ? undefined : parts[main];
      if (part === undefined || (tree.kind !== "scalar" && !(tree.kind === "list" && takesList(part.shape.form)))) {
        refuse(report, tree, expectation);
        return undefined;
      }
      const read = part.shape.read(tree, report);
      // The mistake was reported. Keep the definition, so that its uses are not reported as well.
      if (read === undefined && needs.includes(main as string)) return undefined;
      return {
        [main as string]: read,
        span: tree.span,
        keys: read === undefined ? { [main as string]: tree.span } : {},
      } as RecordOf<P>;
    },
  };
};
