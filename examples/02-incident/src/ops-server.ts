/** An MCP server with the tools of an operations team: logs, metrics, deployments and a rollback. */
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const service: Tool['inputSchema'] = {
  type: 'object',
  properties: { service: { type: 'string' } },
  required: ['service'],
};
const READS = { readOnlyHint: true, openWorldHint: false };

const shape = (properties: Readonly<Record<string, object>>): Tool['outputSchema'] => ({
  type: 'object',
  properties: { ...properties },
  required: Object.keys(properties),
});
const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

const TOOLS: readonly Tool[] = [
  {
    name: 'query_logs',
    description: 'The errors of a service in the last hour',
    inputSchema: service,
    outputSchema: shape({ service: text, errors: number, first_error_at: text, message: text }),
    annotations: READS,
  },
  {
    name: 'read_metrics',
    description: 'How often a service fails',
    inputSchema: service,
    outputSchema: shape({ service: text, error_rate: number, since: text }),
    annotations: READS,
  },
  {
    name: 'list_deploys',
    description: 'The last deployment of a service, and the one before',
    inputSchema: service,
    outputSchema: shape({ service: text, current: text, previous: text, deployed_at: text }),
    annotations: READS,
  },
  {
    name: 'roll_back',
    description: 'Rolls back to the previous release',
    inputSchema: {
      type: 'object',
      properties: { service: text, to: text },
      required: ['service', 'to'],
    },
    outputSchema: shape({ service: text, running: text }),
    annotations: { destructiveHint: true },
  },
];

const server = new Server({ name: 'ops', version: '1.0.0' }, { capabilities: { tools: {} } });
let running = '2026.11.15-2';

const answers: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => object>> = {
  query_logs: ({ service }) => ({
    service,
    errors: 1_204,
    first_error_at: '14:02',
    message: 'card tokens are rejected: unknown field "cvc2"',
  }),
  read_metrics: ({ service }) => ({ service, error_rate: 0.37, since: '14:02' }),
  list_deploys: ({ service }) => ({ service, current: running, previous: '2026.11.15-1', deployed_at: '14:01' }),
  roll_back: ({ service, to }) => {
    running = String(to);
    return { service, running };
  },
};

server.setRequestHandler('tools/list', () => ({ tools: [...TOOLS] }));
server.setRequestHandler('tools/call', ({ params }): CallToolResult => {
  const answer = answers[params.name]?.(params.arguments ?? {});
  if (answer === undefined) return { isError: true, content: [{ type: 'text', text: `no tool ${params.name}` }] };
  return {
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: answer as Record<string, unknown>,
  };
});

await server.connect(new StdioServerTransport());
