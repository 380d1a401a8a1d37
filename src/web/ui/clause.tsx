/** The id of the deciding clause. Written left to right in every language. */
export const ClauseId = ({ of }: { of: string }) => (
  <code className="clause" dir="ltr">
    {of}
  </code>
);
