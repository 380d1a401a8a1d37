#!/usr/bin/env node
import { loadCommands } from "./load-commands.ts";

process.exitCode = await loadCommands().main(process.argv.slice(2));
