/** True if the application was installed and runs in a window of its own. */
const isInstalled = (window: Window): boolean =>
  ["standalone", "minimal-ui", "fullscreen"].some((mode) => window.matchMedia(`(display-mode: ${mode})`).matches);

/**
 * Prepares the page that an installed application shows without a connection. In a tab, the browser has a page of its
 * own. Returns a function that stops waiting for the installation.
 */
export const prepareOfflinePage = (window: Window, language: string): (() => void) => {
  // Only for secure origins.
  const workers = window.navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined) return () => undefined;
  const register = () => {
    const address = `/_/offline.js?${new URLSearchParams({ language })}`;
    // Without it, the browser's own page appears.
    workers.register(address, { scope: "/", updateViaCache: "none" }).catch(() => undefined);
  };
  if (isInstalled(window)) register();
  window.addEventListener("appinstalled", register);
  return () => window.removeEventListener("appinstalled", register);
};
