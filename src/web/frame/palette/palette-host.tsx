import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useApplication, useClient, usePerson, useStore } from "../../app/app-context.tsx";
import { isSingleCharacter, readStroke } from "../../app/keyboard.ts";
import { listNavigation } from "../../routing/routes.ts";
import { assignLetters } from "../../routing/screen-shortcuts.ts";
import { lazyDialog } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import type { EarlyKeys } from "./palette.tsx";

const Palette = lazyDialog(() => import("./palette.tsx"));

/** The command palette, opened by Ctrl+K or ⌘K; and G followed by a letter for each screen. */
export const PaletteHost = () => {
  const { palette, navigation, preferences } = useClient();
  const { screens } = useApplication();
  const person = usePerson();
  const open = useStore(palette);
  const hasSingleKeys = useStore(preferences.singleKeys);
  const letters = useMemo(() => assignLetters(listNavigation(screens)), [screens]);
  const typedAhead = useEarlyKeys(open && person !== null);
  useEffect(() => {
    if (!person) return;
    /** Time of the last G that no letter followed. */
    let pressedG = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        palette.set(!palette.get());
        return;
      }
      const key = hasSingleKeys ? readStroke(event) : null;
      const address = Date.now() - pressedG < 1_500 && key !== null ? letters.get(key.toLowerCase()) : undefined;
      pressedG = key === "g" && address === undefined ? Date.now() : 0;
      if (address === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      navigation.go(address);
    };
    // Before single-key shortcuts: the second key belongs to G.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [palette, navigation, letters, hasSingleKeys, person]);
  return open && person ? (
    <LoadingBoundary fallback={null}>
      <Palette typedAhead={typedAhead} onClose={() => palette.set(false)} />
    </LoadingBoundary>
  ) : null;
};

const noKeys: EarlyKeys = { typed: "", entered: false };

/** Collects keys pressed while the palette's code loads, so that they are not taken as shortcuts, nor lost. */
const useEarlyKeys = (open: boolean): (() => EarlyKeys) => {
  const early = useRef(noKeys);
  useLayoutEffect(() => {
    if (!open) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // An open dialog handles its keys itself.
      if (document.querySelector("dialog.palette[open]")) return;
      const { typed } = early.current;
      if (event.key === "Enter") early.current = { typed, entered: true };
      else if (isSingleCharacter(event.key)) early.current = { typed: typed + event.key, entered: false };
      else if (event.key === "Backspace") early.current = { typed: typed.slice(0, -1), entered: false };
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    early.current = noKeys;
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      early.current = noKeys;
      window.removeEventListener("keydown", onKeyDown, { capture: true });
    };
  }, [open]);
  return useCallback(() => early.current, []);
};
