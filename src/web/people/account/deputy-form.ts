import type { RecordJson } from "../../../core/wire/records.ts";
import { CallFailed, toFailure } from "../../api/api-error.ts";
import { readFormField } from "../../field/form-values.ts";
import type { OneShotForm } from "../../form/use-one-shot-form.tsx";
import type { Show } from "../../format/format.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { isReference } from "../../format/value-shapes.ts";

/** The error that a person has another deputy on these days. */
export const TWICE = "5.Deputy.DEPUTY_TWICE";

/** True for an arrangement of this person with a deputy. */
export const isAwayIn = ({ person }: RecordJson, id: string): boolean => isReference(person) && person.id === id;

/** The people and days of an arrangement in words. */
export const getNames = ({ first_day, last_day, deputy, person }: RecordJson, show: Pick<Show, "shortDays">) => ({
  days: show.shortDays(String(first_day), String(last_day)),
  until: show.shortDays(String(last_day), String(last_day)),
  deputy: isReference(deputy) ? deputy.label : "…",
  person: isReference(person) ? person.label : "…",
});

/** The day that is entered; null if it can’t be read. */
export const readDay = (form: OneShotForm["form"], name: string, context: LocaleContext): string | null => {
  const field = form.fields.find((one) => one.name === name);
  const read = field && readFormField(field, form, context);
  return read?.kind === "value" && typeof read.value === "string" ? read.value : null;
};

/** The form with the taken days at the last day, before sending. */
export const withTaken = (oneShot: OneShotForm, message: string): OneShotForm => ({
  ...oneShot,
  broken: [...oneShot.broken, { kind: "refused", field: "last_day", clause: TWICE, message, help: null }],
});

/**
 * The refusal with its errors at the fields of the form, and with this sentence about taken days at the last day. It is worded
 * once, when the response comes: errors that change while somebody types take the focus each time.
 */
export const atFields = (thrown: unknown, taken: string | undefined): unknown => {
  const failure = toFailure(thrown);
  if (failure.kind !== "refused") return thrown;
  const { problem } = failure;
  // Taken days are wrong in both arrangements; the form is about the new one.
  const own = problem.errors?.filter(({ clause, at }) => clause !== TWICE || !at.startsWith("/ends/"));
  const errors = own?.map((one) =>
    one.clause === TWICE && taken !== undefined
      ? { ...one, at: "/last_day", message: taken }
      : { ...one, at: one.at.replace(/^\/values/u, "") },
  );
  return new CallFailed({ kind: "refused", problem: errors === undefined ? problem : { ...problem, errors } }, thrown);
};
