import { beforeBooking, booking } from "./booking.ts";
import { founding } from "./founding.ts";
import { helpDesk } from "./help-desk.ts";
import { leaveDesk } from "./leave-desk.ts";
import { lending } from "./lending.ts";
import { purchasing } from "./purchasing.ts";
import type { Earlier, Makes } from "./ways.ts";

/** The driver of each example by file name. */
export const examples: Readonly<Record<string, Makes>> = {
  founding,
  lending,
  "leave-desk": leaveDesk,
  "help-desk": helpDesk,
  purchasing,
  booking,
};

/** Earlier versions of the documents, for records that must survive from them. */
export const earlier: Readonly<Record<string, Earlier>> = { booking: beforeBooking };

/**
 * Described responses that cannot occur. Other records refer only to ordered purchases, which never become drafts
 * again, and only drafts can be deleted; the description does not analyse such sequences. Nor does it analyse that
 * people name a deputy for themselves only, that a field which is set to nothing cannot be too long, and that whoever
 * reads a loan reads all of it.
 */
export const never: Readonly<Record<string, readonly string[]>> = {
  "leave-desk": ["Deputy.create 403 FORBIDDEN"],
  lending: ["Comment.create 403 FORBIDDEN"],
  "help-desk": ["Ticket.solve 422 TOO_LONG by 3.Ticket.still_wrong at /still_wrong"],
  purchasing: ["PurchaseRequest.delete 409 IN_USE", "Line.delete 409 IN_USE", "Deputy.create 403 FORBIDDEN"],
};
