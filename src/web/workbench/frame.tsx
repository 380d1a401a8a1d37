import { type ReactNode, useEffect, useRef } from "react";
import { useAddress, useApplication, usePerson } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { AppMark } from "../ui/avatar.tsx";
import { ThemeButton } from "../ui/control/theme.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Main } from "../ui/page/page.tsx";
import { PrintFooter } from "../ui/page/print-footer.tsx";
import { PublishingNote } from "./publishing.tsx";
import { listWorkbenchTabs } from "./tabs.ts";
import { WaitingRowsNote } from "./waiting-rows-note.tsx";
import "./workbench.css";
import "./document/document-page.css";
import "./document/document-view.css";
import "./document/findings-pane.css";
import "./draft/publish-dialog.css";
import "./plan/replay-lines.css";
import "./plan/behaviour-lines.css";
import "./plan/data-changes.css";
import "./workbench-page.css";
import "./permissions.css";
import "./plan/plan.css";
import "./workbench-print.css";

/** Pages without a tab of their own, and the tab that they belong to. */
const tabOf: { readonly [path: string]: string } = {
  "/workbench/compare": "/workbench/versions",
  "/workbench/retired": "/workbench/versions",
  "/workbench/records": "/workbench/document",
};

/** True for the tab of a page. A proposal belongs to the proposals. */
const isIn = (tab: string, path: string): boolean =>
  tab === (tabOf[path] ?? path.replace(/^(\/workbench\/proposals)\/.*$/u, "$1"));

/** The frame of the authors' pages: a link to the application, tabs, and the live version. */
export const WorkbenchFrame = ({
  count,
  status,
  children,
}: {
  /** Number of open points, once known. */
  count?: number | undefined;
  /** Shown instead of the version. */
  status?: ReactNode;
  children: ReactNode;
}) => {
  const { name, version } = useApplication();
  const { say } = useWords();
  const { path } = useAddress();
  const person = usePerson();
  const shown = listWorkbenchTabs(person);
  const nav = useRef<HTMLElement>(null);
  // Where the tabs do not all fit, the one that is open is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every page
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  return (
    <div className="workbench">
      <header className="workbench-bar">
        <Link className="brand" href="/" title={say("workbench.back", { name })}>
          <Icon name="back" />
          <AppMark />
          <span className="cut">{name}</span>
        </Link>
        <nav ref={nav} className="workbench-tabs" aria-label={say("menu.workbench")}>
          {shown.map((tab) => (
            <Link key={tab.path} href={tab.path} {...(isIn(tab.path, path) && { "aria-current": "page" as const })}>
              <Icon name={tab.icon} />
              <span>{say(tab.words)}</span>
              {tab.path === "/workbench" && count !== undefined && <span className="tab-count">{count}</span>}
            </Link>
          ))}
        </nav>
        <span className="grow" />
        {status ?? <span className="workbench-version from-tablet">{say("workbench.version", { version })}</span>}
        <ThemeButton />
      </header>
      <PublishingNote />
      <WaitingRowsNote />
      <Main className="workbench-main">
        {children}
        <PrintFooter />
      </Main>
    </div>
  );
};
