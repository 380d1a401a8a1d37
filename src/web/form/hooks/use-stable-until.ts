import { useState } from "react";
import { useApplication } from "../../app/app-context.tsx";

/**
 * The fields of a form, fixed when it was opened, so that nothing changes while somebody types. They are recomputed for
 * a new version of the document, and when the record is reloaded under that version.
 */
export const useStableUntil = <T>(of: unknown, make: () => T): T => {
  const { version } = useApplication();
  const [stable, setStable] = useState(() => ({ first: version, version, of, value: make() }));
  if (stable.version === version && (stable.first === version || stable.of === of)) return stable.value;
  const now = { first: stable.first, version, of, value: make() };
  setStable(now);
  return now.value;
};
