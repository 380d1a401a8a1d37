import { choosePhrases, createTranslator, type Translate } from "../../core/derive/client/localize.ts";
import { fillBraces } from "../../core/expression/syntax/braces.ts";
import type { Type } from "../../core/expression/values/type.ts";
import type { MailedLetter } from "../../core/model/effect.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findLetter } from "../../core/model/facts/letter-name.ts";
import { recordPath } from "../../core/model/facts/record-path.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import { DEPUTY } from "../../core/model/permissions.ts";
import { loadParents } from "../execution/load-parents.ts";
import type { Service } from "../execution/service.ts";
import { loadStandIns } from "../execution/stand-ins.ts";
import { type NotifyEffect, readNoticeWords, type StoredRun } from "../plan/effects/notice-words.ts";
import { fillPlaceholders, valuesByPlaceholder } from "../plan/row/labels.ts";
import { groupBy } from "../util/group-by.ts";
import type { DueNotice, Recipient } from "./due-notices.ts";
import { getMails, type Mails, toAccount } from "./email-templates.ts";
import { getMailColours, type MailContent, type MailItem, type MailRecord, toHtml, toText } from "./mail-body.ts";
import { digestTime, timingFor } from "./mail-preference.ts";
import { factFields, factsInWords, formatInLanguage, type ReadFacts, readFacts } from "./notification-facts.ts";
import { createTransitionLink, type NewTransitionLink, offersTransitions } from "./transition-links.ts";
import { unsubscribeAddress } from "./unsubscribe.ts";

/** Maximum number of transitions of a record in a mail. */
const MAX_ACTS = 3;
/** Maximum number of letters that a mail brings. */
const MAX_LETTERS = 5;

/** A mail in the queue. */
export interface ComposedMail {
  readonly recipient: string;
  readonly person: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The letters that are drawn when it is sent; null without one. */
  readonly letters: readonly MailedLetter[] | null;
}

/** The texts and formats of one language. */
interface LanguageTexts {
  readonly words: Mails;
  readonly say: Translate;
  readonly format: Format;
  readonly language: string;
}

const MOMENT: Type = { kind: "datetime" };

const offersActs = ({ record }: MailItem): boolean => record !== null && record.acts.length > 0;

const rolesKey = ({ to }: DueNotice): string => [...to.principal.granted].sort().join(",");

const shownKey = (person: string, record: string): string => `${person} ${record}`;

/** Composes the mails of one run, from values that are read once for all of them. */
export class NotificationComposer {
  readonly #service: Service;
  readonly #origin: string;
  readonly #now: Date;
  readonly #effects: ReadonlyMap<string, NotifyEffect>;
  readonly #textsByLanguage = new Map<string, LanguageTexts>();
  /** The values of texts, by notification. */
  readonly #words = new Map<StoredRun, readonly unknown[]>();
  /** The record whose page shows the record of a notification. */
  readonly #shown = new Map<DueNotice, { readonly entity: string; readonly record: string }>();
  readonly #facts = new Map<string, ReadFacts>();
  /** The work that a notification hands to its reader, by notification. */
  readonly #handed = new Map<DueNotice, string>();
  /** The links in the mails composed so far. */
  readonly links: NewTransitionLink[] = [];

  constructor(service: Service, origin: string, now: Date) {
    this.#service = service;
    this.#origin = origin;
    this.#now = now;
    this.#effects = notifyEffects(service.model);
  }

