import type { ReactNode } from "react";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import "./breadcrumbs.css";

interface CrumbsProps {
  readonly trail: readonly { readonly label: string; readonly href: string }[];
  readonly current?: string;
  /** Content at the end of the line: the position among neighbouring records. */
  readonly children?: ReactNode;
}

/** The path to the current page. */
export const Breadcrumbs = ({ trail, current, children }: CrumbsProps) => {
  const { say } = useWords();
  return (
    <nav className="crumbs" aria-label={say("crumbs")}>
      <ol>
        {trail.map(({ label, href }, at) => (
          <li key={href}>
            <Link href={href} className="cut">
              {label}
            </Link>
            {(current || at < trail.length - 1) && <Icon name="next" size={13} />}
          </li>
        ))}
        {current && (
          <li aria-current="page">
            <span className="cut">{current}</span>
          </li>
        )}
      </ol>
      {children}
    </nav>
  );
};
