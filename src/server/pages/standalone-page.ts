import { createHash } from "node:crypto";
import { brand, findButtonTones } from "../../core/derive/client/look/brand.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { Model } from "../../core/model/model.ts";

/** A page of one sentence or two that needs nothing from a server. */
export interface StandalonePage {
  readonly html: string;
  /** Its content security policy. */
  readonly policy: string;
}

/** The content of such a page. `script`: runs after the theme is known. */
interface StandaloneContent {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly link: { readonly href: string; readonly text: string } | null;
  /** The path of an SVG icon of 24 × 24. */
  readonly icon: string;
  readonly script?: string;
  /** True if the script asks the server. */
  readonly connects?: boolean;
}

const themed = (colour: keyof typeof brand): string => `light-dark(${brand[colour].light},${brand[colour].dark})`;

/** Renders a page in the colours of a document. */
export const renderStandalonePage = (
  { accent }: Pick<Model, "accent">,
  { language }: Pick<Phrases, "language">,
  { title, paragraphs, link, icon, script: more, connects = false }: StandaloneContent,
): StandalonePage => {
  const { light, dark } = findButtonTones(accent);
  const style = `:root{color-scheme:light dark}[data-theme=light]{color-scheme:light}[data-theme=dark]{color-scheme:dark}
body{margin:0;min-block-size:100dvh;display:grid;place-items:center;font:15px/22px system-ui,sans-serif;background:${themed("canvas")};color:${themed("text")}}
main{max-inline-size:44ch;padding:24px;text-align:center}
svg{color:${themed("text-3")}}
h1{margin:16px 0 8px;font-size:20px;line-height:28px;font-weight:600;text-wrap:balance}
p{margin:0 0 8px;color:${themed("text-2")};text-wrap:balance}
a{display:inline-block;margin-block-start:16px;padding:11px 20px;border-radius:6px;background:light-dark(${light.fill},${dark.fill});color:light-dark(${light.on},${dark.on});font-weight:500;text-decoration:none}
a:hover{background:light-dark(${light.hover},${dark.hover})}
a:focus-visible{outline:2px solid light-dark(${light.fill},${dark.fill});outline-offset:2px}`;
  const theme = `try{const theme=localStorage.getItem("theme shown");if(theme==="light"||theme==="dark")document.documentElement.dataset.theme=theme}catch{}`;
  const script = more === undefined ? theme : `${theme}\n${more}`;
  const texts = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("");
  const anchor = link === null ? "" : `<a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a>`;
  return {
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style><script>${script}</script></head><body><main><svg width="40" height="40" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${icon}"/></svg><h1>${escapeHtml(title)}</h1>${texts}${anchor}</main></body></html>`,
    policy: `default-src 'none'; ${connects ? "connect-src 'self'; " : ""}style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
};

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const escapeHtml = (text: string): string => text.replace(/[&<>"]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
