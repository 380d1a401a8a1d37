/** Browser and system in a user agent, as far as recognisable. */
export interface Agent {
  readonly browser: string;
  readonly system: string;
}

const first = (rows: readonly (readonly [RegExp, string])[], text: string): string | null =>
  rows.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** In this order, because each also contains the names of later ones. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const systems = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Null for an unknown user agent. */
export const parseUserAgent = (text: string): Agent | null => {
  const [browser, system] = [first(browsers, text), first(systems, text)];
  return browser !== null && system !== null ? { browser, system } : null;
};
