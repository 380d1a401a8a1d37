import { Suspense } from "react";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import type { InputProps } from "../field.ts";

const RichTextInput = lazyComponent(
  async () => ({ default: (await import("./rich-text-input.tsx")).RichTextInput }),
  PageNotLoaded,
);

/** Has about the height of the control, so that little moves when it is loaded. */
const room = (
  <div className="box rich" aria-busy="true">
    <textarea rows={7} disabled />
  </div>
);

/** The control of a text with formatting. Most forms have none, so its code is loaded by those that do. */
export const LateRichTextInput = (props: InputProps) => (
  <Suspense fallback={room}>
    <RichTextInput {...props} />
  </Suspense>
);
