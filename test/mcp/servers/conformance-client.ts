/**
 * The client that the MCP conformance suite drives: imports the tools of the server at the URL from the suite and calls
 * each of them with the arguments that the suite expects.
 */
import { fromMCP } from '../../../src/adapters/mcp/index.ts';
import { callContext } from '../real-servers.ts';

const url = process.argv.at(-1) ?? '';
const { tools, close } = await fromMCP({ url }, { server: 'suite' });
for (const { spec, execute } of tools)
  await execute(spec.name === 'suite.add_numbers' ? { a: 5, b: 3 } : {}, callContext());
await close();
