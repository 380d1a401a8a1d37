import { brand, findButtonTones } from "../../core/derive/client/look/brand.ts";
import type { Model } from "../../core/model/model.ts";

/** A record in a mail: its label, some of its values, and its page. */
export interface MailRecord {
  readonly label: string;
  readonly facts: readonly (readonly [title: string, value: string])[];
  /** The text of the link, and its address. */
  readonly link: readonly [text: string, address: string];
  /** Links to transitions that the reader can make. */
  readonly acts: readonly (readonly [text: string, address: string])[];
}

/** A part of a mail: a paragraph with the record that it is about, or a part of a screen with its title. */
export interface MailItem {
  /** Level 1 is the title of the mail. */
  readonly title?: { readonly text: string; readonly level: 1 | 2; readonly address: string | null };
  readonly text: string;
  readonly record: MailRecord | null;
  readonly figures?: readonly MailFigure[];
  readonly bars?: MailBars;
  /** Records in short. */
  readonly rows?: readonly MailRow[];
  readonly table?: MailTable;
  /** A link below the rows. */
  readonly more?: readonly [text: string, address: string];
}

/** A record in a list: its label, its page, and some values. */
export interface MailRow {
  readonly label: string;
  readonly address: string | null;
  readonly values: string;
}

/** One figure with its title. `notes`: what it is compared with, and its target. */
export interface MailFigure {
  readonly title: string;
  readonly value: string;
  readonly address: string | null;
  readonly notes: readonly string[];
}

/** A chart: a bar for each group, and their total. */
export interface MailBars {
  readonly bars: readonly MailBar[];
  readonly total: readonly [title: string, value: string] | null;
}

/** `part`: its length, from 0 to 1. */
export interface MailBar {
  readonly title: string;
  readonly value: string;
  readonly part: number;
}

/** Figures by two values. The first cell of each line names it, and the last line has the totals. */
export interface MailTable {
  readonly head: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** A text file that comes with a mail. */
export interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** The colours of the main button. */
export interface MailColours {
  readonly fill: string;
  readonly on: string;
}

/** The accent of the document, or that of the program. */
export const getMailColours = ({ accent }: Pick<Model, "accent">): MailColours => findButtonTones(accent).light;

const primaryLook = ({ fill, on }: MailColours): string => `background:${fill};border:1px solid ${fill};color:${on}`;

export interface MailContent {
  /** Absent if it is not known. */
  readonly language?: string;
  readonly colours: MailColours;
  /** The text that lists of mails show beside the subject, unless it is how the items begin. */
  readonly preview?: string;
  readonly items: readonly MailItem[];
  /** A sentence about links in the items. */
  readonly note?: string;
  readonly foot: string;
  readonly footLinks: readonly (readonly [text: string, address: string])[];
}

/** The plain text of a mail. */
export const toText = ({ items, note, foot, footLinks }: MailContent): string => {
  const paragraphs = items.map(({ title, text, record, figures = [], bars, rows = [], table, more }) =>
    record === null
      ? [
          ...(title === undefined ? [] : [title.text]),
          ...(text === "" ? [] : [text]),
          ...figures.flatMap((figure) => [`${figure.title}: ${figure.value}`, ...figure.notes]),
          ...(bars === undefined ? [] : ["", ...alignColumns(barCells(bars))]),
          ...(table === undefined ? [] : ["", ...alignColumns([table.head, ...table.lines])]),
          ...rows.flatMap((row) => ["", row.label, ...[row.values, row.address ?? ""].filter((line) => line !== "")]),
          ...(more === undefined ? [] : ["", `${more[0]}:`, more[1]]),
        ].join("\n")
      : [
          text,
          "",
          record.label,
          ...record.facts.map(([title, value]) => `${title}: ${value}`),
          "",
          ...[...record.acts, record.link].map(([title, address]) => `${title}:\n${address}`),
        ].join("\n"),
  );
  const links = footLinks.map(([text, address]) => `${text}:\n${address}`);
  const notes = note === undefined ? [] : [note];
  return `${[...paragraphs, ...notes, ["-- ", foot].join("\n"), ...links].join("\n\n")}\n`;
};

const barCells = ({ bars, total }: MailBars): readonly (readonly string[])[] => [
  ...bars.map(({ title, value }) => [title, value]),
  ...(total === null ? [] : [total]),
];

/** A table in plain text: figures end in columns. */
const alignColumns = (lines: readonly (readonly string[])[]): readonly string[] => {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
};

const escapes: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (item) => escapes[item] ?? item);

