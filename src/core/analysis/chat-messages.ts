import { toReaders } from "../derive/authorization/chat-readers.ts";
import { readableFieldsFor } from "../derive/authorization/grants.ts";
import { templateExpressions } from "../expression/compile/template.ts";
import { type Expr, subexpressions } from "../expression/expr.ts";
import { finding } from "../findings.ts";
import type { Analyzer } from "./analyzer.ts";

/** Finds values in messages to a chat that the readers of the channel can never read. */
export const findUnreadableMessages: Analyzer = ({ model }) =>
  [...model.entities.values()].flatMap(({ after }) =>
    [...after.values()].flat().flatMap((effect) => {
      if (effect.kind !== "chat") return [];
      const channel = model.outgoing.get(effect.call);
      if (channel === undefined) return [];
      const readers = toReaders(model, effect.call);
      const isHidden = ({ entity, field }: Field): boolean =>
        model.entities.get(entity.name)?.fields.has(field.name) === true &&
        !readableFieldsFor(model, entity.name, readers).has(field.name);
      const hidden = templateExpressions(effect.text).flatMap(listFields).find(isHidden);
      if (hidden === undefined) return [];
      const name = `${hidden.entity.name}.${hidden.field.name}`;
      return finding(
        "NOBODY_READS",
        hidden.span,
        `The readers of ${effect.call} can’t read ${name}, so the message shows “…” in its place.`,
        channel.chat?.readers == null
          ? "Write at the channel who its readers are, such as “readers: staff”, or remove the value."
          : "Permit it for their role whatever person reads it, or remove the value.",
        { clause: effect.clause.id },
      );
    }),
  );

type Field = Extract<Expr, { kind: "field" }>;

const listFields = (expr: Expr): readonly Field[] => [
  ...(expr.kind === "field" ? [expr] : []),
  ...subexpressions(expr).flatMap(listFields),
];
