import { SkeletonLine } from "../ui/page/region-status.tsx";

export const RecordSkeleton = ({ words }: { words: string }) => (
  <div className="record skeleton" aria-busy="true">
    <p className="hidden-words" role="status">
      {words}
    </p>
    <div className="crumbs">
      <SkeletonLine width="120px" />
    </div>
    <div className="record-head">
      <div className="record-title">
        <SkeletonLine width="340px" />
        <SkeletonLine width="96px" />
      </div>
    </div>
    <div className="columns">
      <div className="record-body">
        <div className="fields">
          {["48%", "60%", "40%", "44%", "56%", "38%"].map((width) => (
            <div key={width}>
              <SkeletonLine width="72px" />
              <SkeletonLine width={width} />
            </div>
          ))}
        </div>
      </div>
      <div className="aside">
        <SkeletonLine width="50%" />
        <SkeletonLine width="70%" />
        <SkeletonLine width="60%" />
      </div>
    </div>
  </div>
);
