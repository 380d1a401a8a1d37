import { type ReactNode, useEffect, useRef } from "react";
import { useWords } from "../i18n/words.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";

/** `isNew`: it replaces what the person has just pressed, so it gets the focus. */
export const FrontMessage = ({
  title,
  isNew = false,
  children,
}: {
  title: string;
  isNew?: boolean;
  children: ReactNode;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  return (
    <div className="front-form">
      <h1 ref={heading} tabIndex={isNew ? -1 : undefined}>
        {title}
      </h1>
      {children}
    </div>
  );
};

/** Shown while a link is followed. */
export const Entering = () => {
  const { say } = useWords();
  return (
    <div className="front-form" aria-busy="true">
      <h1>{say("sign.in.entering")}</h1>
      <SkeletonLine width="60%" />
      <SkeletonLine width="40%" />
    </div>
  );
};
