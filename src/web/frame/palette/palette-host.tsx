import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useApplication, useClient, usePerson, useStore } from "../../app/app-context.tsx";
import { isSingleCharacter, readStroke } from "../../app/keyboard.ts";
import { listNavigation } from "../../routing/routes.ts";
import { assignLetters } from "../../routing/screen-shortcuts.ts";
import { lazyComponent, lazyDialog } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import type { EarlyKeys } from "./palette.tsx";

const Palette = lazyDialog(() => import("./palette.tsx"));

const GoKeys = lazyComponent(
  () => import("./go-keys.tsx"),
  () => null,
);

/** How long G waits for a letter, in milliseconds: long enough to read the letters. */
const GO_WAIT = 6_000;

/** The command palette, opened by Ctrl+K or ⌘K; and G followed by a letter for each screen. */
export const PaletteHost = () => {
  const { palette, navigation, preferences } = useClient();
  const { screens } = useApplication();
  const person = usePerson();
  const open = useStore(palette);
  const hasSingleKeys = useStore(preferences.singleKeys);
  const letters = useMemo(() => assignLetters(listNavigation(screens)), [screens]);
  const [isWaiting, setWaiting] = useState(false);
  const typedAhead = useEarlyKeys(open && person !== null);
  useEffect(() => {
    if (!person) return;
    let wait: ReturnType<typeof setTimeout> | undefined;
    const waitForLetter = (isWaiting: boolean) => {
      clearTimeout(wait);
      wait = isWaiting ? setTimeout(() => waitForLetter(false), GO_WAIT) : undefined;
      setWaiting(isWaiting);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const wasWaiting = wait !== undefined;
      // Keys that are pressed while the palette loads are for its search.
      const key = hasSingleKeys && !palette.get() ? readStroke(event) : null;
      // A modifier alone is no answer.
      if (wasWaiting && !["Shift", "Control", "Alt", "Meta"].includes(event.key)) waitForLetter(false);
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        palette.set(!palette.get());
        return;
      }
      const address = wasWaiting && key !== null ? letters.get(key.toLowerCase()) : undefined;
      if (address !== undefined) {
        // The screen that is open already does not take the focus from a filter again.
        if (navigation.get().path === address) document.getElementById("main")?.focus();
        navigation.go(address);
      } else if (key === "g" && letters.size > 0) waitForLetter(true);
      else if (!wasWaiting || key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const onPress = () => waitForLetter(false);
    // Before single-key shortcuts: the second key belongs to G.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    window.addEventListener("pointerdown", onPress, { capture: true });
    return () => {
      waitForLetter(false);
      window.removeEventListener("keydown", onKeyDown, { capture: true });
      window.removeEventListener("pointerdown", onPress, { capture: true });
    };
  }, [palette, navigation, letters, hasSingleKeys, person]);
  return (
    <LoadingBoundary fallback={null}>
      {open && person && <Palette typedAhead={typedAhead} onClose={() => palette.set(false)} />}
      {isWaiting && person && <GoKeys letters={letters} />}
    </LoadingBoundary>
  );
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
