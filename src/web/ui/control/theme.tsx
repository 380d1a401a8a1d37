import { useEffect, useInsertionEffect } from "react";
import { accentSheet, deriveAccent } from "../../../core/derive/client/look/accent.ts";
import { brand, findButtonTones } from "../../../core/derive/client/look/brand.ts";
import { useApplication, useClient, useStore, useSystemDark } from "../../app/app-context.tsx";
import { getInitial } from "../../format/names.ts";
import { useWords } from "../../i18n/words.tsx";
import { LOGO } from "../avatar.tsx";
import { Icon } from "../icon.tsx";
import { IconButton } from "./button.tsx";

/** The current theme: the person's choice or the system's. */
export const useTheme = () => {
  const { preferences } = useClient();
  const chosen = useStore(preferences.theme);
  const system = useSystemDark();
  const theme = chosen ?? (system ? "dark" : "light");
  // Before any part measures itself, since it may have been changed in another browser.
  useInsertionEffect(() => {
    if (chosen === null) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  }, [chosen]);
  return { theme, turn: () => preferences.theme.set(theme === "dark" ? "light" : "dark") } as const;
};

export const ThemeButton = ({ className = "" }: { className?: string }) => {
  const { say } = useWords();
  const { theme, turn } = useTheme();
  return (
    <IconButton
      icon={theme === "dark" ? "sun" : "moon"}
      label={say(theme === "dark" ? "theme.light" : "theme.dark")}
      className={className}
      onClick={turn}
    />
  );
};

/** The theme switch as a line in the sidebar. */
export const ThemeLine = () => {
  const { say } = useWords();
  const { theme, turn } = useTheme();
  return (
    <button type="button" className="nav" onClick={turn}>
      <Icon name={theme === "dark" ? "sun" : "moon"} />
      <span className="nav-words">{say(theme === "dark" ? "theme.light" : "theme.dark")}</span>
    </button>
  );
};

const sheet = new CSSStyleSheet();

/** Applies the document's accent to the tokens and the page's icon. */
export const useAccent = (): void => {
  const { accent: documentAccent, name, logo } = useApplication();
  const accent = documentAccent?.toLowerCase() === brand.accent.light ? null : documentAccent;
  const { theme } = useTheme();
  useInsertionEffect(() => {
    sheet.replaceSync(accent === null ? "" : accentSheet(deriveAccent(accent)));
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    const tones = findButtonTones(accent).light;
    const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${tones.fill}"/><text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="600" font-size="18" fill="${tones.on}">${inMarkup(getInitial(name))}</text></svg>`;
    const icon = (rel: string, href: string) => document.querySelector(`link[rel=${rel}]`)?.setAttribute("href", href);
    icon("icon", logo ? LOGO : `data:image/svg+xml,${encodeURIComponent(drawn)}`);
    if (logo) icon("apple-touch-icon", LOGO);
  }, [accent, name, logo]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the background follows the theme
  useEffect(() => {
    const surface = getComputedStyle(document.documentElement).getPropertyValue("background-color");
    document.querySelector("meta[name=theme-color]")?.setAttribute("content", surface);
  }, [theme]);
};

const inMarkup = (text: string) => text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
