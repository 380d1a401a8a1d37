// Runs public test suites, unchanged, against documents of our own: `npm run bench:suites -- --suite contact-list --folder FOLDER`.
// FOLDER is a checkout of the suite, whose tools are installed. Writes docs/evidence/suites.json. Nothing is asserted.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

interface Result {
  /** Test cases, or assertions where the suite counts these. */
  readonly passed: number;
  readonly failed: readonly string[];
}

interface Suite {
  readonly document: string;
  /** The command that a person would run in the folder of the suite. */
  readonly command: string;
  /** If the suite expects its server at a certain port. */
  readonly port?: number;
  run(url: string, folder: string, scratch: string): Promise<Result> | Result;
}

const PASSWORD = "correct horse battery";

/** The values of parameters of a test, which are different in each run, without what follows the name of the field. */
const withoutValues = (name: string): string => name.replace(/\[([A-Za-z0-9]+)-.*\]$/u, "[$1]");

/** The cases of a JUnit report of pytest. */
const readJunit = (xml: string): Result => {
  const cases = [...xml.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gsu)].map(
    ([, head = "", body = ""]) => ({
      test: `${/classname="([^"]*)"/u.exec(head)?.[1]?.split(".").at(-1) ?? ""} ${withoutValues(/(?:^| )name="([^"]*)"/u.exec(head)?.[1] ?? "")}`,
      hasFailed: /<(?:failure|error) /u.test(body),
    }),
  );
  const failed = cases.filter((one) => one.hasFailed);
  return { passed: cases.length - failed.length, failed: failed.map(({ test }) => test) };
};

interface PlaywrightSuite {
  readonly title: string;
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly { readonly results: readonly { readonly status: string }[] }[];
  }[];
  readonly suites?: readonly PlaywrightSuite[];
}

/** The tests of a JSON report of Playwright. */
const readPlaywright = ({ suites = [] }: Pick<PlaywrightSuite, "suites">): Result => {
  const all = (suite: PlaywrightSuite): readonly { readonly test: string; readonly ok: boolean }[] => [
    // A test that was skipped after a failure has not passed.
    ...(suite.specs ?? []).map(({ title, tests }) => ({
      test: `${suite.title}: ${title}`,
      ok: tests.every(({ results }) => results.at(-1)?.status === "passed"),
    })),
    ...(suite.suites ?? []).flatMap(all),
  ];
  const tests = suites.flatMap(all);
  return {
    passed: tests.filter(({ ok }) => ok).length,
    failed: tests.filter(({ ok }) => !ok).map(({ test }) => test),
  };
};

interface Newman {
  readonly run: {
    readonly stats: { readonly assertions: { readonly total: number; readonly failed: number } };
    readonly failures: readonly {
      readonly source?: { readonly name?: string };
      readonly error: { readonly test?: string; readonly message: string };
    }[];
  };
}

interface Mocha {
  readonly passes: readonly unknown[];
  readonly failures: readonly { readonly fullTitle: string }[];
}

/** The tests of a JSON report of Mocha. */
const readMocha = ({ passes, failures }: Mocha): Result => ({
  passed: passes.length,
  failed: failures.map(({ fullTitle }) => fullTitle),
});

/** The assertions of a JSON report of Newman. */
const readNewman = (report: string): Result => {
  const { stats, failures } = (JSON.parse(readFileSync(report, "utf8")) as Newman).run;
  return {
    passed: stats.assertions.total - stats.assertions.failed,
    failed: failures.map(({ source, error }) => `${source?.name ?? ""}: ${error.test ?? error.message}`),
  };
};

interface Jest {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The tests of a JSON report of Jest. */
const readJest = ({ testResults }: Jest): Result => {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status !== "passed").map(({ fullName }) => fullName);
  return { passed: tests.length - failed.length, failed: failed.toSorted() };
};

