import { type ReactNode, useLayoutEffect, useRef } from "react";
import { useClient } from "../../app/app-context.tsx";
import { useKeepEarlyRowKeys } from "../../app/early-row-keys.ts";

/**
 * The main region of a page. A new page starts at its top with focus on it; going back restores the position. Elements
 * that focus themselves later (a form, the row returned to) take precedence. `visit`: another one begins anew, also at the
 * same address, such as a link of the navigation to the list that is shown.
 */
export const Main = ({
  children,
  className = "",
  label,
  visit,
}: {
  children: ReactNode;
  className?: string;
  label?: string;
  visit?: number;
}) => {
  const { navigation } = useClient();
  const main = useRef<HTMLElement>(null);
  useKeepEarlyRowKeys();
  // Before what the page itself scrolls to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit begins anew
  useLayoutEffect(() => {
    const scrolled = navigation.scrolled();
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
    window.scrollTo(0, scrolled ?? 0);
  }, [navigation, visit]);
  return (
    <main ref={main} id="main" tabIndex={-1} className={`main ${className}`.trim()} aria-label={label}>
      {children}
    </main>
  );
};

/** Placeholder while a page's code loads: its title appears at once. */
export const PageLoading = ({ title }: { title: string }) => (
  <div aria-busy="true">
    <h1 className="hidden-words">{title}</h1>
  </div>
);

/** Leads past a part with many stops for the keyboard. `to`: the id of an element. */
export const SkipLink = ({ to = "main", children }: { to?: string; children: ReactNode }) => (
  <a className="skip" href={`#${to}`}>
    {children}
  </a>
);
