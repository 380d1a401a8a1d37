/** The number of the clause that decides this, as the document gives it. Read left to right in every language. */
export const Clause = ({ of }: { of: string }) => (
  <code className="clause" dir="ltr">
    {of}
  </code>
);
