import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import type { InputProps } from "../field.ts";
import "../type/file/file.css";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";

const Single = lazyComponent(async () => ({ default: (await import("./file-input.tsx")).FileInput }), PageNotLoaded);
const Several = lazyComponent(async () => ({ default: (await import("./file-input.tsx")).FilesInput }), PageNotLoaded);

/** Has the height of the control without files, so that nothing moves when it is loaded. */
const room = <div className="box file" aria-busy="true" />;

/** The control of a file. Most forms have none, so its code is loaded by those that do. */
export const LateFileInput = (props: InputProps) => (
  <LoadingBoundary fallback={room}>
    <Single {...props} />
  </LoadingBoundary>
);

/** The control of several files, loaded in the same way. */
export const LateFilesInput = (props: InputProps) => (
  <LoadingBoundary fallback={room}>
    <Several {...props} />
  </LoadingBoundary>
);

const RichTextInput = lazyComponent(
  async () => ({ default: (await import("./rich-text-input.tsx")).RichTextInput }),
  PageNotLoaded,
);

/** Has about the height of the control, so that little moves when it is loaded. */
const richRoom = (
  <div className="box rich" aria-busy="true">
    <textarea rows={7} disabled />
  </div>
);

/** The control of a text with formatting. Most forms have none, so its code is loaded by those that do. */
export const LateRichTextInput = (props: InputProps) => (
  <LoadingBoundary fallback={richRoom}>
    <RichTextInput {...props} />
  </LoadingBoundary>
);
