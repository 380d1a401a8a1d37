import { type Block, type Inline, readMarks } from "../../format/markdown-lite.ts";
import { WebLink } from "../../ui/web-link.tsx";

/** Rendered Markdown. Its text can never become HTML. */
export const RenderedMarkdown = ({ text }: { text: string }) => (
  <div className="marked">
    {readMarks(text).map((block, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks are identified by position
      <BlockView key={at} block={block} />
    ))}
  </div>
);

const levels = { 1: "h3", 2: "h4", 3: "h5" } as const;

const BlockView = ({ block }: { block: Block }) => {
  switch (block.kind) {
    case "heading": {
      const Heading = levels[block.level];
      return (
        <Heading>
          <Words words={block.words} />
        </Heading>
      );
    }
    case "code":
      return <pre>{block.text}</pre>;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by position
            <li key={at}>
              <Words words={item} />
            </li>
          ))}
        </List>
      );
    }
    case "quote":
      return (
        <blockquote>
          <Lines lines={block.lines} />
        </blockquote>
      );
    case "paragraph":
      return (
        <p>
          <Lines lines={block.lines} />
        </p>
      );
  }
};

const Lines = ({ lines }: { lines: readonly (readonly Inline[])[] }) =>
  lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: spans are identified by position
    <span key={at}>
      {at > 0 && <br />}
      <Words words={line} />
    </span>
  ));

const Words = ({ words }: { words: readonly Inline[] }) =>
  words.map((one, at) => {
    const key = `${at} ${one.kind}`;
    if (one.kind === "text") return <span key={key}>{one.text}</span>;
    if (one.kind === "code") return <code key={key}>{one.text}</code>;
    if (one.kind === "link")
      return (
        <WebLink key={key} href={one.to}>
          {one.text}
        </WebLink>
      );
    if (one.kind !== "bold" && one.kind !== "italic") return null;
    const Mark = one.kind === "bold" ? "strong" : "em";
    return (
      <Mark key={key}>
        <Words words={one.words} />
      </Mark>
    );
  });
