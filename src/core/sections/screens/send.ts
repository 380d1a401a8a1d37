import { listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { flag, plainText, word } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import { type Schedule, type ScheduleDays, scheduleDays } from "../../model/facts/schedule.ts";
import type { Send } from "../../model/screen.ts";
import { onlyNearest } from "../../source-text.ts";
import type { Linking } from "../linking/link-context.ts";
import { findAudience } from "./screen-fields.ts";

/** Point 2: a list or an overview that is sent by mail on a schedule. */
export const sendShape = record("when and to whom it is sent", {
  every: required(plainText),
  to: required(listOrOne(name("role"))),
  attach: optional(word("csv")),
  empty: optional(flag),
});

type SendSyntax = ShapeValue<typeof sendShape>;

const isDays = (text: string): text is ScheduleDays => (scheduleDays as readonly string[]).includes(text);

/** `monday 08:00`, `working day 8:30`. Undefined if it is not a schedule. */
const readSchedule = (text: string): Schedule | undefined => {
  const [, days = "", hour = "", minute = ""] = /^([a-z ]+?) +([01]?\d|2[0-3]):([0-5]\d)$/u.exec(text) ?? [];
  return isDays(days) ? { days, time: `${hour.padStart(2, "0")}:${minute}` } : undefined;
};

/** Suggests `monday 08:00` for `Mondays at 8:00`. */
const scheduleMeant = (text: string): string | undefined => {
  const [, dayText = "", time = ""] =
    /^(.+?)s?(?:,| at)? +((?:[01]?\d|2[0-3]):[0-5]\d)$/u.exec(text.toLowerCase()) ?? [];
  const days = isDays(dayText) ? dayText : onlyNearest(dayText, scheduleDays);
  return days === undefined ? undefined : `${days} ${time.padStart(5, "0")}`;
};

export const linkSend = (
  syntax: SendSyntax | undefined,
  roles: ReadonlySet<string>,
  linking: Linking,
  clause: string,
): { readonly send?: Send } => {
  if (syntax === undefined) return {};
  const to = findAudience(syntax.to, roles, linking) ?? [];
  const every = readSchedule(syntax.every.value);
  if (every === undefined) {
    const near = scheduleMeant(syntax.every.value);
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.every.span,
        `“${syntax.every.value}” is not a schedule.`,
        near === undefined
          ? "Write a day and a time, such as “monday 08:00”, “working day 08:00”, “day 18:30” or “month 07:00”."
          : `Did you mean “${near}”?`,
        near === undefined ? { clause } : { clause, nearest: near, fix: [{ span: syntax.every.span, text: near }] },
      ),
    );
    return {};
  }
  return {
    send: { every, to, attaches: syntax.attach?.value ?? null, sendsEmpty: syntax.empty?.value === true },
  };
};
