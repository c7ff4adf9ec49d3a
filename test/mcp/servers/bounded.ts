/** A process of its own that serves a bench of bounded work over its standard input and output. */
import { toMCP } from '../../../src/adapters/mcp/index.ts';
import { bench, OPTIONS } from '../bounded-bench.ts';

toMCP(bench().runtime, OPTIONS).stdio();