const suites: Readonly<Record<string, Suite>> = {
  "contact-list": {
    document: "test/documents/contact-list.md",
    command: "pytest tests/api",
    async run(url, folder, scratch) {
      const user = { firstName: "Test", lastName: "User", email: "test@example.com", password: PASSWORD };
      const registered = await fetch(`${url}/users`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(user),
      });
      if (registered.status !== 201) throw new Error(await registered.text());
      const report = join(scratch, "report.xml");
      const python = join(folder, ".venv", "bin", "python");
      spawnSync(
        existsSync(python) ? python : "python3",
        ["-m", "pytest", "tests/api", "-q", `--junitxml=${report}`, "-p", "no:cacheprovider"],
        {
          cwd: folder,
          stdio: "inherit",
          env: { ...process.env, URL: url, TEST_USER_EMAIL: user.email, TEST_USER_PASSWORD: user.password },
        },
      );
      return readJunit(readFileSync(report, "utf8"));
    },
  },
  realworld: {
    document: "test/documents/conduit.md",
    command: "api/run-api-tests.sh",
    run(url, folder, scratch) {
      const report = join(scratch, "report.json");
      const reporters = ["--reporters", "json", "--reporter-json-export", report];
      spawnSync("bash", ["api/run-api-tests.sh", ...reporters], {
        cwd: folder,
        stdio: "inherit",
        env: { ...process.env, APIURL: `${url}/api`, PASSWORD, DELAY_REQUEST: "1" },
      });
      return readNewman(report);
    },
  },
  "notes-postman": {
    document: "test/documents/notes.md",
    command: "newman run expandtesting.json --environment expandtesting_env.json",
    run(url, folder, scratch) {
      const report = join(scratch, "report.json");
      spawnSync(
        "npx",
        [
          ...["newman", "run", "expandtesting.json", "--environment", "expandtesting_env.json"],
          ...["--env-var", `base_url=${url}/notes/api`, "--disable-unicode"],
          ...["--reporters", "cli,json", "--reporter-json-export", report],
        ],
        { cwd: folder, stdio: "inherit" },
      );
      return readNewman(report);
    },
  },
  "notes-playwright": {
    document: "test/documents/notes.md",
    command: "playwright test --project='API Tests'",
    run(url, folder, scratch) {
      const report = join(scratch, "report.json");
      spawnSync("npx", ["playwright", "test", "--project=API Tests", "--reporter=list,json", "--retries=0"], {
        cwd: folder,
        stdio: "inherit",
        env: {
          ...process.env,
          BASE_URL: url,
          API_BASE_URL: `${url}/notes/api/`,
          PLAYWRIGHT_JSON_OUTPUT_NAME: report,
        },
      });
      return readPlaywright(JSON.parse(readFileSync(report, "utf8")) as PlaywrightSuite);
    },
  },
  clinic: {
    document: "test/documents/clinic.md",
    command: "npm run test:api",
    async run(url, folder, scratch) {
      // The accounts that the suite expects. Their password in its data/seedAccounts.js has to be PASSWORD.
      const accounts = [
        ["doctor@example.com", 1],
        ["doctor2@example.com", 2],
        ["doctor3@example.com", 3],
        ["patient@example.com", undefined],
      ] as const;
      for (const [email, record] of accounts) {
        const registered = await fetch(`${url}/api/v1/auth/register`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            ...{ email, password: PASSWORD, name: "Test", role: record === undefined ? "patient" : "doctor" },
            ...(record === undefined ? {} : { doctorRecordId: record }),
          }),
        });
        if (registered.status !== 201) throw new Error(await registered.text());
      }
      const report = join(scratch, "report.json");
      spawnSync("npx", ["playwright", "test", "tests/api", "--reporter=list,json", "--retries=0"], {
        cwd: folder,
        stdio: "inherit",
        env: { ...process.env, BASE_URL: url, TEST_USER_PASSWORD: PASSWORD, PLAYWRIGHT_JSON_OUTPUT_NAME: report },
      });
      return readPlaywright(JSON.parse(readFileSync(report, "utf8")) as PlaywrightSuite);
    },
  },
  "restful-booker": {
    document: "test/documents/bookings.md",
    command: "jest",
    async run(url, folder, scratch) {
      const email = "clerk@example.com";
      const registered = await fetch(`${url}/people`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "Clerk", email, password: PASSWORD }),
      });
      if (registered.status !== 201) throw new Error(await registered.text());
      const report = join(scratch, "report.json");
      spawnSync("npx", ["jest", "--reporters=default", "--json", `--outputFile=${report}`], {
        cwd: folder,
        stdio: "inherit",
        env: {
          ...process.env,
          RESTFUL_BOOKER_BASE_URL: url,
          RESTFUL_BOOKER_USERNAME: email,
          RESTFUL_BOOKER_PASSWORD: PASSWORD,
        },
      });
      return readJest(JSON.parse(readFileSync(report, "utf8")) as Jest);
    },
  },
  serverest: {
    document: "test/documents/shop.md",
    command: "npm run test:e2e",
    // The suite knows its server as port 3000 of this machine.
    port: 3_000,
    run(_url, folder) {
      const { stdout } = spawnSync(
        "npx",
        [
          "mocha",
          "--config",
          "test/integration/.mocharc.js",
          "--fgrep",
          "@skipE2E",
          "--invert",
          "--reporter",
          "json",
          "--exit",
        ],
        // Without this environment, the suite starts the original beside its tests, which never ends.
        {
          cwd: folder,
          encoding: "utf8",
          env: { ...process.env, TEST_TYPE: "e2e-localhost", NODE_ENV: "serverest-test" },
        },
      );
      return readMocha(JSON.parse(stdout.slice(stdout.indexOf("{"))) as Mocha);
    },
  },
};

