import { splitAddresses } from "../../format/web-address.ts";
import { WebLink } from "../../ui/web-link.tsx";

/** Plain text in which web addresses are links. */
export const LinkedText = ({ text }: { text: string }) =>
  splitAddresses(text).map((piece, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are identified by position
      <WebLink key={at} href={piece} dir="ltr">
        {piece}
      </WebLink>
    ) : (
      piece
    ),
  );
