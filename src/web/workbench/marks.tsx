/** Icons of the workbench, distinguished by shape as well as colour. */

export const OpenMark = () => (
  <svg className="wb-mark open" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
    <path d="M6 1.6 10.4 6 6 10.4 1.6 6z" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
  </svg>
);

export const FindingMark = ({ severity }: { severity: string }) => {
  if (severity === "open") return <OpenMark />;
  if (severity === "not executed")
    return (
      <svg className="wb-mark" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <circle cx="6" cy="6" r="2.4" fill="currentColor" />
      </svg>
    );
  return (
    <svg className={`wb-mark ${severity}`} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
      <path d="M6 .9 11.6 11H.4z" fill="currentColor" />
      <path className="mark-cut" d="M6 4.6v2.8M6 9.1v.1" />
    </svg>
  );
};
