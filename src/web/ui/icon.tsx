import { scaleLength } from "../app/font-scale.ts";
import { outlines } from "./icon-outlines.ts";

export type IconName = keyof typeof outlines;

/** Icons mirrored in right-to-left text. */
const directed: readonly IconName[] = ["back", "next", "previous", "to", "undo", "signIn", "signOut"];

/** A decorative icon beside text, or in a control with a name of its own. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    xmlns="http://www.w3.org/2000/svg"
    className={directed.includes(name) ? "icon directed" : "icon"}
    width={scaleLength(size)}
    height={scaleLength(size)}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.7}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={outlines[name]} />
  </svg>
);
