import { getPhrasesFor } from "../../core/explain/language.ts";
import { callsThatWait } from "../../core/model/environment.ts";
import { isRoot } from "../../postgres/embedded/index.ts";
import { hasAdministrator } from "../../server/accounts/create-person.ts";
import { createFirstAdministratorToken } from "../../server/accounts/first-administrator.ts";
import { toSamplePersonJson } from "../../server/auth/demo-sign-in.ts";
import type { Serving } from "../../server/serve.ts";
import type { OpenDocument } from "../../server/serving/open-document.ts";
import { findMailer } from "./environment.ts";
import type { RunDatabase } from "./run-database.ts";
import { isOwnMachine, type RunOptions } from "./run-options.ts";
import { writeLine } from "./write-line.ts";

/** Prints the address and, for a demonstration, a sign-in link for each role. */
export const printGreeting = async (
  opened: OpenDocument,
  serving: Serving,
  store: RunDatabase,
  now: Date,
): Promise<void> => {
  const { model } = opened.service;
  writeLine(`\n${model.name} runs at ${serving.url}\n`);
  if (serving.figures !== null) printMetrics(serving.figures);
  const shown = new Set<string>();
  const { demonstration } = serving;
  const phrases = getPhrasesFor(model.locale);
  const people = (demonstration?.people ?? []).map((person) => ({
    ...person,
    // As the sign-in page names them.
    role:
      demonstration === null
        ? undefined
        : toSamplePersonJson(demonstration, model, person, phrases, model.locale).titles[0],
  }));
  // People without a role come last, because most documents show them nothing.
  for (const { role = "a person without a role", name, token } of people.toSorted(
    (one, other) => Number(one.role === undefined) - Number(other.role === undefined),
  )) {
    if (shown.has(role)) continue;
    shown.add(role);
    writeLine(`  sign in as ${role} (${name}): ${serving.url}/sign-in#demo=${token}`);
  }
  if (shown.size > 0) {
    writeLine("\nThis is a demonstration: anyone who uses this machine can sign in without a password.");
    writeLine("To change the application, sign in as Administrator and open the workbench.");
  }
  const waiting = [...callsThatWait(model, process.env)].map(([call, names]) => `${call} needs ${names.join(" and ")}`);
  if (store.demonstration && waiting.length > 0)
    writeLine(`Some calls to other programs are not sent until variables are set: ${waiting.join(", ")}.`);
  if (!(await hasAdministrator(opened.service)))
    writeLine(
      `  create the first administrator (link valid for one day): ${serving.url}/sign-in#first=${await createFirstAdministratorToken(opened.service.database, now)}`,
    );
  if (model.open.length > 0)
    writeLine(
      model.open.length === 1
        ? "1 open point: the workbench shows it with the default in use."
        : `${model.open.length} open points: the workbench lists them with the defaults in use.`,
    );
  if (store.embedded !== undefined && process.stdout.isTTY === true)
    writeLine("Press Ctrl+C to stop. Your data is kept.");
};

export const printMetrics = (address: string): void => writeLine(`  metrics for Prometheus: ${address}`);

/** Prints how many processes serve the application. */
export const printWorkers = (count: number): void => {
  writeLine(`  ${count} processes serve it.`);
  if (process.stdout.isTTY === true) writeLine("Press Ctrl+C to stop. Your data is kept.");
};

/** Says why no emails with links arrive although there is a mail server. */
export const warnAboutMails = ({ site }: RunOptions, environment: NodeJS.ProcessEnv): void => {
  if (site.origin === null && findMailer(environment) !== undefined)
    writeLine(
      "  Without --origin, no emails with links are sent: no notifications, invitations or links for new passwords. Add --origin with the address that people open.",
    );
};

/** Warns about options that expose the application to other machines without protection. */
export const warnAboutExposure = ({ host, site }: RunOptions): void => {
  if (!isOwnMachine(host) && site.origin?.startsWith("https:") !== true)
    writeLine("  The connection isn’t encrypted. Put a proxy that speaks HTTPS in front, and name it with --origin.");
  if (site.origin !== null && site.proxies.length === 0)
    writeLine(
      "  Without --proxy, all requests come from one address, so one person who guesses passwords slows down every sign-in. Name the proxy's address.",
    );
  if (isRoot() && (!isOwnMachine(host) || site.origin !== null))
    writeLine(
      "  It runs as root and other machines can reach it. Run it as a user of its own, for example with User= of systemd.",
    );
};
