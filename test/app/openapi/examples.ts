import { beforeBooking, booking } from "./booking.ts";
import { founding } from "./founding.ts";
import { helpDesk } from "./help-desk.ts";
import { leaveDesk } from "./leave-desk.ts";
import { lending } from "./lending.ts";
import { purchasing } from "./purchasing.ts";
import type { Earlier, Makes } from "./ways.ts";

/** How each example is driven, by the name of its file. */
export const examples: Readonly<Record<string, Makes>> = {
  founding,
  lending,
  "leave-desk": leaveDesk,
  "help-desk": helpDesk,
  purchasing,
  booking,
};

/** What the document of an example said before, where something of that is to be there still. */
export const earlier: Readonly<Record<string, Earlier>> = { booking: beforeBooking };

/**
 * What cannot happen though it is described. What refers to a purchase was made once it was ordered, and from there no
 * way leads back to a draft, which alone can be deleted; the description does not follow such ways.
 */
export const never: Readonly<Record<string, readonly string[]>> = {
  purchasing: ["PurchaseRequest.delete 409 IN_USE", "Line.delete 409 IN_USE"],
};
