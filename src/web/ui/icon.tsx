import IconAdjustments from "@tabler/icons-react/dist/esm/icons/IconAdjustmentsHorizontal.mjs";
import IconAlertCircle from "@tabler/icons-react/dist/esm/icons/IconAlertCircle.mjs";
import IconUndo from "@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs";
import IconArrowDown from "@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs";
import IconArrowLeft from "@tabler/icons-react/dist/esm/icons/IconArrowLeft.mjs";
import IconArrowRight from "@tabler/icons-react/dist/esm/icons/IconArrowRight.mjs";
import IconArrowUp from "@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs";
import IconBell from "@tabler/icons-react/dist/esm/icons/IconBell.mjs";
import IconBold from "@tabler/icons-react/dist/esm/icons/IconBold.mjs";
import IconView from "@tabler/icons-react/dist/esm/icons/IconBookmark.mjs";
import IconCalendar from "@tabler/icons-react/dist/esm/icons/IconCalendar.mjs";
import IconChart from "@tabler/icons-react/dist/esm/icons/IconChartBar.mjs";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import IconChevronLeft from "@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs";
import IconChevronRight from "@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs";
import IconChevronUp from "@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs";
import IconCirclePlus from "@tabler/icons-react/dist/esm/icons/IconCirclePlus.mjs";
import IconCloudOff from "@tabler/icons-react/dist/esm/icons/IconCloudOff.mjs";
import IconCopy from "@tabler/icons-react/dist/esm/icons/IconCopy.mjs";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import IconExport from "@tabler/icons-react/dist/esm/icons/IconDownload.mjs";
import IconExternalLink from "@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs";
import IconEye from "@tabler/icons-react/dist/esm/icons/IconEye.mjs";
import IconEyeOff from "@tabler/icons-react/dist/esm/icons/IconEyeOff.mjs";
import IconFileText from "@tabler/icons-react/dist/esm/icons/IconFileText.mjs";
import IconFilter from "@tabler/icons-react/dist/esm/icons/IconFilter.mjs";
import IconForms from "@tabler/icons-react/dist/esm/icons/IconForms.mjs";
import IconGripVertical from "@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs";
import IconHeading from "@tabler/icons-react/dist/esm/icons/IconHeading.mjs";
import IconHelp from "@tabler/icons-react/dist/esm/icons/IconHelpCircle.mjs";
import IconVersions from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconInbox from "@tabler/icons-react/dist/esm/icons/IconInbox.mjs";
import IconItalic from "@tabler/icons-react/dist/esm/icons/IconItalic.mjs";
import IconLanguage from "@tabler/icons-react/dist/esm/icons/IconLanguage.mjs";
import IconOverview from "@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs";
import IconBoard from "@tabler/icons-react/dist/esm/icons/IconLayoutKanban.mjs";
import IconLineHeight from "@tabler/icons-react/dist/esm/icons/IconLineHeight.mjs";
import IconLink from "@tabler/icons-react/dist/esm/icons/IconLink.mjs";
import IconList from "@tabler/icons-react/dist/esm/icons/IconList.mjs";
import IconListCheck from "@tabler/icons-react/dist/esm/icons/IconListCheck.mjs";
import IconLock from "@tabler/icons-react/dist/esm/icons/IconLock.mjs";
import IconLogin from "@tabler/icons-react/dist/esm/icons/IconLogin2.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconMapOff from "@tabler/icons-react/dist/esm/icons/IconMapOff.mjs";
import IconMoon from "@tabler/icons-react/dist/esm/icons/IconMoon.mjs";
import IconPencil from "@tabler/icons-react/dist/esm/icons/IconPencil.mjs";
import IconPlugX from "@tabler/icons-react/dist/esm/icons/IconPlugConnectedX.mjs";
import IconPlus from "@tabler/icons-react/dist/esm/icons/IconPlus.mjs";
import IconPrinter from "@tabler/icons-react/dist/esm/icons/IconPrinter.mjs";
import IconRefresh from "@tabler/icons-react/dist/esm/icons/IconRefresh.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconSitemap from "@tabler/icons-react/dist/esm/icons/IconSitemap.mjs";
import IconSun from "@tabler/icons-react/dist/esm/icons/IconSun.mjs";
import IconTable from "@tabler/icons-react/dist/esm/icons/IconTable.mjs";
import IconTrash from "@tabler/icons-react/dist/esm/icons/IconTrash.mjs";
import IconImport from "@tabler/icons-react/dist/esm/icons/IconUpload.mjs";
import IconUser from "@tabler/icons-react/dist/esm/icons/IconUser.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconX from "@tabler/icons-react/dist/esm/icons/IconX.mjs";

import { scaleLength } from "../app/font-scale.ts";

const icons = {
  alert: IconAlertCircle,
  back: IconArrowLeft,
  bell: IconBell,
  board: IconBoard,
  bold: IconBold,
  calendar: IconCalendar,
  chart: IconChart,
  check: IconCheck,
  close: IconX,
  copy: IconCopy,
  delete: IconTrash,
  document: IconFileText,
  down: IconChevronDown,
  edit: IconPencil,
  export: IconExport,
  import: IconImport,
  empty: IconInbox,
  filter: IconFilter,
  form: IconForms,
  heading: IconHeading,
  hide: IconEyeOff,
  italic: IconItalic,
  language: IconLanguage,
  density: IconLineHeight,
  link: IconLink,
  map: IconSitemap,
  who: IconTable,
  list: IconList,
  lock: IconLock,
  more: IconDots,
  moon: IconMoon,
  move: IconGripVertical,
  next: IconChevronRight,
  nowhere: IconMapOff,
  offline: IconCloudOff,
  open: IconExternalLink,
  overview: IconOverview,
  people: IconUsers,
  person: IconUser,
  plus: IconPlus,
  previous: IconChevronLeft,
  print: IconPrinter,
  record: IconFileText,
  retry: IconRefresh,
  search: IconSearch,
  select: IconListCheck,
  settings: IconAdjustments,
  show: IconEye,
  signIn: IconLogin,
  signOut: IconLogout,
  sortedDown: IconArrowDown,
  sortedUp: IconArrowUp,
  sun: IconSun,
  table: IconTable,
  tabNew: IconCirclePlus,
  to: IconArrowRight,
  undo: IconUndo,
  unplugged: IconPlugX,
  up: IconChevronUp,
  versions: IconVersions,
  view: IconView,
  why: IconHelp,
};

export type IconName = keyof typeof icons;

/** Icons mirrored in right-to-left text. */
const directed: readonly IconName[] = ["back", "next", "previous", "to", "undo", "signIn", "signOut"];

/** A decorative icon beside text, or in a control with a name of its own. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => {
  const Drawn = icons[name];
  return (
    <Drawn
      className={directed.includes(name) ? "icon directed" : "icon"}
      size={scaleLength(size)}
      stroke={1.7}
      aria-hidden="true"
      focusable="false"
    />
  );
};
