import type { ComponentProps, MouseEvent } from "react";
import { useClient } from "../app/app-context.tsx";

interface LinkProps extends ComponentProps<"a"> {
  readonly href: string;
  /** Called when it leads on in this window, not when it is opened in another. */
  readonly onFollow?: () => void;
}

/**
 * A link within the application: a real anchor that navigates without reloading the page. A part of it with `data-leads`
 * leads to that part of the page, such as the number of comments in a row.
 */
export const Link = ({ href, onClick, onFollow, ...rest }: LinkProps) => {
  const { navigation } = useClient();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    onFollow?.();
    const part = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-leads]") : null;
    navigation.go(`${href}${part?.dataset.leads ?? ""}`);
  };
  return <a href={href} onClick={follow} {...rest} />;
};
