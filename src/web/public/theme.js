// Runs before anything is painted, so that a chosen theme does not flash. The rest of it is in client/preferences.ts.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Nothing may be read here; the system's theme serves.
}
