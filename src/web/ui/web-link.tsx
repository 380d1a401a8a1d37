import type { ReactNode } from "react";

/** A link to an address that somebody entered. It opens in a new tab, which learns nothing about this page. */
export const WebLink = ({ href, dir, children }: { href: string; dir?: "ltr"; children: ReactNode }) => (
  <a className="link break" dir={dir} href={href} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
);
