import { useState } from "react";
import { useApplication } from "../../app/app-context.tsx";

/**
 * What a form asks, as it was when the form was opened: nothing changes under somebody's hands. Under another document it
 * is asked anew, and again when what it is asked of comes as that document shows it.
 */
export const useAsked = <T>(of: unknown, make: () => T): T => {
  const { version } = useApplication();
  const [held, setHeld] = useState(() => ({ begun: version, version, of, asked: make() }));
  if (held.version === version && (held.begun === version || held.of === of)) return held.asked;
  const now = { begun: held.begun, version, of, asked: make() };
  setHeld(now);
  return now.asked;
};
