import { messageText } from "../../core/i18n/languages.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { DatabaseRefused } from "../schema/prepare-system.ts";

/** The reasons why a database cannot be copied, as messages with advice. */
type CopyProblem = "preview.full" | "preview.ended" | "preview.forbidden" | "preview.unfit";

/** A database cannot be copied for a preview. */
export class CopyRefused extends DatabaseRefused {
  /** The reason, to be worded for its reader. */
  readonly reason: Message;
  constructor(problem: CopyProblem) {
    const reason = say(problem, {});
    super(messageText(reason), "Nothing was changed.");
    this.reason = reason;
  }
}
