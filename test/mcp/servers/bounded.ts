/** A process that serves a rig over its standard input and output. */
import { toMCP } from '../../../src/adapters/mcp/index.ts';
import { bench, OPTIONS } from '../bounded-bench.ts';

toMCP(bench().runtime, OPTIONS).stdio();
