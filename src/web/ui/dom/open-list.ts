/** Opens the list of values of a control that has one. Browsers open the list of a select only shortly after a press. */
export const openList = (control: Element | null | undefined): void => {
  if (control instanceof HTMLSelectElement) {
    try {
      control.showPicker();
    } catch {
      // It is open after the next press.
    }
  } else if (control instanceof HTMLInputElement && control.role === "combobox") control.click();
};
