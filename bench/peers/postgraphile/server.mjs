// The leave desk with PostGraphile, on a database with permissions.sql. Sessions are read with each request, as by hand:
// a session that was ended is refused at once. `DATABASE_URL=… PORT=… node server.mjs`.
import { hash } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 6, options: "-c TimeZone=UTC" });
pool.on("error", () => {});

const sessionOf = async (cookie) => {
  const token = /(?:^|;\s*)session=([^;]+)/.exec(cookie ?? "")?.[1];
  if (token === undefined) return undefined;
  const values = [hash("sha256", token, "buffer")];
  const text = "select person, payroll from desk.session($1)";
  const { rows } = await pool.query({ name: "session", text, values });
  return rows[0]?.person === null ? undefined : rows[0];
};

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool, schemas: ["public"], pubsub: false })],
  grafast: {
    context: async ({ node }) => {
      const session = await sessionOf(node?.req.headers.cookie);
      if (session === undefined) throw new Error("Sign in first.");
      const role = session.payroll ? "desk_payroll" : "desk_staff";
      return { pgSettings: { role, "desk.person": session.person, "desk.payroll": String(session.payroll) } };
    },
  },
  grafserv: { graphiql: false, watch: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(Number(process.env.PORT), "127.0.0.1");
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
    void pool.end();
  });
