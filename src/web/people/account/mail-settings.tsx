import type { ReportJson } from "../../../core/wire/accounts/account.ts";
import type { MailPreferenceJson, MailTiming } from "../../../core/wire/accounts/preferences.ts";
import { useApplication, useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Choice } from "./setting-choice.tsx";

/** The time zone of this browser. */
const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);

interface MailSettingsProps {
  readonly entities: readonly string[];
  readonly reports: readonly ReportJson[];
}

/** Emails about notifications: at once, once a day, or never; and other choices for single entities. */
export const MailSettings = ({ entities, reports }: MailSettingsProps) => {
  const { preferences } = useClient();
  const { entities: known, timezone } = useApplication();
  const { say } = useWords();
  const mail = useStore(preferences.mail);
  const { when = "now", at = "08:00", zone, kinds = {} } = mail;
  const stopped = mail.reports === "never" ? reports.map(({ screen }) => screen) : (mail.stopped ?? []);
  const choose = (change: MailPreferenceJson) => preferences.mail.set({ ...mail, ...change });
  const timings = [
    { value: "now", words: say("mails.now") },
    { value: "daily", words: say("mails.daily") },
    { value: "never", words: say("mails.never") },
  ] as const;
  const chooseKind = (entity: string, timing: string) =>
    choose({
      kinds: Object.fromEntries([
        ...Object.entries(kinds).filter(([name]) => name !== entity),
        ...(isTiming(timing) ? [[entity, timing] as const] : []),
      ]),
      zone: zone ?? zoneHere(),
    });
  const isDaily = when === "daily" || Object.values(kinds).includes("daily");
  const shown = entities.filter((name) => known[name] !== undefined);
  return (
    <section aria-labelledby="mails" className="people-part settings">
      <h2 id="mails">{say("mails.title")}</h2>
      <Choice
        label={say("mails.when")}
        value={when}
        options={timings}
        onChoose={(value) => isTiming(value) && choose({ when: value, zone: zone ?? zoneHere() })}
      />
      {isDaily && (
        <Choice
          label={say("mails.at", { zone: zone ?? timezone })}
          value={at}
          options={[...new Set([...hours, at])].sort().map((value) => ({ value, words: value }))}
          onChoose={(value) => choose({ at: value, zone: zoneHere() })}
        />
      )}
      {shown.length > 1 &&
        shown.map((name) => (
          <Choice
            key={name}
            label={say("mails.about", { many: known[name]?.many ?? name })}
            value={kinds[name] ?? ""}
            options={[{ value: "", words: say("mails.like.others") }, ...timings]}
            onChoose={(value) => chooseKind(name, value)}
          />
        ))}
      {reports.map(({ screen, title, days, time }) => (
        <Choice
          key={screen}
          label={say("mails.report", { title })}
          value={stopped.includes(screen) ? "never" : "sent"}
          options={[
            { value: "sent", words: say("mails.reports.sent", { days, time }) },
            { value: "never", words: say("mails.never") },
          ]}
          onChoose={(value) => {
            const { reports: _, ...others } = mail;
            const kept = stopped.filter((one) => one !== screen);
            preferences.mail.set({ ...others, stopped: value === "never" ? [...kept, screen] : kept });
          }}
        />
      ))}
      <p className="small-words">{say("mails.words")}</p>
    </section>
  );
};

/** In place of the settings while the application has no mail server, and for sample people, whose addresses are made up. */
export const NoMails = ({ isSample }: { isSample: boolean }) => {
  const { say } = useWords();
  return (
    <section aria-labelledby="mails" className="people-part">
      <h2 id="mails">{say("mails.title")}</h2>
      <p>{say(isSample ? "mails.sample" : "mails.off")}</p>
    </section>
  );
};

const isTiming = (value: string): value is MailTiming => value === "now" || value === "daily" || value === "never";
