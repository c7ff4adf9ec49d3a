/** A rig with one gated tool, and the same rig behind MCP over HTTP. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { type ToMcpOptions, toMCP } from '../../src/adapters/mcp/index.ts';
import { operator, planOf, REQUEST, type Rig, rig } from '../runs/rig.ts';

const GATES: readonly string[] = ['GATE_OWNER'];

export function bench(gates: readonly string[] = GATES): Rig {
  const wipe = { approval_mode: 'destructive', side_effect: true, gates, produces: ['done'] } as const;
  return rig({
    tools: { wipe },
    plans: [planOf([{ id: 's1', tool: 'wipe', params: { disk: 'd1' }, requires: gates }])],
  });
}

export const OPTIONS: ToMcpOptions = {
  name: 'bounded',
  request: ({ goal, inputs }) => ({
    ...REQUEST,
    goal: { statement: goal },
    ...(inputs === undefined ? {} : { inputs }),
  }),
  approvals: ({ auth }) => (auth?.clientId === 'the_desk' ? operator('lead_1') : null),
};

/** Serves the rig over HTTP; the bearer token is the client's id. */
export async function serveOverHttp(
  options: ToMcpOptions,
  work: Rig,
): Promise<{ readonly url: URL } & AsyncDisposable> {
  const service = toMCP(work.runtime, options);
  const handle = toNodeHandler(service);
  const http = createServer((req, res) => {
    const clientId = req.headers.authorization?.replace('Bearer ', '') ?? 'anonymous';
    const known = Object.assign(req, { auth: { token: clientId, clientId, scopes: [] } });
    void handle(known as NodeIncomingMessageLike, res);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const stop = async (): Promise<void> => {
    await service.close();
    http.closeAllConnections();
    http.close();
  };
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), [Symbol.asyncDispose]: stop };
}
