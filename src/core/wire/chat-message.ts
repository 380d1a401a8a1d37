/** A message to a channel, as it waits in the outbox. */
export interface ChatMessage {
  readonly text: string;
  /** The address of the record without its origin; null if the record was deleted. */
  readonly path: string | null;
  /** The title of the link, in the language of the document. */
  readonly open: string;
}
