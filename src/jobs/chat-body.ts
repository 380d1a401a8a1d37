import type { Chat, ChatMessage } from "../core/model/effect.ts";

/**
 * The body of a message to an incoming webhook of Slack (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks)
 * or of Teams (a message with an adaptive card, as its workflow “Send webhook alerts to a channel” expects it).
 */
export const toChatBody = (
  service: Chat["service"],
  { text, more = [], path, open }: ChatMessage,
  origin: string | null,
): object => {
  const address = path === null || origin === null ? null : `${origin}${path}`;
  const lines = [text, ...more];
  if (service === "slack")
    return {
      // Shown in previews, and by other programs that accept messages of Slack.
      text: [...lines.map(escapeText), ...(address === null ? [] : [`<${address}|${open}>`])].join("\n"),
      blocks: [
        { type: "rich_text", elements: [{ type: "rich_text_section", elements: toRichText(lines, address, open) }] },
      ],
    };
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          // A rich text block shows its text as it is; a text block would read Markdown in it, such as links.
          body: lines.map((line) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text: line }] })),
          actions: address === null ? [] : [{ type: "Action.OpenUrl", title: open, url: address }],
        },
      },
    ],
  };
};

/** Text elements show their text as it is. In a plain `text`, Slack would read `*` and `_` as formatting. */
const toRichText = (lines: readonly string[], address: string | null, open: string): readonly object[] => [
  { type: "text", text: `${lines.join("\n")}${address === null ? "" : "\n"}` },
  ...(address === null ? [] : [{ type: "link", url: address, text: open }]),
];

/** Characters that Slack reads as the begin of a link or of a mention, such as `<!channel>`. */
const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
