import { useState } from "react";
import { useApplication } from "../../app/app-context.tsx";

/**
 * The fields of a form, fixed when it was opened, so that nothing changes while somebody types. They are recomputed for
 * a new version of the document, and when the record is reloaded under that version.
 */
export const useStableUntil = <T>(of: unknown, make: () => T): T => {
  const { version } = useApplication();
  const [stable, setStable] = useState(() => ({ begun: version, version, of, asked: make() }));
  if (stable.version === version && (stable.begun === version || stable.of === of)) return stable.asked;
  const now = { begun: stable.begun, version, of, asked: make() };
  setStable(now);
  return now.asked;
};