// Mail programs drop style sheets, so each element has its own styles. Text and background colours are left to the
// reader.
const font = "font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5";
const quiet = "opacity:0.72;font-size:13px";
const plain = "text-decoration:none";

/** The HTML of a mail. It loads nothing. */
export const toHtml = ({ language, colours, preview, items, note, foot, footLinks }: MailContent): string => {
  const primary = primaryLook(colours);
  const paragraphs = items.map(
    ({ title, text, record, figures = [], bars, rows = [], table, more }, nth) =>
      `<div style="margin:0 0 28px${record !== null && nth > 0 ? `;padding-top:24px;border-top:1px solid ${brand.control.light}66` : ""}">${title === undefined ? "" : titleHtml(title)}${text === "" ? "" : paragraphsHtml(text, title === undefined ? "" : quiet)}${record === null ? "" : recordHtml(record, primary)}${figures.map(figureHtml).join("")}${
        bars === undefined ? "" : barsHtml(bars, colours)
      }${table === undefined ? "" : tableHtml(table)}${rows.map(rowHtml).join("")}${
        more === undefined ? "" : `<p style="margin:16px 0 0">${linkHtml(more, primary)}</p>`
      }</div>`,
  );
  const links = footLinks.map(
    ([text, address]) => `<a style="color:inherit" href="${escapeHtml(address)}">${escapeHtml(text)}</a>`,
  );
  const below = [
    ...(foot === "" ? [] : [`<p style="margin:0 0 4px;${quiet}">${escapeHtml(foot)}</p>`]),
    ...(links.length === 0 ? [] : [`<p style="margin:0;${quiet}">${links.join(" · ")}</p>`]),
  ];
  return `<!doctype html>
<html${language === undefined ? "" : ` lang="${escapeHtml(language)}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body style="margin:0;padding:24px 16px;${font}">${preview === undefined ? "" : `<div style="display:none">${escapeHtml(preview)}</div>`}<div style="max-width:640px;margin:0 auto">
${paragraphs.join("\n")}${note === undefined ? "" : `\n<p style="margin:0 0 16px;${quiet}">${escapeHtml(note)}</p>`}
${below.length === 0 ? "" : `<div style="padding-top:16px;border-top:1px solid ${brand.control.light}66">${below.join("\n")}</div>`}
</div></body></html>
`;
};

/** A blank line begins another paragraph. */
const paragraphsHtml = (text: string, look: string): string =>
  text
    .split("\n\n")
    .map((paragraph) => `<p style="margin:0 0 12px;${look}">${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`)
    .join("");

/** `Sign in:` and an address below it are a link of a plain text. */
const LINK = /^([^\n]+?)\u202F?:\n(https?:\/\/\S+)$/u;

/** The HTML of a plain text in which each link to the application is a paragraph of its own: it becomes a button. */
export const textToHtml = (text: string, origin: string, colours: MailColours, language?: string): string => {
  const items: MailItem[] = [];
  for (const paragraph of text.trim().split("\n\n")) {
    const [, title = "", address = ""] = LINK.exec(paragraph) ?? [];
    const last = items.at(-1);
    if (last !== undefined && last.more === undefined && address.startsWith(`${origin}/`))
      items[items.length - 1] = { ...last, more: [title, address] };
    else if (last !== undefined && last.more === undefined)
      items[items.length - 1] = { ...last, text: `${last.text}\n\n${paragraph}` };
    else items.push({ text: paragraph, record: null });
  }
  return toHtml({ ...(language === undefined ? {} : { language }), colours, items, foot: "", footLinks: [] });
};

const recordHtml = ({ label, facts, link, acts }: MailRecord, primary: string): string =>
  `<p style="margin:0 0 8px;font-weight:600">${linkedHtml(label, link[1], plain)}</p><table role="presentation" cellpadding="0" cellspacing="0" style="${font};margin:0 0 16px">${facts
    .map(
      ([title, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;vertical-align:top;${quiet}">${escapeHtml(title)}</td><td style="padding:2px 0">${escapeHtml(value)}</td></tr>`,
    )
    .join(
      "",
    )}</table>${[linkHtml(link, primary), ...acts.map((act) => linkHtml(act, `border:1px solid ${brand.control.light};color:inherit`))].join(" ")}`;

const linkedHtml = (text: string, address: string | null, look = ""): string =>
  address === null
    ? escapeHtml(text)
    : `<a style="color:inherit;${look}" href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;

const titleHtml = ({ text, level, address }: NonNullable<MailItem["title"]>): string =>
  `<h${level} style="margin:0 0 ${level === 1 ? 12 : 4}px;font-size:${level === 1 ? 20 : 16}px;line-height:1.4;font-weight:600">${linkedHtml(text, address, plain)}</h${level}>`;

/** Figures stand side by side where there is room. */
const figureHtml = ({ title, value, address, notes }: MailFigure): string =>
  `<div style="display:inline-block;vertical-align:top;min-width:150px;margin:0 24px 16px 0"><div style="${quiet}">${linkedHtml(title, address, plain)}</div><div style="font-size:24px;line-height:1.3;font-weight:600">${escapeHtml(value)}</div>${notes
    .map((note) => `<div style="${quiet}">${escapeHtml(note)}</div>`)
    .join("")}</div>`;

/** Bars are tables with a background colour: some mail programs give no other element a width in percent. */
const barsHtml = ({ bars, total }: MailBars, { fill }: MailColours): string => {
  const line = (title: string, bar: string, value: string, look: string): string =>
    `<tr><th scope="row" width="34%" style="padding:5px 12px 5px 0;text-align:left;font-weight:normal;${look}">${escapeHtml(title)}</th><td width="66%" style="padding:5px 0">${bar}</td><td style="padding:5px 0 5px 12px;text-align:right;white-space:nowrap;${look}">${escapeHtml(value)}</td></tr>`;
  const drawn = (part: number): string =>
    part === 0
      ? ""
      : `<table role="presentation" width="${Math.max(1, Math.round(part * 100))}%" cellpadding="0" cellspacing="0" bgcolor="${fill}" style="background:${fill};border-radius:2px"><tr><td height="12" style="height:12px;font-size:1px;line-height:12px">&nbsp;</td></tr></table>`;
  return `<table width="100%" cellpadding="0" cellspacing="0" style="${font};font-size:13px">${bars
    .map(({ title, value, part }) => line(title, drawn(part), value, ""))
    .join("")}${total === null ? "" : line(total[0], "", total[1], "font-weight:600")}</table>`;
};

const rowHtml = ({ label, address, values }: MailRow): string =>
  `<div style="padding:8px 0;border-top:1px solid ${brand.control.light}66"><div style="font-weight:600">${linkedHtml(label, address)}</div>${values === "" ? "" : `<div style="${quiet}">${escapeHtml(values)}</div>`}</div>`;

/** Wider tables scroll, or widen the mail where its reader does not scroll. */
const tableHtml = ({ head, lines }: MailTable): string => {
  const cellHtml = (tag: "th" | "td", cell: string, at: number, look: string): string =>
    `<${tag}${tag === "th" ? ` scope="${look === quiet ? "col" : "row"}"` : ""} style="padding:6px ${at === 0 ? "12px 6px 0" : "0 6px 12px"};text-align:${at === 0 ? "left" : "right"};white-space:nowrap;border-bottom:1px solid ${brand.control.light}66;font-weight:normal;${look}">${escapeHtml(cell)}</${tag}>`;
  const lineHtml = (cells: readonly string[], line: number): string => {
    const look = line === lines.length - 1 ? "font-weight:600" : "";
    return `<tr>${cells.map((cell, at) => cellHtml(at === 0 ? "th" : "td", cell, at, look)).join("")}</tr>`;
  };
  return `<div style="overflow-x:auto"><table cellpadding="0" cellspacing="0" style="${font};font-size:13px;border-collapse:collapse"><thead><tr>${head
    .map((cell, at) => cellHtml("th", cell, at, quiet))
    .join("")}</tr></thead><tbody>${lines.map(lineHtml).join("")}</tbody></table></div>`;
};

const linkHtml = ([text, address]: readonly [string, string], look: string): string =>
  `<a style="display:inline-block;margin:0 4px 8px 0;padding:10px 16px;border-radius:6px;text-decoration:none;${look}" href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
