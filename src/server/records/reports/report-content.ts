import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { buildManifest } from "../../../core/derive/client/app-manifest.ts";
import { tileAddress } from "../../../core/derive/client/list-address.ts";
import { choosePhrases, type Translate } from "../../../core/derive/client/localize.ts";
import { chooseNotation, keepsTarget, withUnit } from "../../../core/derive/client/measured-values.ts";
import { durationInWords } from "../../../core/import/duration-words.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { recordPath } from "../../../core/model/facts/record-path.ts";
import { isOfRecord } from "../../../core/model/field.ts";
import { type Format, formatLocale } from "../../../core/model/format.ts";
import type { ListScreen, Send, TilesScreen } from "../../../core/model/screen.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { PivotJson } from "../../../core/wire/groups.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Count, ListJson } from "../../../core/wire/lists.ts";
import type { GroupJson, OverviewJson, TileDataJson } from "../../../core/wire/overview.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type {
  ListScreenJson,
  MeasureJson,
  PivotFieldsJson,
  TileJson,
  TilesScreenJson,
} from "../../../core/wire/screens.ts";
import type { Service } from "../../execution/service.ts";
import { nameFile } from "../../files/file-name.ts";
import { readJsonBody } from "../../http/reply.ts";
import type { Intent, ListIntent } from "../../intent.ts";
import { getMails, type ReportWords } from "../../mail/email-templates.ts";
import type { MailAttachment, MailBars, MailFigure, MailItem, MailRow, MailTable } from "../../mail/mail-body.ts";
import { findLabelFields, formatInLanguage } from "../../mail/notification-facts.ts";
import { csvLine, csvRow, formatHead, toCsvFormat } from "../csv.ts";
import { buildBars } from "./report-chart.ts";
import { buildPivotTable, formatPeriod } from "./report-pivot.ts";

/** A list or an overview as one person sees it, for a mail. */
export interface ScreenReport {
  readonly title: string;
  readonly items: readonly MailItem[];
  readonly attachment: MailAttachment | null;
}

/** The reader of a report. `origin`: the base of its links. */
export interface ReportReader {
  readonly principal: Principal;
  readonly language: string;
  readonly origin: string;
  readonly now: Date;
}

type ChartJson = TileJson & { readonly kind: "chart" };
type FigureJson = TileJson & { readonly kind: "figure" };

export type SentScreen = (ListScreen | TilesScreen) & { readonly send: Send };

/** Maximum number of rows in a mail, and of values in a row. */
const MAX_ROWS = 50;
const MAX_VALUES = 5;
/** Maximum number of rows in an attached file, read this many at a time. */
const MAX_ATTACHED = 5_000;
const ATTACHED_AT_ONCE = 500;

/** Reads a screen as its reader sees it now; null if they may not see it, or if it shows nothing. */
export const readReport = async (
  service: Service,
  screen: SentScreen,
  reader: ReportReader,
): Promise<ScreenReport | null> => {
  const { model } = service;
  const { principal, language } = reader;
  const { screens, entities } = buildManifest(model, principal, choosePhrases(model, language));
  const shown = screens.find(({ kind, path }) => kind === screen.kind && path === screen.path);
  const composer = new ReportComposer(service, reader, entities);
  if (shown?.kind === "list") return composer.list(shown, screen.send);
  return shown?.kind === "tiles" ? composer.overview(shown, screen.send) : null;
};

class ReportComposer {
  readonly #service: Service;
  readonly #reader: ReportReader;
  readonly #entities: { readonly [name: string]: EntityJson };
  readonly #say: Translate;
  readonly #format: Format;
  readonly #words: ReportWords;
  readonly #open: string;

  constructor(service: Service, reader: ReportReader, entities: { readonly [name: string]: EntityJson }) {
    const { model } = service;
    const mails = getMails(reader.language);
    this.#service = service;
    this.#reader = reader;
    this.#entities = entities;
    this.#say = choosePhrases(model, reader.language).say;
    this.#format = formatInLanguage(model, reader.language, this.#say);
    this.#words = mails.report;
    this.#open = mails.notice("").open;
  }

