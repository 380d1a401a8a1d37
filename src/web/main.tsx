import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "./client/client.ts";
import { App } from "./frame/app.tsx";
import "./look/look.css";
import { ClientProvider } from "./part/context.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no root.");

const client = createClient(window);

createRoot(root).render(
  <StrictMode>
    <ClientProvider value={client}>
      <QueryClientProvider client={client.queries}>
        <Suspense fallback={null}>
          <App />
        </Suspense>
      </QueryClientProvider>
    </ClientProvider>
  </StrictMode>,
);
