/**
 * The action of a write that brings a deleted record back, in audit lines and among the actions on which rules are checked. No transition can
 * have this name, because of the space.
 */
export const BRING_BACK = "bring back";

/** True for the writes before which the record did not exist. */
export const addsRecord = (action: string | null | undefined): boolean => action === "create" || action === BRING_BACK;

const REMIND = "remind.";

/** The key of a reminder's effect in `after`: `remind.due_soon`. No transition has a full stop in its name. */
export const toReminderAction = (name: string): string => `${REMIND}${name}`;

/** The name of the reminder with this key; undefined for other actions. */
export const findReminderName = (action: string): string | undefined =>
  action.startsWith(REMIND) ? action.slice(REMIND.length) : undefined;
