const PREFIX = "remind.";

/** The key of a reminder's effect in `after`: `remind.due_soon`. No transition has a full stop in its name. */
export const toReminderAction = (name: string): string => `${PREFIX}${name}`;

/** The name of the reminder with this key; undefined for other actions. */
export const findReminderName = (action: string): string | undefined =>
  action.startsWith(PREFIX) ? action.slice(PREFIX.length) : undefined;
