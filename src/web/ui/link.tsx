import type { ComponentProps, MouseEvent } from "react";
import { useClient } from "../app/app-context.tsx";

/** A link within the application: a real anchor that navigates without reloading the page. */
export const Link = ({ href, onClick, ...rest }: ComponentProps<"a"> & { href: string }) => {
  const { navigation } = useClient();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || elsewhere) return;
    event.preventDefault();
    navigation.go(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
};
