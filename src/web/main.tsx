import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "./app/app-state.ts";
import { dropClicksThroughClosedLayers, keepPresses, pressOnceWhileHeld } from "./app/press-guard.ts";
import { revealFocused } from "./app/scroll-into-view.ts";
import { App } from "./frame/app.tsx";
import "./styles/styles.css";
import { ClientProvider } from "./app/app-context.tsx";
import { LoadingBoundary } from "./util/loading-boundary.tsx";

/** The script can run before the page is parsed. */
const findRoot = async (page: Document): Promise<HTMLElement> => {
  const root = page.getElementById("root");
  if (root) return root;
  if (page.readyState !== "loading") throw new Error("The page has no root.");
  await new Promise((resolve) => page.addEventListener("DOMContentLoaded", resolve, { once: true }));
  return findRoot(page);
};

const client = createClient(window);

const draw = (root: HTMLElement) =>
  createRoot(root).render(
    <StrictMode>
      <ClientProvider value={client}>
        <QueryClientProvider client={client.queries}>
          <LoadingBoundary fallback={null}>
            <App />
          </LoadingBoundary>
        </QueryClientProvider>
      </ClientProvider>
    </StrictMode>,
  );

// A font that comes after the first rows has them measured, styled and laid out twice.
void document.fonts.load('1rem "Inter Variable"');
revealFocused(document);
keepPresses(document);
dropClicksThroughClosedLayers(document);
pressOnceWhileHeld(document);
void findRoot(document).then(draw);
