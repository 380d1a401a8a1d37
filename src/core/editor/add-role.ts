import { renderPage } from "../document/rendered-page.ts";
import { addBlock } from "../draft/write-step.ts";
import type { Edit, Source } from "../source-text.ts";
import { hasPoint, toEdit } from "./add-error.ts";

const toRole = (name: string): string => `${name}: { members: granted }`;

/** Adds a line to the roles of point 6 in a text. Undefined if they are not lines of their own. */
const addToRoles = (source: Source, name: string): string | undefined => {
  for (const block of renderPage(source).toReversed()) {
    if (block.kind !== "block" || !block.runs || block.point !== 6) continue;
    const head = block.lines.findIndex(({ text }) => /^roles:\s*(?:#.*)?$/u.test(text));
    if (head < 0) continue;
    const end = block.lines.findIndex(({ text }, at) => at > head && /^\S/u.test(text));
    const roles = block.lines.slice(head + 1, end < 0 ? undefined : end).filter(({ text }) => text.trim() !== "");
    const last = roles.at(-1);
    const indent = /^ +(?=\S)/u.exec(roles[0]?.text ?? "")?.[0];
    if (last === undefined || indent === undefined) continue;
    const place = last.start + last.text.length;
    const { text } = source;
    return `${text.slice(0, place)}${text.includes("\r\n") ? "\r\n" : "\n"}${indent}${toRole(name)}${text.slice(place)}`;
  }
  return undefined;
};

/**
 * The edit that adds a role to point 6, which it creates if there is none; `file` is where it is created. Administrators grant
 * the role. Undefined if the name can’t be one, or is that of a role on records.
 */
export const addRole = (sources: readonly Source[], file: string, name: string): Edit | undefined => {
  const source = sources.find((own) => hasPoint(own, 6)) ?? sources.find((own) => own.file === file);
  if (source === undefined || !/^[a-z]\w*$/u.test(name) || /^(?:nobody|no_?one|none)$/u.test(name)) return undefined;
  const isOnRecords = sources.some(({ text }) => new RegExp(`[\\s{,]${name}:`, "u").test(text));
  if (isOnRecords) return undefined;
  return toEdit(source, addToRoles(source, name) ?? addBlock(source.text, 6, `roles:\n  ${toRole(name)}`).text);
};
