import { createMailer, type Mailer } from "../../jobs/mails.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { writeLine } from "./write-line.ts";

/** The mail server that the environment names. Throws a usage error. */
export const findMailer = (environment: typeof process.env): Mailer | undefined => {
  try {
    return createMailer(environment);
  } catch (error) {
    throw new CommandFailed(exits.usage, error instanceof Error ? error.message : String(error));
  }
};

/** `NINEFOLD_CLOCK` sets the time at the start, for tests and trials. The clock runs from there. */
export const createClock = (set: string | undefined, say = writeLine): (() => Date) => {
  if (set === undefined || set === "") return () => new Date();
  const begins = Date.parse(set);
  if (Number.isNaN(begins))
    throw new CommandFailed(
      exits.usage,
      `NINEFOLD_CLOCK is “${set}”, which isn’t a date and time.`,
      "Write for example 2026-03-01T08:00:00Z.",
    );
  const ahead = begins - Date.now();
  say(`NINEFOLD_CLOCK sets the time to ${new Date(begins).toISOString()}.`);
  return () => new Date(Date.now() + ahead);
};