  async list(screen: ListScreenJson, { sendsEmpty, attaches }: Send): Promise<ScreenReport | null> {
    const { model } = this.#service;
    const entity = model.entities.get(screen.entity);
    if (entity === undefined) return null;
    const intent: ListIntent = {
      kind: "list",
      entity: screen.entity,
      where: screen.where === null ? [] : [screen.where],
      filters: [],
      sort: screen.sort,
      limit: Math.min(MAX_ROWS, model.limits.pageSizeMax),
      after: null,
      count: true,
      may: false,
      label: true,
      search: null,
      among: null,
    };
    const [layout] = screen.layouts;
    const pivot = layout?.kind === "pivot" ? await this.#readPivot(intent, layout) : null;
    const page = await this.#read<ListJson>(intent);
    if (page === null || (page.items.length === 0 && !sendsEmpty)) return null;
    const title = this.#say(screen.title);
    const text = this.#count(entity, page.items.length, page.count ?? page.items.length);
    // A list that opens as a pivot is sent as one.
    const shown = pivot === null ? { rows: this.#rows(entity, screen.columns, page.items) } : { table: pivot };
    const file = attaches === "csv" && page.items.length > 0 ? await this.#csv(entity, screen.columns, intent) : null;
    const remark: readonly MailItem[] =
      file?.isCut === true ? [{ text: this.#words.file(MAX_ATTACHED), record: null }] : [];
    return {
      title,
      items: [
        {
          title: { text: title, level: 1, address: null },
          text,
          record: null,
          ...shown,
          more: this.#link(screen.path),
        },
        ...remark,
      ],
      attachment:
        file === null ? null : { name: nameFile(title, "csv"), type: "text/csv; charset=utf-8", text: file.text },
    };
  }

  async overview(screen: TilesScreenJson, { sendsEmpty }: Send): Promise<ScreenReport | null> {
    const found = await this.#read<OverviewJson>({ kind: "overview", screen: screen.path });
    if (found === null) return null;
    const tiles = screen.tiles.flatMap((tile, i) => {
      const data = found.tiles[i];
      return data === undefined || data.kind === "absent" ? [] : [{ tile, data }];
    });
    // Every tile is for a role that this person holds on no record.
    if (tiles.length === 0) return null;
    if (!sendsEmpty && !tiles.some(({ data }) => showsAnything(data))) return null;
    const title = this.#say(screen.title);
    const items: MailItem[] = [{ title: { text: title, level: 1, address: null }, text: "", record: null }];
    for (const { tile, data } of tiles) {
      const figure = this.#figure(tile, data);
      const last = items.at(-1);
      // Figures that follow each other, or the title, share a part.
      if (figure === null) items.push(...this.#tile(tile, data));
      else if (last !== undefined && (items.length === 1 || last.figures !== undefined))
        items[items.length - 1] = { ...last, figures: [...(last.figures ?? []), figure] };
      else items.push({ text: "", record: null, figures: [figure] });
    }
    const last = items.length - 1;
    return {
      title,
      items: items.map((item, i) => (i === last ? { ...item, more: this.#link(screen.path) } : item)),
      attachment: null,
    };
  }

  /** A list, a pivot or a chart. */
  #tile(tile: TileJson, data: TileDataJson): readonly MailItem[] {
    const entity = this.#service.model.entities.get(tile.entity);
    if (entity === undefined) return [];
    const item = (text: string, shown: Partial<MailItem>): readonly MailItem[] => [
      {
        title: { text: this.#say(tile.title), level: 2, address: this.#tileAddress(tile) },
        text,
        record: null,
        ...shown,
      },
    ];
    if (data.kind === "pivot" && tile.kind === "pivot") {
      const { count } = data.pivot;
      return item(
        this.#count(entity, count, count),
        count === 0 ? {} : { table: this.#pivotTable(entity, tile, data.pivot) },
      );
    }
    if (data.kind === "list" && tile.kind === "list")
      return item(this.#count(entity, data.items.length, data.count), {
        rows: this.#rows(entity, tile.columns, data.items),
      });
    if (data.kind !== "chart" || tile.kind !== "chart") return [];
    return data.groups.length === 0
      ? item(this.#words.empty, {})
      : item(this.#targetText(tile, null), { bars: this.#bars(entity, tile, data.groups) });
  }

  #bars(entity: Entity, tile: ChartJson, groups: readonly GroupJson[]): MailBars {
    const { field } = tile.per;
    const { language } = this.#reader;
    return buildBars({ ...tile.per, label: this.#say(tile.per.label) }, tile.value, groups, {
      words: this.#words,
      name: (key, label) =>
        label ??
        (field !== null
          ? this.#value(entity, field, key)
          : this.#format(key, { kind: typeof key === "boolean" ? "boolean" : "text" })),
      period: (first, step) =>
        step === "day" || step === "week" ? this.#format(first, { kind: "date" }) : formatPeriod(language, first, step),
      figure: (value) => this.#measured(tile.value, value),
    });
  }

  #tileAddress(tile: TileJson): string | null {
    const address = tileAddress(tile);
    return address === null ? null : `${this.#reader.origin}${address}`;
  }

  async #readPivot(list: ListIntent, fields: PivotFieldsJson): Promise<MailTable | null> {
    const { rows, columns, sum } = fields;
    const sums = sum === null ? [] : [sum];
    const pivot = await this.#read<PivotJson>({ kind: "pivot", list, by: [rows, columns], sums, isSmall: true });
    const entity = this.#service.model.entities.get(list.entity);
    return pivot === null || pivot.count === 0 || entity === undefined ? null : this.#pivotTable(entity, fields, pivot);
  }

  #pivotTable(entity: Entity, fields: PivotFieldsJson, pivot: PivotJson): MailTable {
    return buildPivotTable(fields, pivot, {
      words: this.#words.pivot,
      language: this.#reader.language,
      fields: this.#entities[entity.name]?.fields ?? [],
      say: this.#say,
      show: (field, value) => this.#value(entity, field, value),
      number: (value) => this.#format(value, { kind: "integer" }),
    });
  }

  #link(path: string): readonly [string, string] {
    return [this.#open, `${this.#reader.origin}${path}`];
  }

  async #read<T>(intent: Intent & { readonly kind: "list" | "pivot" | "groups" | "overview" }): Promise<T | null> {
    const { principal, now } = this.#reader;
    const outcome = await this.#service.perform(intent, principal, now);
    return outcome.kind === "found" ? (readJsonBody(outcome) as T) : null;
  }

  /** "12 requests", "The first 50 of 120" */
  #count({ name }: Entity, shown: number, count: Count): string {
    const called = this.#entities[name];
    if (count === 0 || called === undefined) return this.#words.empty;
    return shown === count
      ? this.#words.rows(shown, { one: this.#say(called.one), many: this.#say(called.many) })
      : this.#words.more(String(shown), typeof count === "number" ? this.#format(count, { kind: "integer" }) : count);
  }

  #rows(entity: Entity, columns: readonly string[], items: readonly RecordJson[]): readonly MailRow[] {
    const { model } = this.#service;
    const fields = this.#entities[entity.name]?.fields ?? [];
    const inLabel = findLabelFields(model, entity);
    return items.map((record) => {
      const label = record._label ?? "";
      const values = columns.flatMap((name) => {
        if (inLabel.has(name)) return [];
        const value = this.#value(entity, name, record[name] as Json | undefined);
        const title = fields.find((field) => field.name === name)?.label ?? name;
        return value === "" || value === label ? [] : [`${this.#say(title)}: ${value}`];
      });
      return {
        label,
        address: `${this.#reader.origin}${recordPath(model, entity, record.id)}`,
        values: values.slice(0, MAX_VALUES).join(" · "),
      };
    });
  }

  /** A value of a record in words; empty if there is none. */
  #value(entity: Entity, name: string, value: Json | undefined): string {
    if (value === null || value === undefined || value === "") return "";
    if (Array.isArray(value)) return value.map((one: Json) => this.#value(entity, name, one)).join(", ");
    if (typeof value === "object") {
      const { label, amount, name: file } = value as { readonly [member: string]: Json };
      const type = entity.fields.get(name)?.ruleType;
      if (amount !== undefined && type?.kind === "money") return this.#format(amount, type);
      return typeof label === "string" ? label : typeof file === "string" ? file : "";
    }
    const field = entity.fields.get(name);
    if (field === undefined) return this.#format(value, { kind: "datetime" });
    if (field.type === "duration") return durationInWords(String(value), this.#reader.language);
    if (field.ruleType.kind === "list") return this.#format(value, field.ruleType.of);
    return this.#format(value, field.ruleType);
  }

  #figure(tile: TileJson, data: TileDataJson): MailFigure | null {
    const figure = (value: string, notes: readonly string[] = []): MailFigure => ({
      title: this.#say(tile.title),
      value,
      address: this.#tileAddress(tile),
      notes: notes.filter((note) => note !== ""),
    });
    if (data.kind === "count")
      return figure(typeof data.count === "number" ? this.#format(data.count, { kind: "integer" }) : data.count);
    if (data.kind !== "figure" || tile.kind !== "figure") return null;
    const { compare, value: measure } = tile;
    const compared = compare === null ? "" : `${this.#say(compare.title)}: ${this.#measured(measure, data.compared)}`;
    return figure(this.#measured(measure, data.value), [compared, this.#targetText(tile, data.value)]);
  }

  #targetText({ target, value: measure }: FigureJson | ChartJson, value: string | null): string {
    if (target === null) return "";
    return this.#words.target(target, keepsTarget(value, target), this.#measured(measure, target.value));
  }

  #measured(measure: MeasureJson, value: string | null): string {
    if (value === null) return "–";
    const unit = measure.unit === null ? null : this.#say(measure.unit);
    const notation = chooseNotation({ ...measure, label: this.#say(measure.label), unit });
    switch (notation.kind) {
      case "share":
        return new Intl.NumberFormat(formatLocale(this.#reader.language), {
          style: "percent",
          maximumFractionDigits: 1,
        }).format(Number(value) / 100);
      case "money":
        return this.#format(value, notation);
      case "number":
        return withUnit(this.#format(value, { kind: "decimal" }), notation.unit);
    }
  }

  /** The rows of a list as CSV, as in an export. */
  async #csv(
    entity: Entity,
    columns: readonly string[],
    list: ListIntent,
  ): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const format = toCsvFormat(this.#service.model);
    const fields = columns.flatMap((name) => {
      const field = entity.fields.get(name);
      return field !== undefined && isOfRecord(field) ? [field] : [];
    });
    const lines = [csvLine(fields.map(formatHead))];
    const limit = Math.min(ATTACHED_AT_ONCE, this.#service.model.limits.pageSizeMax);
    let after: string | null = null;
    do {
      const page: ListJson | null = await this.#read<ListJson>({ ...list, limit, after, count: false, label: false });
      lines.push(...(page?.items ?? []).map((record) => csvRow(entity, fields, record, format)));
      after = page?.next ?? null;
    } while (after !== null && lines.length <= MAX_ATTACHED);
    return { text: `\uFEFF${lines.slice(0, MAX_ATTACHED + 1).join("")}`, isCut: after !== null };
  }
}

const showsAnything = (data: TileDataJson): boolean => {
  switch (data.kind) {
    case "count":
    case "list":
      return data.count !== 0;
    case "figure":
      return data.value !== null && Number(data.value) !== 0;
    case "pivot":
      return data.pivot.count > 0;
    case "chart":
      return data.groups.length > 0;
  }
};
