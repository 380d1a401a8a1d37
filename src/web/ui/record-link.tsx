import { useApplication } from "../app/app-context.tsx";
import { recordAddress } from "../routing/routes.ts";
import { Link } from "./link.tsx";

interface RecordLinkProps {
  /** The name of its entity. */
  readonly entity: string;
  readonly id: string;
  readonly label: string;
  readonly onClick?: (() => void) | undefined;
}

/** The name of a record, as a link if a page shows it. */
export const RecordLink = ({ entity, id, label, onClick }: RecordLinkProps) => {
  const { screens } = useApplication();
  const to = recordAddress(screens, entity, id);
  if (to === null) return <bdi>{label}</bdi>;
  return (
    <Link className="link" href={to} {...(onClick && { onClick })}>
      <bdi>{label}</bdi>
    </Link>
  );
};