const { values: options } = parseArgs({
  options: { suite: { type: "string" }, folder: { type: "string" }, commit: { type: "string" } },
});
const suite = suites[options.suite ?? ""];
if (suite === undefined || options.folder === undefined)
  throw new Error(`--suite ${Object.keys(suites).join(" or ")}, and --folder with a checkout of it`);

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "ninefold-suite-"));
// The account of Postgres passes through it to its data.
chmodSync(scratch, 0o711);
const PORT = suite.port ?? 9_471;
const program = spawn(
  process.execPath,
  [
    join(root, "dist", "cli", "main.js"),
    "run",
    join(root, suite.document),
    "--port",
    String(PORT),
    "--data",
    join(scratch, "data"),
    "--no-sample",
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);
const url = `http://127.0.0.1:${PORT}`;
const answers = (): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

try {
  while (!(await answers())) {
    if (program.exitCode !== null) throw new Error("the program has ended");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const { passed, failed } = await suite.run(url, options.folder, scratch);
  const commit =
    options.commit ??
    execFileSync("git", ["-C", options.folder, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const file = join(root, "docs", "evidence", "suites.json");
  const known = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { readonly suites: object })
    : { suites: {} };
  const before = (known.suites as Readonly<Record<string, { readonly reasons?: object; readonly tools?: string }>>)[
    options.suite ?? ""
  ];
  const result = {
    document: suite.document,
    commit,
    command: suite.command,
    measured: new Date().toISOString().slice(0, 10),
    passed,
    of: passed + failed.length,
    ...(before?.tools === undefined ? {} : { tools: before.tools }),
    /** Written by hand: the reasons why tests fail, with their number. */
    reasons: before?.reasons ?? {},
    failed,
  };
  writeFileSync(
    file,
    `${JSON.stringify({ suites: { ...known.suites, [options.suite ?? ""]: result } }, undefined, 2)}\n`,
  );
  console.log(`${passed} of ${passed + failed.length} pass.`);
} finally {
  program.kill("SIGTERM");
  await once(program, "exit");
  rmSync(scratch, { recursive: true, force: true });
}
