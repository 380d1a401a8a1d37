import { type ReactNode, useEffect, useRef } from "react";
import { useClient } from "../app/app-context.tsx";

/**
 * The one main region of a page. A new page begins with focus on it and at its top; going back returns to where one
 * was. What takes focus by itself on arrival (a form, a row one came back to) comes after and wins.
 */
export const Main = ({
  children,
  className = "",
  label,
}: {
  children: ReactNode;
  className?: string;
  label?: string;
}) => {
  const { navigation } = useClient();
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const scrolled = navigation.scrolled();
    if (!main.current?.contains(document.activeElement)) main.current?.focus({ preventScroll: true });
    window.scrollTo(0, scrolled ?? 0);
  }, [navigation]);
  return (
    <main ref={main} id="main" tabIndex={-1} className={`main ${className}`.trim()} aria-label={label}>
      {children}
    </main>
  );
};

/** A page whose code is still on its way: its name is there at once, and nothing flashes. */
export const PageLoading = ({ title }: { title: string }) => (
  <div aria-busy="true">
    <h1 className="hidden-words">{title}</h1>
  </div>
);

export const SkipLink = ({ children }: { children: ReactNode }) => (
  <a className="skip" href="#main">
    {children}
  </a>
);
