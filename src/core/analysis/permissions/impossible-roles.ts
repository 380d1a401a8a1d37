import { finding } from "../../findings.ts";
import { ADMINISTRATOR } from "../../model/permissions.ts";
import { nearest } from "../../source-text.ts";
import type { Analyzer } from "../analyzer.ts";

/** Finds texts that are compared with the roles of a person although no person can have such a role. */
export const findImpossibleRoles: Analyzer = ({ model, uses }) => {
  const granted = [...model.roles.values()].filter(({ members }) => members === "granted").map(({ name }) => name);
  const known = [...granted, ADMINISTRATOR];
  // Several clauses can share a text, such as a part of a message.
  const places = new Map(
    uses.mentions.flatMap((mention) =>
      mention.of === "role as text" ? [[`${mention.span.file}:${mention.span.start}`, mention]] : [],
    ),
  );
  return [...places.values()].flatMap(({ name, span }) => {
    if (known.includes(name)) return [];
    const isDeclared = model.roles.has(name);
    const near = isDeclared ? undefined : nearest(name, known);
    const message = isDeclared
      ? `“roles” never contains ${name}, because nobody grants this role.`
      : `“roles” never contains “${name}”, because there is no such role.`;
    const hint =
      near === undefined
        ? `“roles” contains what an administrator grants: ${known.join(", ")}.`
        : `Did you mean “${near}”?`;
    return [finding("NEVER_TRUE", span, message, hint, near === undefined ? {} : { nearest: near })];
  });
};
