import type { Spanned } from "../../document/shape.ts";
import { toDeputyRole } from "../../model/permissions.ts";
import type { CallsSyntax } from "../calls/calls.ts";
import type { ScreensSyntax } from "../screens/screens-syntax.ts";
import type { Expansion } from "./deputy-conditions.ts";

const withDeputyNames = (
  roles: readonly Spanned<string>[] | undefined,
  { delegated, isGlobal }: Expansion,
): readonly Spanned<string>[] | undefined =>
  roles?.flatMap((role) =>
    delegated.has(role.value) && isGlobal(role.value) ? [role, { ...role, value: toDeputyRole(role.value) }] : [role],
  );

/** Point 2: deputies see the screens of the roles that they represent. */
export const withScreens = (syntax: ScreensSyntax | undefined, expansion: Expansion): ScreensSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : syntax.map((screen) => {
        const { tiles } = screen.value;
        const open = tiles?.map((tile) => ({ ...tile, for: withDeputyNames(tile.for, expansion) }));
        return {
          ...screen,
          value: {
            ...screen.value,
            for: withDeputyNames(screen.value.for, expansion),
            ...(open === undefined ? {} : { tiles: open }),
          },
        };
      });

/** Point 7: deputies can make the calls of the roles that they represent. */
export const withCalls = (syntax: CallsSyntax | undefined, expansion: Expansion): CallsSyntax | undefined =>
  syntax === undefined || syntax === "none"
    ? syntax
    : {
        ...syntax,
        calls: syntax.calls?.map((call) => ({
          ...call,
          value: { ...call.value, by: withDeputyNames(call.value.by, expansion) },
        })),
      };