  /** Reads everything that the mails need, with one statement for all recipients who have the same roles. */
  async read(notices: readonly DueNotice[]): Promise<void> {
    const { context, database, model, caller } = this.#service;
    const groups = groupBy(
      notices,
      (notice) => `${notice.clause} ${rolesKey(notice)} ${notice.mailed.actor} ${notice.mailed.moment}`,
    );
    for (const some of groups.values()) {
      const [first] = some;
      const effect = first && this.#effectOf(first);
      const entity = model.entities.get(first?.entity ?? "");
      if (first === undefined || effect === undefined || entity === undefined) continue;
      const { principal } = first.to;
      const subject = { entity, effect, principal };
      const runs = some.flatMap((notice): readonly StoredRun[] => [notice, ...notice.further]);
      const found = await readNoticeWords(context, caller(principal, this.#now), subject, runs, database.batch);
      for (const [run, words] of found) this.#words.set(run, words);
    }
    for (const some of groupBy(notices, ({ person }) => person).values()) {
      const [first] = some;
      if (first === undefined) continue;
      const parents = await loadParents(this.#service, first.to.principal, this.#now, some);
      for (const notice of some) this.#shown.set(notice, parents.get(notice.record) ?? notice);
    }
    await this.#readHanded(notices.filter(({ entity, mailed }) => entity === DEPUTY && mailed.moment === "create"));
    const byEntity = groupBy(notices, (notice) => `${this.#shown.get(notice)?.entity} ${rolesKey(notice)}`);
    for (const some of byEntity.values()) {
      const [first] = some;
      const entity = first && model.entities.get(this.#shown.get(first)?.entity ?? "");
      if (first === undefined || !entity?.served) continue;
      const pairs = new Map(
        some.map((notice) => {
          const { person } = notice;
          const record = this.#shown.get(notice)?.record ?? notice.record;
          return [shownKey(person, record), { person, record }];
        }),
      );
      const found = await readFacts(this.#service, first.to.principal, this.#now, entity, [...pairs.values()]);
      for (const [key, facts] of found) this.#facts.set(key, facts);
    }
  }

  /** The work of somebody who names the reader as deputy, in the reader's language, unless that has ended. */
  async #readHanded(notices: readonly DueNotice[]): Promise<void> {
    const { model } = this.#service;
    for (const some of groupBy(notices, ({ person }) => person).values()) {
      const [first] = some;
      if (first === undefined) continue;
      const { principal, language } = first.to;
      const { words } = this.#textsIn(language);
      const phrases = choosePhrases(model, language);
      const standIns = await loadStandIns(this.#service, principal, this.#now, phrases, language);
      for (const notice of some) {
        const found = standIns.find(({ id, deputy }) => id === notice.record && deputy.id === principal.id);
        if (found?.handed) this.#handed.set(notice, words.deputyWork(found.person.label, found.handed.acts));
      }
    }
  }

  /** Composes a mail about one notification. Mails about one record form a thread. */
  async single(notice: DueNotice): Promise<ComposedMail> {
    const { to, id } = notice;
    const { words } = this.#textsIn(to.language);
    const shown = this.#shown.get(notice) ?? notice;
    const [item] = this.#items([notice], () => "");
    if (item === undefined) throw new Error("a notification has an item");
    const host = new URL(this.#origin).hostname;
    const subject = item.record?.label ?? words.noticeSubject(this.#name(to));
    return this.#mail(notice, { subject }, [item], this.#letters([notice]), {
      "message-id": `<${id}@${host}>`,
      ...(item.record === null ? {} : threadHeaders(`<${shown.entity}.${shown.record}@${host}>`)),
    });
  }

  /** Composes one mail about several notifications. */
  async digest(notices: readonly DueNotice[]): Promise<ComposedMail> {
    const [first] = notices;
    if (first === undefined) throw new Error("a digest needs notifications");
    const { to, id } = first;
    const { words, format } = this.#textsIn(to.language);
    const items = this.#items(notices, ({ at }) => `${format(at.toISOString(), MOMENT)} · `);
    const subject = words.digestSubject(this.#name(to), notices.length);
    // The items begin with times; the list of mails shows what happened.
    const preview = notices.map((notice) => this.#text(notice)).join(" · ");
    return this.#mail(first, { subject, preview }, items, this.#letters(notices), {
      "message-id": `<${id}.digest@${new URL(this.#origin).hostname}>`,
    });
  }

  /** `notice`: one of the notifications of the mail. All of them have the same timing. */
  async #mail(
    { to, entity }: DueNotice,
    { subject, preview }: { readonly subject: string; readonly preview?: string },
    items: readonly MailItem[],
    letters: readonly MailedLetter[],
    headers: Readonly<Record<string, string>>,
  ): Promise<ComposedMail> {
    const { words, language } = this.#textsIn(to.language);
    const { foot, acts, all, settings, stop } = words.notice(this.#name(to));
    const { model } = this.#service;
    const isDaily = timingFor(to.preference, entity) === "daily";
    const titles = [...new Set(items.flatMap(({ record }) => record?.acts.map(([title]) => title) ?? []))];
    const unsubscribe = await unsubscribeAddress(this.#service.database, this.#origin, to.id);
    const content: MailContent = {
      language,
      colours: getMailColours(model),
      ...(preview === undefined ? {} : { preview }),
      items,
      ...(titles.length === 0 ? {} : { note: acts(titles, model.limits.mailTransitionHours) }),
      foot: foot(isDaily ? digestTime(to.preference, model.timezone) : null),
      footLinks: [
        [all, `${this.#origin}/sign-in/notifications`],
        [settings, toAccount(this.#origin)],
        [stop, unsubscribe.page],
      ],
    };
    return {
      recipient: to.email,
      person: to.id,
      subject: subject.replaceAll(/\s+/gu, " ").slice(0, 200),
      text: toText(content),
      html: toHtml(content),
      headers: {
        ...headers,
        "list-unsubscribe": `<${unsubscribe.post}>`,
        "list-unsubscribe-post": "List-Unsubscribe=One-Click",
        "auto-submitted": "auto-generated",
      },
      letters: letters.length === 0 ? null : letters,
    };
  }

  /** The letters that the notifications bring, each once; the newest ones, if there are too many. */
  #letters(notices: readonly DueNotice[]): readonly MailedLetter[] {
    const { model } = this.#service;
    const found = notices.flatMap((notice): readonly MailedLetter[] => {
      const name = this.#effectOf(notice)?.attaches ?? null;
      const letter = name === null ? undefined : findLetter(model, notice.entity, name);
      if (letter === undefined) return [];
      const { language } = notice.to;
      return [notice, ...notice.further].map(({ record }) => ({ screen: letter.path, record, language }));
    });
    return [...new Map(found.map((letter) => [`${letter.screen} ${letter.record}`, letter])).values()].slice(
      -MAX_LETTERS,
    );
  }

  /**
   * The items of one mail, one for each record: the texts of its notifications, and the record as it is now. Those with
   * transitions come first, because they may wait for the reader.
   */
  #items(notices: readonly DueNotice[], beginsWith: (notice: DueNotice) => string): readonly MailItem[] {
    // Notifications about records that their reader cannot read stay apart.
    const byRecord = groupBy(notices, (notice) => {
      const { record } = this.#shown.get(notice) ?? notice;
      return this.#facts.has(shownKey(notice.person, record)) ? record : notice.id;
    });
    const items = [...byRecord.values()].flatMap((some): readonly MailItem[] => {
      const newest = some.at(-1);
      const text = some.map((notice) => `${beginsWith(notice)}${this.#text(notice)}`).join("\n");
      return newest === undefined ? [] : [{ text, record: this.#record(newest) }];
    });
    return [...items.filter(offersActs), ...items.filter((item) => !offersActs(item))];
  }

  /**
   * The text in the reader's language, with a line for each further part. If the document no longer has the clause, no
   * value can be checked, and none is shown.
   */
  #text(notice: DueNotice): string {
    const { further, furtherCount, to } = notice;
    const runs: readonly StoredRun[] = [notice, ...further];
    const unnamed = furtherCount - further.length;
    const { othersInNotice } = this.#textsIn(to.language).words;
    const handed = this.#handed.get(notice);
    return [
      ...runs.map((run) => this.#textOf(notice, run)),
      ...(unnamed > 0 ? [othersInNotice(unnamed)] : []),
      ...(handed === undefined ? [] : [handed]),
    ].join("\n");
  }

  #textOf(notice: DueNotice, run: StoredRun): string {
    const { say, format } = this.#textsIn(notice.to.language);
    const effect = this.#effectOf(notice);
    const translation = say(notice.message);
    if (effect === undefined) return fillBraces(translation, () => "…");
    const values = valuesByPlaceholder(effect.message, effect.text, this.#words.get(run) ?? []);
    return fillPlaceholders(translation, values, format);
  }

  #record(notice: DueNotice): MailRecord | null {
    const { model } = this.#service;
    const { say, format, words } = this.#textsIn(notice.to.language);
    const shown = this.#shown.get(notice) ?? notice;
    const entity = model.entities.get(shown.entity);
    const facts = this.#facts.get(shownKey(notice.person, shown.record));
    if (entity === undefined || facts === undefined) return null;
    const { open } = words.notice("");
    return {
      ...factsInWords(entity, facts, format, say, factFields(model, entity)),
      link: [open, `${this.#origin}${recordPath(model, entity, shown.record)}`],
      acts: this.#acts(notice.to, entity, shown.record, facts),
    };
  }

  /** Links to the transitions that the person can make now: those that the document names as main actions come first. */
  #acts({ id, email, language }: Recipient, entity: Entity, record: string, { can }: ReadFacts): MailRecord["acts"] {
    if (!offersTransitions(this.#service.model)) return [];
    const { say } = this.#textsIn(language);
    return can.transitions
      .flatMap((name) => entity.states?.transitions.get(name) ?? [])
      .sort((a, b) => Number(b.main === true) - Number(a.main === true))
      .slice(0, MAX_ACTS)
      .map(({ name, title }) => {
        const of = { person: id, email: email.toLowerCase(), entity: entity.name, record, transition: name };
        const { link, address } = createTransitionLink(this.#origin, of);
        this.links.push(link);
        return [say(title), address] as const;
      });
  }

  #effectOf({ clause, message }: DueNotice): NotifyEffect | undefined {
    const effect = this.#effects.get(clause);
    return effect?.message === message ? effect : undefined;
  }

  #name({ language }: Recipient): string {
    return this.#textsIn(language).say(this.#service.model.name);
  }

  #textsIn(language: string): LanguageTexts {
    const known = this.#textsByLanguage.get(language);
    if (known !== undefined) return known;
    const { model } = this.#service;
    const say = createTranslator(model, language);
    const texts = { words: getMails(language), say, format: formatInLanguage(model, language, say), language };
    this.#textsByLanguage.set(language, texts);
    return texts;
  }
}

const threadHeaders = (thread: string) => ({ "in-reply-to": thread, references: thread });

const notifyEffects = ({ entities }: Model): ReadonlyMap<string, NotifyEffect> =>
  new Map(
    [...entities.values()]
      .flatMap(({ after }) => [...after.values()].flat())
      .flatMap((effect) => (effect.kind === "notify" ? [[effect.clause.id, effect] as const] : [])),
  );
