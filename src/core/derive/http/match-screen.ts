import type { ScreenJson } from "../../wire/screens.ts";

/** A screen and the values of its path parameters. */
export interface Matched {
  readonly screen: ScreenJson;
  readonly parameters: { readonly [name: string]: string };
}

export const segments = (path: string) => path.split("/").filter((segment) => segment !== "");
export const getParameter = (segment: string) => /^\{(.+)\}$/.exec(segment)?.[1] ?? null;

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

export const matchPath = (pattern: string, path: string): { readonly [name: string]: string } | null => {
  const [expected, actual] = [segments(pattern), segments(path)];
  if (expected.length !== actual.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, segment] of expected.entries()) {
    const name = getParameter(segment);
    const value = actual[at] ?? "";
    if (name !== null) parameters[name] = decode(value);
    else if (segment !== decode(value)) return null;
  }
  return parameters;
};

export const listParameters = (path: string) =>
  segments(path).filter((segment) => getParameter(segment) !== null).length;

/**
 * Finds the screen for a path. Literal segments take precedence over parameters: `/loans/new` is not a loan with the id
 * `new`.
 */
export const matchScreen = (screens: readonly ScreenJson[], path: string): Matched | null =>
  screens
    .flatMap((screen) => {
      const parameters = matchPath(screen.path, path);
      return parameters ? [{ screen, parameters }] : [];
    })
    .sort((one, other) => listParameters(one.screen.path) - listParameters(other.screen.path))[0] ?? null;
