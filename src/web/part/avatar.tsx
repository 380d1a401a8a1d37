import { initialOf, initialsOf } from "../client/names.ts";

/** Grey always: a coloured mark would mean something. The name stands beside it. */
export const Avatar = ({ name, large = false }: { name: string; large?: boolean }) => (
  <span className={large ? "avatar large" : "avatar"} aria-hidden="true">
    {initialsOf(name)}
  </span>
);

export const Tile = ({ name }: { name: string }) => (
  <span className="tile" aria-hidden="true">
    {initialOf(name)}
  </span>
);
