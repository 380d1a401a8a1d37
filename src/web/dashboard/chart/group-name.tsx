import { Link } from "../../ui/link.tsx";

/** The name of a group, which opens its records with a press anywhere in its row. */
export const GroupName = ({ words, href }: { words: string; href: string | null }) => {
  const name = <bdi>{words}</bdi>;
  return href === null ? (
    <span className="cut" title={words}>
      {name}
    </span>
  ) : (
    <Link className="group-link cut" title={words} href={href}>
      {name}
    </Link>
  );
};
