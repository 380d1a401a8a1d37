import type { Named } from "../../document/shape.ts";
import { isAssigned } from "../../field/kinds.ts";
import { finding } from "../../findings.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { clauseAt, type Linking } from "../linking/link-context.ts";
import { declareField, type FieldDraft } from "./field-drafts.ts";
import type { FieldSyntax } from "./field-syntax.ts";
import { isReservedField } from "./reserved-names.ts";

/** A value that a transition defines, and all transitions that ask for it. */
export interface DeclaredAct extends Named<FieldSyntax> {
  readonly transition: string;
  readonly transitions: readonly string[];
}

/** A value of an act, and the transitions that ask for it. */
export interface ActDraft {
  readonly draft: FieldDraft;
  readonly transitions: readonly string[];
}

/** Keys of a field that say something about a value that a person gives. All others are about values in records. */
const allowed: ReadonlySet<string> = new Set<keyof FieldSyntax>([
  ...(["type", "title", "help", "unit", "examples", "values", "min", "max", "many", "currency", "was"] as const),
  ...(["default", "among", "discloses", "personal"] as const),
]);

/** True for types whose values the program writes, or live as long as a record. */
const isExcluded = (type: FieldTypeName): boolean => isAssigned(type) || type === "file" || type === "image";

/** Declares the values that transitions ask for beside fields: `asks: { added: { type: integer, min: 1 } }`. */
export const declareActs = (
  entity: string,
  acts: readonly DeclaredAct[],
  taken: { readonly fields: ReadonlyMap<string, unknown>; readonly state: string | undefined },
  entities: ReadonlySet<string>,
  linking: Linking,
): ReadonlyMap<string, ActDraft> => {
  const drafts = new Map<string, ActDraft>();
  for (const { name, key, value, transition, transitions } of acts) {
    const clause = clauseAt(`4.${entity}.${transition}.${name}`, key);
    const report = (code: "NAME_TWICE" | "RESERVED_NAME", message: string, hint: string): void =>
      linking.report(finding(code, key, message, hint, { clause: clause.id }));
    if (isReservedField(name))
      report(
        "RESERVED_NAME",
        `“${name}” is a word of the language, so a value can’t have this name.`,
        "Choose another name.",
      );
    if (taken.fields.has(name) || name === taken.state)
      report(
        "NAME_TWICE",
        `${entity} already has a field ${name}.`,
        `Write only its name to ask for the field (“asks: ${name}”), or choose another name.`,
      );
    else if (drafts.has(name))
      report(
        "NAME_TWICE",
        `Another transition of ${entity} already defines ${name}.`,
        `Write only its name here: “asks: ${name}”.`,
      );
    else {
      const draft = declareField(
        entity,
        { name, key, value: withAllowedKeys(value, clause.id, linking) },
        entities,
        linking,
        clause,
      );
      if (draft !== undefined) drafts.set(name, { draft, transitions });
      if (draft !== undefined && isExcluded(draft.stored))
        linking.report(
          finding(
            "BAD_VALUE",
            value.type?.span ?? key,
            `A transition can ask for a ${draft.stored} only as a field of the record.`,
            `Add the field to ${entity} in point 3, and name it in “asks”.`,
            { clause: clause.id },
          ),
        );
    }
  }
  return drafts;
};

/** The definition without keys that are about values in records, each of which is reported. */
const withAllowedKeys = (syntax: FieldSyntax, clause: string, linking: Linking): FieldSyntax => {
  const entries = Object.entries(syntax.keys).filter(([key]) => !allowed.has(key));
  for (const [key, span] of entries)
    if (span !== undefined)
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `“${key}” is only for values that a record keeps.`,
          "Remove it, or make the value a field in point 3. Conditions on it are rules of point 5 with “during”.",
          { clause },
        ),
      );
  const removed = new Set(entries.map(([key]) => key));
  return {
    ...syntax,
    ...Object.fromEntries([...removed].map((key) => [key, undefined])),
    keys: Object.fromEntries(Object.entries(syntax.keys).filter(([key]) => !removed.has(key))),
  };
};
