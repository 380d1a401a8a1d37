import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RetiredItemJson } from "../../../core/wire/authoring/retired.ts";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { FailedRegion, RegionNote } from "../../ui/page/region-status.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import type { DraftSession } from "../draft/draft-session.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { PanesSkeleton } from "../skeleton.tsx";
import { DeleteRetiredDialog, ExportLink } from "./delete-retired-dialog.tsx";
import { RetiredRecords } from "./retired-records.tsx";
import "./versions.css";

type Compiler = typeof import("../draft/compiler.ts");

/** Fields and entities that the document no longer has, each with a button that brings it back. */
const RetiredPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("retired.title")}>
      {(drafting, compiler) => <RetiredList drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default RetiredPage;

const RetiredList = ({ drafting, compiler }: { drafting: DraftSession; compiler: Compiler }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const { data, error, failureReason, refetch } = useQuery({
    queryKey: keys.retired,
    queryFn: ({ signal }) => calls.retired(signal),
  });
  const failure = toFailureOf({ error, failureReason });
  return (
    <WorkbenchFrame>
      <section className="workbench-page" aria-labelledby="retired">
        <h1 id="retired" tabIndex={-1}>
          {say("retired.title")}
        </h1>
        <p className="help-words">{say("retired.words")}</p>
        {data ? (
          data.items.length === 0 ? (
            <RegionNote icon="check" title={say("retired.none")} />
          ) : (
            <ol className="versions">
              {data.items.map((item) => (
                <RetiredThing key={item.name} thing={item} drafting={drafting} compiler={compiler} />
              ))}
            </ol>
          )
        ) : failure ? (
          <FailedRegion failure={failure} retry={() => void refetch()} />
        ) : (
          <PanesSkeleton />
        )}
      </section>
    </WorkbenchFrame>
  );
};

const RetiredThing = ({
  thing,
  drafting,
  compiler,
}: {
  thing: RetiredItemJson;
  drafting: DraftSession;
  compiler: Compiler;
}) => {
  const { name, entity, field, version, at, author } = thing;
  const { calls, queries, navigation } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const bringBack = async (): Promise<void> => {
    setBusy(true);
    const earlier = version - 1;
    const text = await queries
      .fetchQuery({ queryKey: keys.version(earlier), queryFn: ({ signal }) => calls.version(earlier, signal) })
      .catch(() => undefined);
    setBusy(false);
    const written = text && compiler.bringBack(text.files, drafting.store.get().files, { entity, field });
    if (written === undefined) {
      toast(say("retired.not.written"));
      return;
    }
    drafting.change(written.file, written.text);
    const clause = `3.${field === null ? entity : `${entity}.${field}`}`;
    navigation.go(`/workbench/document?${new URLSearchParams({ clause, beside: "plan" })}`);
  };
  const id = `retired-${name}`;
  return (
    <li className="version">
      <div className="version-head">
        <h2 id={id} dir="ltr">
          {name}
        </h2>
        <span className="grow" />
        <Link
          className="button small"
          href={`/workbench/compare?from=${version - 1}&to=${version}`}
          aria-describedby={id}
        >
          {say("versions.compare")}
        </Link>
        <Button small busy={isBusy} aria-describedby={id} onClick={() => void bringBack()}>
          {say("retired.back")}
        </Button>
        {thing.exportable && <ExportLink thing={thing} describedBy={id} />}
        <Button small look="quiet" aria-describedby={id} onClick={() => setDeleting(true)}>
          {say("retired.delete")}
        </Button>
      </div>
      <p className="version-by">
        {say("retired.since", { version })}
        {" · "}
        {author === null ? (
          say("versions.by.start")
        ) : (
          <Link className="link" href={`/workbench/people/${author.id}`}>
            <bdi>{author.label}</bdi>
          </Link>
        )}
        {" · "}
        <RelativeTime at={at} />
      </p>
      <RetiredRecords thing={thing} />
      {isDeleting && <DeleteRetiredDialog thing={thing} onClose={() => setDeleting(false)} />}
    </li>
  );
};
