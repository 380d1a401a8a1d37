import { orKeyName } from "../../document/shape/combinators.ts";
import { keyed, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { Named, ReportFinding, Shape, ShapeValue } from "../../document/shape.ts";
import type { Tree } from "../../document/tree.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";

/** An effect: one main key for its kind, `when` for its condition, `for` for its iteration. */
export const effect = record("an effect", {
  notify: optional(expression),
  text: optional(template),
  call: optional(name("field")),
  create: optional(name("entity")),
  put: optional(name("entity")),
  key: optional(listOrOne(name("field"))),
  update: optional(expression),
  delete: optional(expression),
  make: optional(name("field")),
  of: optional(expression),
  for: optional(keyed("a name with a list", expression)),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", orKeyName(expression))),
  attach: optional(plainText),
});

export type EffectSyntax = ShapeValue<typeof effect>;
type EffectsByTrigger = readonly Named<readonly EffectSyntax[]>[];

const byKey = keyed("a mapping from transitions to effects", listOrOne(effect));

/** Reads `submit, resubmit: …` as the effects of each of the two, in the order of the document. */
const splitKeys = (written: EffectsByTrigger, report: ReportFinding): EffectsByTrigger => {
  const triggers = new Map<string, Named<EffectSyntax[]>>();
  for (const { name, key, value } of written)
    for (const trigger of splitKey(name, key)) {
      const known = triggers.get(trigger.name);
      if (known === undefined) triggers.set(trigger.name, { ...trigger, value: [...value] });
      else if (known.value.at(-1) === value.at(-1))
        report(finding("NAME_TWICE", trigger.key, `“${trigger.name}” is named twice.`, "Name it once."));
      else known.value.push(...value);
    }
  return [...triggers.values()];
};

/** The names in a key, each with its place. */
const splitKey = (text: string, span: Span): readonly Omit<Named<unknown>, "value">[] => {
  const quotes = span.end - span.start === text.length + 2 ? 1 : 0;
  return [...text.matchAll(/[^\s,](?:[^,]*[^\s,])?/gu)].map(({ 0: name, index }) => {
    const start = span.start + quotes + index;
    return { name, key: { ...span, start, end: start + name.length } };
  });
};

/** `{ submit, resubmit: … }`: in braces, the comma separates two keys. */
const findCutKey = (tree: Tree): Finding | undefined => {
  if (tree.kind !== "mapping") return undefined;
  const first = tree.entries.findIndex(({ alone }) => alone === true);
  const last = tree.entries.findIndex(({ alone }, at) => at > first && alone !== true);
  const [from, to] = [tree.entries[first]?.key, tree.entries[last]?.key];
  if (first < 0 || from === undefined || to === undefined) return undefined;
  const names = tree.entries.slice(first, last + 1).map(({ key }) => key.text);
  const span = { ...from.span, end: to.span.end };
  const message = "In braces, a comma begins another key.";
  return finding("NEEDS_QUOTES", span, message, "Put the transitions in quotes, up to the colon.", {
    fix: [{ span, text: `"${names.join(", ")}"` }],
  });
};

/** Effects by trigger: `create`, `update`, `delete`, the name of a transition, or several of them. */
export const effectsShape: Shape<EffectsByTrigger> = {
  ...byKey,
  read: (tree, report, expectation) => {
    const cut = findCutKey(tree);
    if (cut !== undefined) {
      report(cut);
      return undefined;
    }
    const written = byKey.read(tree, report, expectation);
    return written === undefined ? undefined : splitKeys(written, report);
  },
};

export const mains = ["notify", "call", "create", "put", "update", "delete", "make"] as const;
