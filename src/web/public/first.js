// Runs before anything is painted. What it reads is kept by client/preferences.ts.
const chosen = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    // Nothing may be read here; the system's theme and the browser's language serve.
    return null;
  }
};

// So that a chosen theme does not flash.
const theme = chosen("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

// What every page asks first comes along with its script; who reads in a language of their own asks for it in that.
if (chosen("language") === null) {
  const asked = document.createElement("link");
  Object.assign(asked, { rel: "preload", href: "/_/application", as: "fetch", crossOrigin: "anonymous" });
  document.head.append(asked);
}
