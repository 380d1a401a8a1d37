import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useEntity } from "../app/app-context.tsx";
import { getInitial, getInitials, PEOPLE } from "../format/names.ts";

interface AvatarProps {
  readonly name: string;
  /** Id of the person's record, if it may have a picture. */
  readonly of?: string | undefined;
  readonly large?: boolean;
}

/**
 * Always grey, because colours have meanings elsewhere. The picture covers the initials once loaded. The initials are
 * drawn by the style sheet, not as text, because the name stands beside them.
 */
export const Avatar = ({ name, of, large = false }: AvatarProps) => (
  <span className={large ? "avatar large" : "avatar"} data-initials={getInitials(name)} aria-hidden="true">
    {of !== undefined && <Pictured of={of} />}
  </span>
);

/** Milliseconds: pictures seldom change, and the server announces it. */
const FRESH = 10 * 60_000;

/** Without permission for pictures, rows do not query them: each subscription costs as much as rendering a cell. */
const Pictured = ({ of }: { of: string }) => {
  const people = useEntity(PEOPLE);
  const readable = people?.fields.some(({ name }) => name === "avatar") === true;
  return readable ? <Picture of={of} calls={people.calls} /> : null;
};

const Picture = ({ of, calls }: { of: string; calls: string }) => {
  const { pictureOf } = useClient();
  const [broken, setBroken] = useState<string | null>(null);
  const { data: file } = useQuery({
    queryKey: keys.picture(calls, of),
    queryFn: () => pictureOf(of),
    staleTime: FRESH,
    retry: false,
  });
  if (file === undefined || file === null || file === broken) return null;
  return (
    <img src={`${calls}/${of}/files/${file}`} alt="" loading="lazy" decoding="async" onError={() => setBroken(file)} />
  );
};

/** The address of the application's logo. */
export const LOGO = "/_/logo.png";

/** The logo of the application, or the first letter of its name. The name stands beside it. */
export const AppMark = () => {
  const { name, logo } = useApplication();
  return logo ? (
    <img className="tile logo" src={LOGO} alt="" width={22} height={22} />
  ) : (
    <span className="tile" aria-hidden="true">
      {getInitial(name)}
    </span>
  );
};
