import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import type { PickerProps } from "./field-picker.tsx";

export const FieldPicker = lazyComponent<PickerProps>(() => import("./field-picker.tsx"), PageNotLoaded);
