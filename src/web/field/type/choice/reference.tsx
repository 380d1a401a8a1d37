import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from "react";
import type { FieldJson } from "../../../../core/wire/entities.ts";
import type { ReferenceJson } from "../../../../core/wire/records.ts";
import { toFailure } from "../../../api/api-error.ts";
import { keys } from "../../../api/query-keys.ts";
import { useApplication, useClient, useEntity, usePerson } from "../../../app/app-context.tsx";
import { isComposing } from "../../../app/keyboard.ts";
import { isReference } from "../../../format/value-shapes.ts";
import { PEOPLE } from "../../../format/names.ts";
import { useWords } from "../../../i18n/words.tsx";
import { recordAddress } from "../../../routing/routes.ts";
import { SearchInput } from "../../../ui/control/search-input.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Link } from "../../../ui/link.tsx";
import { usePopup } from "../../../ui/overlay/popup.tsx";
import { Listbox } from "../../control/listbox.tsx";
import { Person } from "../../control/record-label.tsx";
import {
  candidateQuery,
  findCandidates,
  MOST_CANDIDATES,
  orderCandidates,
  rememberChoice,
} from "../../control/reference-candidates.ts";
import { useLimits, useRefused } from "../../control/sibling-values.tsx";
import { controlProps, type FieldView, type InputProps, never, type ShownProps } from "../../field.ts";

const Shown = ({ field, value, cell }: ShownProps) => {
  const { screens } = useApplication();
  if (!isReference(value)) return null;
  const words = field.entity === PEOPLE ? <Person {...value} /> : <bdi>{value.label}</bdi>;
  const address = cell || !field.entity ? null : recordAddress(screens, field.entity, value.id);
  return address === null ? (
    words
  ) : (
    <Link className="link" href={address}>
      {words}
    </Link>
  );
};

export const reference: FieldView = { Shown, wide: false, end: false, group: never };
